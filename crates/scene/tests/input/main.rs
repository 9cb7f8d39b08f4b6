//! Scene files: what is accepted, what is refused, and how that is told.

mod cloth_input;
mod fluid_input;
mod live_edits;
mod mutations;
mod peridynamic_input;
mod preview_input;
mod restraint_input;
mod rope_input;
mod skin;
mod solid_input;
