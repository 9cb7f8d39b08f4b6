//! Measurements for the law tests. Every function here measures something and returns numbers; the expected values are in
//! the tests (`crates/pliant/tests/laws_*.rs`), with the formula of every tolerance.

pub mod allocation;
pub mod dense;
pub mod derivative;
pub mod energy;
pub mod intersections;
pub mod invariance;
pub mod order;
pub mod problems;
pub mod random;
pub mod sheets;
pub mod stability;
pub mod stepper;
pub mod surfaces;
pub mod waves;

pub use problems::Problem;
pub use random::Random;
pub use stepper::Stepper;
