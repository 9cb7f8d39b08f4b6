//! The experiments of the papers.

mod adaptive;
mod cloth;
mod fluid;
mod fracture;
mod integrators;
mod intro;
mod restrained;
mod score;
mod solid;
