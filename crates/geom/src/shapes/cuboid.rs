//! A box with faces cut into cells.

use super::{BadShape, at_least, not_too_many, sizes};
use crate::topology::TriangleMesh;
use glam::DVec3;
use std::collections::BTreeMap;

/// A box around the origin with edges along the axes, `cells` along each of them.
pub fn cuboid(size: DVec3, cells: [usize; 3]) -> Result<TriangleMesh, BadShape> {
    sizes(&[("size along x", size.x), ("size along y", size.y), ("size along z", size.z)])?;
    at_least(1, &[("cells along x", cells[0]), ("cells along y", cells[1]), ("cells along z", cells[2])])?;
    for (a, b) in [(0, 1), (1, 2), (2, 0)] {
        not_too_many(&[12, cells[a], cells[b]])?;
    }
    let mut mesh = TriangleMesh::default();
    let mut number_of = BTreeMap::new();
    let mut vertex = |mesh: &mut TriangleMesh, at: [usize; 3]| {
        *number_of.entry(at).or_insert_with(|| {
            let part = |k: usize| (at[k] as f64 / cells[k] as f64 - 0.5) * size[k];
            mesh.points.push(DVec3::new(part(0), part(1), part(2)));
            (mesh.points.len() - 1) as u32
        })
    };
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for far in [false, true] {
            for i in 0..cells[u] {
                for j in 0..cells[v] {
                    let mut corner = |di: usize, dj: usize| {
                        let mut at = [0; 3];
                        (at[axis], at[u], at[v]) = (if far { cells[axis] } else { 0 }, i + di, j + dj);
                        vertex(&mut mesh, at)
                    };
                    let mut quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    if !far {
                        quad.swap(1, 3);
                    }
                    let turn = (i + j) % 2; // diagonals in turns
                    let [a, b, c, d] = std::array::from_fn(|k| quad[(k + turn) % 4]);
                    mesh.triangles.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
    }
    Ok(mesh)
}
