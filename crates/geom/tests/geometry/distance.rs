//! Closest points against brute force, derivatives against finite differences for every feature, and input that is degenerate.

use glam::{DMat3, DVec3};
use pliant_geom::distance::{Closest, PairKind, closest};
use pliant_geom::mollifier::{self, Mollifier};
use pliant_testkit::Random;

use PairKind::{EdgeEdge, VertexTriangle};

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// One pair well inside each feature: its name, the parameters that are free, the points.
fn features() -> Vec<(&'static str, PairKind, usize, [DVec3; 4])> {
    let triangle = [v(0.0, 0.0, 0.0), v(1.0, 0.1, 0.0), v(0.2, 1.1, 0.3)];
    let against = |p: DVec3| [p, triangle[0], triangle[1], triangle[2]];
    let edge = [v(-1.0, 0.0, 0.0), v(1.0, 0.1, 0.05)];
    let with = |a: DVec3, b: DVec3| [edge[0], edge[1], a, b];
    vec![
        ("inside of the triangle", VertexTriangle, 2, against(v(0.4, 0.3, 0.7))),
        ("edge 1-2 of the triangle", VertexTriangle, 1, against(v(0.5, -0.7, 0.2))),
        ("edge 2-3 of the triangle", VertexTriangle, 1, against(v(1.2, 1.2, -0.2))),
        ("edge 3-1 of the triangle", VertexTriangle, 1, against(v(-0.8, 0.7, 0.3))),
        ("corner of the triangle", VertexTriangle, 0, against(v(-0.6, -0.7, 0.4))),
        ("inside of both edges", EdgeEdge, 2, with(v(0.1, -1.0, 0.6), v(0.3, 1.0, 0.8))),
        ("end of the second edge", EdgeEdge, 1, with(v(0.1, 0.4, 0.6), v(0.3, 1.3, 0.9))),
        ("end of the first edge", EdgeEdge, 1, with(v(1.5, -1.0, 0.1), v(1.7, 1.0, 0.4))),
        ("two ends", EdgeEdge, 0, with(v(1.5, 0.8, 0.3), v(2.0, 1.9, 0.4))),
    ]
}

fn moved(x: &[DVec3; 4], along: &[DVec3; 4], h: f64) -> [DVec3; 4] {
    std::array::from_fn(|i| x[i] + h * along[i])
}

fn times(hessian: &[[DMat3; 4]; 4], along: &[DVec3; 4]) -> [DVec3; 4] {
    std::array::from_fn(|i| (0..4).fold(DVec3::ZERO, |sum, j| sum + hessian[i][j] * along[j]))
}

fn size(a: &[DVec3; 4]) -> f64 {
    a.iter().map(|a| a.length_squared()).fold(0.0, |a, b| a + b).sqrt()
}

fn central(f: impl Fn(f64) -> [DVec3; 4], h: f64) -> [DVec3; 4] {
    let (plus, minus) = (f(h), f(-h));
    std::array::from_fn(|i| (plus[i] - minus[i]) / (2.0 * h))
}

/// The slope of the error of central differences of a gradient over `h`, from the errors of many directions at two steps.
fn slope(x: &[DVec3; 4], gradient: impl Fn(&[DVec3; 4]) -> [DVec3; 4], hessian: &[[DMat3; 4]; 4]) -> f64 {
    let mut random = Random(3);
    let steps = [4e-3, 2e-3];
    let mut errors = [0.0; 2];
    for _ in 0..20 {
        let along: [DVec3; 4] = std::array::from_fn(|_| random.vector());
        let exact = times(hessian, &along);
        for (error, h) in errors.iter_mut().zip(steps) {
            let found = central(|h| gradient(&moved(x, &along, h)), h);
            *error += size(&moved(&found, &exact, -1.0));
        }
    }
    (errors[0] / errors[1]).log2()
}

/// The next term of the error is two orders smaller: at h = 4e-3 it changes a slope of 2 by about h² |third ratio| < 0.02.
const SLOPE_WITHIN: f64 = 0.02;

