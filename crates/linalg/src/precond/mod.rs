//! Preconditioners: approximate inverses that are cheap to apply.

mod block_ic;
mod block_jacobi;
mod identity;
mod multigrid;
mod small;

pub use block_ic::BlockIc;
pub use block_jacobi::BlockJacobi;
pub use identity::Identity;
pub use multigrid::Multigrid;
