//! The papers' experiments as code: each one runs, writes its data and plots, and says whether the claim holds.

pub mod adaptive;
pub mod plot;
pub mod report;
