//! Scenes: TOML files that describe what is simulated, how, and what is recorded. [`load`] reads one (or a built-in one by name),
//! [`LoadedScene::build`] turns it into a [`pliant_time::Simulation`]. All errors in it are reported here, with file, line and key.

pub mod assemble;
mod body;
pub mod builtin;
mod coarse;
pub mod extensions;
mod language;
pub mod load;
pub mod locate;
pub mod parameters;
pub mod probes;
pub mod schema;
pub mod solids;
pub mod suggest;
pub mod units;
pub mod validate;
pub mod view;

pub use assemble::Assembled;
pub use extensions::Extensions;
pub use language::Language;
pub use load::{Built, LoadedScene, SceneError, from_program, from_text, from_text_in, load, load_in};
pub use locate::Located;
pub use parameters::{Parameter, Setting, parameters};
pub use probes::{Probe, Quantity};
pub use schema::Scene;
pub use solids::solids;
