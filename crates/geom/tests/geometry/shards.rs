//! Surfaces of fragments: closed, facing outward, fitting together, moving with their particles.

use glam::{DQuat, DVec3};
use pliant_geom::TriangleMesh;
use pliant_geom::grains::{Lattice, ShardSurface, Shards};
use pliant_geom::shapes::{cuboid, goblet, icosphere};
use pliant_geom::stuffing::SignedDistance;
use std::time::Instant;

const MOST: usize = 1_000_000;

fn block() -> Lattice {
    Lattice::block(DVec3::new(0.2, 0.0, -1.0), DVec3::new(1.0, 0.5, -0.4), 0.1, MOST).unwrap()
}

/// The triangles of one fragment, with vertices at the same place as one.
fn mesh_of(surface: &ShardSurface, fragment: u32) -> TriangleMesh {
    let mine = surface.triangles.iter().zip(&surface.fragment).filter(|(_, name)| **name == fragment);
    let mut mesh = TriangleMesh { points: surface.points.clone(), triangles: mine.map(|(t, _)| *t).collect() };
    mesh.weld();
    mesh.drop_unused_vertices();
    mesh
}

/// Whether every side of a triangle has another that runs the other way.
fn is_closed(mesh: &TriangleMesh) -> bool {
    let mut sides: Vec<[u32; 2]> = mesh.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]).collect();
    let mut back: Vec<[u32; 2]> = sides.iter().map(|&[a, b]| [b, a]).collect();
    sides.sort_unstable();
    back.sort_unstable();
    !sides.is_empty() && sides == back
}

/// All fields have the lengths that they should, and every point has a particle of its fragment.
fn check(surface: &ShardSurface, fragment: &[u32]) {
    assert_eq!(surface.points.len(), surface.owner.len());
    assert_eq!([surface.fragment.len(), surface.is_inner.len()], [surface.triangles.len(); 2]);
    for (triangle, name) in surface.triangles.iter().zip(&surface.fragment) {
        assert!(triangle.iter().all(|&c| fragment[surface.owner[c as usize] as usize] == *name));
    }
}

#[test]
fn a_whole_block_looks_like_a_block() {
    let lattice = block();
    let points = lattice.points();
    let whole = vec![7; points.len()];
    let surface = Shards::new(&lattice, None).surface(&points, &points, &whole);
    check(&surface, &whole);
    assert!(surface.is_inner.iter().all(|inner| !inner));
    let mesh = mesh_of(&surface, 7);
    assert!(is_closed(&mesh) && mesh.surface().unwrap().is_closed());
    assert!((mesh.volume() - 0.8 * 0.5 * 0.6).abs() < 1e-14, "{}", mesh.volume());
    assert_eq!(mesh.triangles.len(), 2 * 2 * (8 * 5 + 5 * 6 + 6 * 8));
    // Edges are sharp: every normal is along an axis.
    assert!(surface.normals().iter().all(|n| (n.abs().max_element() - 1.0).abs() < 1e-12));
}

#[test]
fn two_halves_fit_together() {
    let lattice = block();
    let rest = lattice.points();
    let fragment: Vec<u32> = lattice.cells.iter().map(|cell| if cell[0] < 3 { 1 } else { 5 }).collect();
    let shift = DVec3::new(0.05, 0.02, 0.0);
    let x: Vec<DVec3> = rest.iter().zip(&fragment).map(|(p, f)| if *f == 5 { *p + shift } else { *p }).collect();
    let surface = Shards::new(&lattice, None).surface(&rest, &x, &fragment);
    check(&surface, &fragment);
    let halves = [1, 5].map(|name| mesh_of(&surface, name));
    assert!(halves.iter().all(is_closed));
    let volumes = halves.map(|half| half.volume());
    assert!((volumes[0] + volumes[1] - 0.24).abs() < 1e-14, "{volumes:?}");
    assert!((volumes[0] - 0.09).abs() < 0.005 && volumes[0] != 0.09, "{volumes:?}");
    // Crack faces are where the crack is, and nothing else is.
    assert_eq!(surface.is_inner.iter().filter(|inner| **inner).count(), 2 * 2 * 5 * 6);
    let mut roughest = 0.0_f64;
    for (triangle, is_inner) in surface.triangles.iter().zip(&surface.is_inner) {
        let off = |c: &u32| surface.points[*c as usize].x - 0.5;
        let at_crack = triangle.iter().all(|c| off(c) > -0.031 && off(c) < 0.081);
        assert_eq!(at_crack, *is_inner);
        if *is_inner {
            roughest = triangle.iter().map(|c| off(c).min(0.0).abs()).fold(roughest, f64::max);
        }
    }
    assert!(roughest > 0.01, "{roughest}");
}

