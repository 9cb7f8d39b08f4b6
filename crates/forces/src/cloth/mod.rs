//! Sheets: membranes that resist stretch and shear, hinges that resist bending, air that pushes on triangles, gas inside closed surfaces.

pub mod aerodynamics;
mod air_lanes;
mod air_triangle;
pub mod algebra;
pub mod baraff_witkin;
pub mod bending;
mod curvature;
pub(crate) mod examples;
pub mod fold;
mod fold_lanes;
pub mod hinge;
mod lanes;
pub mod mesh_springs;
mod patch;
pub mod plate;
mod plate_rows;
pub mod presets;
pub mod pressure;
pub mod quadratic;
pub mod rest;
pub mod strain_limit;
pub mod stvk;
mod stvk_lanes;
pub mod surface;
pub mod wind;
