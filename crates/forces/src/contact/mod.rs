//! Contact: broad phase, narrow phase, CCD, barrier and lagged friction.

pub mod barrier;
mod broad_phase;
mod ccd;
pub mod collider;
pub mod contact_pair;
mod contact_set;
pub mod initial_overlaps;
mod lagged_contacts;
pub mod lagged_friction;
pub mod model;
mod narrow_phase;
mod response;
pub mod start_gaps;
pub mod surface;

pub use collider::{Collider, Shape};
pub use initial_overlaps::Overlap;
pub use model::{Contact, ContactSettings};
pub use start_gaps::{Partner, StartGap};
pub use surface::{ContactBody, Seams};
