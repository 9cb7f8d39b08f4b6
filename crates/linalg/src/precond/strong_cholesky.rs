//! Cholesky factors of a matrix without its weak couplings ([`Pattern::weak`]).
//!
//! Bending couples a particle of a sheet with 12 to 24 others, two or three edges away, and factors fill up with them: without them a factorisation takes a
//! quarter to an eighth of the time. Each weak block B is left out, and |B| = B Bᵀ/|B| is added to both diagonals. Bending blocks are of rank one,
//! B = k n mᵀ, and then the result M is nowhere below A:
//!
//! `M - A = Σ |k| (n·x ∓ m·y)²`.
//!
//! For k > 0, the rule at a distance of two edges, M has the stiffness of A against translations. Conjugate gradients remove the difference: two or
//! three iterations where inertia outweighs bending between neighbours, about ten where it does not.

use crate::block_csr::BlockCsr;
use crate::direct::{CholeskyCost, DirectCholesky};
use crate::pattern::{Pattern, is_known};
use crate::solver::{LinearSolver, Preconditioner, SolveError};
use glam::{DMat3, DVec3};
use pliant_parallel::for_each_chunk;
use std::sync::Arc;

/// See the file head. Without weak couplings these are the factors of the matrix itself.
#[derive(Default)]
pub struct StrongCholesky {
    pattern: Option<Arc<Pattern>>,
    /// Positions of the strong blocks in the matrix.
    sources: Vec<u32>,
    strong: Option<BlockCsr>,
    /// Diagonal blocks, with what the weak blocks of each row add.
    diagonal: Vec<DMat3>,
    cholesky: DirectCholesky,
}

impl StrongCholesky {
    /// For no pattern yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Operations of a factorisation and of an application with matrices of this pattern.
    pub fn count(&mut self, pattern: &Arc<Pattern>) -> Result<CholeskyCost, SolveError> {
        self.prepare(pattern);
        let strong = self.strong.as_ref().expect("prepare() made it");
        self.cholesky.count(&strong.pattern)
    }

    fn prepare(&mut self, pattern: &Arc<Pattern>) {
        if is_known(&mut self.pattern, pattern) {
            return;
        }
        let (strong, sources) = pattern.strong();
        self.sources = sources;
        match &mut self.strong {
            // contact that changes weak couplings only
            Some(known) if *known.pattern == strong => {}
            known => *known = Some(BlockCsr::zeros(Arc::new(strong))),
        }
        self.pattern = Some(pattern.clone());
    }
}

/// (B Bᵀ)^½ where B is of rank one.
fn magnitude(block: &DMat3) -> DMat3 {
    let square = *block * block.transpose();
    let norm2 = square.x_axis.x + square.y_axis.y + square.z_axis.z;
    if norm2 > 0.0 { square * (1.0 / norm2.sqrt()) } else { DMat3::ZERO }
}

impl Preconditioner for StrongCholesky {
    fn name(&self) -> &'static str {
        "strong-cholesky"
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>) {
        self.prepare(pattern);
    }

    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        self.prepare(&a.pattern);
        let strong = self.strong.as_mut().expect("prepare() made it");
        let sources = &self.sources;
        for_each_chunk(&mut strong.values, |start, values| {
            for (value, source) in values.iter_mut().zip(&sources[start..]) {
                *value = a.values[*source as usize];
            }
        });
        if !a.pattern.weak.is_empty() {
            self.diagonal.resize(a.rows(), DMat3::ZERO);
            for_each_chunk(&mut self.diagonal, |start, sums| {
                for (i, sum) in (start..).zip(sums) {
                    let weak = a.pattern.row(i).filter(|p| a.pattern.weak[*p]);
                    let own = a.values[a.pattern.diagonal[i] as usize];
                    *sum = weak.fold(own, |sum, p| sum + magnitude(&a.values[p]));
                }
            });
            for (block, at) in self.diagonal.iter().zip(&strong.pattern.diagonal) {
                strong.values[*at as usize] = *block;
            }
        }
        self.cholesky.factor(strong).map_err(|error| match error {
            SolveError::Indefinite { row: Some(row) }
                if a.values[a.pattern.row(row)].iter().all(|block| *block == DMat3::ZERO) =>
            {
                SolveError::Singular { row: Some(row) }
            }
            other => other,
        })
    }

    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        self.cholesky.substitute(r, z);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cg::Cg;
    use crate::pattern::PatternBuilder;
    use pliant_parallel::Partials;

    /// A beam of `n` masses with bending stiffness `k` across and stiff links along.
    fn beam(n: usize, k: f64) -> BlockCsr {
        let mut builder = PatternBuilder::new(n);
        (1..n).for_each(|i| builder.couple(i - 1, i));
        (2..n).for_each(|i| builder.couple_weakly(i - 2, i));
        let mut a = BlockCsr::zeros(Arc::new(builder.build()));
        let mut add = |nodes: &[usize], weights: &[f64], along: DVec3| {
            for (i, u) in nodes.iter().zip(weights) {
                for (j, w) in nodes.iter().zip(weights) {
                    let p = a.pattern.find(*i, *j).unwrap();
                    a.values[p] += DMat3::from_diagonal(along * (u * w));
                }
            }
        };
        (0..n).for_each(|i| add(&[i], &[1.0], DVec3::ONE));
        (1..n).for_each(|i| add(&[i - 1, i], &[-1.0, 1.0], DVec3::new(1e4, 0.0, 0.0)));
        (2..n).for_each(|i| add(&[i - 2, i - 1, i], &[1.0, -2.0, 1.0], DVec3::new(0.0, k, 0.0)));
        a
    }

    #[test]
    fn few_iterations_correct_weak_couplings() {
        for (k, most) in [(0.0, 1), (0.01, 4), (1.0, 12)] {
            let a = beam(200, k);
            let b: Vec<DVec3> = (0..200).map(|i| DVec3::new(1.0, (i as f64 * 0.7).sin(), 0.3)).collect();
            let mut x = vec![DVec3::ZERO; 200];
            let mut cg = Cg::new(Box::new(StrongCholesky::new()));
            let report = cg.solve(&a, &b, &mut x, 1e-5).unwrap();
            assert!(report.iterations <= most, "{k}: {}", report.iterations);
            let mut r = x.clone();
            let rr = a.residual(&b, &x, &mut r, &mut Partials::default());
            let bb: f64 = b.iter().map(|b| b.length_squared()).sum();
            assert!(rr.sqrt() <= 1.01e-5 * bb.sqrt(), "{k}: {rr}");
        }
    }
}
