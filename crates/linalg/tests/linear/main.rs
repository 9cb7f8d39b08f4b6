//! Linear solvers and preconditioners.

#[path = "../common/mod.rs"]
mod common;
mod preconditioners;
mod solvers;
mod threads;
