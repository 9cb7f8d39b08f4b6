//! Experiments of [Adaptive]: which controller comes closest to the exact motion for the same work?

pub mod figures;
pub mod method;
pub mod order;
pub mod problem;
pub mod run;
pub mod scan;

mod precision;
mod strong;
mod weak;
mod words;

pub use precision::work_precision;
pub use strong::nonlinear_spring_strong;
pub use weak::nonlinear_spring;
