//! Experiments with fluids against known results: vortices that viscosity stops, a column of water that is released, and two kinds of pressure.

pub mod dam;
mod dam_report;
pub mod front;
pub mod pressure;
mod pressure_report;
pub mod vortex;
mod vortex_report;

pub use dam_report::dam_break;
pub use pressure_report::divergence_free;
pub use vortex_report::taylor_green;
