//! Generated shapes are clean, closed, well-shaped and of the right size; bad sizes are refused.

use glam::DVec3;
use pliant_geom::mesh_check::check;
use pliant_geom::shapes::{
    BadShape, Diagonals, Sheet, bunny, capsule, cuboid, divided, goblet, icosphere, liver, polygonise, torus,
};
use pliant_geom::{Aabb, TriangleMesh};
use std::f64::consts::PI;

/// Nothing wrong, closed, one piece, facing outward; Euler's number; the smallest angle in degrees.
fn closed(name: &str, mesh: &TriangleMesh, euler: i64, least_angle: f64) {
    assert_eq!(check(mesh), [], "{name}");
    let surface = mesh.surface().unwrap();
    assert!(surface.is_closed(), "{name}");
    assert_eq!(surface.components().1, 1, "{name}");
    let found = mesh.points.len() as i64 - surface.edges.len() as i64 + mesh.triangles.len() as i64;
    assert_eq!(found, euler, "{name}");
    let angle = mesh.least_angle().unwrap().to_degrees();
    println!("{name}: {} triangles, least angle {angle:.1}, volume {:.6}", mesh.triangles.len(), mesh.volume());
    assert!(mesh.volume() > 0.0, "{name} is inside out");
    assert!(angle > least_angle, "{name}: {angle} degrees");
}

#[test]
fn sheet() {
    let sheet = Sheet::new(5, 4, 2.0, 1.0);
    let mesh = sheet.mesh().unwrap();
    assert_eq!((mesh.points.len(), mesh.triangles.len()), (20, 24));
    assert_eq!(check(&mesh), []);
    assert!((mesh.total_area() - 2.0).abs() < 1e-14);
    let areas = mesh.vertex_areas();
    assert!((areas.iter().sum::<f64>() - 2.0).abs() < 1e-14);
    assert!(mesh.triangles.iter().all(|t| {
        let [a, b, c] = t.map(|c| mesh.points[c as usize]);
        (b - a).cross(c - a).z > 0.0
    }));
    let surface = mesh.surface().unwrap();
    assert_eq!((surface.boundary.len(), surface.is_closed()), (2 * (4 + 3), false));
    assert_eq!(surface.edges.len(), 20 + 24 - 1); // Euler: V - E + F = 1
    // The inner vertices have four or eight triangles in turns, with all diagonals the same way six each.
    let around = |mesh: &TriangleMesh, v: u32| mesh.triangles.iter().filter(|t| t.contains(&v)).count();
    assert_eq!([6, 7, 8].map(|v| around(&mesh, v)), [8, 4, 8]);
    let same = Sheet { diagonals: Diagonals::Same, ..sheet }.mesh().unwrap();
    assert_eq!([6, 7, 8].map(|v| around(&same, v)), [6, 6, 6]);
    // The warp goes along y, and the weft a quarter turn further.
    let cloth = sheet.cloth_coordinates(&[DVec3::new(0.3, 0.7, 0.0)]);
    assert!((cloth[0] - glam::DVec2::new(0.7, -0.3)).length() < 1e-15);
}

#[test]
fn livers_are_clean_at_any_cell() {
    for part in [16.0, 20.0, 30.0, 45.0] {
        let mesh = liver(0.2, 0.2 / part).unwrap();
        closed("liver", &mesh, 2, 15.0);
        let width = |axis: usize| {
            let (low, high) =
                mesh.points.iter().fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x[axis]), h.max(x[axis])));
            high - low
        };
        assert!((width(0) / 0.2 - 1.0).abs() < 0.03, "{}", width(0));
        assert!(width(1) < 0.13 && width(2) < 0.13);
    }
    assert!(liver(0.2, 0.02).is_err() && liver(f64::NAN, 0.01).is_err() && liver(0.2, 0.0).is_err());
}