#[test]
fn gradient_and_hessian_of_every_feature() {
    for (name, kind, free, x) in features() {
        let found = closest(kind, &x);
        assert_eq!(found.free, free, "{name}");
        let hessian = found.hessian_of_distance(&x);
        let in_gradient = slope(&x, |x| closest(kind, x).gradient_of_distance(), &hessian);
        assert!((in_gradient - 2.0).abs() < SLOPE_WITHIN, "{name}: slope {in_gradient} in the Hessian of d");
        let half = |x: &[DVec3; 4]| {
            let c = closest(kind, x);
            c.weights.map(|w| w * c.r)
        };
        // D is quadratic where nothing is free: no error then but rounding.
        if free > 0 {
            let in_half = slope(&x, half, &found.hessian_of_half_square(&x));
            assert!((in_half - 2.0).abs() < SLOPE_WITHIN, "{name}: slope {in_half} in the Hessian of D");
        }
        // The gradient itself, by the distance along random directions.
        let mut random = Random(4);
        for _ in 0..10 {
            let along: [DVec3; 4] = std::array::from_fn(|_| random.vector());
            let exact = found.gradient_of_distance().iter().zip(&along).fold(0.0, |sum, (g, a)| sum + g.dot(*a));
            let error = |h: f64| {
                let d = |h| closest(kind, &moved(&x, &along, h)).distance;
                (d(h) - d(-h)) / (2.0 * h) - exact
            };
            let (coarse, fine) = (error(4e-3), error(2e-3));
            // Two terms: 3/4 of a quadratic error goes, and the rest is of fourth order.
            assert!((coarse - 4.0 * fine).abs() < 1e-3 * coarse.abs() + 1e-9, "{name}: {coarse} then {fine}");
        }
        for (i, row) in hessian.iter().enumerate() {
            for (j, block) in row.iter().enumerate() {
                let asymmetry = (*block - hessian[j][i].transpose()).to_cols_array();
                assert!(asymmetry.iter().all(|a| a.abs() < 1e-13), "{name}: not symmetric");
            }
        }
    }
}

#[test]
fn mollifier_has_the_stated_derivatives() {
    let rest = [v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 0.3, 0.2), v(0.9, 0.4, 0.2)];
    let threshold = mollifier::threshold(&rest);
    // sin² below 1e-3: an angle of about 1 degree, against the 1.8 degrees where the mollifier ends.
    let x = [v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 0.3, 0.2), v(0.9, 0.313, 0.209)];
    let m = Mollifier::new(&x, threshold);
    assert!(m.value > 0.1 && m.value < 0.9, "{}", m.value);
    assert_eq!(m.value, mollifier::value(&x, threshold));
    let mut random = Random(5);
    for _ in 0..20 {
        let along: [DVec3; 4] = std::array::from_fn(|_| random.vector());
        // m is a polynomial of degree 8 in x with a length scale of 0.03: steps of 1e-3 and 5e-4 are small against it.
        let value = |h: f64| mollifier::value(&moved(&x, &along, h), threshold);
        let exact = m.gradient.iter().zip(&along).fold(0.0, |sum, (g, a)| sum + g.dot(*a));
        let error = |h: f64| (value(h) - value(-h)) / (2.0 * h) - exact;
        let (coarse, fine) = (error(1e-4), error(5e-5));
        assert!((coarse - 4.0 * fine).abs() < 1e-3 * coarse.abs() + 1e-9, "{coarse} {fine}");
        let turned = times(&m.hessian, &along);
        let difference = |h| {
            let found = central(|h| Mollifier::new(&moved(&x, &along, h), threshold).gradient, h);
            size(&moved(&found, &turned, -1.0))
        };
        let slope = (difference(1e-4) / difference(5e-5)).log2();
        assert!((slope - 2.0).abs() < 0.02, "{slope}");
    }
    let crossed = Mollifier::new(&rest.map(|r| v(r.x, r.y * 10.0, r.z)), threshold);
    assert_eq!((crossed.value, crossed.gradient), (1.0, [DVec3::ZERO; 4]));
    let parallel = [v(0.0, 0.0, 0.0), v(1.0, 0.0, 0.0), v(0.0, 1.0, 0.0), v(1.0, 1.0, 0.0)];
    assert_eq!(Mollifier::new(&parallel, threshold).value, 0.0);
    assert_eq!(Mollifier::new(&parallel, 0.0).value, 1.0);
}

