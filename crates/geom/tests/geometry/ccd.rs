//! Continuous collision detection: known times, input that is degenerate, and ten thousand random pairs against dense sampling.

use glam::DVec3;
use pliant_geom::ccd::{self, Keep};
use pliant_geom::distance::{PairKind, certain_gap, closest};
use pliant_testkit::Random;

use PairKind::{EdgeEdge, VertexTriangle};

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// Keeps a part of the distance, however large that is.
fn time_of_impact(start: &[DVec3; 4], end: &[DVec3; 4], kind: PairKind, separation: f64, part: f64) -> f64 {
    ccd::time_of_impact(start, end, kind, Keep { separation, part, most: f64::INFINITY })
}

fn over_triangle(vertex: DVec3) -> [DVec3; 4] {
    [vertex, v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0)]
}

fn between(start: &[DVec3; 4], end: &[DVec3; 4], t: f64) -> [DVec3; 4] {
    std::array::from_fn(|i| start[i] + (end[i] - start[i]) * t)
}

/// What `fraction` leaves at most: 10⁻³ of the free distance, divided by the speed.
const ENOUGH: f64 = 1e-3;

#[test]
fn a_vertex_falls_onto_a_triangle() {
    let start = over_triangle(v(0.2, 0.3, 1.0));
    let end = over_triangle(v(0.2, 0.3, -1.0));
    for (separation, slack) in [(0.0, 0.0), (0.0, 0.1), (0.25, 0.0), (0.25, 0.2)] {
        let t = time_of_impact(&start, &end, VertexTriangle, separation, slack);
        let exact = (1.0 - separation) * (1.0 - slack) / 2.0;
        assert!(t <= exact && t > exact - ENOUGH, "{t} for {exact}");
    }
    let away = over_triangle(v(0.2, 0.3, 9.0));
    assert_eq!(time_of_impact(&start, &away, VertexTriangle, 0.0, 0.1), 1.0);
}

#[test]
fn a_vertex_that_slides_past_is_free() {
    // Parallel to the face, half a millimetre above it, and out over its rim.
    let (start, end) = (over_triangle(v(0.1, 0.1, 0.0005)), over_triangle(v(3.0, 0.1, 0.0005)));
    assert_eq!(time_of_impact(&start, &end, VertexTriangle, 0.0004, 0.1), 1.0);
    // From outside it is stopped at the rim: it comes within 2 mm of the edge x = 0 at x = -0.0019365.
    let (start, end) = (over_triangle(v(-3.0, 0.1, 0.0005)), over_triangle(v(3.0, 0.1, 0.0005)));
    let t = time_of_impact(&start, &end, VertexTriangle, 0.002, 0.0);
    let exact = (3.0 - (0.002_f64.powi(2) - 0.0005_f64.powi(2)).sqrt()) / 6.0;
    assert!(t <= exact && t > exact - 2.0 * ENOUGH, "{t} for {exact}");
    // Beside the triangle by a hundredth of the way: no contact.
    let (start, end) = (over_triangle(v(-0.01, 0.5, 0.5)), over_triangle(v(-0.01, 0.5, -0.5)));
    assert_eq!(time_of_impact(&start, &end, VertexTriangle, 0.0, 0.0), 1.0);
}

#[test]
fn edges_cross() {
    let start = [v(-1.0, 0.0, 0.5), v(1.0, 0.0, 0.5), v(0.0, -1.0, 0.0), v(0.0, 1.0, 0.0)];
    let end = [v(-1.0, 0.0, -1.5), v(1.0, 0.0, -1.5), v(0.0, -1.0, 0.0), v(0.0, 1.0, 0.0)];
    let t = time_of_impact(&start, &end, EdgeEdge, 0.1, 0.1);
    let exact = 0.4 * 0.9 / 2.0;
    assert!(t <= exact && t > exact - ENOUGH, "{t}");
    // Edges that are parallel and fall on each other, and edges on one line that meet with their ends.
    let start = [v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.2, 0.0, 1.0), v(1.2, 0.0, 1.0)];
    let end = [v(0.0, 0.0, 1.0), v(1.0, 0.0, 1.0), v(0.2, 0.0, 0.0), v(1.2, 0.0, 0.0)];
    let t = time_of_impact(&start, &end, EdgeEdge, 0.0, 0.0);
    assert!(t <= 0.5 && t > 0.5 - ENOUGH, "{t}");
    let start = [v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(2.0, 0.0, 0.0), v(3.0, 0.0, 0.0)];
    let end = [v(2.0, 0.0, 0.0), v(3.0, 0.0, 0.0), v(2.0, 0.0, 0.0), v(3.0, 0.0, 0.0)];
    let t = time_of_impact(&start, &end, EdgeEdge, 0.0, 0.0);
    assert!(t <= 0.5 && t > 0.5 - ENOUGH, "{t}");
}