#[test]
fn round_and_square_shapes() {
    for subdivisions in 0..5 {
        let mesh = icosphere(0.5, subdivisions).unwrap();
        assert_eq!(mesh.triangles.len(), 20 * 4_usize.pow(subdivisions as u32));
        closed("icosphere", &mesh, 2, 50.0);
    }
    let sphere = icosphere(1.0, 4).unwrap();
    // Edges are about 0.07 long: a chord lies deeper by the square of half of that over two, and the volume is less by three times as much.
    assert!((sphere.volume() / (4.0 / 3.0 * PI) - 1.0).abs() < 3.0 * 0.5 * 0.04_f64.powi(2));
    let block = cuboid(DVec3::new(1.0, 2.0, 0.5), [4, 8, 2]).unwrap();
    closed("box", &block, 2, 44.9);
    assert!((block.volume() - 1.0).abs() < 1e-14 && (block.total_area() - 7.0).abs() < 1e-13);
    closed("smallest box", &cuboid(DVec3::ONE, [1, 1, 1]).unwrap(), 2, 44.9);
    let pill = capsule(0.1, 0.4, 24).unwrap();
    closed("capsule", &pill, 2, 30.0);
    // A regular polygon of 24 in a circle has 0.9886 of its area.
    let exact = PI * 0.01 * 0.4 + 4.0 / 3.0 * PI * 1e-3;
    assert!(pill.volume() < exact && pill.volume() > 0.975 * exact);
    closed("smallest capsule", &capsule(1.0, 1.0, 3).unwrap(), 2, 20.0);
    let ring = torus(0.3, 0.1, 48, 24).unwrap();
    closed("torus", &ring, 0, 26.5); // cells on the outer side are twice as long as wide
    let exact = 2.0 * PI * PI * 0.3 * 0.01;
    assert!(ring.volume() < exact && ring.volume() > 0.98 * exact);
}

#[test]
fn rabbit() {
    // Clean for whatever cell is allowed: some of them are 2000 to 5000 triangles.
    for parts in (51..80).step_by(4) {
        let cell = 2.0 * 0.25 / f64::from(parts);
        let mesh = bunny(0.25, cell).unwrap();
        closed("bunny", &mesh, 2, 20.0);
        let all = Aabb::around(mesh.points.iter().copied());
        // The tips lie between vertices: within half a cell.
        assert!((all.high.y - 0.25).abs() < 0.5 * cell && all.low.y.abs() < 0.5 * cell, "{all:?}");
        assert!((all.low.x + all.high.x).abs() < 0.5 * cell, "{all:?}");
    }
    let default = bunny(0.25, 0.25 / 30.0).unwrap();
    assert!((3500..5000).contains(&default.triangles.len()), "{}", default.triangles.len());
    assert_eq!(default, bunny(0.25, 0.25 / 30.0).unwrap());
}

#[test]
fn wine_glass() {
    for parts in [51.0, 60.0, 77.7, 120.0] {
        let (height, cell) = (0.2, 0.2 / parts);
        let mesh = goblet(height, cell).unwrap();
        closed("goblet", &mesh, 2, 20.0);
        let all = Aabb::around(mesh.points.iter().copied());
        assert!(all.low.y == 0.0 && (all.high.y - height).abs() < 0.02 * height, "{all:?}");
        assert!((all.high.x - 0.237 * height).abs() < 0.01 * height, "{all:?}");
        // Hollow: less than the cylinder around it by far.
        assert!(mesh.volume() < 0.2 * PI * all.high.x.powi(2) * height);
    }
    let mesh = goblet(0.2, 0.2 / 60.0).unwrap();
    assert!((12_000..14_000).contains(&mesh.triangles.len()), "{}", mesh.triangles.len());
    assert!(goblet(0.2, 0.005).is_err() && goblet(f64::NAN, 0.01).is_err() && goblet(0.2, -1.0).is_err());
    assert_eq!(goblet(1.0, 1e-9), Err(BadShape::TooMany));
    assert!(goblet(f64::MAX, f64::MIN_POSITIVE).is_err());
}

