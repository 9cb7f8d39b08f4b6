//! Preconditioners: approximate inverses that are cheap to apply.

mod block_ic;
mod block_jacobi;
mod hierarchical;
mod identity;
mod multigrid;
mod small;
mod strong_cholesky;

pub use block_ic::BlockIc;
pub use block_jacobi::BlockJacobi;
pub use hierarchical::Hierarchical;
pub use identity::Identity;
pub use multigrid::Multigrid;
pub use strong_cholesky::StrongCholesky;
