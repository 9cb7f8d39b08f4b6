//! Algebraic multigrid by smoothed aggregation ([Vanek]), one V-cycle as a preconditioner.
//!
//! Jacobi's and Gauss-Seidel's methods cannot remove an error that is smooth along strong couplings; it is
//! removed on a coarser matrix with about a ninth of the rows of a sheet, and so on until a direct solver takes a
//! millisecond. The coarse unknowns are the translations of the aggregates and, where the positions of the particles are
//! given, their rotations (`modes.rs`); blocks stay 3x3 on all levels.
//!
//! ```text
//! cycle(r):   z = S r                        forward Gauss-Seidel from zero (`smoother.rs`)
//!             z ← z + P cycle(Pᵀ (r − A z))  coarse correction (`transfer.rs`, `aggregate.rs`)
//!             z ← z + Sᵀ (r − A z)           backward Gauss-Seidel
//! ```
//!
//! The aggregates are a function of the strong blocks. They are built again only where those have changed since the
//! last matrix, which affects the time and not the result: the same matrix gives the same bits for any history.
//!
//! *Limits.* On cotton of 50 x 50 the iterations grow from dt = 1 ms to 50 ms by 1.6 in motion and by 2.6 near rest (2.4
//! and 3.7 without rotations). Rotations save time there for long steps, up to a third; on 100 x 100 they
//! save iterations and no time. Solving the second level exactly hardly helps, so the finest level is the weak one: probably because yarns
//! that are stiff along and soft across couple each component in another direction. For dt up to about 5 ms incomplete Cholesky alone is
//! faster on cotton (100 x 100, 1 ms: 26 ms against 123).
//!
//! *Alternatives*, on 100 x 100 particles. Without smoothing P, the setup takes half the time and CG twice the iterations,
//! and scaling the correction up by 1.6 hardly changes that. ω between 0.5 and 0.7 makes no difference, 0.85 and 1 are worse.
//! Aggregates of four rows need two thirds of the iterations and three times the setup, and gain no time.
//! Incomplete Cholesky as a smoother halves the iterations for dt = 1 ms, but for longer steps the cycle is no longer
//! positive. Solving the second level exactly saves a tenth of the iterations and costs more than that.
//! With rotations, aggregates of neighbours alone save a tenth of the iterations and make the second matrix as large as the first.
//! Incomplete Cholesky between two coarse corrections is positive for any step; on cotton it takes a third of the iterations for
//! dt = 1 ms and six to nine tenths for 50 ms, at twice the time each.

mod aggregate;
mod modes;
mod smoother;
mod transfer;

use crate::block_csr::BlockCsr;
use crate::direct::{DirectCholesky, check_finite};
use crate::pattern::Pattern;
use crate::solver::{LinearSolver, Preconditioner, SolveError};
use aggregate::Strength;
use glam::DVec3;
use modes::Nodes;
use smoother::Smoother;
use std::sync::Arc;
use transfer::Transfer;

/// A matrix of at most this many block rows is solved directly.
const DIRECT_ROWS: usize = 300;

/// A level that keeps more than this part of the rows is not used.
const STAGNATION: f64 = 0.7;

/// Threshold of strong couplings relative to the strongest ones, on the finest level; halved on each further one,
/// where smoothing has made stencils wide and even.
const THRESHOLD: f64 = 0.25;

/// A V-cycle of smoothed aggregation.
#[derive(Default)]
pub struct Multigrid {
    levels: Vec<Level>,
    /// Positions of the particles; empty where unknown.
    positions: Vec<DVec3>,
    /// Solves the coarsest system; `None` where the last level's smoother is used instead.
    coarsest: Option<Coarsest>,
}

/// One level and the transfer to the next.
#[derive(Default)]
struct Level {
    pattern: Option<Arc<Pattern>>,
    /// Rows per node, and whether their positions are known.
    kind: Option<(usize, bool)>,
    strength: Strength,
    smoother: Smoother,
    /// `None` where there is no coarser level.
    transfer: Option<Transfer>,
    residual: Vec<DVec3>,
    coarse_r: Vec<DVec3>,
    coarse_z: Vec<DVec3>,
}

#[derive(Default)]
struct Coarsest {
    solver: DirectCholesky,
    matrix: Option<BlockCsr>,
}

