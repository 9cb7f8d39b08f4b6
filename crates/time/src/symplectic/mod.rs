//! Symplectic schemes: they keep phase-space area, and with a fixed step the energy stays bounded [Ropes].

pub mod euler;
pub mod forest_ruth;
pub mod midpoint;
pub mod verlet;