#[test]
fn what_turns_as_a_whole_keeps_its_shape() {
    let lattice = block();
    // Particles are not exactly in the middle of their cells.
    let jittered = |(k, p): (usize, DVec3)| p + 0.02 * DVec3::new((k as f64).sin(), (2.0 * k as f64).cos(), 0.3);
    let rest: Vec<DVec3> = lattice.points().into_iter().enumerate().map(jittered).collect();
    let fragment: Vec<u32> = lattice.cells.iter().map(|cell| (cell[0] / 3 + 4 * (cell[1] / 2)) as u32).collect();
    let shards = Shards::new(&lattice, None);
    let before = shards.surface(&rest, &rest, &fragment);
    for degrees in [0.0, 90.0, 170.0, 180.0] {
        let turn = DQuat::from_axis_angle(DVec3::new(1.0, -2.0, 0.5).normalize(), f64::to_radians(degrees));
        let shift = DVec3::new(5.0, -3.0, 1.0);
        let x: Vec<DVec3> = rest.iter().map(|p| turn * *p + shift).collect();
        let after = shards.surface(&rest, &x, &fragment);
        assert_eq!((&before.triangles, &before.owner), (&after.triangles, &after.owner));
        let off = before.points.iter().zip(&after.points).map(|(p, q)| (turn * *p + shift - *q).length());
        assert!(off.fold(0.0, f64::max) < 1e-9);
    }
}

#[test]
fn single_particles_and_nothing_at_all() {
    let lattice = block();
    let rest = lattice.points();
    let alone: Vec<u32> = (0..rest.len() as u32).map(|p| u32::MAX - 3 * p).collect();
    let shards = Shards::new(&lattice, None);
    let surface = shards.surface(&rest, &rest, &alone);
    check(&surface, &alone);
    assert_eq!(surface.triangles.len(), 12 * rest.len());
    let mut sum = 0.0;
    for name in alone.iter().step_by(7) {
        let mesh = mesh_of(&surface, *name);
        assert!(is_closed(&mesh) && mesh.volume() > 2e-4, "{}", mesh.volume());
    }
    for name in &alone {
        sum += mesh_of(&surface, *name).volume();
    }
    assert!((sum - 0.24).abs() < 1e-13, "{sum}");

    assert_eq!(Shards::new(&Lattice::default(), None).surface(&[], &[], &[]), ShardSurface::default());
    assert_eq!(Shards::default().surface(&[], &[], &[]).normals(), []);
    // One entry too few; numbers that are none; a cell that is listed twice; the ends of the range.
    assert_eq!(shards.surface(&rest, &rest[1..], &alone), ShardSurface::default());
    let nowhere = vec![DVec3::NAN; rest.len()];
    assert_eq!(
        shards.surface(&nowhere, &nowhere, &vec![0; rest.len()]).normals().len(),
        surface_points(&shards, &rest)
    );
    let cells = vec![[0, 0, 0], [0, 0, 0], [i32::MAX; 3], [i32::MIN; 3]];
    let odd = Lattice { origin: DVec3::ZERO, spacing: 1.0, cells };
    let odd_points = odd.points();
    let surface = Shards::new(&odd, None).surface(&odd_points, &odd_points, &[0, 1, 2, 3]);
    assert_eq!(surface.triangles.len(), 3 * 12);
}

fn surface_points(shards: &Shards, rest: &[DVec3]) -> usize {
    shards.surface(rest, rest, &vec![0; rest.len()]).points.len()
}

#[test]
fn a_pair_of_particles_keeps_its_shape_as_it_turns() {
    let lattice = Lattice::block(DVec3::ZERO, DVec3::new(2.0, 1.0, 1.0), 1.0, MOST).unwrap();
    let rest = lattice.points();
    let shards = Shards::new(&lattice, None);
    let turn = DQuat::from_rotation_z(2.0);
    let x: Vec<DVec3> = rest.iter().map(|p| turn * *p).collect();
    let surface = shards.surface(&rest, &x, &[0, 0]);
    assert!((mesh_of(&surface, 0).volume() - 2.0).abs() < 1e-12);
}

