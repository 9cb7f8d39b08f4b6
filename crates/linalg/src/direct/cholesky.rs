//! Sparse Cholesky factorisation, A = L Lᵀ, for symmetric positive definite matrices.

use super::dense::DenseCholesky;
use super::layout::{Columns, Order, Part, minimum_degree};
use super::{Refinement, SUPERNODAL, check_finite, too_large};
use crate::block_csr::BlockCsr;
use crate::pattern::Pattern;
use crate::solver::{LinearSolver, SolveError, SolveReport};
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::sparse::FaerError;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::{Conj, MatMut, Par, Side};
use glam::DVec3;
use std::sync::Arc;

/// Block rows up to which the dense path is faster, for ropes and sheets alike.
const DENSE_ROWS: usize = 12;

/// Sparse Cholesky; dense for a handful of particles. A warm `factor` and `solve` allocate nothing.
#[derive(Default)]
pub struct DirectCholesky {
    method: Method,
    refinement: Refinement,
    factored: bool,
}

#[derive(Default)]
enum Method {
    /// Not analysed yet, or an empty system.
    #[default]
    None,
    Dense(DenseCholesky),
    Sparse(Box<Sparse>),
}

struct Sparse {
    order: Order,
    columns: Columns,
    symbolic: SymbolicCholesky<u32>,
    l: Vec<f64>,
    memory: MemBuffer,
    permuted: Vec<DVec3>,
}

impl DirectCholesky {
    /// For no pattern yet.
    pub fn new() -> Self {
        Self::default()
    }
}

impl LinearSolver for DirectCholesky {
    fn name(&self) -> &'static str {
        "cholesky"
    }

    fn needs_symmetric(&self) -> bool {
        true
    }

    fn analyze(&mut self, pattern: &Arc<Pattern>) -> Result<(), SolveError> {
        if self.refinement.knows(pattern) {
            return Ok(());
        }
        self.factored = false;
        self.method = if pattern.rows() == 0 {
            Method::None
        } else if pattern.rows() <= DENSE_ROWS {
            Method::Dense(DenseCholesky::new(pattern.rows()))
        } else {
            let sparse = Sparse::new(pattern).map_err(|_| too_large(pattern))?;
            Method::Sparse(Box::new(sparse))
        };
        self.refinement.analyze(pattern);
        Ok(())
    }

    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        self.analyze(&a.pattern)?;
        self.factored = false;
        check_finite(a)?;
        match &mut self.method {
            Method::None => {}
            Method::Dense(dense) => dense.factor(a)?,
            Method::Sparse(sparse) => sparse.factor(a)?,
        }
        self.factored = true;
        Ok(())
    }

    fn solve(&mut self, a: &BlockCsr, b: &[DVec3], x: &mut [DVec3], tolerance: f64) -> Result<SolveReport, SolveError> {
        if !self.factored || !self.refinement.knows(&a.pattern) {
            self.factor(a)?;
        }
        let method = &mut self.method;
        self.refinement.solve(a, b, x, tolerance, |b, x| match method {
            Method::None => {}
            Method::Dense(dense) => dense.solve(b, x),
            Method::Sparse(sparse) => sparse.solve(b, x),
        })
    }
}

impl Sparse {
    fn new(pattern: &Pattern) -> Result<Self, FaerError> {
        let order = minimum_degree(pattern)?;
        let upper = Columns::triangle(pattern, &order, Part::Upper)?;
        let symbolic = factorize_symbolic_cholesky(
            upper.symbolic(),
            Side::Upper,
            SymmetricOrdering::Identity,
            CholeskySymbolicParams { supernodal_flop_ratio_threshold: SUPERNODAL, ..Default::default() },
        )?;
        // Each of faer's two methods reads its preferred triangle without transposing it first.
        let columns = match symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(_) => upper,
            SymbolicCholeskyRaw::Supernodal(_) => Columns::triangle(pattern, &order, Part::Lower)?,
        };
        let mut l = Vec::new();
        l.try_reserve_exact(symbolic.len_val()).map_err(|_| FaerError::OutOfMemory)?;
        l.resize(symbolic.len_val(), 0.0);
        let need = symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        Ok(Self {
            order,
            columns,
            symbolic,
            l,
            memory: MemBuffer::try_new(need)?,
            permuted: vec![DVec3::ZERO; pattern.rows()],
        })
    }

    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        // faer counts pivots from 1 in one of its methods and from 0 in the other.
        let (side, first) = match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(_) => (Side::Upper, 1),
            SymbolicCholeskyRaw::Supernodal(_) => (Side::Lower, 0),
        };
        let factored = self.symbolic.factorize_numeric_llt(
            &mut self.l,
            self.columns.load(a),
            side,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut self.memory),
            Default::default(),
        );
        match factored {
            Ok(_) => Ok(()),
            Err(LltError::NonPositivePivot { index }) => {
                let row = self.order.old.get(index.saturating_sub(first) / 3);
                let row = row.map(|row| *row as usize);
                Err(SolveError::Indefinite { row })
            }
        }
    }

    fn solve(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        for (to, &old) in self.permuted.iter_mut().zip(&self.order.old) {
            *to = b[old as usize];
        }
        let scalars: &mut [f64] = bytemuck::cast_slice_mut(&mut self.permuted);
        let n = scalars.len();
        LltRef::new(&self.symbolic, &self.l).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(scalars, n, 1),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
        for (from, &old) in self.permuted.iter().zip(&self.order.old) {
            x[old as usize] = *from;
        }
    }
}
