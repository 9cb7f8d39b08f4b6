//! Laws of brittle bodies.

mod contact;
mod fracture;
