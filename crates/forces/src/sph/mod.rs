//! Weakly compressible fluids by smoothed particles, after section 4 of [Restrained].

mod bulk;
mod confine;
mod confine_pass;
mod force;
pub mod kernel;
mod lanes;
mod lattice;
mod list;
mod marks;
pub mod model;
mod pass;
mod rates;
mod renewal;
mod run;
#[cfg(test)]
mod same_bits;
pub mod settings;
pub(crate) mod shore;
mod stream;
mod wall;
mod wall_force;
mod wet;

pub use kernel::{Dimension, Kernel, KernelKind};
pub use lattice::{lattice_cohesion, lattice_mass, lattice_sum};
pub use model::Sph;
pub use settings::{Boundaries, Fluid, FluidError, Incompressible, Sheet, SphSettings};
pub use stream::Stream;
