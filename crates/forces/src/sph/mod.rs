//! Weakly compressible fluids by smoothed particles, after section 4 of [Restrained].

pub mod kernel;
mod lanes;
mod lattice;
mod list;
pub mod model;
mod pass;
mod rates;
pub mod settings;
mod vector;

pub use kernel::{Dimension, Kernel, KernelKind};
pub use lattice::{lattice_mass, lattice_sum, wall_compressions, wall_volumes};
pub use model::Sph;
pub use settings::{Fluid, FluidError, SphSettings, Wall, WallPressure};