/// The least distance over a grid of parameters: above the true one by at most a cell.
fn brute(kind: PairKind, x: &[DVec3; 4], cells: usize) -> f64 {
    let mut least = f64::INFINITY;
    for i in 0..=cells {
        for j in 0..=cells {
            let (s, t) = (i as f64 / cells as f64, j as f64 / cells as f64);
            let r = match kind {
                VertexTriangle if s + t > 1.0 + 1e-12 => continue,
                VertexTriangle => x[0] - x[1] - (x[2] - x[1]) * s - (x[3] - x[1]) * t,
                EdgeEdge => x[0] + (x[1] - x[0]) * s - x[2] - (x[3] - x[2]) * t,
            };
            least = least.min(r.length());
        }
    }
    least
}

fn is_a_pair_of_points(kind: PairKind, found: &Closest) -> bool {
    let w = &found.weights;
    let first: f64 = w[..kind.split()].iter().sum();
    let second: f64 = w[kind.split()..].iter().sum();
    (first - 1.0).abs() < 1e-15
        && (second + 1.0).abs() < 1e-15
        && w[..kind.split()].iter().all(|w| (0.0..=1.0).contains(w))
        && w[kind.split()..].iter().all(|w| (-1.0 - 1e-15..=1e-15).contains(w))
}

#[test]
fn nothing_is_nearer_than_the_closest_points() {
    let mut random = Random(6);
    for case in 0..600 {
        let kind = if case % 2 == 0 { VertexTriangle } else { EdgeEdge };
        let mut x: [DVec3; 4] = std::array::from_fn(|_| random.vector());
        match case % 7 {
            1 => x[3] = x[2],                                                // no length, or no area
            2 => (x[1], x[3]) = (x[0], x[2]),                                // two points, or a needle
            3 => x[3] = x[2] + (x[1] - x[0]) * random.number(),              // parallel
            4 => x[3] = x[2] + (x[2] - x[1]) * random.number(),              // on one line
            5 => x[3] = x[2] + (x[1] - x[0]) * 0.7 + random.vector() * 1e-9, // nearly parallel
            6 => x = x.map(|x| x * 1e-6 + DVec3::splat(3.0)),                // small and away from the origin
            _ => {}
        }
        let found = closest(kind, &x);
        assert!(is_a_pair_of_points(kind, &found), "{kind:?} {x:?}: {found:?}");
        let cells = 60;
        let least = brute(kind, &x, cells);
        let longest = (0..4).flat_map(|i| (0..4).map(move |j| (i, j))).map(|(i, j)| x[i].distance(x[j]));
        let longest = longest.fold(0.0, f64::max);
        let rounding = 1e-15 * (1.0 + x[0].length());
        assert!(found.distance <= least + rounding, "{kind:?} {x:?}: {} above {least}", found.distance);
        assert!(found.distance >= least - 2.0 * longest / cells as f64, "{kind:?} {x:?}");
        let hessian = found.hessian_of_distance(&x);
        assert!(found.distance == 0.0 || hessian.iter().flatten().all(|block| block.is_finite()), "{x:?}");
    }
}

#[test]
fn one_point_four_times_has_no_distance_and_no_direction() {
    for kind in [VertexTriangle, EdgeEdge] {
        let x = [v(1.0, 2.0, 3.0); 4];
        let found = closest(kind, &x);
        assert_eq!((found.distance, found.free, found.normal()), (0.0, 0, DVec3::ZERO));
        assert_eq!(found.gradient_of_distance(), [DVec3::ZERO; 4]);
        assert_eq!(found.hessian_of_distance(&x), [[DMat3::ZERO; 4]; 4]);
        // Not numbers: no answer, but no panic either.
        closest(kind, &[DVec3::NAN; 4]).hessian_of_distance(&[DVec3::NAN; 4]);
        closest(kind, &[v(1e300, -1e300, 0.0), v(0.0, 1e300, 0.0), x[0], DVec3::INFINITY]);
    }
}
