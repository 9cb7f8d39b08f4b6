//! Aggregation: which rows form one node of the next coarser level.
//!
//! Blocks (i, j) are strong where |A_ij| ≥ θ √(m_i m_j), m_i being the largest |A_ij| off the diagonal of row i: a
//! measure independent of the masses and dt, so that the aggregates stay the same while a step is made shorter or
//! longer. Uncoupled rows (pinned particles) belong to no aggregate.
//!
//! The greedy passes are those of [Vanek], section 5.1: first every row whose strong neighbours are all free collects
//! them; then remaining rows join the aggregate with the strongest coupling; then rows still remaining collect
//! their neighbours.

use crate::block_csr::BlockCsr;
use crate::pattern::Pattern;
use glam::DMat3;

/// No aggregate.
pub(super) const NONE: u32 = u32::MAX;

/// How far an aggregate reaches from its root along strong blocks.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Reach {
    /// To its neighbours.
    First,
    /// To their neighbours, as far as those are free.
    Second,
}

/// Strength of the blocks of a matrix, with its memory.
#[derive(Default)]
pub(super) struct Strength {
    /// |A_ij|² of each block, and the largest of a row off the diagonal.
    size: Vec<f64>,
    largest: Vec<f64>,
    /// Which blocks are strong.
    pub strong: Vec<bool>,
}

impl Strength {
    /// Finds the strong blocks; returns whether they have changed. With `per` rows per node, the first of them (the
    /// translation) represents all.
    pub fn update(&mut self, a: &BlockCsr, per: usize, threshold: f64) -> bool {
        let pattern = &*a.pattern;
        let rows = pattern.rows();
        self.size.resize(pattern.blocks(), 0.0);
        self.largest.resize(rows, 0.0);
        let mut changed = self.strong.len() != pattern.blocks();
        self.strong.resize(pattern.blocks(), false);
        for (size, block) in self.size.iter_mut().zip(&a.values) {
            *size = square(block);
        }
        for i in (0..rows).step_by(per) {
            let mut largest = 0f64;
            for p in pattern.row(i).step_by(per) {
                if p != pattern.diagonal[i] as usize {
                    largest = largest.max(self.size[p]);
                }
            }
            self.largest[i] = largest;
        }
        let t2 = threshold * threshold;
        for i in (0..rows).step_by(per) {
            let row = pattern.row(i);
            for p in row.clone().step_by(per) {
                let j = pattern.columns[p] as usize;
                // `size` and `largest` are squares.
                let bound = t2 * self.largest[i].sqrt() * self.largest[j].sqrt();
                let strong = i != j && self.size[p] > 0.0 && self.size[p] >= bound;
                changed |= self.strong[p] != strong;
                // The rows of a node have the same columns.
                for k in 0..per {
                    self.strong[p + k * row.len()..][..per].fill(strong);
                }
            }
        }
        changed
    }

    /// The aggregate of each node, and how many there are.
    pub fn aggregate(&self, pattern: &Pattern, per: usize, reach: Reach) -> (Vec<u32>, usize) {
        let nodes = pattern.rows() / per;
        let mut of = vec![NONE; nodes];
        let neighbours = |i: usize| {
            let strong = pattern.row(i * per).step_by(per).filter(|p| self.strong[*p]);
            strong.map(|p| (pattern.columns[p] as usize / per, self.size[p]))
        };
        let mut count = 0u32;
        for i in 0..nodes {
            let mut around = neighbours(i).peekable();
            if of[i] == NONE && around.peek().is_some() && around.all(|(j, _)| of[j] == NONE) {
                of[i] = count;
                for (j, _) in neighbours(i) {
                    of[j] = count;
                }
                if reach == Reach::Second {
                    for (k, _) in neighbours(i).flat_map(|(j, _)| neighbours(j)) {
                        if of[k] == NONE {
                            of[k] = count;
                        }
                    }
                }
                count += 1;
            }
        }
        // Joining uses only the first pass: an aggregate must not grow along a chain of joins.
        let first = of.clone();
        for i in 0..nodes {
            if first[i] == NONE {
                let mut best = (0.0, NONE);
                for (j, size) in neighbours(i) {
                    if first[j] != NONE && size > best.0 {
                        best = (size, first[j]);
                    }
                }
                of[i] = best.1;
            }
        }
        for i in 0..nodes {
            if of[i] == NONE && neighbours(i).next().is_some() {
                of[i] = count;
                for (j, _) in neighbours(i) {
                    if of[j] == NONE {
                        of[j] = count;
                    }
                }
                count += 1;
            }
        }
        (of, count as usize)
    }
}

/// The square of the Frobenius norm.
pub(super) fn square(block: &DMat3) -> f64 {
    block.x_axis.length_squared() + block.y_axis.length_squared() + block.z_axis.length_squared()
}
