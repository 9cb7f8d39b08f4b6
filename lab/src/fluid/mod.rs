//! Experiments with fluids against what is known of them: vortices that viscosity stops, and a column of water that is let go.

pub mod dam;
pub mod front;
pub mod vortex;
