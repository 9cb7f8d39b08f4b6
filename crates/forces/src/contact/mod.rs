//! Contact: what may touch, where it does, and what then acts.

pub mod barrier;
pub mod collider;
pub mod friction;
pub mod model;
mod nearby;
mod response;
pub mod start;
pub mod surface;
pub mod touch;

pub use collider::{Collider, Shape};
pub use model::{Contact, ContactSettings};
pub use start::Overlap;
pub use surface::{Seams, Skin};
