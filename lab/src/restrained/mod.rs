//! Adaptively restrained particles: the experiments of [Restrained], what its implicit scheme does wrong, and what restraint does to waves.

pub mod fields;
pub mod oscillator;
mod portraits;
pub mod race;
mod race_plots;
mod race_report;
pub mod setups;
pub mod stability;
mod stability_report;
mod waves;

pub use portraits::phase_portraits;
pub use race_report::{block_of_water, hanging_cloth, permanent_flow, report};
pub use stability_report::stability_map;
pub use waves::waves;
