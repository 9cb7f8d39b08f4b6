//! The live viewer.

mod common;
mod live;
mod security;
