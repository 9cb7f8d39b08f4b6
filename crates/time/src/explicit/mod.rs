//! Explicit schemes that are not symplectic [Ropes].

pub mod euler;
pub mod half_step;
pub mod midpoint;
pub mod rk4;
