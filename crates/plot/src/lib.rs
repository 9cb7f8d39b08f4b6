//! Plots as SVG, tables, and reports of experiments as one HTML page. It knows of no simulation.
//!
//! - [`Plot`]: lines, points and marks over linear or logarithmic axes;
//! - [`report`]: claims, verdicts, tables and plots in a folder with a self-contained page;
//! - [`text`]: numbers for tables.

pub mod plot;
pub mod report;
pub mod text;

pub use plot::Plot;