#[test]
fn nothing_tunnels() {
    // 100 m in a step, from one millimetre above, and both moving with 10 km a step on top of that.
    let wind = v(1e4, -1e4, 1e4);
    let start = over_triangle(v(0.2, 0.3, 1e-3));
    let end = over_triangle(v(0.2, 0.3, 1e-3 - 100.0)).map(|x| x + wind);
    let t = time_of_impact(&start, &end, VertexTriangle, 0.0, 0.0);
    assert!(t <= 1e-5 && t > 0.99e-5, "{t}");
    let start = over_triangle(v(0.2, 0.3, 50.0));
    let end = over_triangle(v(0.2, 0.3, -50.0));
    let t = time_of_impact(&start, &end, VertexTriangle, 1e-3, 0.0);
    assert!(t <= 0.49999 && t > 0.49999 - ENOUGH, "{t}");
}

#[test]
fn what_rests_touches_or_is_no_number_has_an_answer() {
    let x = over_triangle(v(0.2, 0.3, 0.1));
    let shifted = x.map(|x| x + v(5.0, 0.0, 0.0));
    let lower = over_triangle(v(0.2, 0.3, -0.1));
    for kind in [VertexTriangle, EdgeEdge] {
        assert_eq!(time_of_impact(&x, &x, kind, 0.0, 0.1), 1.0);
        // Rounding of the shift may remain as motion; it is far from a contact.
        assert_eq!(time_of_impact(&x, &shifted, kind, 0.0, 0.1), 1.0);
        let mut bad = x;
        bad[2].y = f64::NAN;
        for (start, end, separation, slack) in [
            (bad, x, 0.0, 0.1),
            (x, bad, 0.0, 0.1),
            (x, lower, f64::NAN, 0.1),
            (x, lower, 0.0, f64::NAN),
            (x, [DVec3::INFINITY; 4], 0.0, 0.1),
            ([DVec3::splat(-1e308); 4], [v(1e308, 0.0, 0.0), x[0], x[1], x[2]], 0.0, 0.1),
        ] {
            assert_eq!(time_of_impact(&start, &end, kind, separation, slack), 0.0);
        }
    }
    // Touching, or nearer than the separation.
    let flat = over_triangle(v(0.2, 0.3, 0.0));
    assert_eq!(time_of_impact(&flat, &lower, VertexTriangle, 0.0, 0.1), 0.0);
    assert_eq!(time_of_impact(&x, &lower, VertexTriangle, 0.1, 0.1), 0.0);
    assert_eq!(time_of_impact(&x, &lower, VertexTriangle, 0.2, 0.1), 0.0);
    // All the free distance to be kept: no approach at all.
    assert_eq!(time_of_impact(&x, &lower, VertexTriangle, 0.0, 1.0), 0.0);
    // A triangle that is a segment, and one that is a point: 0.1 m above, falling by 0.2 m.
    for corners in [[v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.5, 0.0, 0.0)], [DVec3::ZERO; 3]] {
        let with = |z: f64| [v(0.0, 0.0, z), corners[0], corners[1], corners[2]];
        let t = time_of_impact(&with(0.1), &with(-0.1), VertexTriangle, 0.0, 0.0);
        assert!(t <= 0.5 && t > 0.5 - ENOUGH, "{t}");
    }
}

/// The first sampled time at which the distance is at or below `aim`, refined by halving; `None` if there is none.
fn sampled(kind: PairKind, start: &[DVec3; 4], end: &[DVec3; 4], aim: f64) -> Option<f64> {
    let samples = 400;
    let below = |t: f64| closest(kind, &between(start, end, t)).distance <= aim;
    let first = (1..=samples).find(|i| below(*i as f64 / samples as f64))?;
    let (mut low, mut high) = ((first - 1) as f64 / samples as f64, first as f64 / samples as f64);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if below(middle) { high = middle } else { low = middle }
    }
    Some(high)
}

/// The first time at which the four points are in one plane and the pair touches, from changes of sign of their volume: exact where
/// samples of the distance are blind.
fn crossing(kind: PairKind, start: &[DVec3; 4], end: &[DVec3; 4]) -> Option<f64> {
    let samples = 400;
    let volume = |t: f64| {
        let x = between(start, end, t);
        (x[1] - x[0]).dot((x[2] - x[0]).cross(x[3] - x[0]))
    };
    (0..samples).find_map(|i| {
        let (mut low, mut high) = (i as f64 / samples as f64, (i + 1) as f64 / samples as f64);
        let is_positive = volume(low) > 0.0;
        if (volume(high) > 0.0) == is_positive {
            return None;
        }
        for _ in 0..60 {
            let middle = 0.5 * (low + high);
            if (volume(middle) > 0.0) == is_positive { low = middle } else { high = middle }
        }
        (closest(kind, &between(start, end, high)).distance < 1e-9).then_some(high)
    })
}

