//! Entry functions of the fuzz targets, their first inputs, and mutations of these.

pub mod entry;
pub mod mutate;
pub mod seeds;
mod size;
mod viewer;
