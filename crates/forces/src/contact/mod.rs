//! Contact: what may touch, where it does, and what then acts.

pub mod barrier;
pub mod collider;
pub mod friction;
mod held;
mod look;
pub mod model;
mod nearby;
mod response;
pub mod start;
pub mod surface;
pub mod touch;
mod touches;
mod way;

pub use collider::{Collider, Shape};
pub use model::{Contact, ContactSettings};
pub use start::Overlap;
pub use surface::{Seams, Skin};
