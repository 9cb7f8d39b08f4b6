//! The adaptive solver: it selects a method for each symmetric matrix, Cholesky or conjugate gradients with one of four
//! preconditioners, by counted cost.
//!
//! *Cholesky.* The symbolic analysis counts its operations ([`DirectCholesky::count`]).
//!
//! *Weak couplings.* Where the pattern has them, Cholesky leaves them out and conjugate gradients bring them back (`precond/strong_cholesky.rs`), if that
//! is cheaper for the first pattern.
//!
//! *Conjugate gradients.* A = M + dt²K: a row of K sums to zero (a rigid translation costs no force), so that a row of
//! A sums to the mass, and without knowing dt or the masses
//!
//! ```text
//! s_i = Σ_{j≠i} |tr A_ij| / |tr Σ_j A_ij|
//! ```
//!
//! is the stiffness dt² k/m about particle i. An error propagates √s particles in a time step, and CG with block Jacobi
//! needs a multiple of that many iterations, or of the body's length in particles if that is less: J = mean of
//! min(10 √s_i, 12 √rows). On stiff sheets of 50 x 50 and 100 x 100 and dt from 1 to 50 ms it is within a factor 1.8 of the measured
//! count. Incomplete Cholesky takes about J/2.5 iterations of two products with the matrix each, multigrid some 25 iterations of eight products,
//! setup included, whatever the stiffness.
//!
//! *Speeds.* An operation of the dense kernels of Cholesky takes a seventh of the time of one in a sparse product or substitution: 22 to 33
//! against 3 to 4.5 GFlop/s (sheets of 25 x 25 to 100 x 100 with 19 blocks per row, `--bench cholesky`).
//!
//! Real cloth, stiff along its threads and soft across, is easier for incomplete Cholesky while an error does not reach the sheet's ends, and too
//! hard for it afterwards. So it is used for a sheet until then, with a bounded number of iterations; if it does not converge, the next method is
//! the fallback.
//!
//! No preconditioner handles the stiffness of ropes, and their factors have hardly any fill, also where a rope is in contact with itself: for them
//! it is always Cholesky, and for ropes with other bodies up to a medium size. The form is that of the first pattern of a system, which is laid
//! out without contact, where that is a rope.
//!
//! Of a partly restrained body only the moving rest is solved for. It has the form of the whole, and its rows do not sum to masses: up to a medium
//! size Cholesky is used, unless it is a solid.
//!
//! The choice is a function of the matrix and of that first pattern, so it is the same after a restart.

use crate::block_csr::BlockCsr;
use crate::cg::Cg;
use crate::direct::DirectCholesky;
use crate::form::{Form, form};
use crate::pattern::{Pattern, is_known};
use crate::precond::{BlockIc, BlockJacobi, Multigrid, StrongCholesky};
use crate::solver::{LinearSolver, SolveError, SolveReport};
use glam::DVec3;
use pliant_parallel::Partials;
use std::sync::Arc;

/// The methods to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// [`DirectCholesky`]
    Cholesky,
    /// [`Cg`] with [`StrongCholesky`]
    Strong,
    /// [`Cg`] with [`BlockJacobi`]
    Jacobi,
    /// [`Cg`] with [`BlockIc`]
    Incomplete,
    /// [`Cg`] with [`Multigrid`]
    Multigrid,
}

/// Block rows up to which Cholesky is always the fastest; up to which it is used for a moving part of a body; and for ropes with other bodies.
const MAX_ROWS_ALWAYS_CHOLESKY: usize = 300;
const MAX_ROWS_PART_CHOLESKY: usize = 5000;
const MAX_ROWS_MIXED_CHOLESKY: usize = 6000;
/// Block rows from which not even the ordering for Cholesky is worth its time.
const MAX_ROWS_CHOLESKY: usize = 100_000;

/// Time of an operation in sparse products and substitutions over that in the dense kernels of Cholesky.
const SPARSE_OPERATION_COST: f64 = 7.0;
/// Operations per block of a product with the matrix.
const OPERATIONS_PER_BLOCK: f64 = 18.0;
/// Iterations of incomplete Cholesky over those of block Jacobi, and products in each.
const INCOMPLETE: [f64; 2] = [0.4, 2.0];
/// The same of multigrid, whose iterations are so many.
const MULTIGRID: [f64; 2] = [25.0, 8.0];

