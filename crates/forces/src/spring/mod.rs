//! Springs: between two particles, with a linear law or in Green's strain, and the nonlinear one of [Adaptive] that ties a particle to a place.

pub mod cubic;
pub mod green;
pub mod linear;
