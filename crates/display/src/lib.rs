//! What drawing needs and steps do not: positions in space of particles whose coordinates are something else, and the camera on which the level of
//! detail of restraint depends.

mod camera_lod;
mod display;

pub use camera_lod::CameraLod;
pub use display::{Bob, Display};
