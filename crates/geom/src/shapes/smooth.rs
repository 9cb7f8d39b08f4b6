//! Distances to round bodies and how they are joined smoothly, for shapes that are where a field is below zero: eight points at once, in
//! SIMD lanes, each with the bits that it would have alone.
//!
//! Distances to ellipsoids are first-order ones, `k (k - 1)/|∇k|` with `k = |p/radii|`, those to capsules exact; the union of two is rounded
//! where they differ by less than `blend`: `min(a, b) - blend h³/6`, `h = max(0, 1 - |a - b|/blend)`, which has two continuous derivatives.
//!
//! Where the second is farther away than the first by `blend`, the union is the first, exactly. A lower bound without roots and quotients
//! often tells: `1/|∇k| ≥ r/k` with the shortest radius `r`, so an ellipsoid is at least `r (k - 1)` away.

use glam::DVec3;
use pliant_scalar::pack::{Pack, Vector, at, dot, minus, over, plus, same, select, times};

pub(super) const LANES: usize = 8;
pub(super) type Lane = Pack<LANES>;
/// Eight points.
pub(super) type Points = Vector<LANES>;

/// Far above the rounding errors of the bounds, far below what they could gain.
const SURE: f64 = 1.0 + 1e-9;

/// A field at eight points at once. `at` must be inlined always: see [`pliant_scalar::wide`].
pub(super) trait Field {
    fn at(&self, p: &Points) -> Lane;
}

/// A field of single points.
pub(super) struct OneByOne<F>(pub F);

impl<F: Fn(DVec3) -> f64> Field for OneByOne<F> {
    #[inline(always)]
    fn at(&self, p: &Points) -> Lane {
        let mut values = Lane::splat(0.0);
        for (lane, value) in values.0.iter_mut().enumerate() {
            *value = (self.0)(at(p, lane));
        }
        values
    }
}

/// A body with a field and a lower bound of it.
pub(super) trait Body: Field {
    /// Whether the field is surely above these values at all points.
    fn is_above(&self, p: &Points, values: Lane) -> bool;
}

/// The distance to an ellipsoid, about.
pub(super) struct Ellipsoid {
    pub centre: DVec3,
    pub radii: DVec3,
}

impl Field for Ellipsoid {
    #[inline(always)]
    fn at(&self, p: &Points) -> Lane {
        let p = minus(p, &same(self.centre));
        let k = length(&over(&p, &same(self.radii)));
        let slope = length(&over(&p, &same(self.radii * self.radii)));
        // The middle, where the slope vanishes, is as deep as the shortest radius.
        let depth = Lane::splat(-self.radii.min_element());
        select(slope, |slope| slope > 0.0, k * (k - Lane::splat(1.0)) / slope, depth)
    }
}

impl Body for Ellipsoid {
    #[inline(always)]
    fn is_above(&self, p: &Points, values: Lane) -> bool {
        let p = minus(p, &same(self.centre));
        let squares = [p[0] * p[0], p[1] * p[1], p[2] * p[2]];
        let k2 = dot(&squares, &same(DVec3::ONE / (self.radii * self.radii)));
        let least = Lane::splat(1.0) + values * Lane::splat(1.0 / self.radii.min_element());
        all(|lane| values.0[lane] > 0.0 && k2.0[lane] > least.0[lane] * least.0[lane] * SURE)
    }
}

/// The distance to all that is within a radius of a line.
pub(super) struct Capsule {
    pub ends: [DVec3; 2],
    pub radius: f64,
}

impl Field for Capsule {
    #[inline(always)]
    fn at(&self, p: &Points) -> Lane {
        let [a, b] = self.ends;
        let along = dot(&minus(p, &same(a)), &same(b - a)) / Lane::splat((b - a).length_squared());
        let along = along.map(|along| along.clamp(0.0, 1.0));
        let nearest = plus(&times(&same(a), Lane::splat(1.0) - along), &times(&same(b), along));
        length(&minus(p, &nearest)) - Lane::splat(self.radius)
    }
}

impl Body for Capsule {
    #[inline(always)]
    fn is_above(&self, p: &Points, values: Lane) -> bool {
        // The ball around it.
        let [a, b] = self.ends;
        let p = minus(p, &same(0.5 * (a + b)));
        let square = dot(&p, &p);
        let least = values + Lane::splat(self.radius + 0.5 * a.distance(b));
        all(|lane| values.0[lane] > 0.0 && square.0[lane] > least.0[lane] * least.0[lane] * SURE)
    }
}

/// Inside of one or the other, the second given as a body.
#[inline(always)]
pub(super) fn union(p: &Points, a: Lane, body: &impl Body, blend: f64) -> Lane {
    if body.is_above(p, a + Lane::splat(blend)) {
        return a;
    }
    let b = body.at(p);
    let h = (Lane::splat(1.0) - (a - b).abs() / Lane::splat(blend)).max(Lane::splat(0.0));
    a.min(b) - Lane::splat(blend) * h * h * h / Lane::splat(6.0)
}

/// Inside of the first but not of the second.
#[inline(always)]
pub(super) fn without(p: &Points, a: Lane, body: &impl Body, blend: f64) -> Lane {
    -union(p, -a, body, blend)
}

#[inline(always)]
pub(super) fn length(a: &Points) -> Lane {
    dot(a, a).sqrt()
}

/// Whether something holds in every lane; without a branch for each.
#[inline(always)]
pub(super) fn all(is_so: impl Fn(usize) -> bool) -> bool {
    let mut all = true;
    for lane in 0..LANES {
        all &= is_so(lane);
    }
    all
}
