//! Linear systems with terms of rank one beside the matrix ([`LowRank`]): `(S + Σ c g gᵀ) y = b` with `c = -γ² s`. By Sherman and Morrison, term
//! after term,
//!
//! `y ← y - z (g·y)/(1/c + g·z)`,  `z = (S + terms before)⁻¹ g`:
//!
//! one more right-hand side for each term and matrix. Without them Newton's method sees a balloon as soft as its skin, and creeps.

use glam::DVec3;
use pliant_core::LowRank;
use pliant_linalg::block_csr::BlockCsr;
use pliant_linalg::solver::{LinearSolver, SolveError};

/// Largest relative residual of z where few digits are asked for: the correction cancels most of y along g.
const MIN_DIGITS: f64 = 1e-7;

/// The vectors z of the terms of one matrix.
#[derive(Default)]
pub(super) struct RankOneUpdates {
    z: Vec<Vec<DVec3>>,
    /// c / (1 + c g·z); 0 where the term has none.
    factors: Vec<f64>,
    right: Vec<DVec3>,
}

impl RankOneUpdates {
    /// Solves for z of all terms; returns the iterations of the solver.
    pub fn prepare(
        &mut self,
        (terms, gamma, free): (&LowRank, f64, &[bool]),
        matrix: &BlockCsr,
        solver: &mut dyn LinearSolver,
        (tolerance, is_rough): (f64, bool),
    ) -> Result<usize, SolveError> {
        self.factors.clear();
        let tolerance = if is_rough { tolerance.max(MIN_DIGITS) } else { tolerance };
        let mut iterations = 0;
        for (k, term) in terms.terms().enumerate() {
            if self.z.len() == k {
                self.z.push(Vec::new());
            }
            let c = -gamma * gamma * term.slope;
            let mut z = std::mem::take(&mut self.z[k]);
            z.clear();
            z.resize(free.len(), DVec3::ZERO);
            if c > 0.0 {
                self.right.clear();
                self.right.resize(free.len(), DVec3::ZERO);
                let moving = term.gradient.iter().filter(|(i, _)| free[*i as usize]);
                moving.for_each(|(i, g)| self.right[*i as usize] = *g);
                iterations += solver.solve(matrix, &self.right, &mut z, tolerance)?.iterations;
                self.apply(terms, &mut z);
            }
            // pinned particles have z = 0
            self.factors.push(if c > 0.0 { c / (1.0 + c * term.dot(&z)) } else { 0.0 });
            self.z[k] = z;
        }
        Ok(iterations)
    }

    /// Turns the solution without the terms into that with them.
    pub fn apply(&self, terms: &LowRank, y: &mut [DVec3]) {
        for ((term, z), factor) in terms.terms().zip(&self.z).zip(&self.factors) {
            let along = factor * term.dot(y);
            y.iter_mut().zip(z).for_each(|(y, z)| *y -= *z * along);
        }
    }
}
