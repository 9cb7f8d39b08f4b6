//! Weakly compressible smoothed particle hydrodynamics (SPH), after section 4 of [Restrained].

mod boundary_density;
mod boundary_force;
pub(crate) mod boundary_index;
mod bulk;
mod emitter;
mod force;
mod incremental;
pub mod kernel;
mod lanes;
mod lattice;
pub mod model;
mod near_boundary;
mod neighbour_list;
mod neighbour_pass;
mod particle_set;
mod pressure_pass;
mod pressure_solve;
mod rates;
mod run;
#[cfg(test)]
mod same_bits;
pub mod settings;

pub use emitter::Stream;
pub use kernel::{Dimension, Kernel, KernelKind};
pub use lattice::{lattice_cohesion, lattice_mass, lattice_sum, rest_excess};
pub use model::Sph;
pub use settings::{Boundaries, Fluid, FluidError, Incompressible, Sheet, SphSettings};
