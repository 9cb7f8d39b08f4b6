//! Twist of a framed polyline: how far a ribbon along it turns about it, in turns.
//!
//! A polyline turns at its corners; carried over a corner without turning about the curve (by the smallest rotation of one segment's
//! direction into the next), the normal of one segment is compared with that of the next. With normals given at points, a segment is
//! twisted by the dihedral angle between its two normals, and a corner by the angle between the normal as the two segments see it, which
//! is nothing where the normal is at right angles to the mean direction. This is the limit of smooth ribbons with rounded corners, so that
//! the theorem of Călugăreanu, White and Fuller holds to rounding for closed ones [Fuller]: `Lk = Tw + Wr`.

use glam::DVec3;
use pliant_scalar::math;
use std::f64::consts::TAU;

/// The angle about a unit axis that takes the direction of one vector into that of another, seen along it.
fn angle(axis: DVec3, from: DVec3, to: DVec3) -> f64 {
    let across = |v: DVec3| v - axis * axis.dot(v);
    let (from, to) = (across(from), across(to));
    math::atan2(axis.dot(from.cross(to)), from.dot(to))
}

/// `v` turned by the smallest rotation that takes the unit vector `a` into the unit vector `b`.
fn carried(a: DVec3, b: DVec3, v: DVec3) -> DVec3 {
    // Rodrigues' formula; a fold has no smallest rotation and is left alone
    let axis = a.cross(b);
    let cos = a.dot(b);
    if 1.0 + cos <= 0.0 { v } else { v * cos + axis.cross(v) + axis * (axis.dot(v) / (1.0 + cos)) }
}

/// Twist in turns of the ribbon from the points along their normals, one for each. No normal may be along a segment, and no
/// step may be half a turn or more.
pub fn twist(points: &[DVec3], normals: &[DVec3], closed: bool) -> f64 {
    let n = points.len();
    let segments = if closed { n } else { n.saturating_sub(1) };
    let direction = |k: usize| (points[(k + 1) % n] - points[k]).normalize();
    let mut sum = 0.0;
    for k in 0..segments {
        let along = direction(k);
        let next = (k + 1) % n;
        sum += angle(along, normals[k], normals[next]);
        if closed || k + 1 < segments {
            let after = direction(next);
            let across = normals[next] - along * along.dot(normals[next]);
            sum += angle(after, carried(along, after, across), normals[next]);
        }
    }
    sum / TAU
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::knot::{linking, writhe};
    use crate::rope::{Centreline, Curve, Frames};
    use pliant_testkit::Random;

    #[test]
    fn a_straight_ribbon() {
        let line = Curve::Line { from: DVec3::ZERO, to: DVec3::new(1.0, 2.0, 0.5) }.centreline(20).unwrap();
        let frames = Frames::new(&line, 3.0 * TAU);
        assert!((twist(line.points(), &frames.q, false) - 3.0).abs() < 1e-14);
    }

    #[test]
    fn linking_is_twist_and_writhe() {
        let mut random = Random(9);
        let mut compared = 0;
        for curve in [Curve::Ring { radius: 1.0 }, Curve::Trefoil { size: 1.0 }, Curve::FigureEight { size: 1.0 }] {
            for turns in [-2.0, 0.0, 1.0, 5.0] {
                for shaken in [0.0, 0.01] {
                    let line = curve.centreline(150).unwrap();
                    let points = line.points().iter().map(|p| *p + random.vector() * shaken).collect();
                    let line = Centreline::new(points, true).unwrap();
                    let mut normals = Frames::new(&line, turns * TAU).q;
                    if shaken > 0.0 {
                        // no longer at right angles, so that corners count too
                        normals.iter_mut().for_each(|n| *n += random.vector() * 0.1);
                    }
                    let edge: Vec<DVec3> = line.points().iter().zip(&normals).map(|(p, q)| *p + *q * 1e-3).collect();
                    let sum = twist(line.points(), &normals, true) + writhe(line.points(), true);
                    let lk = linking(line.points(), &edge);
                    assert!((lk - lk.round()).abs() < 1e-9, "{curve:?}: {lk}");
                    assert!((sum - lk.round()).abs() < 1e-10, "{curve:?}, {turns} turns: {sum} {lk}");
                    compared += 1;
                }
            }
        }
        assert_eq!(compared, 24);
    }

    /// Frames by double reflection have no twist but for what a polyline differs from its curve.
    #[test]
    fn frames_that_minimise_rotation_have_no_twist() {
        let found = [100, 200, 400].map(|n| {
            let line = Curve::Helix { radius: 0.5, pitch: 0.8, turns: 3.0 }.centreline(n).unwrap();
            twist(line.points(), &Frames::new(&line, 0.0).q, false).abs()
        });
        assert!(found[2] < 1e-3, "{found:?}");
        assert!((0..2).all(|k| (3.5..4.5).contains(&(found[k] / found[k + 1]))), "second order: {found:?}");
    }
}
