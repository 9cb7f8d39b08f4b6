//! Soft solids on linear tetrahedra: six measures of strain with one element, damping by the strain rate, loads on faces, materials.

pub mod batch;
pub mod cauchy;
pub mod corotational;
pub mod damping;
pub mod element;
pub(crate) mod examples;
pub mod framed;
pub mod green;
pub mod hybrid;
pub mod material;
pub mod measure;
pub mod model;
pub mod modes;
pub mod neo_hookean;
pub mod polar;
pub mod presets;
pub mod ramp;
#[cfg(test)]
pub(crate) mod samples;
pub mod svd;
pub mod tetrahedron;
pub mod traction;
pub mod warped;
