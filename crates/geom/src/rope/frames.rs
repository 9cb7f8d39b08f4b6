//! Frames along a rope that turn as little as possible about it: rotation minimising, by double reflection [WangFrames]. Departure from
//! [Ropes] section 4, where the normal `r_{k-1}r_k × r_kr_{k+1}` does not exist on straight parts and flips where the curvature changes sign.
//!
//! A closed curve brings its frame back turned by an angle that depends on its shape (its writhe); that angle, and any twist asked for, is
//! spread evenly over its length.

use glam::DVec3;
use pliant_scalar::math;

use super::Centreline;

/// `|t_{k+1} - t_L|²` below which the second reflection is none.
const SAME_TANGENT: f64 = 1e-24;

/// At every point the tangent t and two normals q and p = t × q.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    /// Unit tangents.
    pub t: Vec<DVec3>,
    /// Unit normals.
    pub q: Vec<DVec3>,
}

impl Frames {
    /// Frames along a centreline. `twist` is how far the last one is turned about the rope against the first, rad, beyond what the curve
    /// does by itself; of a closed rope, how much it is twisted once around, where only whole turns join up.
    pub fn new(line: &Centreline, twist: f64) -> Self {
        let t = line.tangents();
        let points = line.points();
        let mut q = vec![any_normal(t[0])];
        for k in 1..points.len() {
            q.push(transport(points[k] - points[k - 1], q[k - 1], t[k - 1], t[k]));
        }
        let n = points.len();
        let mut turn = twist;
        if line.is_closed() {
            // what once around leaves to be turned back
            let last = transport(points[0] - points[n - 1], q[n - 1], t[n - 1], t[0]);
            turn -= math::atan2(t[0].dot(q[0].cross(last)), q[0].dot(last));
        }
        if turn != 0.0 {
            let (total, mut s) = (line.length(), 0.0);
            for k in 0..n {
                q[k] = math::axis_angle(t[k], turn * s / total) * q[k];
                s += line.after(k).map_or(0.0, |segment| line.edge(segment).length());
            }
        }
        Self { t, q }
    }

    /// The other normal, `t × q`.
    pub fn p(&self, k: usize) -> DVec3 {
        self.t[k].cross(self.q[k])
    }

    /// The unit vector at an angle from q towards p.
    pub fn at(&self, k: usize, angle: f64) -> DVec3 {
        let (sin, cos) = math::sin_cos(angle);
        self.q[k] * cos + self.p(k) * sin
    }
}

/// A unit vector at right angles to a unit tangent: from the axis that is the farthest from it.
fn any_normal(t: DVec3) -> DVec3 {
    let size = t.abs();
    let axis = if size.x <= size.y && size.x <= size.z {
        DVec3::X
    } else if size.y <= size.z {
        DVec3::Y
    } else {
        DVec3::Z
    };
    (axis - t * t.dot(axis)).normalize()
}

