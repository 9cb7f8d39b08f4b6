//! Springs: between two particles, and the nonlinear one of [Adaptive] that ties a particle to a place.

pub mod cubic;
pub mod linear;
