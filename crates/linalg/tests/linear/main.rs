//! Linear solvers and preconditioners.

mod cholesky;
#[path = "../common/mod.rs"]
mod common;
#[path = "../common/faer_cholesky.rs"]
mod faer_cholesky;
#[path = "../common/forms.rs"]
mod forms;
mod preconditioners;
mod solvers;
mod threads;
