//! Pictures without a display: a software rasteriser for surfaces, rods and balls, with PNG and GIF.
//!
//! A [`SceneRenderer`] knows what to draw of a system's bodies and turns a state into a [`Drawing`]; a [`Camera`] that frames the whole
//! action and a [`Look`] make an [`Image`] of it ([`render`]).
//!
//! **The same pixels on every machine.** Geometry and light use `+ - * /` and `sqrt` only, which IEEE 754 rounds exactly; sines come
//! from [`pliant_scalar::math`]. Triangles are covered by integer edge functions. Work is split into tiles that share nothing, so the number of
//! threads does not matter either. No `mul_add`, no `powf`, no library functions with platform-dependent rounding.

pub mod animation;
pub mod camera;
pub mod colour;
pub mod drawing;
pub mod error;
mod fluid;
mod font;
pub mod image;
pub mod look;
mod overlay;
mod paint;
mod painter;
mod raster;
pub mod render;
mod rubble;
pub mod scene_renderer;
mod scenery;
mod setup;
mod shade;
mod shadow;
pub mod styling;
mod symbols;
mod water;

pub use animation::Animation;
pub use camera::Camera;
pub use drawing::{Ball, Drawing, Material, Rod, Triangle, Vertex};
pub use error::PictureError;
pub use image::Image;
pub use look::{Ground, Legend, Look};
pub use render::render;
pub use scene_renderer::SceneRenderer;
pub use styling::{Colouring, FluidLook, Show, Styling};
