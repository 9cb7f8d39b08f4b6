//! The bounds of the angles hold for any field, however wild: cut points anywhere, jumps, values that are no numbers.

use crate::common;

use common::{Random, boundary, not_manifold};
use glam::DVec3;
use pliant_geom::Aabb;
use pliant_geom::stuffing::{ANGLE_BOUNDS, Quality, stuff_field};

/// A value for every place, the same every time, that has nothing to do with those of its neighbours.
fn noise(p: DVec3, seed: u64) -> f64 {
    let bits = p.to_array().map(|x| ((x * 1e6).round() as i64) as u64);
    let mix = |h: u64, b: &u64| Random(h ^ b).next().to_bits();
    Random(bits.iter().fold(seed, mix)).next()
}

/// Every point of a lattice of spacing one is inside or outside by chance, and every place has the side of the lattice point that is nearest,
/// less a random weight of each: cut points are anywhere around the middles of the edges, and the field jumps.
fn patchwork(p: DVec3, seed: u64, part_inside: f64, most_weight: f64) -> f64 {
    let mut nearest = (f64::INFINITY, 1.0);
    for shift in [0.0, 0.5] {
        let low = (p - shift).floor() + shift;
        for bits in 0..8 {
            let corner = low + DVec3::new(f64::from(bits & 1), f64::from(bits >> 1 & 1), f64::from(bits >> 2));
            let squared = corner.distance_squared(p) - most_weight * noise(corner, seed);
            if squared < nearest.0 {
                nearest = (squared, if noise(corner, seed + 1) < part_inside { -1.0 } else { 1.0 });
            }
        }
    }
    nearest.1
}

#[test]
fn angles_hold_for_any_cut_points() {
    let bounds = Aabb { low: DVec3::splat(-5.0), high: DVec3::splat(5.0) };
    let mut worst = [180.0_f64, 0.0];
    for seed in 0..60 {
        let part_inside = [0.1, 0.3, 0.5, 0.7, 0.9][seed as usize % 5];
        let most_weight = [0.05, 0.15, 0.25, 0.35, 0.5, 0.7][seed as usize % 6];
        let field = |p: DVec3| patchwork(p, 2 * seed, part_inside, most_weight);
        let (points, tets) = stuff_field(field, &bounds, 1.0).unwrap();
        let quality = Quality::of(&points, &tets);
        assert!(quality.count > 100);
        assert_eq!(quality.inverted, 0, "{seed}: {quality}");
        worst = [worst[0].min(quality.least_angle), worst[1].max(quality.most_angle)];
        let surface = boundary(&points, &tets);
        assert_eq!(not_manifold(&surface), (0, 0), "{seed}");
        assert!((surface.volume() / quality.volume - 1.0).abs() < 1e-9, "{seed}: the tetrahedra overlap");
    }
    println!("dihedral angles {:.2} to {:.2}", worst[0], worst[1]);
    assert!(worst[0] >= ANGLE_BOUNDS[0] && worst[1] <= ANGLE_BOUNDS[1], "{worst:?}");
}

#[test]
fn no_number_is_outside_and_a_field_may_reach_the_bounds() {
    let bounds = Aabb { low: DVec3::splat(-1.0), high: DVec3::splat(1.0) };
    let (points, tets) = stuff_field(|_| f64::NAN, &bounds, 0.5).unwrap();
    assert!(points.is_empty() && tets.is_empty());
    for (value, is_full) in [(-1.0, true), (f64::NEG_INFINITY, true), (f64::INFINITY, false), (0.0, false)] {
        let (points, tets) = stuff_field(|_| value, &bounds, 0.5).unwrap();
        let quality = Quality::of(&points, &tets);
        assert!(quality.inverted == 0 && points.iter().all(|x| x.is_finite()), "{value}: {quality}");
        assert_eq!(quality.volume >= 8.0, is_full, "{value}: {quality}");
    }
    let half = |p: DVec3| if p.x > 0.1 { f64::NAN } else { p.length() - 0.8 };
    let (points, tets) = stuff_field(half, &bounds, 0.1).unwrap();
    let quality = Quality::of(&points, &tets);
    assert!(quality.inverted == 0 && quality.least_angle >= ANGLE_BOUNDS[0], "{quality}");
    assert!(quality.volume > 1.0 && points.iter().all(|x| x.x < 0.25), "{quality}");
}
