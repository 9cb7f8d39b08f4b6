//! Ropes against beam theory.

mod michell;
mod stiffness;
