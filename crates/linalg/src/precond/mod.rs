//! Preconditioners: approximate inverses that are cheap to apply.

mod block_jacobi;
mod identity;

pub use block_jacobi::BlockJacobi;
pub use identity::Identity;