/// Against samples of the distance. They cannot see a contact that is over within a sample, as those without separation and slack
/// are: there the distance at the time found must be nearly none, and [`crossing`] sees what they do not.
#[test]
fn ten_thousand_pairs_are_never_stopped_late() {
    let mut random = Random(7);
    let mut ratios = Vec::new();
    let (mut hits, mut needless, mut crossings) = (0, 0, 0);
    for case in 0..10_000 {
        let kind = if case % 2 == 0 { VertexTriangle } else { EdgeEdge };
        let mut start: [DVec3; 4] = std::array::from_fn(|_| random.vector());
        if case % 11 == 0 {
            start[3] = start[2] + (start[2] - start[1]) * random.number(); // degenerate
        }
        let reach = [0.3, 1.0, 3.0][case % 3];
        let mut end: [DVec3; 4] = std::array::from_fn(|i| start[i] + random.vector() * reach);
        if case % 4 < 2 || case % 3 == 0 {
            // The first primitive flies through the middle of the second: most of these meet.
            let flight = (start[2] + start[3] - 2.0 * start[0]) * random.number().abs();
            (0..kind.split()).for_each(|i| end[i] += flight);
        }
        let separation = [0.0, 1e-3, 1e-2, 0.1][case / 3 % 4];
        let slack = [0.0, 0.1, 0.5][case / 12 % 3];
        let d0 = closest(kind, &start).distance;
        let t = time_of_impact(&start, &end, kind, separation, slack);
        assert!((0.0..=1.0).contains(&t), "{t}");
        if d0 <= separation {
            assert_eq!(t, 0.0);
            continue;
        }
        let aim = separation + slack * (d0 - separation);
        // What was promised, at every sample up to t.
        for i in 0..=400 {
            let d = closest(kind, &between(&start, &end, t * i as f64 / 400.0)).distance;
            assert!(d >= aim - 1e-13, "case {case}: {d} below {aim} before {t}");
        }
        if let Some(truth) = crossing(kind, &start, &end) {
            assert!(t <= truth, "case {case}: {t} after the crossing at {truth}");
            crossings += 1;
        }
        match sampled(kind, &start, &end, aim) {
            Some(truth) => {
                assert!(t <= truth + 1e-12, "case {case}: {t} after {truth}");
                hits += 1;
                ratios.push(t / truth);
            }
            None if t < 1.0 => {
                // Stopped though no sample is below: then it must have come within what is given away.
                let d = closest(kind, &between(&start, &end, t)).distance;
                assert!(d - aim <= 1.001e-3 * (d0 - separation), "case {case}: stopped at {t} with {d} above {aim}");
                needless += 1;
            }
            None => {}
        }
    }
    ratios.sort_by(f64::total_cmp);
    // The very least are near misses that were stopped before a later hit.
    let (hundredth, median) = (ratios[ratios.len() / 100], ratios[ratios.len() / 2]);
    println!("{hits} hits; ratio to the true time: median {median:.6}, one in a hundred below {hundredth:.6}");
    println!("{crossings} crossings; {needless} near misses or contacts between samples stopped");
    assert!(crossings > 1000);
    assert!(hundredth > 0.98, "{hundredth}");
    assert!(hits > 2000);
    assert!(median > 0.999, "median {median}");
}

#[test]
fn what_comes_from_afar_may_come_near() {
    let (start, end) = (over_triangle(v(0.2, 0.3, 1.0)), over_triangle(v(0.2, 0.3, 1e-4)));
    let keep = |most: f64| Keep { separation: 0.0, part: 0.1, most };
    assert_eq!(ccd::time_of_impact(&start, &end, VertexTriangle, keep(1e-5)), 1.0);
    let t = ccd::time_of_impact(&start, &end, VertexTriangle, keep(f64::INFINITY));
    assert!((t * (1.0 - 1e-4) - 0.9).abs() < 1e-2, "{t}");
}

#[test]
fn a_certain_gap_is_never_more_than_the_distance_on_the_way() {
    let mut random = Random(7);
    let mut useful = 0;
    for k in 0..4000 {
        let kind = if k % 2 == 0 { VertexTriangle } else { EdgeEdge };
        let mut point = |size: f64| random.vector() * size;
        let apart = point(3.0);
        let start: [DVec3; 4] =
            std::array::from_fn(|i| if i < kind.split() { apart } else { DVec3::ZERO } + point(1.0));
        let end = start.map(|x| x + point(0.5));
        let gap = certain_gap(kind, &start, &end);
        let least = (0..=50)
            .map(|t| closest(kind, &between(&start, &end, f64::from(t) / 50.0)).distance)
            .fold(f64::INFINITY, f64::min);
        assert!(gap <= least + 1e-12, "{gap} {least}");
        useful += usize::from(gap > 0.5 * least);
    }
    assert!(useful > 1000, "{useful} of 4000 gaps tell more than half of the distance");
}

#[test]
fn nothing_is_certain_of_what_is_not_finite_or_coincides() {
    let start = over_triangle(v(0.0, 0.0, 1.0));
    assert_eq!(certain_gap(VertexTriangle, &start, &start.map(|_| DVec3::NAN)), f64::NEG_INFINITY);
    assert!(certain_gap(VertexTriangle, &start, &over_triangle(DVec3::INFINITY)) <= 0.0);
    assert_eq!(certain_gap(EdgeEdge, &[DVec3::ONE; 4], &[DVec3::ONE; 4]), f64::NEG_INFINITY);
}
