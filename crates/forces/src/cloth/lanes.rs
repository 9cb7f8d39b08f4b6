//! Vectors of eight elements at once, in SIMD lanes: each operation in the order of [`DVec3`], and so with its bits.

use glam::DVec3;
use pliant_scalar::pack::Pack;
pub(super) use pliant_scalar::pack::{at, cross, dot, minus, plus, put, select, times};

pub(super) const LANES: usize = 8;
/// Batches smaller than this are computed one by one, to the same bits.
pub(super) const WORTHWHILE: usize = 4;

pub(super) type Lane = Pack<LANES>;
pub(super) type Vector = [Lane; 3];

pub(super) const NONE: Lane = Pack([0.0; LANES]);

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
