//! Geometry.

mod bvh;
mod ccd;
mod common;
mod distance;
mod grains;
mod mesh;
mod shapes;
mod shards;
mod stuffing;
mod stuffing_field;
mod stuffing_refusals;
