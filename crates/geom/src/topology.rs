//! Triangle meshes, and what follows from how their triangles are connected.

use glam::DVec3;
use pliant_parallel::Partials;
use pliant_scalar::math;
use thiserror::Error;

/// Points and triangles. Seen from outside, corners go round counterclockwise.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Positions, m.
    pub points: Vec<DVec3>,
    /// Corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
}

/// Whether two primitives have a vertex in common. Without branches: it filters every candidate of a cloth against itself, and most
/// results there are unpredictable branches.
#[inline]
pub fn share_vertex<const N: usize, const M: usize>(a: &[u32; N], b: &[u32; M]) -> bool {
    a.iter().fold(false, |found, v| b.iter().fold(found, |found, w| found | (v == w)))
}

/// Two triangles that share an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hinge {
    /// The edge, in the direction in which the first triangle runs through it.
    pub edge: [u32; 2],
    /// The corners off the edge: that of the first triangle and that of the second.
    pub opposite: [u32; 2],
    /// The triangles, the lower number first.
    pub triangles: [u32; 2],
}

/// Why triangles form no surface.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum BadSurface {
    /// A corner index out of range.
    #[error("triangle {triangle} has corner {corner}, but there are {vertices} vertices")]
    OutOfRange {
        /// The triangle.
        triangle: usize,
        /// Its corner.
        corner: u32,
        /// The number of vertices.
        vertices: usize,
    },
    /// The same corner twice.
    #[error("triangle {triangle} has corner {corner} more than once")]
    Repeated {
        /// The triangle.
        triangle: usize,
        /// The corner.
        corner: u32,
    },
}

/// How triangles are connected. Edges are sorted by their ends.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surface {
    /// The number of vertices, used or not.
    pub vertices: usize,
    /// Corners of each triangle.
    pub triangles: Vec<[u32; 3]>,
    /// Ends of each edge, the lower number first.
    pub edges: Vec<[u32; 2]>,
    /// The edges of each triangle: from corner 0 to 1, from 1 to 2, from 2 to 0.
    pub triangle_edges: Vec<[u32; 3]>,
    /// Edges with exactly two triangles, in the order of the edges.
    pub hinges: Vec<Hinge>,
    /// Indices of the edges with one triangle.
    pub boundary: Vec<u32>,
    /// Indices of the edges with more than two triangles. They are no hinges.
    pub crowded: Vec<u32>,
}

/// One side of a triangle: the ends in order, the triangle, which side.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Side {
    ends: [u32; 2],
    triangle: u32,
    corner: u8,
}

impl Surface {
    /// The connections of triangles over `vertices` vertices.
    pub fn new(vertices: usize, triangles: &[[u32; 3]]) -> Result<Self, BadSurface> {
        let mut sides = Vec::with_capacity(3 * triangles.len());
        for (t, corners) in triangles.iter().enumerate() {
            if let Some(&corner) = corners.iter().find(|&&c| c as usize >= vertices) {
                return Err(BadSurface::OutOfRange { triangle: t, corner, vertices });
            }
            for corner in 0..3 {
                let (a, b) = (corners[corner], corners[(corner + 1) % 3]);
                if a == b {
                    return Err(BadSurface::Repeated { triangle: t, corner: a });
                }
                sides.push(Side { ends: [a.min(b), a.max(b)], triangle: t as u32, corner: corner as u8 });
            }
        }
        sides.sort_unstable();
        let mut surface = Self { vertices, triangles: triangles.to_vec(), ..Self::default() };
        surface.triangle_edges = vec![[0; 3]; triangles.len()];
        for group in sides.chunk_by(|a, b| a.ends == b.ends) {
            let edge = surface.edges.len() as u32;
            surface.edges.push(group[0].ends);
            for side in group {
                surface.triangle_edges[side.triangle as usize][side.corner as usize] = edge;
            }
            match group {
                [_] => surface.boundary.push(edge),
                [first, second] => surface.hinges.push(hinge(triangles, first, second)),
                _ => surface.crowded.push(edge),
            }
        }
        Ok(surface)
    }

    /// Whether every edge has exactly two triangles. An empty mesh is not closed.
    pub fn is_closed(&self) -> bool {
        !self.triangles.is_empty() && self.boundary.is_empty() && self.crowded.is_empty()
    }

