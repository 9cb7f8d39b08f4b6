//! A sparse matrix of 3x3 blocks in compressed rows.
//!
//! Its product with a vector dominates the time of a Krylov solver, and is limited by reading the blocks
//! from memory. So the sums that follow a product are taken while the product's rows are still in registers.

use crate::pattern::Pattern;
use glam::{DMat3, DVec3};
use pliant_parallel::{Cost, Partials, for_each_chunk};
use pliant_scalar::wide::widest;
use std::sync::Arc;

/// A square matrix of 3x3 blocks: a pattern, shared, and the values of its blocks.
#[derive(Clone, Debug)]
pub struct BlockCsr {
    /// Where the blocks are.
    pub pattern: Arc<Pattern>,
    /// The blocks, in the pattern's order.
    pub values: Vec<DMat3>,
}

impl BlockCsr {
    /// All blocks zero.
    pub fn zeros(pattern: Arc<Pattern>) -> Self {
        let values = vec![DMat3::ZERO; pattern.blocks()];
        Self { pattern, values }
    }

    /// Number of block rows.
    pub fn rows(&self) -> usize {
        self.pattern.rows()
    }

    /// The diagonal block of row `i`.
    pub fn diagonal(&self, i: usize) -> &DMat3 {
        &self.values[self.pattern.diagonal[i] as usize]
    }

    /// y = A x
    pub fn multiply(&self, x: &[DVec3], y: &mut [DVec3]) {
        self.check(x, y);
        for_each_chunk(y, |start, y| self.multiply_rows(start, x, y));
    }

    /// y += scale A x
    pub fn multiply_add(&self, scale: f64, x: &[DVec3], y: &mut [DVec3]) {
        self.check(x, y);
        for_each_chunk(y, |start, y| {
            for (i, y) in y.iter_mut().enumerate() {
                *y += scale * self.row_times(start + i, x);
            }
        });
    }

    /// y = A x, and the sums over all rows i of `terms(i, y_i)`, in one pass.
    pub fn multiply_and_sum<const K: usize>(
        &self,
        x: &[DVec3],
        y: &mut [DVec3],
        partials: &mut Partials,
        terms: impl Fn(usize, DVec3) -> [f64; K] + Sync,
    ) -> [f64; K] {
        self.check(x, y);
        partials.update(Cost::Heavy, y, |start, y| {
            self.multiply_rows(start, x, y);
            let mut sums = [0.0; K];
            for (i, y) in y.iter().enumerate() {
                for (sum, term) in sums.iter_mut().zip(terms(start + i, *y)) {
                    *sum += term;
                }
            }
            sums
        })
    }

    /// r = b - A x, and r·r.
    pub fn residual(&self, b: &[DVec3], x: &[DVec3], r: &mut [DVec3], partials: &mut Partials) -> f64 {
        self.check(x, r);
        let [rr] = partials.update(Cost::Heavy, r, |start, r| {
            self.multiply_rows(start, x, r);
            let mut rr = 0.0;
            for (r, b) in r.iter_mut().zip(&b[start..]) {
                *r = *b - *r;
                rr += r.length_squared();
            }
            [rr]
        });
        rr
    }

    /// The rows from `start` on of A x.
    fn multiply_rows(&self, start: usize, x: &[DVec3], y: &mut [DVec3]) {
        widest(
            #[inline(always)]
            || {
                for (i, y) in y.iter_mut().enumerate() {
                    *y = self.row_times(start + i, x);
                }
            },
        );
    }

    /// In lanes of four, the last of which is unused: the compiler does not vectorize this by itself.
    #[inline(always)]
    fn row_times(&self, row: usize, x: &[DVec3]) -> DVec3 {
        let range = self.pattern.row(row);
        let columns = &self.pattern.columns[range.clone()];
        let mut sum = [0.0; 4];
        for (block, &column) in self.values[range].iter().zip(columns) {
            let m: &[f64; 9] = block.as_ref();
            let v = x[column as usize];
            let (a, b, c) = ([m[0], m[1], m[2], m[3]], [m[3], m[4], m[5], m[6]], [m[6], m[7], m[8], m[8]]);
            for lane in 0..4 {
                sum[lane] += a[lane] * v.x + b[lane] * v.y + c[lane] * v.z;
            }
        }
        DVec3::new(sum[0], sum[1], sum[2])
    }

    fn check(&self, x: &[DVec3], y: &[DVec3]) {
        let rows = self.rows();
        assert_eq!(self.values.len(), self.pattern.blocks(), "blocks");
        assert!(x.len() == rows && y.len() == rows, "vectors of {rows} rows");
    }
}
