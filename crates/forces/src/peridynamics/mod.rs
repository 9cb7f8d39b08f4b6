//! Brittle bodies: particles joined by bonds that break, after the bond-based theory of peridynamics [Silling] and, for any Poisson's ratio,
//! the linear solid of the state-based one [SillingStates].
//!
//! - `settings.rs`: what a body is made of; `lattice.rs`: how stiff and how strong its bonds are to be.
//! - `families.rs`: who is bonded to whom; `neighbour_pass.rs`: the loop over bonds; `incremental.rs`: for whom it is gone through; `model.rs`: what breaks, and when; `force.rs`: the force.
//! - `fragments.rs`: what still hangs together; `ccd.rs`: how far fragments may go in a step.
//! - `contact_pair.rs`, `walls.rs`: what keeps fragments from going through each other and through colliders.

mod ccd;
pub mod contact;
mod contact_changes;
mod crack;
pub mod examples;
mod families;
mod force;
pub mod fragments;
mod incremental;
pub mod lattice;
pub mod model;
mod pass;
pub mod presets;
pub mod settings;
#[cfg(test)]
mod tests;
mod walls;

pub use contact::{GrainContact, GrainContactSettings};
pub use crack::Crack;
pub use fragments::{Fragment, Fragments};
pub use model::{Breaking, Peridynamics};
pub use settings::{Brittle, BrittleError, GrainBody, Law, MAX_HORIZON, Space};
