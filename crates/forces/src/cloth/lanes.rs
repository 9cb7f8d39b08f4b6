//! Vectors of eight elements at once, in SIMD lanes: each operation in the order of [`DVec3`], and so with its bits.

use glam::DVec3;

use crate::solid::pack::Pack;

pub(super) const LANES: usize = 8;
/// Batches smaller than this are computed one by one, to the same bits.
pub(super) const WORTHWHILE: usize = 4;

pub(super) type Lane = Pack<LANES>;
pub(super) type Vector = [Lane; 3];

pub(super) const NONE: Lane = Pack([0.0; LANES]);

#[inline(always)]
pub(super) fn plus(a: &Vector, b: &Vector) -> Vector {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

#[inline(always)]
pub(super) fn minus(a: &Vector, b: &Vector) -> Vector {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

#[inline(always)]
pub(super) fn times(a: &Vector, s: Lane) -> Vector {
    [a[0] * s, a[1] * s, a[2] * s]
}

#[inline(always)]
pub(super) fn dot(a: &Vector, b: &Vector) -> Lane {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline(always)]
pub(super) fn cross(a: &Vector, b: &Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// `a` where the test of `x` holds, otherwise `b`.
#[inline(always)]
pub(super) fn select(x: Lane, test: impl Fn(f64) -> bool, a: Lane, b: Lane) -> Lane {
    let mut out = b;
    for lane in 0..LANES {
        out.0[lane] = if test(x.0[lane]) { a.0[lane] } else { b.0[lane] };
    }
    out
}

/// Writes one lane.
#[inline(always)]
pub(super) fn put(vector: &mut Vector, lane: usize, value: DVec3) {
    (vector[0].0[lane], vector[1].0[lane], vector[2].0[lane]) = (value.x, value.y, value.z);
}

/// Reads one lane.
#[inline(always)]
pub(super) fn at(vector: &Vector, lane: usize) -> DVec3 {
    DVec3::new(vector[0].0[lane], vector[1].0[lane], vector[2].0[lane])
}

/// `x₁ - x₀` and `x₂ - x₀` of triangles; a partial batch is padded with its last triangle.
#[inline(always)]
pub(super) fn edges<T>(triangles: &[T], nodes: impl Fn(&T) -> [u32; 3], x: &[DVec3]) -> [Vector; 2] {
    let mut out = [[NONE; 3]; 2];
    for lane in 0..LANES {
        let [a, b, c] = nodes(&triangles[lane.min(triangles.len() - 1)]).map(|node| x[node as usize]);
        put(&mut out[0], lane, b - a);
        put(&mut out[1], lane, c - a);
    }
    out
}