impl Multigrid {
    /// For no pattern yet.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Level {
    /// Takes this level's matrix; the coarser one is then in `transfer`, if there is one.
    fn factor(&mut self, a: &BlockCsr, nodes: Nodes, threshold: f64) -> Result<(), SolveError> {
        let same_pattern =
            self.pattern.as_ref().is_some_and(|known| Arc::ptr_eq(known, &a.pattern) || *known == a.pattern);
        if !same_pattern {
            self.strength = Strength::default();
        }
        self.pattern = Some(a.pattern.clone());
        self.smoother.load(a)?;
        let same_kind = self.kind == Some(nodes.kind());
        self.kind = Some(nodes.kind());
        if self.strength.update(a, nodes.per, threshold) || !same_pattern || !same_kind {
            let transfer = Transfer::new(&a.pattern, &self.strength, nodes);
            let coarse_rows = transfer.coarse().0.rows();
            self.residual.resize(a.rows(), DVec3::ZERO);
            self.coarse_r.resize(coarse_rows, DVec3::ZERO);
            self.coarse_z.resize(coarse_rows, DVec3::ZERO);
            let pays = coarse_rows > 0 && coarse_rows as f64 <= STAGNATION * a.rows() as f64;
            self.transfer = pays.then_some(transfer);
        }
        if let Some(transfer) = &mut self.transfer {
            transfer.write_values(a, &self.strength, nodes);
        }
        Ok(())
    }
}

impl Preconditioner for Multigrid {
    fn name(&self) -> &'static str {
        "multigrid"
    }

    /// Does nothing: the levels depend on the values too. The first `factor` allocates the memory.
    fn analyze(&mut self, _pattern: &Arc<Pattern>) {}

    fn set_positions(&mut self, positions: &[DVec3]) {
        self.positions.clear();
        self.positions.extend_from_slice(positions);
    }

    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        check_finite(a)?;
        let mut threshold = THRESHOLD;
        let mut depth = 0;
        loop {
            if self.levels.len() == depth {
                self.levels.push(Level::default());
            }
            let (finer, rest) = self.levels.split_at_mut(depth);
            let (matrix, nodes) = match finer.last() {
                None => (a, Nodes { per: 1, at: if self.positions.len() == a.rows() { &self.positions } else { &[] } }),
                Some(level) => level.transfer.as_ref().expect("there is a coarser level").coarse(),
            };
            if depth > 0 && matrix.rows() <= DIRECT_ROWS {
                let coarsest = self.coarsest.get_or_insert_default();
                coarsest.solver.factor(matrix).map_err(without_row)?;
                copy(matrix, &mut coarsest.matrix);
                break;
            }
            let level = &mut rest[0];
            level
                .factor(matrix, nodes, threshold)
                .map_err(|error| if depth > 0 { without_row(error) } else { error })?;
            depth += 1;
            threshold *= 0.5;
            if level.transfer.is_none() {
                self.coarsest = None;
                break;
            }
        }
        self.levels.truncate(depth);
        Ok(())
    }

    fn apply(&mut self, r: &[DVec3], z: &mut [DVec3]) {
        cycle(&mut self.levels, &mut self.coarsest, r, z);
    }
}

fn cycle(levels: &mut [Level], coarsest: &mut Option<Coarsest>, r: &[DVec3], z: &mut [DVec3]) {
    let Some((level, coarser)) = levels.split_first_mut() else {
        if let Some(Coarsest { solver, matrix: Some(matrix) }) = coarsest {
            // Any residual is accepted; an overflow appears in the Krylov solver's sums.
            if solver.solve(matrix, r, z, 1.0).is_err() {
                z.fill(DVec3::NAN);
            }
        }
        return;
    };
    level.smoother.before(r, z, &mut level.residual);
    if let Some(transfer) = &level.transfer {
        transfer.restrict(&level.residual, &mut level.coarse_r);
        cycle(coarser, coarsest, &level.coarse_r, &mut level.coarse_z);
        transfer.prolong_add(&level.coarse_z, z);
    }
    level.smoother.after(r, z);
}

fn copy(from: &BlockCsr, to: &mut Option<BlockCsr>) {
    match to {
        Some(to) if Arc::ptr_eq(&to.pattern, &from.pattern) => to.values.copy_from_slice(&from.values),
        to => *to = Some(from.clone()),
    }
}

/// Removes the row from an error: rows of a coarser level are aggregates, unknown to the user.
fn without_row(error: SolveError) -> SolveError {
    match error {
        SolveError::Indefinite { .. } => SolveError::Indefinite { row: None },
        SolveError::Singular { .. } => SolveError::Singular { row: None },
        other => other,
    }
}