    /// The connected component of every triangle, numbered from 0 in the order of their first triangles, and how many there are.
    /// Triangles are connected by edges: two that share one vertex are not.
    pub fn components(&self) -> (Vec<u32>, usize) {
        let mut of_edge = vec![Vec::new(); self.edges.len()];
        for (t, edges) in self.triangle_edges.iter().enumerate() {
            edges.iter().for_each(|&e| of_edge[e as usize].push(t as u32));
        }
        let mut component = vec![u32::MAX; self.triangles.len()];
        let (mut count, mut open) = (0, Vec::new());
        for first in 0..self.triangles.len() {
            if component[first] != u32::MAX {
                continue;
            }
            component[first] = count as u32;
            open.push(first);
            while let Some(t) = open.pop() {
                for &neighbour in self.triangle_edges[t].iter().flat_map(|&e| &of_edge[e as usize]) {
                    if component[neighbour as usize] == u32::MAX {
                        component[neighbour as usize] = count as u32;
                        open.push(neighbour as usize);
                    }
                }
            }
            count += 1;
        }
        (component, count)
    }
}

fn hinge(triangles: &[[u32; 3]], first: &Side, second: &Side) -> Hinge {
    let corner = |side: &Side, ahead: usize| triangles[side.triangle as usize][(side.corner as usize + ahead) % 3];
    Hinge {
        edge: [corner(first, 0), corner(first, 1)],
        opposite: [corner(first, 2), corner(second, 2)],
        triangles: [first.triangle, second.triangle],
    }
}

impl TriangleMesh {
    /// The corners of a triangle.
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn corners(&self, triangle: usize) -> [DVec3; 3] {
        let [a, b, c] = self.triangles[triangle];
        [self.points[a as usize], self.points[b as usize], self.points[c as usize]]
    }

    /// The area of a triangle, m².
    ///
    /// # Panics
    /// If an index is out of range.
    pub fn area(&self, triangle: usize) -> f64 {
        let [a, b, c] = self.corners(triangle);
        0.5 * (b - a).cross(c - a).length()
    }

    /// The area of all triangles, m².
    pub fn total_area(&self) -> f64 {
        Partials::default().sum(self.triangles.len(), |range| range.fold(0.0, |sum, t| sum + self.area(t)))
    }

    /// A third of the areas of the triangles around each vertex, m².
    pub fn vertex_areas(&self) -> Vec<f64> {
        let mut areas = vec![0.0; self.points.len()];
        for (t, corners) in self.triangles.iter().enumerate() {
            let third = self.area(t) / 3.0;
            corners.iter().for_each(|&c| areas[c as usize] += third);
        }
        areas
    }

    /// The volume inside of a closed mesh, m³: negative if its triangles face inward, meaningless if it is open. Taken about the first
    /// point, so that a mesh far away loses no digits.
    pub fn volume(&self) -> f64 {
        let Some(&origin) = self.points.first() else { return 0.0 };
        let six_times = |t: usize| {
            let [a, b, c] = self.corners(t).map(|x| x - origin);
            a.dot(b.cross(c))
        };
        Partials::default().sum(self.triangles.len(), |range| range.fold(0.0, |sum, t| sum + six_times(t))) / 6.0
    }

    /// The connections of its triangles.
    pub fn surface(&self) -> Result<Surface, BadSurface> {
        Surface::new(self.points.len(), &self.triangles)
    }

    /// The smallest angle of any triangle, in radians; `None` without triangles.
    pub fn least_angle(&self) -> Option<f64> {
        let of = |t: usize| {
            let x = self.corners(t);
            (0..3).map(move |k| math::cosine_between(x[(k + 1) % 3] - x[k], x[(k + 2) % 3] - x[k]))
        };
        let cosines: Vec<f64> = (0..self.triangles.len()).flat_map(of).collect();
        // Angles of smaller cosines are larger by more than rounding errors.
        let greatest = cosines.iter().copied().fold(f64::NAN, f64::max);
        let narrow = cosines.into_iter().filter(|cosine| cosine.is_nan() || *cosine >= greatest - 1e-12);
        narrow.map(math::acos).reduce(f64::min)
    }
}