#[test]
fn a_filled_ball_is_round() {
    let (radius, spacing) = (1.0, 0.1);
    let ball = icosphere(radius, 5).unwrap();
    let lattice = Lattice::filled(&ball, spacing, MOST).unwrap();
    let rest = lattice.points();
    let shards = Shards::new(&lattice, Some(&SignedDistance::new(&ball).unwrap()));
    let whole = vec![0; rest.len()];
    let surface = shards.surface(&rest, &rest, &whole);
    check(&surface, &whole);
    let off = surface.points.iter().map(|p| (p.length() - radius).abs()).fold(0.0, f64::max);
    assert!(off < 0.15 * spacing, "{off}");
    let mesh = mesh_of(&surface, 0);
    assert!(is_closed(&mesh));
    assert!((mesh.volume() / ball.volume() - 1.0).abs() < 0.01, "{}", mesh.volume() / ball.volume());
    let tilt = |(n, p): (DVec3, &DVec3)| n.dot(*p / p.length()).clamp(-1.0, 1.0).acos().to_degrees();
    let tilts: Vec<f64> = surface.normals().into_iter().zip(&surface.points).map(tilt).collect();
    println!("normals off by {:.1} degrees at most", tilts.iter().copied().fold(0.0, f64::max));
    assert!(tilts.iter().all(|t| *t < 20.0));

    // Ground to dust, no cell is flat or inside out.
    let dust: Vec<u32> = (0..rest.len() as u32).collect();
    let surface = shards.surface(&rest, &rest, &dust);
    let mut volumes = vec![0.0; rest.len()];
    for (triangle, cell) in surface.triangles.iter().zip(&surface.fragment) {
        let [a, b, c] = triangle.map(|c| surface.points[c as usize] - rest[*cell as usize]);
        volumes[*cell as usize] += a.dot(b.cross(c)) / 6.0 / spacing.powi(3);
    }
    assert!(volumes.iter().all(|volume| *volume > 0.05), "{:?}", volumes.iter().copied().reduce(f64::min));

    // Cut through the middle: the outside of both halves is still round, the crack rough, and nothing is lost.
    let fragment: Vec<u32> = rest.iter().map(|p| u32::from(p.x + 0.3 * p.y > 0.0)).collect();
    let surface = shards.surface(&rest, &rest, &fragment);
    check(&surface, &fragment);
    let halves = [0, 1].map(|name| mesh_of(&surface, name));
    assert!(halves.iter().all(is_closed));
    assert!((halves[0].volume() + halves[1].volume() - mesh.volume()).abs() < 1e-12);
    for (triangle, is_inner) in surface.triangles.iter().zip(&surface.is_inner) {
        let is_outside = triangle.iter().all(|&c| (surface.points[c as usize].length() - radius).abs() < 0.1 * spacing);
        assert!(*is_inner || is_outside);
    }
}

#[test]
fn a_filled_box_and_a_goblet_are_those_of_their_meshes() {
    let size = DVec3::new(1.0, 0.6, 0.4);
    let glass = goblet(1.0, 1.0 / 80.0).unwrap();
    for (mesh, spacing, most_off) in [(cuboid(size, [1, 1, 1]).unwrap(), 0.1, 1e-12), (glass, 1.0 / 60.0, 0.05)] {
        let lattice = Lattice::filled(&mesh, spacing, MOST).unwrap();
        let rest = lattice.points();
        let distance = SignedDistance::new(&mesh).unwrap();
        let surface = Shards::new(&lattice, Some(&distance)).surface(&rest, &rest, &vec![0; rest.len()]);
        assert!(surface.points.iter().all(|p| distance.distance(*p, 1.0) < 1e-9 * spacing));
        let volume = mesh_of(&surface, 0).volume();
        println!("{} particles, {:.4} of the volume", rest.len(), volume / mesh.volume());
        assert!(is_closed(&mesh_of(&surface, 0)));
        assert!((volume / mesh.volume() - 1.0).abs() < most_off);
    }
}

#[test]
fn many_particles_take_little_time_and_the_same_bits() {
    let lattice = Lattice::block(DVec3::ZERO, DVec3::new(5.0, 5.0, 4.0), 0.1, MOST).unwrap();
    let rest = lattice.points();
    assert_eq!(rest.len(), 100_000);
    let start = Instant::now();
    let shards = Shards::new(&lattice, None);
    println!("corners and faces: {:.3} s", start.elapsed().as_secs_f64());
    let alone: Vec<u32> = (0..rest.len() as u32).collect();
    let chunks: Vec<u32> =
        lattice.cells.iter().map(|c| (c[0] / 7 + 10 * (c[1] / 7) + 100 * (c[2] / 7)) as u32).collect();
    for (name, fragment) in [("whole", vec![0; rest.len()]), ("in 384", chunks), ("to dust", alone)] {
        let start = Instant::now();
        let surface = shards.surface(&rest, &rest, &fragment);
        println!("{name}: {} triangles, {:.3} s", surface.triangles.len(), start.elapsed().as_secs_f64());
        assert_eq!(surface, Shards::new(&lattice, None).surface(&rest, &rest, &fragment));
    }
}
