//! Built-in scenes: their first states, their contacts, and what is shown of them.

mod contact;
mod fluid_shown;
mod forecast;
mod fracture_shown;
mod golden_states;
mod restraint_shown;
mod rope_shown;
