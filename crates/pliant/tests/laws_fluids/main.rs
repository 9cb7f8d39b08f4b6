//! Laws of fluids.

mod breathing;
mod catalog;
mod fluid;
mod incompressible;
mod still_water;
mod stream;
