//! The hierarchy finds exactly the pairs whose boxes meet, in one order on any number of threads.

use std::sync::atomic::{AtomicUsize, Ordering};

use glam::DVec3;
use pliant_geom::bvh::Stretch;
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

/// A curve of length 1 cut into so many pieces, each in a box of radius 0.02 around it, that goes there and back: the pairs farther apart along it than
/// 0.06, and how often the filter is asked.
fn pairs_along_a_curve(count: usize, marked: bool) -> (Vec<[u32; 2]>, usize) {
    const APART: f64 = 0.06;
    let arc = |i: usize| i as f64 / count as f64;
    let place = |s: f64| DVec3::new(0.5 - (s - 0.5).abs(), 0.0, 0.03 * s);
    let pieces: Vec<Aabb> = (0..count).map(|i| Aabb::around([place(arc(i)), place(arc(i + 1))]).grown(0.02)).collect();
    let mut tree = tree(&pieces, 0.0);
    if marked {
        tree.set_stretches(|i| Some(Stretch { curve: 0, ends: [arc(i as usize), arc(i as usize + 1)], apart: APART }));
    }
    let asked = AtomicUsize::new(0);
    let keep = |i: u32, j: u32| {
        asked.fetch_add(1, Ordering::Relaxed);
        arc(j as usize + 1) - arc(i as usize) >= APART
    };
    let mut pairs = Pairs::new();
    tree.self_pairs(keep, &mut pairs);
    (pairs.as_slice().to_vec(), asked.load(Ordering::Relaxed))
}

/// Neighbours along a curve are left out by groups: the same pairs, without a question for each of those that are left out.
#[test]
fn neighbours_along_a_curve_are_not_looked_for() {
    for count in [100, 1000, 4000] {
        let (pairs, asked) = pairs_along_a_curve(count, true);
        let (all, asked_all) = pairs_along_a_curve(count, false);
        assert_eq!(pairs, all);
        assert!(asked <= asked_all && asked >= pairs.len(), "{asked} {asked_all} {}", pairs.len());
    }
    let left_out = |count| {
        let (pairs, asked) = pairs_along_a_curve(count, true);
        asked - pairs.len()
    };
    // at the ends of the reach, two groups of sixteen for each piece
    let (few, many) = (left_out(2000), left_out(8000));
    assert!(many < 6 * few, "{few} and {many}: not in proportion to the number of pieces");
}

#[test]
fn pieces_of_several_curves_and_of_none_are_looked_for() {
    let mut random = Random(4);
    let boxes = boxes(&mut random, 300, 0.3);
    let mut plain = tree(&boxes, 0.0);
    let mut pairs = Pairs::new();
    plain.self_pairs(|_, _| true, &mut pairs);
    let all = pairs.as_slice().to_vec();
    let of = |i: u32| (!i.is_multiple_of(3)).then_some(Stretch { curve: i % 2, ends: [0.0, 1.0], apart: 9.0 });
    plain.set_stretches(of);
    let keep = |i: u32, j: u32| of(i).zip(of(j)).is_none_or(|(a, b)| a.curve != b.curve);
    plain.self_pairs(keep, &mut pairs);
    let expected: Vec<[u32; 2]> = all.into_iter().filter(|[i, j]| keep(*i, *j)).collect();
    assert_eq!(pairs.as_slice(), expected);
}
