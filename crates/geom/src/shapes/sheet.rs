//! A flat rectangular sheet: cloth, paper.

use super::{BadShape, at_least, not_too_many, sizes};
use crate::topology::TriangleMesh;
use glam::{DVec2, DVec3};
use pliant_scalar::math;

/// Which way the cells of a sheet are cut into triangles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Diagonals {
    /// In turns, like a chessboard, so that neither diagonal of the sheet is stiffer.
    #[default]
    Alternate,
    /// All the same way.
    Same,
}

/// A sheet in the plane z = 0 around the origin, facing +z: columns of vertices along x, rows along y.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sheet {
    /// Vertices along x.
    pub columns: usize,
    /// Vertices along y.
    pub rows: usize,
    /// Along x, m.
    pub width: f64,
    /// Along y, m.
    pub height: f64,
    /// How cells are cut.
    pub diagonals: Diagonals,
    /// The direction of the warp threads, in radians from x towards y.
    pub warp: f64,
}

impl Sheet {
    /// A sheet with alternate diagonals and the warp along y.
    pub fn new(columns: usize, rows: usize, width: f64, height: f64) -> Self {
        let diagonals = Diagonals::Alternate;
        Self { columns, rows, width, height, diagonals, warp: std::f64::consts::FRAC_PI_2 }
    }

    /// Its triangles. The vertex in a column and row has the number `row * columns + column`.
    pub fn mesh(&self) -> Result<TriangleMesh, BadShape> {
        sizes(&[("width", self.width), ("height", self.height)])?;
        at_least(2, &[("columns", self.columns), ("rows", self.rows)])?;
        not_too_many(&[2, self.columns, self.rows])?;
        let part = |i: usize, count: usize| i as f64 / (count - 1) as f64 - 0.5;
        let mut mesh = TriangleMesh::default();
        for row in 0..self.rows {
            for column in 0..self.columns {
                let (x, y) = (part(column, self.columns) * self.width, part(row, self.rows) * self.height);
                mesh.points.push(DVec3::new(x, y, 0.0));
            }
        }
        let number = |column: usize, row: usize| (row * self.columns + column) as u32;
        for row in 0..self.rows - 1 {
            for column in 0..self.columns - 1 {
                let [a, b] = [number(column, row), number(column + 1, row)];
                let [d, c] = [number(column, row + 1), number(column + 1, row + 1)];
                if self.diagonals == Diagonals::Same || (row + column) % 2 == 0 {
                    mesh.triangles.extend([[a, b, c], [a, c, d]]);
                } else {
                    mesh.triangles.extend([[a, b, d], [b, c, d]]);
                }
            }
        }
        Ok(mesh)
    }

    /// Coordinates in the cloth of points of the flat sheet: along the warp, and along the weft a quarter turn further.
    pub fn cloth_coordinates(&self, points: &[DVec3]) -> Vec<DVec2> {
        let warp = math::direction(self.warp);
        points.iter().map(|p| DVec2::new(warp.dot(p.truncate()), warp.perp().dot(p.truncate()))).collect()
    }
}
