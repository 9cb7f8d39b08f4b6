//! Experiments with fluids against what is known of them: vortices that viscosity stops, and a column of water that is let go.

pub mod dam;
mod dam_report;
pub mod front;
pub mod vortex;
mod vortex_report;

pub use dam_report::dam_break;
pub use vortex_report::taylor_green;