/// Iterations with [`StrongCholesky`] that are expected, and the limit.
const EXPECTED_STRONG_ITERATIONS: f64 = 3.0;
const MAX_STRONG_ITERATIONS: usize = 60;

/// Largest number of iterations of a body, over √rows.
const MAX_ITERATIONS_PER_ROOT_ROWS: f64 = 12.0;

/// Without that limit: the number, over √rows, up to which a sheet is tried with incomplete Cholesky (it needs one iteration for 40 of them, and
/// Cholesky takes the time of √rows), and the limit of iterations.
const MAX_LOCAL_ITERATIONS_PER_ROOT_ROWS: f64 = 24.0;
const MAX_INCOMPLETE_ITERATIONS: usize = 120;

/// Expected iterations up to which block Jacobi and then incomplete Cholesky are the fastest preconditioners.
const JACOBI_UP_TO: f64 = 20.0;
const INCOMPLETE_UP_TO: f64 = 100.0;

/// Estimate of the CG iterations with block Jacobi for a relative residual of 1e-8: J above.
pub fn expected_iterations(a: &BlockCsr, partials: &mut Partials) -> f64 {
    mean_root(a, MAX_ITERATIONS_PER_ROOT_ROWS * (a.rows() as f64).sqrt(), partials)
}

/// Mean of 10 √s over all particles, each at most `most`.
fn mean_root(a: &BlockCsr, most: f64, partials: &mut Partials) -> f64 {
    let rows = a.rows();
    let sum = partials.sum(rows, |range| {
        let mut sum = 0.0;
        for i in range {
            let (mut whole, mut around) = (0.0, 0.0);
            for p in a.pattern.row(i) {
                let block = &a.values[p];
                let trace = block.x_axis.x + block.y_axis.y + block.z_axis.z;
                whole += trace;
                if p != a.pattern.diagonal[i] as usize {
                    around += trace.abs();
                }
            }
            let stiffness: f64 = if around > 0.0 { around / whole.abs() } else { 0.0 };
            sum += (10.0 * stiffness.sqrt()).min(most);
        }
        sum
    });
    if rows == 0 { 0.0 } else { sum / rows as f64 }
}

/// Chooses at every factorisation; methods that were never chosen take no memory.
pub struct Adaptive {
    pattern: Option<Arc<Pattern>>,
    form: Form,
    /// Rows and form of the first pattern.
    first: Option<(usize, Form)>,
    chosen: Option<Choice>,
    /// Whether another method has replaced it.
    changed: bool,
    /// Cost of Cholesky, or of that without weak couplings, with the first pattern, where it was counted.
    first_cost: Option<f64>,
    /// Whether Cholesky leaves out weak couplings: where that was cheaper for the first pattern.
    leaves_weak: bool,
    cholesky: Option<DirectCholesky>,
    strong: Option<Cg>,
    jacobi: Option<Cg>,
    incomplete: Option<Cg>,
    multigrid: Option<Cg>,
    /// Passed to methods that use them.
    positions: Vec<DVec3>,
    partials: Partials,
}

impl Adaptive {
    /// For no pattern yet.
    pub fn new() -> Self {
        Self {
            pattern: None,
            form: Form::Sheet,
            first: None,
            chosen: None,
            changed: false,
            first_cost: None,
            leaves_weak: false,
            cholesky: None,
            strong: None,
            jacobi: None,
            incomplete: None,
            multigrid: None,
            positions: Vec::new(),
            partials: Partials::default(),
        }
    }

    /// The method expected to be fastest for this matrix.
    fn choose(&mut self, a: &BlockCsr) -> Result<Choice, SolveError> {
        let (rows, form) = (a.rows(), self.form);
        if rows <= MAX_ROWS_ALWAYS_CHOLESKY
            || form == Form::Rope
            || form == Form::Mixed && rows <= MAX_ROWS_MIXED_CHOLESKY
        {
            return Ok(self.direct(a));
        }
        let expected = expected_iterations(a, &mut self.partials);
        let most = MAX_LOCAL_ITERATIONS_PER_ROOT_ROWS * (rows as f64).sqrt();
        let mut is_local = || form == Form::Sheet && mean_root(a, 2.0 * most, &mut self.partials) <= most;
        let (iterative, iterations, products) = match expected {
            few if few <= JACOBI_UP_TO => (Choice::Jacobi, few, 1.0),
            some if some <= INCOMPLETE_UP_TO || is_local() => (Choice::Incomplete, INCOMPLETE[0] * some, INCOMPLETE[1]),
            _ => (Choice::Multigrid, MULTIGRID[0], MULTIGRID[1]),
        };
        let is_cheaper = self.is_cholesky_cheaper(a, iterations * products)?;
        Ok(if is_cheaper { self.direct(a) } else { iterative })
    }

