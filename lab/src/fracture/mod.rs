//! Experiments with fracture: a plate of glass that is thrown at a ball, with fixed, adaptive and explicit steps.

mod bars;
pub mod dependence;
pub mod images;
pub mod pieces;
pub mod run;
pub mod scan;
pub mod steps;
mod steps_plots;
pub mod steps_report;
mod steps_tables;
pub mod throw;

pub use dependence::step_dependence;
pub use steps_report::fracture_steps;
