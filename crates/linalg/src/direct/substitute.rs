//! Forward and backward substitution in one front.
//!
//! Every front has its own part of the vector: its pivots, and the rows below them, for which it collects what its subtree contributes (forward) or
//! gets what its parent knows (backward). So fronts share nothing, and each sum has its own order: children, then columns. In L's transpose a sum runs
//! over rows; its eight parts, one per row of a strip, are added in a fixed order at the end.

use super::fronts::{Front, Fronts, STRIP};
use super::kernels::{Work, vectors};
use pulp::Simd;

/// L y = b. `own` has the right-hand side of the pivots, and zeros below; `below` the parts of the descendants, the first of which starts at `start`.
pub(super) struct Forward<'a> {
    pub fronts: &'a Fronts,
    pub front: &'a Front,
    pub panel: &'a [f64],
    pub below: &'a [f64],
    pub start: usize,
    pub own: &'a mut [f64],
}

impl Work for Forward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { fronts, front, panel, below, start, own } = self;
        for child in &fronts.children[front.children.clone()] {
            let child = &fronts.fronts[*child as usize];
            let from = &below[child.vector - start + STRIP * child.pivot_strips()..][..child.height];
            for (value, place) in from.iter().zip(&fronts.places[child.places.clone()]) {
                own[*place as usize] += value;
            }
        }
        let stride = STRIP * front.width;
        let (own, _) = own.as_chunks_mut::<STRIP>();
        for (i, strip) in panel.chunks_exact(stride).enumerate() {
            let known = front.width.min(STRIP * i);
            let (solved, rest) = own.split_at_mut(i);
            let mut sum = simd.splat_f64s(0.0);
            for (column, y) in vectors::<S>(strip)[..known].iter().zip(solved.as_flattened()) {
                sum = simd.add_f64s(sum, simd.mul_f64s(*column, simd.splat_f64s(*y)));
            }
            let this = &mut rest[0];
            *this = pulp::cast(simd.sub_f64s(pulp::cast::<[f64; STRIP], S::f64s>(*this), sum));
            let (columns, _) = strip.as_chunks::<STRIP>();
            if i < front.pivot_strips() {
                for (c, column) in columns[known..front.width.min(known + STRIP)].iter().enumerate() {
                    this[c] *= column[c];
                    for r in c + 1..STRIP {
                        this[r] -= column[r] * this[c];
                    }
                }
            }
        }
    }
}

/// Lᵀ x = y. `own` has y of the pivots and the solution in the rows below.
pub(super) struct Backward<'a> {
    pub fronts: &'a Fronts,
    pub front: &'a Front,
    pub panel: &'a [f64],
    pub below: &'a mut [f64],
    pub start: usize,
    pub own: &'a mut [f64],
}

impl Work for Backward<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let Self { fronts, front, panel, below, start, own } = self;
        let stride = STRIP * front.width;
        let (strips, _) = own.as_chunks_mut::<STRIP>();
        for j in (0..front.pivot_strips()).rev() {
            let columns = STRIP * j..front.width.min(STRIP * (j + 1));
            let (head, solved) = strips.split_at_mut(j + 1);
            let mut sums = [simd.splat_f64s(0.0); STRIP];
            for (x, strip) in solved.iter().zip(panel[(j + 1) * stride..].chunks_exact(stride)) {
                let x: S::f64s = pulp::cast(*x);
                for (sum, column) in sums.iter_mut().zip(&vectors::<S>(strip)[columns.clone()]) {
                    *sum = simd.add_f64s(*sum, simd.mul_f64s(*column, x));
                }
            }
            let this = &mut head[j];
            let triangle = panel[j * stride..][STRIP * columns.start..STRIP * columns.end].as_chunks::<STRIP>().0;
            for (c, column) in triangle.iter().enumerate().rev() {
                let [a, b, c0, d, e, f, g, h]: [f64; STRIP] = pulp::cast(sums[c]);
                let mut sum = ((a + e) + (c0 + g)) + ((b + f) + (d + h));
                for r in c + 1..triangle.len() {
                    sum += column[r] * this[r];
                }
                this[c] = (this[c] - sum) * column[c];
            }
        }
        for child in &fronts.children[front.children.clone()] {
            let child = &fronts.fronts[*child as usize];
            let to = &mut below[child.vector - start + STRIP * child.pivot_strips()..][..child.height];
            for (value, place) in to.iter_mut().zip(&fronts.places[child.places.clone()]) {
                *value = own[*place as usize];
            }
        }
    }
}
