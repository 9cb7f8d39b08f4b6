//! Experiments with cloth: what adaptive steps gain, what preconditioners cost, and whether sheets hang as they should.

pub mod catenary;
mod iterations;
mod precision;
mod sag;
pub mod statics;
mod strip;

pub use iterations::{cloth_iterations, linear_iterations};
pub use precision::adaptive_cloth;
pub use sag::{ALLOWED, cloth_sag};
pub use strip::{Compared, hang_strip};
