//! The forces. Each model is one file and one entry in [`catalog`]; registering it is what gets it tested.

pub mod catalog;
pub mod contact;
pub mod drag;
pub mod gravity;
pub mod pendulum;
pub mod pull;
pub mod spring;

pub use drag::Drag;
pub use gravity::Gravity;
pub use pendulum::{Pendulum, PendulumForce};
pub use pull::{Grip, Hand, Pull};
pub use spring::cubic::{CubicSpring, CubicSprings};
pub use spring::linear::{Spring, Springs};
