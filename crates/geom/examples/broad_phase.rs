//! Times of refitting and of finding all pairs of triangles of a lightly folded cloth; best of many, one thread.
//!
//! `cargo run --release -p pliant-geom --example broad_phase`

use glam::DVec3;
use pliant_geom::shapes::Sheet;
use pliant_geom::{Aabb, Bvh, Pairs, share_vertex};
use std::time::{Duration, Instant};

fn main() {
    println!(
        "{:>9} {:>10} {:>9} {:>10} {:>10} {:>10} {:>10}",
        "vertices", "triangles", "build ms", "refit ms", "query ms", "both ms", "pairs"
    );
    for side in [100, 200] {
        measure(side);
    }
}

fn measure(side: usize) {
    // One metre wide, in waves of 4 cm; nothing but neighbours is near.
    let sheet = Sheet::new(side, side, 1.0, 1.0).mesh().expect("a sheet of a metre");
    let wave = |x: f64, y: f64| 0.04 * (12.0 * x).sin() * (7.0 * y).cos();
    let start: Vec<DVec3> = sheet.points.iter().map(|p| DVec3::new(p.x, p.y, wave(p.x, p.y))).collect();
    let end: Vec<DVec3> = start.iter().map(|x| *x - DVec3::new(0.0, 0.0, 1e-3)).collect();
    let triangles = &sheet.triangles;
    let centres: Vec<DVec3> = triangles.iter().map(|t| Aabb::swept(t, &start, &start).centre()).collect();
    let began = Instant::now();
    let mut tree = Bvh::new(&centres);
    let build = began.elapsed();
    let mut pairs = Pairs::new();
    let apart = |i: u32, j: u32| !share_vertex(&triangles[i as usize], &triangles[j as usize]);
    let (mut refit, mut query, mut both) = (Duration::MAX, Duration::MAX, Duration::MAX);
    for _ in 0..200 {
        let began = Instant::now();
        tree.refit(1e-3, |i| Aabb::swept(&triangles[i], &start, &end));
        let middle = Instant::now();
        tree.self_pairs(apart, &mut pairs);
        let ended = Instant::now();
        refit = refit.min(middle - began);
        query = query.min(ended - middle);
        both = both.min(ended - began);
    }
    let ms = |d: Duration| d.as_secs_f64() * 1e3;
    println!(
        "{:>9} {:>10} {:>9.2} {:>10.3} {:>10.3} {:>10.3} {:>10}",
        side * side,
        triangles.len(),
        ms(build),
        ms(refit),
        ms(query),
        ms(both),
        pairs.as_slice().len()
    );
}
