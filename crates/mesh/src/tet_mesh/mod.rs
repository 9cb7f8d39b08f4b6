//! Tetrahedra from files: Gmsh (`.msh`, 2.2 and 4.1, ASCII), TetGen (`.node` and `.ele`), VTK (`.vtk`, ASCII) and VTU (`.vtu`, ASCII or
//! appended raw).
//!
//! Points keep the order of the file, so that data about them stays valid; lines and surfaces in the file are
//! skipped. Other solids than tetrahedra, curved ones included, are rejected: a body with missing pieces would be wrong.

mod cells;
mod gmsh;
mod tetgen;
mod text;
mod vtk_legacy;
mod vtu;

use std::path::Path;

use glam::DVec3;

use crate::atomic::{FileError, write_atomic};
use crate::mesh::{BadMesh, MeshError, ending};
use crate::regular;

/// Extensions that tetrahedra can be read from.
pub const READABLE_TETS: [&str; 5] = ["msh", "node", "ele", "vtk", "vtu"];

/// Points and tetrahedra.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Positions, m; finite.
    pub points: Vec<DVec3>,
    /// Corners of each tetrahedron, four different points, positively oriented: `(b - a)·((c - a) × (d - a)) ≥ 0`.
    pub tets: Vec<[u32; 4]>,
}

impl TetMesh {
    /// Reads tetrahedra by extension. TetGen's two files are read together, whichever is named. Negatively oriented tetrahedra
    /// are flipped; a file without any is rejected.
    pub fn read(path: &Path) -> Result<Self, MeshError> {
        let ending = ending(path, "reading tetrahedra", &READABLE_TETS)?;
        let bytes_of = |path: &Path| regular::read(path).map_err(FileError::of("read", path));
        let in_file = |path: &Path| {
            let path = path.display().to_string();
            move |bad| MeshError::Bad { path, bad }
        };
        if ending == "node" || ending == "ele" {
            let [nodes, elements] = ["node", "ele"].map(|part| match part == ending {
                true => path.to_owned(),
                false => path.with_extension(part),
            });
            let (points, first) = tetgen::parse_node(&bytes_of(&nodes)?).map_err(in_file(&nodes))?;
            let tets = tetgen::parse_ele(&bytes_of(&elements)?, points.len(), first).map_err(in_file(&elements))?;
            return Self { points, tets }.finished().map_err(in_file(&elements));
        }
        let bytes = bytes_of(path)?;
        let mesh = match ending.as_str() {
            "msh" => gmsh::parse_msh(&bytes),
            "vtk" => vtk_legacy::parse_vtk(&bytes),
            _ => vtu::parse_vtu(&bytes),
        };
        mesh.and_then(Self::finished).map_err(in_file(path))
    }

    /// Writes a `.vtu` file atomically.
    pub fn write(&self, path: &Path) -> Result<(), MeshError> {
        ending(path, "writing tetrahedra", &["vtu"])?;
        Ok(write_atomic(path, |out| vtu::write_vtu(self, out))?)
    }

    /// Flips negatively oriented tetrahedra; returns how many.
    ///
    /// # Panics
    /// If a corner is out of range, which [`TetMesh::read`] excludes.
    pub fn orient(&mut self) -> usize {
        let mut turned = 0;
        for tet in &mut self.tets {
            let [a, b, c, d] = tet.map(|corner| self.points[corner as usize]);
            if (b - a).dot((c - a).cross(d - a)) < 0.0 {
                tet.swap(2, 3);
                turned += 1;
            }
        }
        turned
    }

    /// Leaves out points without a tetrahedron; returns how many.
    ///
    /// # Panics
    /// If a corner is out of range, which [`TetMesh::read`] excludes.
    pub fn drop_unused_points(&mut self) -> usize {
        let mut number = vec![u32::MAX; self.points.len()];
        self.tets.iter().flatten().for_each(|corner| number[*corner as usize] = 0);
        let before = self.points.len();
        let mut kept = Vec::new();
        for (number, point) in number.iter_mut().zip(&self.points).filter(|(number, _)| **number == 0) {
            *number = kept.len() as u32;
            kept.push(*point);
        }
        self.tets.iter_mut().flatten().for_each(|corner| *corner = number[*corner as usize]);
        self.points = kept;
        before - self.points.len()
    }

    fn finished(mut self) -> Result<Self, BadMesh> {
        if self.tets.is_empty() {
            let why = format!("there are no tetrahedra in it ({} points)", self.points.len());
            return Err(BadMesh { place: String::new(), why });
        }
        self.orient();
        Ok(self)
    }
}

/// Four different corners.
fn distinct(tet: [u32; 4]) -> Option<[u32; 4]> {
    let [a, b, c, d] = tet;
    (a != b && a != c && a != d && b != c && b != d && c != d).then_some(tet)
}
