//! Generated closed surfaces are filled with good tetrahedra that have their volume and reach their vertices.

use crate::common;

use common::{boundary, not_manifold};
use glam::{DQuat, DVec3};
use pliant_geom::TriangleMesh;
use pliant_geom::shapes::{bunny, capsule, cuboid, icosphere, liver, torus};
use pliant_geom::stuffing::{ANGLE_BOUNDS, SignedDistance, Stuffed, embed, tetrahedralize};
use pliant_testkit::surfaces::{extruded, letter_l, linked_rings, moved, star, thin_plate, together};

/// Fills a surface and checks everything that is promised; `error` is the part of the volume that may be missing or too much.
fn stuff(name: &str, surface: &TriangleMesh, spacing: f64, error: f64) -> Stuffed {
    let stuffed = tetrahedralize(surface, spacing).unwrap_or_else(|error| panic!("{name}: {error}"));
    let quality = &stuffed.quality;
    let off = quality.volume / surface.volume().abs() - 1.0;
    println!("{name}: {quality}; volume off by {:.2} %; dropped {}", 100.0 * off, stuffed.dropped);
    assert_eq!((quality.count, quality.inverted), (stuffed.tets.len(), 0), "{name}");
    assert_eq!(quality.angles.iter().sum::<usize>(), 6 * quality.count, "{name}");
    assert!(quality.least_angle >= ANGLE_BOUNDS[0] && quality.most_angle <= ANGLE_BOUNDS[1], "{name}: {quality}");
    assert!(off.abs() < error, "{name}: the volume is off by {off}");

    assert!(stuffed.surface.crossings == 0 && !stuffed.surface.gave_up, "{name}: {}", stuffed.surface);

    let hull = boundary(&stuffed.points, &stuffed.tets);
    assert_eq!(not_manifold(&hull), (0, 0), "{name}");
    assert!((hull.volume() / quality.volume - 1.0).abs() < 1e-9, "{name}: the tetrahedra overlap");
    let used: std::collections::BTreeSet<u32> = stuffed.tets.iter().flatten().copied().collect();
    assert_eq!(used.len(), stuffed.points.len(), "{name}: a point without tetrahedra");

    let to_hull = SignedDistance::new(&hull).unwrap();
    let far = surface.points.iter().map(|&x| to_hull.distance(x, 1e9)).fold(0.0, f64::max);
    assert!(far < spacing, "{name}: a vertex is {far} away");
    let to_surface = SignedDistance::new(surface).unwrap();
    let far = hull.points.iter().map(|&x| to_surface.distance(x, 1e9)).fold(0.0, f64::max);
    assert!(far < 0.05 * spacing || stuffed.dropped > 0 || !stuffed.surface.is_watertight(), "{name}: off by {far}");

    let anchors = embed(&stuffed.points, &stuffed.tets, &surface.points).unwrap();
    for (anchor, &x) in anchors.iter().zip(&surface.points) {
        assert!(anchor.carry(&stuffed.points).distance(x) < 1e-9 * spacing, "{name}");
        assert!((anchor.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{name}");
        assert!(anchor.weights.iter().all(|w| w.abs() < 10.0), "{name}: {anchor:?}");
    }
    stuffed
}

#[test]
fn round_bodies() {
    let sphere = stuff("sphere", &icosphere(0.5, 4).unwrap(), 0.08, 0.01);
    assert!(sphere.surface.is_watertight() && sphere.dropped == 0);
    stuff("torus", &torus(0.4, 0.15, 64, 32).unwrap(), 0.06, 0.02);
    stuff("capsule", &capsule(0.2, 0.6, 32).unwrap(), 0.05, 0.02);
    let rings = stuff("linked rings", &linked_rings(), 0.05, 0.03);
    assert_eq!((sphere.quality.pieces, rings.quality.pieces), (1, 2));
}

#[test]
fn organic_bodies() {
    stuff("bunny", &bunny(1.0, 0.03).unwrap(), 0.04, 0.02);
    stuff("liver", &liver(0.2, 0.005).unwrap(), 0.008, 0.02);
    stuff("star", &star(), 0.06, 0.03);
}

#[test]
fn bodies_with_edges() {
    stuff("cube", &cuboid(DVec3::ONE, [2, 2, 2]).unwrap(), 0.1, 0.03);
    let turned =
        moved(cuboid(DVec3::ONE, [1, 1, 1]).unwrap(), DVec3::ONE, DQuat::from_axis_angle(DVec3::ONE.normalize(), 0.7));
    stuff("turned cube", &turned, 0.08, 0.03);
    stuff("thin plate", &thin_plate(), 0.03, 0.05);
    let turn = DQuat::from_rotation_x(0.4);
    let plate = moved(thin_plate(), DVec3::ZERO, turn);
    stuff("turned plate", &plate, 0.03, 0.05);
    stuff("letter L", &letter_l(), 0.04, 0.04);
    let ring: Vec<[f64; 2]> =
        (0..40).map(|k| (0.157_079_632_679 * f64::from(k)).sin_cos()).map(|(s, c)| [0.3 * c, 0.3 * s]).collect();
    let fan: Vec<[u32; 3]> = (1..39).map(|k| [0, k, k + 1]).collect();
    stuff("cylinder", &extruded(&ring, &fan, 0.8), 0.06, 0.03);
}

#[test]
fn holes_inward_faces_and_soups() {
    let whole = icosphere(0.5, 4).unwrap();
    let mut holed = whole.clone();
    holed.triangles.retain(|t| t.iter().any(|&c| whole.points[c as usize].y < 0.47));
    assert!(holed.triangles.len() < whole.triangles.len() - 20);
    let stuffed = stuff("sphere with a hole", &holed, 0.08, 0.03);
    assert!(stuffed.surface.open_edges > 5 && stuffed.surface.first_open.is_some_and(|x| x.y > 0.4));

    let mut inward = whole.clone();
    inward.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    let stuffed = stuff("inward sphere", &inward, 0.08, 0.01);
    assert!(stuffed.surface.faces_inward && stuffed.surface.is_watertight());

    // As in an STL file: no triangle knows its neighbours.
    let soup = TriangleMesh {
        points: (0..whole.triangles.len()).flat_map(|t| whole.corners(t)).collect(),
        triangles: (0..whole.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect(),
    };
    let stuffed = stuff("soup", &soup, 0.08, 0.01);
    assert!(stuffed.surface.is_watertight());

    // Two spheres that overlap: more than the sum of what each holds would be wrong.
    let overlapping = together(whole.clone(), &moved(whole.clone(), DVec3::new(0.5, 0.0, 0.0), DQuat::IDENTITY));
    let stuffed = tetrahedralize(&overlapping, 0.08).unwrap();
    assert!(stuffed.surface.crossings > 0);
    let lens = 5.0 / 16.0 * whole.volume();
    assert!((stuffed.quality.volume / (2.0 * whole.volume() - lens) - 1.0).abs() < 0.02);
}
