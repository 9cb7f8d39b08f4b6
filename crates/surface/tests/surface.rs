//! Surfaces about particles: closed, where the fluid ends, and the same for any number of threads.

use std::collections::HashMap;

use glam::DVec3;
use pliant_surface::{FluidSurface, SurfaceError, SurfaceSettings};

fn block(n: [usize; 3], spacing: f64, corner: DVec3) -> Vec<DVec3> {
    let at = |i: usize, j: usize, k: usize| corner + (DVec3::new(i as f64, j as f64, k as f64) + 0.5) * spacing;
    (0..n[0]).flat_map(|i| (0..n[1]).flat_map(move |j| (0..n[2]).map(move |k| at(i, j, k)))).collect()
}

fn volume(surface: &FluidSurface) -> f64 {
    let of = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|corner| surface.points[corner as usize]);
        a.dot(b.cross(c)) / 6.0
    };
    surface.triangles.iter().map(of).sum()
}

fn assert_closed(surface: &FluidSurface) {
    let mut balance: HashMap<[u32; 2], i32> = HashMap::new();
    for [a, b, c] in &surface.triangles {
        for [from, to] in [[*a, *b], [*b, *c], [*c, *a]] {
            *balance.entry([from.min(to), from.max(to)]).or_default() += if from < to { 1 } else { -1 };
        }
    }
    assert!(balance.values().all(|count| *count == 0), "every side is met once in each direction");
}

#[test]
fn a_block_has_its_volume_wherever_it_is_and_however_large() {
    for (spacing, corner) in [(0.02, DVec3::ZERO), (5.0, DVec3::new(-900.0, 40.0, 1e5)), (1e-6, DVec3::ONE)] {
        let x = block([14, 10, 12], spacing, corner);
        let surface = FluidSurface::of(&x, spacing, &SurfaceSettings::default()).unwrap();
        assert_closed(&surface);
        // about the corner, so that the sum has no large numbers to lose
        let local = FluidSurface { points: surface.points.iter().map(|p| *p - corner).collect(), ..surface.clone() };
        let (found, expected) = (volume(&local), x.len() as f64 * spacing.powi(3));
        assert!((found / expected - 1.0).abs() < 0.1, "{found} instead of {expected}");
        let (low, high) = surface.points.iter().fold((DVec3::MAX, DVec3::MIN), |(l, h), p| (l.min(*p), h.max(*p)));
        let size = DVec3::new(14.0, 10.0, 12.0) * spacing;
        assert!((low - corner).abs().max_element() < 0.5 * spacing, "{low}");
        assert!((high - corner - size).abs().max_element() < 0.5 * spacing, "{high}");
        for (point, normal) in local.points.iter().zip(&local.normals) {
            assert!((normal.length() - 1.0).abs() < 1e-9 && normal.dot(*point - 0.5 * size) > 0.0);
        }
    }
}

#[test]
fn drops_stay_when_the_surface_is_smoothed() {
    let mut x = block([6, 6, 6], 0.1, DVec3::ZERO);
    x.extend([DVec3::splat(2.0), DVec3::splat(-3.0)]);
    let [rough, smooth] = [0, 20].map(|smoothing| {
        let settings = SurfaceSettings { smoothing, ..SurfaceSettings::default() };
        FluidSurface::of(&x, 0.1, &settings).unwrap()
    });
    assert_eq!(rough.triangles, smooth.triangles);
    assert_ne!(rough.points, smooth.points);
    let near = |surface: &FluidSurface, place: f64| {
        surface
            .points
            .iter()
            .filter(|p| p.distance(DVec3::splat(place)) < 0.1 && p.distance(DVec3::splat(place)) > 0.01)
            .count()
    };
    for place in [2.0, -3.0] {
        assert!(near(&rough, place) > 8 && near(&rough, place) == near(&smooth, place), "{}", near(&smooth, place));
    }
    assert!((volume(&smooth) / volume(&rough) - 1.0).abs() < 0.05);
}

/// More cubes than one box holds, of particles in disorder.
#[test]
fn threads_do_not_matter() {
    let mut seed = 1_u64;
    let mut random = || {
        seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (seed >> 40) as f64 / (1 << 24) as f64 - 0.5
    };
    let mut x = block([40, 12, 30], 0.05, DVec3::ZERO);
    x.iter_mut().for_each(|p| *p += 0.04 * DVec3::new(random(), random(), random()));
    x.extend((0..200).map(|_| 3.0 * DVec3::new(random(), random(), random())));
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let surface = FluidSurface::of(&x, 0.05, &SurfaceSettings::default()).unwrap();
            let carried = surface.carry(&x, &x, 0.05, DVec3::ZERO);
            (surface, carried)
        })
    };
    let one = with(1);
    assert!(one.0.triangles.len() > 10_000);
    assert_closed(&one.0);
    for threads in [2, 3, 7] {
        assert!(with(threads) == one, "{threads} threads");
    }
}

#[test]
fn vertices_have_what_the_particles_near_them_have() {
    let x = block([8, 8, 8], 0.1, DVec3::ZERO);
    let surface = FluidSurface::of(&x, 0.1, &SurfaceSettings::default()).unwrap();
    let same = surface.carry(&x, &vec![3.5; x.len()], 0.1, 0.0);
    assert!(same.iter().all(|value| (value - 3.5).abs() < 1e-12));
    let places = surface.carry(&x, &x, 0.1, DVec3::ZERO);
    assert!(places.iter().zip(&surface.points).all(|(found, place)| found.distance(*place) < 0.1));
    assert_eq!(surface.carry(&[], &[], 0.1, 7.0), vec![7.0; surface.points.len()]);
}

#[test]
fn odd_input_has_an_answer() {
    let settings = SurfaceSettings::default();
    assert_eq!(FluidSurface::of(&[], 0.1, &settings), Ok(FluidSurface::default()));
    assert_eq!(FluidSurface::of(&[DVec3::NAN; 3], 0.1, &settings), Ok(FluidSurface::default()));
    let one = FluidSurface::of(&[DVec3::ONE], 0.1, &settings).unwrap();
    assert_closed(&one);
    assert!(volume(&FluidSurface { points: one.points.iter().map(|p| *p - 1.0).collect(), ..one.clone() }) > 1e-4);
    // far away, not finite, many at one place
    let mut x = block([4, 4, 4], 0.1, DVec3::ZERO);
    let alone = FluidSurface::of(&x, 0.1, &settings).unwrap();
    x.extend([DVec3::splat(1e300), DVec3::splat(-1e12), DVec3::new(0.0, f64::NAN, 0.0), DVec3::splat(f64::INFINITY)]);
    assert_eq!(FluidSurface::of(&x, 0.1, &settings).unwrap().triangles.len(), alone.triangles.len());
    assert_closed(&FluidSurface::of(&[DVec3::Y; 500], 0.1, &settings).unwrap());
    assert_closed(&FluidSurface::of(&[DVec3::ZERO, DVec3::X * 1e4], 0.1, &settings).unwrap());
    for spacing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(FluidSurface::of(&x, spacing, &settings), Err(SurfaceError::BadSettings(_))), "{spacing}");
    }
}