/// Carries the normal q from tangent `t` to tangent `next` along `v1`: reflected in the plane across v1, then in the one that takes the
/// reflected tangent into the next.
fn transport(v1: DVec3, q: DVec3, t: DVec3, next: DVec3) -> DVec3 {
    let reflect = |a: DVec3, v: DVec3| a - v * (2.0 * v.dot(a) / v.length_squared());
    let (mut carried, left) = (reflect(q, v1), reflect(t, v1));
    let v2 = next - left;
    if v2.length_squared() >= SAME_TANGENT {
        carried = reflect(carried, v2);
    }
    (carried - next * next.dot(carried)).normalize()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rope::Curve;

    fn check(line: &Centreline) -> Frames {
        let frames = Frames::new(line, 0.0);
        for k in 0..line.points().len() {
            let (t, q, p) = (frames.t[k], frames.q[k], frames.p(k));
            assert!(t.dot(q).abs() < 1e-14 && (q.length() - 1.0).abs() < 1e-14 && (p.length() - 1.0).abs() < 1e-14);
            assert!((q.cross(p) - t).length() < 1e-14);
        }
        frames
    }

    #[test]
    fn straight_ropes_have_frames_that_stay() {
        for end in [DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(-1.0, 2.0, 0.5)] {
            let line = Curve::Line { from: DVec3::ZERO, to: end }.centreline(9).unwrap();
            let frames = check(&line);
            assert!(frames.q.iter().all(|q| (*q - frames.q[0]).length() < 1e-14));
        }
    }

    #[test]
    fn plane_curves_keep_their_normal_through_inflections() {
        // out of the plane the normal stays; in it, it turns with the tangent. No flip where the curvature changes sign.
        let line = Curve::Wave { length: 2.0, height: 0.5, waves: 1.5 }.centreline(60).unwrap();
        let frames = check(&line);
        let out = frames.q.iter().map(|q| q.dot(DVec3::Z)).collect::<Vec<_>>();
        assert!(out.iter().all(|z| (z - out[0]).abs() < 1e-12), "{out:?}");
        assert!(frames.q.windows(2).all(|pair| pair[0].dot(pair[1]) > 0.9));
    }

    /// Along a helix the rotation minimising frame turns against Frenet's by ∫τ ds; double reflection is of fourth order.
    #[test]
    fn a_helix_turns_by_its_torsion() {
        let (radius, pitch, turns) = (0.5, 0.8, 2.0);
        let (mut last, mut orders) = (f64::NAN, Vec::new());
        for n in [40, 80, 160] {
            // exact points and tangents, so that the method and not the polyline is measured
            let c = pitch / std::f64::consts::TAU;
            let speed = (radius * radius + c * c).sqrt();
            let angle = |k: usize| std::f64::consts::TAU * turns * k as f64 / n as f64;
            let tangent = |k: usize| DVec3::new(-radius * angle(k).sin(), c, -radius * angle(k).cos()) / speed;
            let normal = |k: usize| DVec3::new(-angle(k).cos(), 0.0, angle(k).sin());
            let point = |k: usize| DVec3::new(radius * angle(k).cos(), c * angle(k), -radius * angle(k).sin());
            let mut q = normal(0);
            for k in 1..=n {
                q = transport(point(k) - point(k - 1), q, tangent(k - 1), tangent(k));
            }
            let found = tangent(n).dot(normal(n).cross(q)).atan2(normal(n).dot(q));
            // τ = c/(r² + c²), length = speed · 2π turns; the frame lags by it
            let exact = -(c / (speed * speed)) * speed * std::f64::consts::TAU * turns;
            let error =
                (found - exact - std::f64::consts::TAU * ((found - exact) / std::f64::consts::TAU).round()).abs();
            orders.push((last / error).log2());
            last = error;
        }
        assert!(orders[1..].iter().all(|order| (order - 4.0).abs() < 0.2), "{orders:?}, error {last}");
    }

    #[test]
    fn closed_ropes_join_up() {
        for curve in [Curve::Ring { radius: 1.0 }, Curve::Trefoil { size: 1.0 }] {
            let line = curve.centreline(200).unwrap();
            let frames = check(&line);
            let n = line.points().len();
            let back = transport(line.edge(n - 1), frames.q[n - 1], frames.t[n - 1], frames.t[0]);
            // each of the n steps takes the same share of the angle that is left
            let step = frames.t[0].dot(back.cross(frames.q[0])).atan2(back.dot(frames.q[0]));
            let first = transport(line.edge(0), frames.q[0], frames.t[0], frames.t[1]);
            let other = frames.t[1].dot(first.cross(frames.q[1])).atan2(first.dot(frames.q[1]));
            assert!((step - other).abs() < 1e-3 * (1e-9 + other.abs()) + 1e-12, "{step} {other}");
            let turned = Frames::new(&line, std::f64::consts::TAU);
            let half = turned.q[n / 2].dot(frames.q[n / 2]);
            assert!((half + 1.0).abs() < 1e-3, "half a turn half way around: {half}");
        }
    }
}
