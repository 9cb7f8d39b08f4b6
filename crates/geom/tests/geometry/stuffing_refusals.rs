//! What cannot be filled is refused with a message that says where and what would help; and the sign of the distance.

use crate::common;

use common::Random;
use glam::DVec3;
use pliant_geom::TriangleMesh;
use pliant_geom::shapes::{Sheet, bunny, cuboid, icosphere};
use pliant_geom::stuffing::{SignedDistance, StuffingError, embed, tetrahedralize};

fn refusal(mesh: &TriangleMesh, spacing: f64) -> (StuffingError, String) {
    let error = tetrahedralize(mesh, spacing).expect_err("it should be refused");
    let text = error.to_string();
    println!("{text}");
    (error, text)
}

#[test]
fn broken_meshes_and_spacings() {
    let sphere = icosphere(1.0, 2).unwrap();
    assert!(matches!(refusal(&TriangleMesh::default(), 0.1).0, StuffingError::Empty { .. }));
    let mut bad = sphere.clone();
    bad.points[7].y = f64::NAN;
    assert!(matches!(refusal(&bad, 0.1).0, StuffingError::NotFinite { vertex: 7, .. }));
    let mut bad = sphere.clone();
    bad.triangles[5][1] = 99_999;
    assert!(matches!(refusal(&bad, 0.1).0, StuffingError::OutOfRange { number: 5, corner: 99_999, .. }));
    for spacing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(refusal(&sphere, spacing).0, StuffingError::Spacing { .. }));
    }
    for spacing in [1e-3, 1e-8] {
        let (StuffingError::TooFine { allowed, .. }, _) = refusal(&sphere, spacing) else { panic!("it is too fine") };
        assert!((0.005..0.01).contains(&allowed), "{allowed}");
    }
    assert!(matches!(refusal(&sphere, 1e-300).0, StuffingError::TooFarAway { .. }));
    for (scale, shift) in [(1e80, 0.0), (f64::MAX, 0.0), (1.0, 1e300), (1e-3, 1e9)] {
        let mut far = sphere.clone();
        far.points.iter_mut().for_each(|x| *x = *x * scale + shift);
        let (error, _) = refusal(&far, 0.1);
        assert!(matches!(error, StuffingError::TooLarge { .. } | StuffingError::TooFarAway { .. }));
    }
}

#[test]
fn what_encloses_nothing_or_too_little() {
    let sphere = icosphere(1.0, 3).unwrap();
    let (error, text) = refusal(&Sheet::new(10, 10, 1.0, 1.0).mesh().unwrap(), 0.1);
    assert!(matches!(error, StuffingError::Open { .. }) && text.contains("36 open edges, the first at ("), "{text}");
    let mut bowl = sphere.clone();
    bowl.triangles.retain(|t| t.iter().all(|&c| sphere.points[c as usize].y < 0.1));
    assert!(matches!(refusal(&bowl, 0.1).0, StuffingError::Unclear { .. }));
    let mut mixed = sphere.clone();
    mixed.triangles.iter_mut().step_by(2).for_each(|t| t.swap(0, 1));
    assert!(refusal(&mixed, 0.1).1.contains("turn its triangles the same way"));

    // Closed but flat; closed but between the points of the lattice; closed but mostly between them.
    let mut flat = cuboid(DVec3::ONE, [2, 2, 2]).unwrap();
    flat.points.iter_mut().for_each(|x| x.y *= 1e-13);
    assert!(matches!(refusal(&flat, 0.1).0, StuffingError::Flat { .. }));
    let mut slip = cuboid(DVec3::new(0.2, 0.01, 0.2), [1, 1, 1]).unwrap();
    slip.points.iter_mut().for_each(|x| *x += DVec3::new(0.0, 1.0, 0.0));
    slip.points.push(DVec3::new(0.0, 30.0, 0.0)); // not used: nobody may look at it
    let mut turned = slip.clone();
    turned.points.iter_mut().for_each(|x| *x = glam::DQuat::from_rotation_x(0.7) * *x);
    match refusal(&turned, 0.1).0 {
        StuffingError::TooCoarse { suggested, .. } | StuffingError::NothingInside { suggested, .. } => {
            assert!(tetrahedralize(&turned, suggested).unwrap().quality.volume > 0.95 * 0.2 * 0.2 * 0.01);
        }
        other => panic!("{other}"),
    }
    assert!(matches!(refusal(&icosphere(0.01, 1).unwrap(), 1.0).0, StuffingError::NothingInside { .. }));
}

