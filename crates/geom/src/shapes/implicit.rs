//! The surface where a field is zero, as a mesh of well-shaped triangles: surface nets [SurfaceNets], then relaxed along the surface.
//!
//! Every cell of a lattice that the surface passes through gets one vertex, every edge of the lattice with a change of sign a
//! quadrilateral of its four cells. Against marching tetrahedra: fewer triangles and no slivers, because vertices are not bound to the
//! edges of the lattice. Edges are turned where that makes triangles rounder, and each round of relaxation moves vertices to the middle
//! of their neighbours, along the surface only, and back onto it by steps `x - f ∇f / |∇f|²` with the gradient before the move; Newton steps
//! end it. Everything is done in the order of the lattice: the same mesh every time.

use super::flips::turn_edges;
use super::{BadShape, not_too_many, sizes};
use crate::aabb::Aabb;
use crate::topology::TriangleMesh;
use glam::DVec3;

/// Rounds of relaxation, chosen by looking at the angles of the rabbit.
const ROUNDS: usize = 20;

/// Rounds after which edges are turned.
const TURN_EVERY: usize = 4;

/// Places of the lattice that are tried. Where a saddle lies badly in its cell, surface nets touch themselves in an edge (one time in four
/// for a body with a few saddles), and where the surface cuts off the corner of a cell, a narrow triangle may stay.
const SHIFTS: usize = 8;

/// The smallest angle, in degrees, with which no further place is tried.
const GOOD_ANGLE: f64 = 25.0;

/// The surface of `field = 0` (negative inside) within `bounds`, with edges of about the length `cell`: manifold, and closed if it stays
/// a cell away from the bounds. No detail is looked for between the points of the lattice. The lattice is shifted until the
/// mesh is manifold and well shaped, and the best is kept; if none of the tries is manifold, the cell is too coarse for the field.
pub fn polygonise(field: impl Fn(DVec3) -> f64, bounds: Aabb, cell: f64) -> Result<TriangleMesh, BadShape> {
    let size = bounds.high - bounds.low;
    sizes(&[("cell", cell), ("size along x", size.x), ("size along y", size.y), ("size along z", size.z)])?;
    let cells = (size / cell).ceil().to_array().map(|n| n.clamp(1.0, 1e9) as usize + 1);
    not_too_many(&[cells[0] + 1, cells[1] + 1, cells[2] + 1])?;
    let mut best: Option<(f64, TriangleMesh)> = None;
    for try_number in 0..SHIFTS {
        // Backwards by parts of a cell that fill it evenly (multiples of irrational numbers); the lattice has a cell to spare.
        let shift = (DVec3::new(0.754877, 0.569840, 0.430159) * try_number as f64).fract();
        let net = Net { field: &field, low: bounds.low - shift * cell, cell, cells };
        let mut mesh = net.mesh();
        if mesh.triangles.is_empty() {
            return Ok(mesh);
        }
        if mesh.surface().is_ok_and(|surface| surface.crowded.is_empty()) {
            net.relax(&mut mesh);
            let angle = mesh.least_angle().unwrap_or(0.0).to_degrees();
            if best.as_ref().is_none_or(|(best, _)| angle > *best) {
                best = Some((angle, mesh));
            }
            if angle >= GOOD_ANGLE {
                break;
            }
        }
    }
    best.map(|(_, mesh)| mesh).ok_or(BadShape::TooCoarse { cell })
}

struct Net<F> {
    field: F,
    low: DVec3,
    cell: f64,
    cells: [usize; 3],
}

impl<F: Fn(DVec3) -> f64> Net<F> {
    fn point(&self, at: [usize; 3]) -> DVec3 {
        self.low + DVec3::new(at[0] as f64, at[1] as f64, at[2] as f64) * self.cell
    }

