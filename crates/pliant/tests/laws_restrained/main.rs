//! Laws of adaptively restrained particles.

mod balance;
mod cloth;
mod fluid;
mod models;
mod order;
mod restart;
mod restraint;
mod waves;
