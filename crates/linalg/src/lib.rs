//! Sparse linear algebra for implicit time steps.
//!
//! The matrices are `M - dt^2 K - dt D`: square, made of 3x3 blocks (one block row per particle), with a
//! structurally symmetric pattern that changes only when the topology does. From one 3x3 block to 10^5 block rows:
//!
//! - [`Pattern`] and [`BlockCsr`]: where the blocks are, and the blocks;
//! - [`LinearSolver`]: analyse the pattern once, factor new values, solve; found by name in [`catalog`];
//! - [`Preconditioner`]: for the Krylov solvers [`Cg`] and [`BiCgStab`].
//!
//! Work is split over threads by `pliant-parallel` alone, so that results have the same bits for any number of them.

pub mod adaptive;
pub mod bicgstab;
pub mod block_csr;
pub mod catalog;
pub mod cg;
pub mod direct;
pub mod form;
mod krylov;
pub mod pattern;
pub mod precond;
pub mod solver;

pub use adaptive::Adaptive;
pub use bicgstab::BiCgStab;
pub use block_csr::BlockCsr;
pub use catalog::{PRECONDITIONERS, SOLVERS, preconditioner, solver};
pub use cg::Cg;
pub use direct::{CholeskyCost, DirectCholesky, DirectLu};
pub use pattern::{Pattern, PatternBuilder};
pub use precond::{BlockIc, BlockJacobi, Hierarchical, Identity, Multigrid};
pub use solver::{LinearSolver, Preconditioner, SolveError, SolveReport};