    /// Cholesky, with or without weak couplings.
    fn direct(&self, a: &BlockCsr) -> Choice {
        if self.leaves_weak && !a.pattern.weak.is_empty() { Choice::Strong } else { Choice::Cholesky }
    }

    /// Cost of Cholesky for the first pattern; decides how weak couplings are treated.
    fn count_first(&mut self, pattern: &Arc<Pattern>) -> Result<f64, SolveError> {
        let counted = self.cholesky.get_or_insert_with(DirectCholesky::new).count(pattern)?;
        let whole = counted.factor + SPARSE_OPERATION_COST * counted.solve;
        if pattern.weak.is_empty() {
            return Ok(whole);
        }
        let counted = StrongCholesky::new().count(pattern)?;
        let iteration = counted.solve + OPERATIONS_PER_BLOCK * pattern.blocks() as f64;
        let strong = counted.factor + SPARSE_OPERATION_COST * EXPECTED_STRONG_ITERATIONS * iteration;
        self.leaves_weak = strong < whole;
        Ok(strong.min(whole))
    }

    /// Whether Cholesky costs less than so many products with the matrix. Contact only adds to the cost with the first pattern.
    fn is_cholesky_cheaper(&mut self, a: &BlockCsr, products: f64) -> Result<bool, SolveError> {
        let iterative = SPARSE_OPERATION_COST * OPERATIONS_PER_BLOCK * products * a.pattern.blocks() as f64;
        if a.rows() > MAX_ROWS_CHOLESKY || self.first_cost.is_some_and(|cost| cost > iterative) {
            return Ok(false);
        }
        if self.direct(a) == Choice::Strong {
            // contact adds little to what was counted
            return Ok(true);
        }
        let counted = self.cholesky.get_or_insert_with(DirectCholesky::new).count(&a.pattern)?;
        let cost = counted.factor + SPARSE_OPERATION_COST * counted.solve;
        Ok(cost <= iterative)
    }

    /// The method of the last matrix.
    pub fn chosen(&self) -> Option<Choice> {
        self.chosen
    }

    fn factor_with(&mut self, choice: Choice, a: &BlockCsr) -> Result<(), SolveError> {
        self.chosen = None;
        let positions = std::mem::take(&mut self.positions);
        let solver = self.solver(choice);
        solver.set_positions(&positions);
        let factored = solver.factor(a);
        self.positions = positions;
        factored?;
        self.chosen = Some(choice);
        Ok(())
    }

    fn solver(&mut self, choice: Choice) -> &mut dyn LinearSolver {
        match choice {
            Choice::Cholesky => self.cholesky.get_or_insert_with(DirectCholesky::new),
            Choice::Strong => self.strong.get_or_insert_with(|| {
                let mut cg = Cg::new(Box::new(StrongCholesky::new()));
                cg.max_iterations = Some(MAX_STRONG_ITERATIONS);
                cg
            }),
            Choice::Jacobi => self.jacobi.get_or_insert_with(|| Cg::new(Box::new(BlockJacobi::new()))),
            Choice::Incomplete => self.incomplete.get_or_insert_with(|| {
                let mut cg = Cg::new(Box::new(BlockIc::new()));
                cg.max_iterations = Some(MAX_INCOMPLETE_ITERATIONS);
                cg
            }),
            Choice::Multigrid => self.multigrid.get_or_insert_with(|| Cg::new(Box::new(Multigrid::new()))),
        }
    }
}

impl Default for Adaptive {
    fn default() -> Self {
        Self::new()
    }
}

