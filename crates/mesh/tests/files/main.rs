//! Mesh files that are written and read.

mod meshes;
mod tet_meshes;
