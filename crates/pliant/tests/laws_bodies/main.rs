//! Laws of forces, looped over the catalog, and of single kinds of bodies.

mod bending;
mod cloth;
mod contact;
mod derivatives;
mod forces;
mod rope_clamp;
mod solid;
mod suture;
