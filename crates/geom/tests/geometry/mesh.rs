//! Connections of triangles; every defect is found and named; repairs leave nothing to find; no input panics.

use glam::DVec3;
use pliant_geom::mesh_check::{Defect, check};
use pliant_geom::mesh_repair::Oriented;
use pliant_geom::shapes::{Sheet, cuboid, icosphere};
use pliant_geom::{BadSurface, Surface, TriangleMesh};
use pliant_testkit::Random;

fn square() -> TriangleMesh {
    let points = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec();
    TriangleMesh { points, triangles: vec![[0, 1, 2], [0, 2, 3]] }
}

#[test]
fn a_square_has_one_hinge() {
    let surface = square().surface().unwrap();
    assert_eq!(surface.edges, [[0, 1], [0, 2], [0, 3], [1, 2], [2, 3]]);
    assert_eq!(surface.triangle_edges, [[0, 3, 1], [1, 4, 2]]);
    assert_eq!(surface.boundary, [0, 2, 3, 4]);
    let [hinge] = surface.hinges[..] else { panic!("{:?}", surface.hinges) };
    // In the direction of the first triangle: 2 to 0.
    assert_eq!((hinge.edge, hinge.opposite, hinge.triangles), ([2, 0], [1, 3], [0, 1]));
    let empty = Surface::new(0, &[]).unwrap();
    assert!(!empty.is_closed() && empty.components().1 == 0);
    let far = Surface::new(4, &[[0, 1, 9]]).unwrap_err();
    assert_eq!(far, BadSurface::OutOfRange { triangle: 0, corner: 9, vertices: 4 });
    assert_eq!(far.to_string(), "triangle 0 has corner 9, but there are 4 vertices");
    assert_eq!(Surface::new(4, &[[0, 1, 2], [3, 1, 3]]), Err(BadSurface::Repeated { triangle: 1, corner: 3 }));
}

#[test]
fn components_are_told_apart() {
    let mut two = square();
    let mut other = square();
    other.points.iter_mut().for_each(|p| p.z += 1.0);
    two.points.extend(&other.points);
    two.triangles.extend(other.triangles.iter().map(|t| t.map(|c| c + 4)));
    two.triangles.push([2, 3, 4]); // hangs on the first by an edge and touches the second with a corner
    let (component, count) = two.surface().unwrap().components();
    assert_eq!((component, count), (vec![0, 0, 1, 1, 0], 2));
}

#[test]
fn every_defect_is_named() {
    assert_eq!(check(&square()), []);
    assert_eq!(check(&TriangleMesh::default()), [Defect::Empty]);
    let with = |points: &[DVec3], triangles: &[[u32; 3]]| {
        let mut mesh = square();
        mesh.points.extend(points);
        mesh.triangles.extend(triangles);
        check(&mesh)
    };
    let up = DVec3::new(0.0, 0.0, 1.0);
    assert_eq!(with(&[], &[[0, 1, 9]]), [Defect::OutOfRange(vec![2])]);
    assert_eq!(with(&[], &[[3, 3, 1]]), [Defect::RepeatedCorner(vec![2])]);
    assert_eq!(with(&[up], &[]), [Defect::Unused(vec![4])]);
    assert_eq!(with(&[DVec3::NAN], &[[1, 0, 4]]), [Defect::NotFinite(vec![4])]);
    assert_eq!(with(&[DVec3::new(0.5, -1e-9, 0.0)], &[[1, 0, 4]]), [Defect::NoArea(vec![2])]);
    assert_eq!(with(&[up], &[[0, 1, 4]]), [Defect::Inconsistent(vec![[0, 2]])]);
    assert_eq!(with(&[up], &[[0, 2, 4]]), [Defect::NonManifold(vec![([0, 2], vec![0, 1, 2])])]);
    let twice = with(&[], &[[2, 0, 1]]);
    assert_eq!(twice[0], Defect::Duplicate(vec![[0, 2]]));
    assert_eq!(twice.iter().map(Defect::name).collect::<Vec<_>>(), ["duplicate", "non-manifold", "inconsistent"]);
    assert_eq!(twice[0].to_string(), "the same corners twice: triangles 0 and 2");
    let many = Defect::Unused((0..8).collect());
    assert_eq!(many.to_string(), "no triangle uses them: vertices 0, 1, 2, 3, 4 and 3 more");
}

