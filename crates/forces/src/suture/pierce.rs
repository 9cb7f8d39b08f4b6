//! Piercing: detects where the needle has passed through a surface.

use glam::DVec3;
use pliant_geom::aabb::Aabb;

use super::SutureSpec;
use super::hole::Hole;
use super::thread::Thread;

/// Chords per piece of the needle's curve; crossings they miss are found in the next step.
const CHORDS: usize = 4;
/// Two crossings of one surface in the same direction closer than this along the thread, in segments, are one hole.
const SAME: f64 = 1.0;

/// Adds new holes.
pub(super) fn find(thread: &Thread, spec: &SutureSpec, x: &[DVec3], holes: &mut Vec<Hole>) {
    let count = CHORDS * spec.needle;
    let parameter = |k: usize| k as f64 / CHORDS as f64;
    let around = Aabb::around((0..=count).map(|k| thread.support(parameter(k)).at(x)));
    for (number, (corners, body)) in (0..).zip(&spec.triangles) {
        let triangle = corners.map(|corner| x[corner as usize]);
        if !around.meets(&Aabb::around(triangle)) {
            continue;
        }
        for k in 0..count {
            let (u, w) = (parameter(k), parameter(k + 1));
            let chord = [u, w].map(|u| thread.support(u).at(x));
            let Some(part) = crossing(chord, triangle) else { continue };
            let (u, weights) = refined(thread, u + part * (w - u), triangle, x);
            let enters = thread.support(u).slope(x).dot(normal(triangle)) > 0.0;
            let is_known = |hole: &Hole| {
                let same_body = spec.triangles[hole.triangle as usize].1 == *body;
                same_body && hole.enters == enters && (hole.u - u).abs() < SAME
            };
            if !holes.iter().any(is_known) {
                holes.push(Hole::new(number, weights, enters, u));
            }
        }
    }
}

fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

/// Parameter at which a chord crosses a triangle.
fn crossing([p, q]: [DVec3; 2], triangle: [DVec3; 3]) -> Option<f64> {
    let n = normal(triangle);
    let (before, after) = ((p - triangle[0]).dot(n), (q - triangle[0]).dot(n));
    // points on the plane belong to one side, so that exactly one of two consecutive chords crosses
    if (before > 0.0) == (after > 0.0) {
        return None;
    }
    let part = before / (before - after);
    let weights = barycentric(p + (q - p) * part, triangle)?;
    weights.iter().all(|w| *w >= 0.0).then_some(part)
}

/// Barycentric coordinates of the projection of a point onto a triangle.
fn barycentric(place: DVec3, [a, b, c]: [DVec3; 3]) -> Option<[f64; 3]> {
    let n = normal([a, b, c]);
    let area = n.length_squared();
    let v = (place - a).cross(c - a).dot(n) / area;
    let w = (b - a).cross(place - a).dot(n) / area;
    (area > 0.0 && v.is_finite() && w.is_finite()).then_some([1.0 - v - w, v, w])
}

/// Refines the crossing of the curve with the triangle's plane, near a parameter: a new hole starts with zero force.
fn refined(thread: &Thread, mut u: f64, triangle: [DVec3; 3], x: &[DVec3]) -> (f64, [f64; 3]) {
    let n = normal(triangle);
    let chord = thread.support(u).at(x);
    for _ in 0..3 {
        let support = thread.support(u);
        let (height, rate) = ((support.at(x) - triangle[0]).dot(n), support.slope(x).dot(n));
        let correction = height / rate;
        // a curve parallel to the plane has no correction
        if correction.is_nan() || correction.abs() > 1.0 / CHORDS as f64 {
            break;
        }
        u = (u - correction).clamp(0.0, thread.segments());
    }
    let weights = barycentric(thread.support(u).at(x), triangle).or_else(|| barycentric(chord, triangle));
    (u, weights.unwrap_or([1.0 / 3.0; 3]))
}
