//! The hierarchy finds exactly the pairs whose boxes meet, in one order on any number of threads.

use glam::DVec3;
use pliant_geom::{Aabb, Bvh, Pairs};
use pliant_testkit::Random;

fn on_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

fn boxes(random: &mut Random, count: usize, size: f64) -> Vec<Aabb> {
    (0..count)
        .map(|_| {
            let at = random.vector();
            Aabb::around([at, at + random.vector() * size])
        })
        .collect()
}

fn tree(boxes: &[Aabb], margin: f64) -> Bvh {
    let centres: Vec<DVec3> = boxes.iter().map(Aabb::centre).collect();
    let mut tree = Bvh::new(&centres);
    tree.refit(margin, |i| boxes[i]);
    tree
}

/// All pairs whose boxes, grown by `margin`, meet; without those that only rounding decides.
fn brute(a: &[Aabb], b: &[Aabb], within: bool, margin: f64) -> Vec<[u32; 2]> {
    let mut found = Vec::new();
    for (i, first) in a.iter().enumerate() {
        for (j, second) in b.iter().enumerate().skip(if within { i + 1 } else { 0 }) {
            if first.grown(margin).meets(&second.grown(margin)) {
                found.push([i as u32, j as u32]);
            }
        }
    }
    found
}

/// Rounding of coordinates of up to 2 to f32 on each side of two boxes.
const ROUNDING: f64 = 8.0 * f32::EPSILON as f64;

#[test]
fn pairs_are_those_of_brute_force() {
    let mut random = Random(1);
    let mut pairs = Pairs::new();
    for count in [0, 1, 2, 3, 4, 5, 8, 15, 16, 17, 63, 64, 65, 255, 257, 700] {
        let (a, b) = (boxes(&mut random, count, 0.2), boxes(&mut random, 90, 0.2));
        let (first, second) = (tree(&a, 0.01), tree(&b, 0.01));
        assert_eq!((first.len(), first.is_empty()), (count, count == 0));
        first.self_pairs(|_, _| true, &mut pairs);
        sandwich(&pairs, &brute(&a, &a, true, 0.01), &brute(&a, &a, true, 0.01 + ROUNDING));
        first.pairs_with(&second, |_, _| true, &mut pairs);
        sandwich(&pairs, &brute(&a, &b, false, 0.01), &brute(&a, &b, false, 0.01 + ROUNDING));
        second.pairs_with(&first, |i, j| i % 2 == 0 && j > 3, &mut pairs);
        assert!(pairs.as_slice().iter().all(|p| p[0] % 2 == 0 && p[1] > 3));
    }
}

/// All that must be there, nothing that rounding cannot explain, in ascending order without repeats.
fn sandwich(found: &Pairs, must: &[[u32; 2]], may: &[[u32; 2]]) {
    let found = found.as_slice();
    assert!(found.is_sorted_by(|a, b| a < b));
    assert!(must.iter().all(|p| found.binary_search(p).is_ok()), "a pair is missing");
    assert!(found.iter().all(|p| may.binary_search(p).is_ok()), "a pair is too much");
}

#[test]
fn the_same_on_any_number_of_threads_and_after_any_refit() {
    let run = |threads| {
        on_threads(threads, || {
            let mut random = Random(2);
            let (before, after) = (boxes(&mut random, 20_000, 0.1), boxes(&mut random, 20_000, 0.1));
            let mut pairs = Pairs::new();
            let mut moving = tree(&before, 0.0);
            moving.refit(0.0, |i| after[i]);
            moving.self_pairs(|_, _| true, &mut pairs);
            let moved = pairs.as_slice().to_vec();
            tree(&after, 0.0).self_pairs(|_, _| true, &mut pairs);
            assert_eq!(moved, pairs.as_slice(), "a refit and a new tree find the same");
            assert!(moved.len() > 10_000);
            moved
        })
    };
    let expected = run(1);
    assert_eq!(expected, run(2));
    assert_eq!(expected, run(3));
}

#[test]
fn a_few_boxes_fitted_again_are_as_good_as_all() {
    let mut random = Random(5);
    let (mut whole, mut parts) = (Pairs::new(), Pairs::new());
    for count in [1, 5, 17, 70, 700] {
        let mut now = boxes(&mut random, count, 0.2);
        let (mut all, mut few) = (tree(&now, 0.01), tree(&now, 0.01));
        for _ in 0..20 {
            let moved = [0.1, 0.4, 0.9].map(|part| (part * count as f64) as u32);
            moved.iter().for_each(|i| now[*i as usize] = boxes(&mut random, 1, 0.3)[0]);
            all.refit(0.01, |i| now[i]);
            few.refit_few(&moved, 0.01, |i| now[i]);
            all.self_pairs(|_, _| true, &mut whole);
            few.self_pairs(|_, _| true, &mut parts);
            assert_eq!(whole.as_slice(), parts.as_slice());
        }
    }
}

#[test]
fn swept_boxes_hold_the_whole_step() {
    let start = [DVec3::ZERO, DVec3::X, DVec3::Y];
    let end = [DVec3::Z, DVec3::X * 2.0, DVec3::NEG_Y];
    let swept = Aabb::swept(&[0, 1, 2], &start, &end);
    assert_eq!(swept, Aabb { low: DVec3::new(0.0, -1.0, 0.0), high: DVec3::new(2.0, 1.0, 1.0) });
}

#[test]
fn odd_boxes_do_no_harm() {
    let point = |p: DVec3| Aabb { low: p, high: p };
    let all = Aabb { low: DVec3::NEG_INFINITY, high: DVec3::INFINITY };
    let mut odd = vec![point(DVec3::NAN), all, Aabb::around([]), point(DVec3::splat(1e300)), point(DVec3::ZERO)];
    odd.push(Aabb::around([DVec3::ZERO, DVec3::new(0.0, f64::INFINITY, 0.0)]));
    let mut pairs = Pairs::new();
    tree(&odd, 1e-3).self_pairs(|_, _| true, &mut pairs);
    assert_eq!(pairs.as_slice(), [[1, 3], [1, 4]]);
    // Centres that all coincide still make a tree of full groups.
    let same = vec![point(DVec3::ONE); 100];
    tree(&same, 0.0).self_pairs(|_, _| true, &mut pairs);
    assert_eq!(pairs.as_slice().len(), 100 * 99 / 2);
}
