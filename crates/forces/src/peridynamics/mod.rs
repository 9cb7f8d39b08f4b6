//! Peridynamics of brittle bodies: particles joined by bonds that break, after the bond-based theory [Silling] and, for any Poisson's ratio, the
//! linear solid of the state-based one [SillingStates].
//!
//! - `settings.rs`: materials and bodies; `lattice.rs`: calibration of the stiffness and strength of bonds.
//! - `families.rs`: bond lists; `pass.rs`: the loop over bonds; `incremental.rs`: dirty sets; `model.rs`: breaking; `force.rs`: the force model.
//! - `fragments.rs`: connected components; `ccd.rs`: step limits of bonds and fragments.
//! - `contact.rs`, `walls.rs`: contact of fragments with each other and with boundaries.

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
