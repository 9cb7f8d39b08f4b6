//! Sparse LU factorisation, P A Q = L U, with partial pivoting, for matrices that are not symmetric or not definite.
//!
//! faer orders the columns by COLAMD, on the scalar matrix: with row pivoting the fill depends on AᵀA, and an order of
//! the particle graph cannot be given. Expect several times the cost of a Cholesky factorisation.

use super::dense::DenseLu;
use super::layout::Columns;
use super::{Factors, Method, Refinement, SUPERNODAL, too_large};
use crate::block_csr::BlockCsr;
use crate::pattern::Pattern;
use crate::solver::{LinearSolver, SolveError, SolveReport};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::FaerError;
use faer::sparse::linalg::LuError;
use faer::sparse::linalg::lu::{LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu};
use faer::{Conj, MatMut, Par};
use glam::DVec3;
use std::sync::Arc;

/// Block rows up to which the dense path is taken.
const DENSE_ROWS: usize = 32;

/// Sparse LU; dense, and without any allocation when warm, up to 32 block rows.
#[derive(Default)]
pub struct DirectLu {
    method: Method<DenseLu, Sparse>,
    refinement: Refinement,
}

struct Sparse {
    columns: Columns,
    symbolic: SymbolicLu<u32>,
    numeric: NumericLu<u32, f64>,
    memory: MemBuffer,
}

impl DirectLu {
    /// For no pattern yet.
    pub fn new() -> Self {
        Self::default()
    }
}

impl LinearSolver for DirectLu {
    fn name(&self) -> &'static str {
        "lu"
    }

    fn needs_symmetric(&self) -> bool {
        false
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>) -> Result<(), SolveError> {
        if self.refinement.knows(pattern) {
            return Ok(());
        }
        self.refinement.factored = false;
        self.method = if pattern.rows() == 0 {
            Method::None
        } else if pattern.rows() <= DENSE_ROWS {
            Method::Dense(DenseLu::new(pattern.rows()))
        } else {
            let sparse = Sparse::new(pattern).map_err(|_| too_large(pattern))?;
            Method::Sparse(Box::new(sparse))
        };
        self.refinement.analyze(pattern);
        Ok(())
    }

    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        self.analyze(&a.pattern)?;
        self.refinement.factor(a, &mut self.method)
    }

    fn solve(&mut self, a: &BlockCsr, b: &[DVec3], x: &mut [DVec3], tolerance: f64) -> Result<SolveReport, SolveError> {
        if !self.refinement.is_factored(&a.pattern) {
            self.factor(a)?;
        }
        self.refinement.solve(a, b, x, tolerance, &mut self.method)
    }
}

impl Sparse {
    fn new(pattern: &Pattern) -> Result<Self, FaerError> {
        let columns = Columns::full(pattern)?;
        let params = LuSymbolicParams { supernodal_flop_ratio_threshold: SUPERNODAL, ..Default::default() };
        let symbolic = factorize_symbolic_lu(columns.symbolic(), params)?;
        let need = symbolic
            .factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        Ok(Self { columns, symbolic, numeric: NumericLu::new(), memory: MemBuffer::try_new(need)? })
    }
}

impl Factors for Sparse {
    /// A numerically zero pivot is not detected here; the solution is then not finite, which `solve` reports.
    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        let factored = self.symbolic.factorize_numeric_lu(
            &mut self.numeric,
            self.columns.load(a),
            Par::Seq,
            MemStack::new(&mut self.memory),
            Default::default(),
        );
        match factored {
            Ok(_) => Ok(()),
            Err(LuError::SymbolicSingular { .. }) => Err(SolveError::Singular { row: None }),
            Err(LuError::Generic(_)) => Err(too_large(&a.pattern)),
        }
    }

    fn solve(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        x.copy_from_slice(b);
        let scalars: &mut [f64] = bytemuck::cast_slice_mut(x);
        let n = scalars.len();
        LuRef::new_unchecked(&self.symbolic, &self.numeric).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(scalars, n, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
    }
}
