//! The surface where a field is zero, as a mesh of well-shaped triangles: surface nets [SurfaceNets], then relaxed along the surface.
//!
//! Every cell of a lattice that the surface passes through gets one vertex, every edge of the lattice with a change of sign a
//! quadrilateral of its four cells. Against marching tetrahedra: fewer triangles and no slivers, because vertices are not bound to the
//! edges of the lattice. Edges are turned where that makes triangles rounder, and each round of relaxation moves vertices to the middle
//! of their neighbours, along the surface only, and back onto it by steps `x - f ∇f / |∇f|²` with the gradient before the move; Newton steps
//! end it. Everything is done in the order of the lattice: the same mesh every time. Eight points are evaluated at once, and moved at once.

use super::flips::turn_edges;
use super::smooth::{Field, LANES, Lane, OneByOne, Points, all, length};
use super::{BadShape, not_too_many, sizes};
use crate::aabb::Aabb;
use crate::topology::TriangleMesh;
use glam::DVec3;
use pliant_scalar::pack::{at, dot, minus, plus, put, select, times};
use pliant_scalar::wide::widest;

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
    polygonise_lanes(&OneByOne(field), bounds, cell)
}

/// [`polygonise`] for a field of eight points at once.
pub(super) fn polygonise_lanes(field: &impl Field, bounds: Aabb, cell: f64) -> Result<TriangleMesh, BadShape> {
    let size = bounds.high - bounds.low;
    sizes(&[("cell", cell), ("size along x", size.x), ("size along y", size.y), ("size along z", size.z)])?;
    let cells = (size / cell).ceil().to_array().map(|n| n.clamp(1.0, 1e9) as usize + 1);
    not_too_many(&[cells[0] + 1, cells[1] + 1, cells[2] + 1])?;
    let mut best: Option<(f64, TriangleMesh)> = None;
    for try_number in 0..SHIFTS {
        // Backwards by parts of a cell that fill it evenly (multiples of irrational numbers); the lattice has a cell to spare.
        let shift = (DVec3::new(0.754877, 0.569840, 0.430159) * try_number as f64).fract();
        let net = Net { field, low: bounds.low - shift * cell, cell, cells };
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

struct Net<'a, F> {
    field: &'a F,
    low: DVec3,
    cell: f64,
    cells: [usize; 3],
}

impl<F: Field> Net<'_, F> {
    fn point(&self, at: [usize; 3]) -> DVec3 {
        self.low + DVec3::new(at[0] as f64, at[1] as f64, at[2] as f64) * self.cell
    }

    fn mesh(&self) -> TriangleMesh {
        let [nx, ny, nz] = self.cells;
        let index = |at: [usize; 3]| (at[2] * (ny + 1) + at[1]) * (nx + 1) + at[0];
        let values = self.values();
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

    /// The field at the points of the lattice.
    fn values(&self) -> Vec<f64> {
        let [nx, ny, nz] = self.cells;
        let mut values = Vec::with_capacity((nx + 1) * (ny + 1) * (nz + 1));
        widest(
            #[inline(always)]
            || {
                for z in 0..=nz {
                    for y in 0..=ny {
                        for first in (0..=nx).step_by(LANES) {
                            let mut points = [Lane::splat(0.0); 3];
                            for lane in 0..LANES {
                                put(&mut points, lane, self.point([first + lane, y, z]));
                            }
                            values.extend_from_slice(&self.field.at(&points).0[..LANES.min(nx + 1 - first)]);
                        }
                    }
                }
            },
        );
        values
    }

    /// The middle of the places where the edges of a cell cross the surface.
    fn vertex_of_cell(&self, at: [usize; 3], value: &impl Fn([usize; 3]) -> f64) -> Option<DVec3> {
        let corner = |bits: usize| [at[0] + (bits & 1), at[1] + (bits >> 1 & 1), at[2] + (bits >> 2 & 1)];
        let mut values = [0.0; 8];
        for (bits, here) in values.iter_mut().enumerate() {
            *here = value(corner(bits));
        }
        let inside = values.iter().filter(|value| **value < 0.0).count();
        if inside == 0 || inside == 8 {
            return None;
        }
        let (mut sum, mut count) = (DVec3::ZERO, 0.0);
        for low in 0..8 {
            for axis in (0..3).filter(|axis| low >> axis & 1 == 0) {
                let (a, b) = (low, low | 1 << axis);
                let (fa, fb) = (values[a], values[b]);
                if (fa < 0.0) != (fb < 0.0) {
                    sum += self.point(corner(a)).lerp(self.point(corner(b)), fa / (fa - fb));
                    count += 1.0;
                }
            }
        }
        Some(sum / count)
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
            self.move_each(
                &mut mesh.points,
                #[inline(always)]
                |x, first| self.relaxed(x, &sums[first..]),
            );
        }
        self.move_each(
            &mut mesh.points,
            #[inline(always)]
            |x, _| self.onto(*x, None),
        );
    }

    /// Halfway to the middle of the neighbours, given by their sums and numbers, along the surface, and back onto it.
    #[inline(always)]
    fn relaxed(&self, x: &Points, sums: &[(DVec3, f64)]) -> Points {
        let mut pull = [Lane::splat(0.0); 3];
        for (lane, (sum, count)) in sums.iter().take(LANES).enumerate() {
            if *count > 0.0 {
                put(&mut pull, lane, *sum / *count - at(x, lane));
            }
        }
        let g = self.gradient(x);
        let n = times_if(&g, Lane::splat(1.0) / length(&g));
        let along = minus(&pull, &times(&n, dot(&n, &pull)));
        self.onto(plus(x, &times(&along, Lane::splat(0.5))), Some(g))
    }

    /// Calls `moved` with eight points and the number of the first; the last batch is padded with its last point.
    #[inline(always)]
    fn move_each(&self, points: &mut [DVec3], moved: impl Fn(&Points, usize) -> Points) {
        widest(
            #[inline(always)]
            || {
                for (batch, points) in points.chunks_mut(LANES).enumerate() {
                    let mut x = [Lane::splat(0.0); 3];
                    for lane in 0..LANES {
                        put(&mut x, lane, points[lane.min(points.len() - 1)]);
                    }
                    let x = moved(&x, batch * LANES);
                    for (lane, point) in points.iter_mut().enumerate() {
                        *point = at(&x, lane);
                    }
                }
            },
        );
    }

    /// Steps to the surface along a given gradient, or the one where they start; none longer than a cell.
    #[inline(always)]
    fn onto(&self, mut x: Points, gradient: Option<Points>) -> Points {
        for _ in 0..3 {
            let g = match gradient {
                Some(g) => g,
                None => self.gradient(&x),
            };
            let mut step = times(&g, self.field.at(&x) / dot(&g, &g));
            let square = dot(&step, &step);
            let is_long = |square: f64| square > self.cell * self.cell;
            if !all(|lane| !is_long(square.0[lane])) {
                let root = square.sqrt();
                for step in &mut step {
                    *step = select(square, is_long, self.cell * (*step / root), *step);
                }
            }
            // Zero where all three are finite, otherwise no number.
            let zero = Lane::splat(0.0);
            let flaw = step[0] * zero + step[1] * zero + step[2] * zero;
            for (x, step) in x.iter_mut().zip(step) {
                *x = select(flaw, |flaw| flaw == 0.0, *x - step, *x);
            }
        }
        x
    }

    #[inline(always)]
    fn gradient(&self, x: &Points) -> Points {
        let h = 1e-4 * self.cell;
        let mut gradient = [Lane::splat(0.0); 3];
        for (axis, slope) in gradient.iter_mut().enumerate() {
            let mut ends = [Lane::splat(0.0); 2];
            for (value, h) in ends.iter_mut().zip([h, -h]) {
                let mut p = *x;
                p[axis] = p[axis] + Lane::splat(h);
                *value = self.field.at(&p);
            }
            *slope = (ends[0] - ends[1]) / Lane::splat(2.0 * h);
        }
        gradient
    }
}

/// `a s` where `s` is above zero and finite, otherwise zero.
#[inline(always)]
fn times_if(a: &Points, s: Lane) -> Points {
    let mut out = times(a, s);
    for out in &mut out {
        *out = select(s, |s| s > 0.0 && s < f64::INFINITY, *out, Lane::splat(0.0));
    }
    out
}

/// A quadrilateral cut along its shorter diagonal.
fn halves(points: &[DVec3], [a, b, c, d]: [u32; 4]) -> [[u32; 3]; 2] {
    let length = |i: u32, j: u32| points[i as usize].distance_squared(points[j as usize]);
    if length(a, c) <= length(b, d) { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] }
}