#[test]
fn nothing_panics_on_random_triangles() {
    let mut random = Random(3);
    for case in 0..300 {
        let vertices = 1 + (random.next() * 12.0) as usize;
        let mut next = || (random.next() * 8.0).floor() / 4.0 - 1.0;
        let points: Vec<DVec3> = (0..vertices).map(|_| DVec3::new(next(), next(), next())).collect();
        let mut corner = || ((next() + 1.0) * 4.0) as u32 % vertices as u32;
        let triangles: Vec<[u32; 3]> = (0..case % 40).map(|_| [corner(), corner(), corner()]).collect();
        if let Ok(stuffed) = tetrahedralize(&TriangleMesh { points, triangles }, 0.25) {
            assert_eq!(stuffed.quality.inverted, 0);
            assert!(stuffed.quality.least_angle >= 8.0, "{}", stuffed.quality);
        }
    }
}

#[test]
fn triangles_on_each_other_take_no_forever() {
    let mut pile = icosphere(1.0, 3).unwrap();
    let (one, triangle) = (pile.points.len() as u32, [DVec3::ZERO, DVec3::X * 0.5, DVec3::Y * 0.5]);
    pile.points.extend((0..20_000).flat_map(|_| triangle));
    pile.triangles.extend((0..20_000).map(|k| [0, 1, 2].map(|c| one + 3 * k + c)));
    let start = std::time::Instant::now();
    let result = tetrahedralize(&pile, 0.2);
    println!("{:?} after {:?}", result.map(|s| s.surface.to_string()), start.elapsed());
    assert!(start.elapsed().as_secs() < 60);
}

#[test]
fn winding_numbers_and_signs() {
    let mesh = bunny(1.0, 0.03).unwrap();
    let distance = SignedDistance::new(&mesh).unwrap();
    let mut random = Random(1);
    let mut worst = 0.0_f64;
    for _ in 0..3000 {
        let p = DVec3::new(random.next() - 0.5, 1.2 * random.next() - 0.1, random.next() - 0.5);
        // All of them, one by one, as spherical excess seen from the point.
        let exact: f64 = (0..mesh.triangles.len()).map(|t| solid_angle(mesh.corners(t).map(|x| x - p))).sum();
        let exact = exact / (4.0 * std::f64::consts::PI);
        let found = distance.winding(p);
        worst = worst.max((found - exact).abs());
        assert_eq!(distance.signed(p, 10.0) < 0.0, exact > 0.5, "{p}: {found} {exact}");
        let nearest = (0..mesh.triangles.len()).map(|t| {
            let [a, b, c] = mesh.corners(t);
            pliant_geom::distance::vertex_triangle(&[p, a, b, c]).distance
        });
        assert_eq!(distance.distance(p, 10.0), nearest.fold(f64::INFINITY, f64::min));
        assert_eq!(distance.distance(p, 1e-6), distance.distance(p, 10.0).min(1e-6));
    }
    println!("the winding number is off by {worst:.1e} at most");
    assert!(worst < 0.06, "{worst}");
}

fn solid_angle([a, b, c]: [DVec3; 3]) -> f64 {
    let (a, b, c) = (a.normalize(), b.normalize(), c.normalize());
    2.0 * a.dot(b.cross(c)).atan2(1.0 + a.dot(b) + b.dot(c) + c.dot(a))
}

#[test]
fn the_same_bits_on_any_number_of_threads() {
    let mesh = bunny(1.0, 0.035).unwrap();
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let stuffed = tetrahedralize(&mesh, 0.06).unwrap();
            let anchors = embed(&stuffed.points, &stuffed.tets, &mesh.points).unwrap();
            (stuffed, anchors)
        })
    };
    let expected = on(1);
    assert!(expected == on(2) && expected == on(3));
}

#[test]
fn anchors_of_bad_tetrahedra_are_refused() {
    let points = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    assert_eq!(embed(&points, &[], &points), Err(StuffingError::NoTets));
    assert!(embed(&points, &[[0, 1, 2, 9]], &points).is_err());
    assert!(embed(&points, &[[0, 1, 2, 3]], &[DVec3::NAN]).is_err());
    let far = embed(&points, &[[0, 1, 2, 3]], &[DVec3::new(5.0, 0.0, 0.0), DVec3::splat(0.25)]).unwrap();
    assert!((0..4).all(|k| (far[0].weights[k] - [-4.0, 5.0, 0.0, 0.0][k]).abs() < 1e-14));
    assert_eq!(far[1].weights, [0.25; 4]);
    // Without volume: the first corner carries it.
    let flat = embed(&points, &[[0, 1, 2, 2]], &[DVec3::Z]).unwrap();
    assert_eq!(flat[0].weights, [1.0, 0.0, 0.0, 0.0]);
}