/// Each triangle with its own corners, as STL files have them; some turned over, with rubbish between.
fn soup(mesh: &TriangleMesh, random: &mut Random) -> TriangleMesh {
    let mut soup = TriangleMesh::default();
    for t in 0..mesh.triangles.len() {
        let first = soup.points.len() as u32;
        soup.points.extend(mesh.corners(t));
        let mut corners = [first, first + 1, first + 2];
        if random.number() > 0.0 {
            corners.swap(0, 1);
        }
        soup.triangles.push(corners);
        match t % 5 {
            0 => soup.triangles.push(corners),
            1 => soup.triangles.push([first, first, first + 1]),
            2 => soup.points.push(random.vector()),
            _ => {}
        }
    }
    soup
}

#[test]
fn soup_is_repaired() {
    for (name, mesh) in [("sphere", icosphere(1.0, 2).unwrap()), ("box", cuboid(DVec3::ONE, [2, 3, 4]).unwrap())] {
        let mut broken = soup(&mesh, &mut Random(1));
        assert!(check(&broken).len() >= 3);
        let welded = broken.weld();
        assert!(welded > 0 && broken.drop_bad_triangles() > 0 && broken.drop_unused_vertices() > 0);
        let done = broken.orient();
        assert!(done.components == 1 && done.turned > 10 && done.one_sided == 0, "{done:?}");
        assert_eq!(check(&broken), [], "{name}");
        assert!(broken.surface().unwrap().is_closed());
        assert_eq!((broken.points.len(), broken.triangles.len()), (mesh.points.len(), mesh.triangles.len()));
        // The same triangles in the same order, only summed about another point.
        assert!((broken.volume() - mesh.volume()).abs() < 1e-13, "{name} faces inward");
        assert_eq!(broken.orient(), Oriented { components: 1, ..Oriented::default() });
    }
}

#[test]
fn a_strip_with_one_side_is_reported() {
    let count = 12;
    let mut strip = TriangleMesh::default();
    for i in 0..count {
        let angle = std::f64::consts::TAU * i as f64 / count as f64;
        let out = DVec3::new(angle.cos(), angle.sin(), 0.0);
        let across = (out * (angle / 2.0).cos() + DVec3::Z * (angle / 2.0).sin()) * 0.3;
        strip.points.extend([out - across, out + across]);
    }
    for i in 0..count {
        let [a, b] = [2 * i, 2 * i + 1];
        // After one turn the two rims have changed places.
        let [c, d] = if i + 1 < count { [a + 2, b + 2] } else { [1, 0] };
        strip.triangles.extend([[a, b, d], [a, d, c]]);
    }
    let done = strip.orient();
    assert_eq!((done.components, done.one_sided), (1, 1));
    assert_eq!(check(&strip).iter().map(Defect::name).collect::<Vec<_>>(), ["inconsistent"]);
}

#[test]
fn no_input_panics() {
    let mut random = Random(9);
    for case in 0..3000 {
        let vertices = (random.number().abs() * 8.0) as usize;
        let mut mesh = TriangleMesh { points: random.vectors(vertices), triangles: Vec::new() };
        for point in &mut mesh.points {
            match (random.number() * 8.0) as i32 {
                7 => *point = DVec3::NAN,
                6 => point.x = f64::INFINITY,
                5 => *point = DVec3::ZERO,
                4 => *point *= 1e200,
                _ => {}
            }
        }
        for _ in 0..case % 13 {
            mesh.triangles.push(std::array::from_fn(|_| (random.number().abs() * 9.0) as u32));
        }
        if case % 50 == 0 {
            mesh.triangles.push([u32::MAX, 0, 1]);
        }
        for defect in check(&mesh) {
            assert!(!defect.to_string().is_empty());
        }
        let _ = mesh.surface().map(|surface| (surface.components(), surface.is_closed()));
        mesh.orient();
        mesh.weld();
        mesh.drop_unused_vertices();
        mesh.drop_bad_triangles();
        mesh.orient();
        assert!(mesh.surface().is_ok(), "what is left has connections");
        assert_eq!(mesh.vertex_areas().len(), mesh.points.len());
        let _ = (mesh.volume(), mesh.total_area(), mesh.least_angle());
    }
    let sheet = Sheet::new(40, 40, 1.0, 1.0).mesh().unwrap();
    assert_eq!(sheet.volume(), 0.0);
}