impl LinearSolver for Adaptive {
    fn name(&self) -> &'static str {
        "adaptive"
    }

    fn needs_symmetric(&self) -> bool {
        true
    }

    /// Prepares the method that is always used for few rows; otherwise the first `factor` that chooses a method allocates its memory.
    fn analyze(&mut self, pattern: &Arc<Pattern>) -> Result<(), SolveError> {
        if !is_known(&mut self.pattern, pattern) {
            self.pattern = Some(pattern.clone());
            let rows = pattern.rows();
            self.form = match self.first.filter(|first| rows <= first.0) {
                Some((_, kept @ (Form::Rope | Form::Mixed))) => kept,
                Some((all, kept)) if rows < all => kept,
                Some(_) => form(pattern),
                None => {
                    let found = form(pattern);
                    self.first = Some((rows, found));
                    if (MAX_ROWS_ALWAYS_CHOLESKY + 1..=MAX_ROWS_CHOLESKY).contains(&rows)
                        || rows <= MAX_ROWS_ALWAYS_CHOLESKY && !pattern.weak.is_empty()
                    {
                        self.first_cost = Some(self.count_first(pattern)?);
                    }
                    found
                }
            };
            self.chosen = None;
        }
        let is_always = pattern.rows() <= MAX_ROWS_ALWAYS_CHOLESKY && (!self.leaves_weak || pattern.weak.is_empty());
        if is_always { self.solver(Choice::Cholesky).analyze(pattern) } else { Ok(()) }
    }

    fn set_positions(&mut self, positions: &[DVec3]) {
        self.positions.clear();
        self.positions.extend_from_slice(positions);
    }

    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        self.analyze(&a.pattern)?;
        let is_part = self.first.is_some_and(|(all, _)| a.rows() < all);
        let choice = match self.form {
            Form::Rope | Form::Sheet | Form::Mixed if is_part && a.rows() <= MAX_ROWS_PART_CHOLESKY => Choice::Cholesky,
            _ => self.choose(a)?,
        };
        self.changed = false;
        self.factor_with(choice, a)
    }

    fn is_settled(&self) -> bool {
        !self.changed
    }

    fn solve(&mut self, a: &BlockCsr, b: &[DVec3], x: &mut [DVec3], tolerance: f64) -> Result<SolveReport, SolveError> {
        if !is_known(&mut self.pattern, &a.pattern) || self.chosen.is_none() {
            self.factor(a)?;
        }
        let choice = self.chosen.expect("factor() chose");
        let solved = self.solver(choice).solve(a, b, x, tolerance);
        match solved {
            Err(SolveError::NotConverged { iterations, .. }) if choice == Choice::Incomplete => {
                let is_cheaper = self.is_cholesky_cheaper(a, MULTIGRID[0] * MULTIGRID[1])?;
                let next = if is_cheaper { self.direct(a) } else { Choice::Multigrid };
                self.changed = true;
                self.factor_with(next, a)?;
                x.fill(DVec3::ZERO);
                let report = self.solver(next).solve(a, b, x, tolerance)?;
                Ok(SolveReport { iterations: iterations + report.iterations, ..report })
            }
            Err(SolveError::NotConverged { iterations, .. }) if choice == Choice::Strong => {
                self.changed = true;
                self.factor_with(Choice::Cholesky, a)?;
                let report = self.solver(Choice::Cholesky).solve(a, b, x, tolerance)?;
                Ok(SolveReport { iterations: iterations + report.iterations, ..report })
            }
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::PatternBuilder;

    #[test]
    fn a_rope_that_lies_on_itself_is_a_rope() {
        let chain = |across: usize| {
            let mut builder = PatternBuilder::new(1000);
            (1..1000).for_each(|k| builder.couple(k - 1, k));
            (across..1000).for_each(|k| builder.couple(k - across, k));
            BlockCsr::zeros(Arc::new(builder.build()))
        };
        let [alone, coiled] = [chain(1), chain(30)].map(|mut a| {
            a.pattern.diagonal.iter().for_each(|k| a.values[*k as usize] = glam::DMat3::IDENTITY);
            a
        });
        let mut solver = Adaptive::new();
        for a in [&alone, &coiled, &alone] {
            solver.factor(a).unwrap();
            assert_eq!(solver.chosen(), Some(Choice::Cholesky));
        }
        // a net of the same pattern is not one
        let mut solver = Adaptive::new();
        solver.factor(&coiled).unwrap();
        assert_eq!(solver.chosen(), Some(Choice::Jacobi));
    }
}