#[test]
fn a_field_becomes_its_surface() {
    let bounds = Aabb { low: DVec3::splat(-1.3), high: DVec3::splat(1.3) };
    let mesh = polygonise(|p| p.length() - 1.0, bounds, 0.1).unwrap();
    closed("sphere by its field", &mesh, 2, 25.0);
    assert!(mesh.points.iter().all(|p| (p.length() - 1.0).abs() < 1e-9));
    let nothing = polygonise(|_| 1.0, bounds, 0.1).unwrap();
    assert!(nothing.points.is_empty() && nothing.triangles.is_empty());
    let noise = polygonise(|p| if p.x > 0.0 { f64::NAN } else { p.y.sin() * 1e300 }, bounds, 0.2).unwrap();
    assert!(noise.surface().is_ok());
}

#[test]
fn bad_sizes_are_refused() {
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(icosphere(bad, 1), Err(BadShape::Size { what: "radius", .. })));
        assert!(Sheet::new(3, 3, bad, 1.0).mesh().is_err());
        assert!(cuboid(DVec3::new(1.0, bad, 1.0), [1, 1, 1]).is_err());
        assert!(capsule(0.1, bad, 8).is_err() && torus(bad, 0.1, 8, 8).is_err());
        assert!(bunny(bad, 0.01).is_err() && bunny(0.25, bad).is_err());
    }
    assert!(matches!(Sheet::new(1, 3, 1.0, 1.0).mesh(), Err(BadShape::TooFew { what: "columns", .. })));
    assert_eq!(icosphere(1.0, 40), Err(BadShape::TooMany));
    assert_eq!(icosphere(1.0, usize::MAX), Err(BadShape::TooMany));
    assert_eq!(Sheet::new(usize::MAX, 5, 1.0, 1.0).mesh(), Err(BadShape::TooMany));
    assert_eq!(cuboid(DVec3::ONE, [100_000, 100_000, 1]), Err(BadShape::TooMany));
    assert_eq!(capsule(1e-9, 1e9, 8), Err(BadShape::TooMany));
    assert!(torus(0.1, 0.2, 8, 8).is_err() && torus(0.3, 0.1, 2, 8).is_err());
    assert_eq!(bunny(0.25, 1e-7), Err(BadShape::TooMany));
    assert!(bunny(0.25, 0.02).is_err());
    let error = icosphere(-2.0, 1).unwrap_err();
    assert_eq!(error.to_string(), "radius is -2: it must be above zero and finite");
}

#[test]
fn a_divided_surface_is_rounder_and_keeps_its_vertices() {
    let off = |mesh: &TriangleMesh| mesh.points.iter().map(|p| (p.length() - 1.0).abs()).fold(0.0, f64::max);
    for subdivisions in 1..4 {
        let coarse = icosphere(1.0, subdivisions).unwrap();
        let fine = divided(&coarse);
        closed("divided sphere", &fine, 2, 30.0);
        assert_eq!(fine.triangles.len(), 4 * coarse.triangles.len());
        assert_eq!(fine.points[..coarse.points.len()], coarse.points[..]);
        let edges = coarse.surface().unwrap().edges;
        let middle = |[a, b]: [u32; 2]| 0.5 * (coarse.points[a as usize] + coarse.points[b as usize]);
        let flat = edges.iter().map(|edge| 1.0 - middle(*edge).length()).fold(0.0, f64::max);
        assert!(off(&fine) < 0.2 * flat, "{} of {flat}", off(&fine));
    }

    for (name, coarse, finer) in [
        ("rabbit", bunny(1.0, 0.03).unwrap(), bunny(1.0, 0.015).unwrap()),
        ("liver", liver(1.0, 0.03).unwrap(), liver(1.0, 0.015).unwrap()),
    ] {
        let fine = divided(&coarse);
        closed(name, &fine, 2, 10.0);
        let missing = |mesh: &TriangleMesh| (mesh.volume() / finer.volume() - 1.0).abs();
        assert!(missing(&fine) < 0.3 * missing(&coarse), "{name}: {} {}", missing(&fine), missing(&coarse));
    }
}
