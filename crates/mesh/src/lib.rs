//! Mesh files in and out: polygons and lines ([`Mesh`]: OBJ, PLY, STL), tetrahedra ([`TetMesh`]: Gmsh, TetGen, VTK, VTU) and curves ([`curve`]).
//!
//! All contents of a file are checked before they are used: broken files give an error with the line or byte, never a panic or memory that the
//! file does not fill. Files are written atomically ([`write_atomic`]), and numbers read back to the same bits.

pub mod atomic;
pub mod attribute;
pub mod curve;
pub mod mesh;
pub mod obj;
mod obj_read;
pub mod ply;
mod ply_read;
pub mod regular;
pub mod stl;
pub mod tet_mesh;
pub mod xml;

pub use atomic::{FileError, write_atomic, write_atomic_with};
pub use attribute::{Attribute, NumberKind};
pub use mesh::{BadMesh, Mesh, MeshError};
pub use tet_mesh::TetMesh;
