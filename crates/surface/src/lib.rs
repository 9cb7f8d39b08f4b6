//! Surface reconstruction of a fluid of particles, as triangles: for files and for pictures. Forces do not use it.
//!
//! Particles are smoothed by a kernel, and the surface is where their density falls below a part of that at rest; the marching cubes of the crate
//! `splashsurf_lib` find it. Its order of triangles depends on threads and hash tables, so they are sorted here: the
//! result is the same, bit for bit, for any number of threads. Then it is smoothed, because cubes and particles leave dents that no
//! fluid has.

mod carry;
mod reconstruct;
mod tidy;

pub use reconstruct::{FluidSurface, SurfaceError, SurfaceSettings};