    fn mesh(&self) -> TriangleMesh {
        let [nx, ny, nz] = self.cells;
        let index = |at: [usize; 3]| (at[2] * (ny + 1) + at[1]) * (nx + 1) + at[0];
        let mut values = Vec::with_capacity((nx + 1) * (ny + 1) * (nz + 1));
        for z in 0..=nz {
            for y in 0..=ny {
                values.extend((0..=nx).map(|x| (self.field)(self.point([x, y, z]))));
            }
        }
        let mut mesh = TriangleMesh::default();
        let mut vertex = vec![u32::MAX; values.len()];
        for z in 0..nz {
            for y in 0..ny {
                for x in 0..nx {
                    if let Some(point) = self.vertex_of_cell([x, y, z], &|at| values[index(at)]) {
                        vertex[index([x, y, z])] = mesh.points.len() as u32;
                        mesh.points.push(point);
                    }
                }
            }
        }
        for z in 0..=nz {
            for y in 0..=ny {
                for x in 0..=nx {
                    for axis in 0..3 {
                        let (at, (u, v)) = ([x, y, z], ((axis + 1) % 3, (axis + 2) % 3));
                        let on_rim = at[u] == 0 || at[v] == 0 || at[u] >= self.cells[u] || at[v] >= self.cells[v];
                        if on_rim || at[axis] >= self.cells[axis] {
                            continue;
                        }
                        let mut next = at;
                        next[axis] += 1;
                        let inside = [values[index(at)] < 0.0, values[index(next)] < 0.0];
                        if inside[0] == inside[1] {
                            continue;
                        }
                        let corner = |du: usize, dv: usize| {
                            let mut c = at;
                            (c[u], c[v]) = (c[u] - du, c[v] - dv);
                            vertex[index(c)]
                        };
                        let mut quad = [corner(1, 1), corner(0, 1), corner(0, 0), corner(1, 0)];
                        if inside[1] {
                            quad.swap(1, 3);
                        }
                        mesh.triangles.extend(halves(&mesh.points, quad));
                    }
                }
            }
        }
        mesh
    }

    /// The middle of the places where the edges of a cell cross the surface.
    fn vertex_of_cell(&self, at: [usize; 3], value: &impl Fn([usize; 3]) -> f64) -> Option<DVec3> {
        let corner = |bits: usize| [at[0] + (bits & 1), at[1] + (bits >> 1 & 1), at[2] + (bits >> 2 & 1)];
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        for low in 0..8 {
            for axis in (0..3).filter(|axis| low >> axis & 1 == 0) {
                let (a, b) = (corner(low), corner(low | 1 << axis));
                let (fa, fb) = (value(a), value(b));
                if (fa < 0.0) != (fb < 0.0) {
                    sum += self.point(a).lerp(self.point(b), fa / (fa - fb));
                    count += 1.0;
                }
            }
        }
        (count > 0.0).then(|| sum / count)
    }

    fn relax(&self, mesh: &mut TriangleMesh) {
        // Neighbours of each vertex; every one is there twice in a closed mesh, which changes no average.
        let mut sums = vec![(DVec3::ZERO, 0.0); mesh.points.len()];
        for round in 0..ROUNDS {
            if round % TURN_EVERY == 0 {
                turn_edges(mesh);
            }
            sums.fill((DVec3::ZERO, 0.0));
            for corners in &mesh.triangles {
                for k in 0..3 {
                    let (a, b) = (corners[k] as usize, corners[(k + 1) % 3] as usize);
                    sums[a] = (sums[a].0 + mesh.points[b], sums[a].1 + 1.0);
                    sums[b] = (sums[b].0 + mesh.points[a], sums[b].1 + 1.0);
                }
            }
            for (point, (sum, count)) in mesh.points.iter_mut().zip(&sums) {
                let pull = if *count > 0.0 { *sum / *count - *point } else { DVec3::ZERO };
                let g = self.gradient(*point);
                let n = g.normalize_or_zero();
                *point = self.onto(*point + 0.5 * (pull - n * n.dot(pull)), |_| g);
            }
        }
        mesh.points.iter_mut().for_each(|point| *point = self.onto(*point, |x| self.gradient(x)));
    }

    /// Steps to the surface along gradients, none longer than a cell.
    fn onto(&self, mut x: DVec3, gradient: impl Fn(DVec3) -> DVec3) -> DVec3 {
        for _ in 0..3 {
            let g = gradient(x);
            let step = g * ((self.field)(x) / g.length_squared());
            if step.is_finite() {
                x -= step.clamp_length_max(self.cell);
            }
        }
        x
    }

    fn gradient(&self, x: DVec3) -> DVec3 {
        let h = 1e-4 * self.cell;
        let along = |axis: DVec3| ((self.field)(x + axis * h) - (self.field)(x - axis * h)) / (2.0 * h);
        DVec3::new(along(DVec3::X), along(DVec3::Y), along(DVec3::Z))
    }
}

/// A quadrilateral cut along its shorter diagonal.
fn halves(points: &[DVec3], [a, b, c, d]: [u32; 4]) -> [[u32; 3]; 2] {
    let length = |i: u32, j: u32| points[i as usize].distance_squared(points[j as usize]);
    if length(a, c) <= length(b, d) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
}
