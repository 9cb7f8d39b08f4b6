//! Experiments with cloth: what adaptive steps gain, what preconditioners cost, and whether sheets hang as they should.

pub mod catenary;
pub mod contest;
mod iterations;
mod precision;
mod sag;
pub mod statics;

pub use iterations::{cloth_iterations, linear_iterations};
pub use precision::adaptive_cloth;
pub use sag::{ALLOWED, Compared, cloth_sag, hang_strip};
