//! Edges and hinges of triangle meshes, in an order that depends on the triangles alone.

use thiserror::Error;

/// Errors of a mesh.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SurfaceError {
    /// Three triangles or more meet at an edge: the angle is not unique.
    #[error("more than two triangles meet at the edge between particles {0} and {1}")]
    CrowdedEdge(u32, u32),
    /// The surface has a border: it is not closed.
    #[error("the surface is open at the edge between particles {0} and {1}")]
    OpenEdge(u32, u32),
    /// Two neighbours have opposite winding.
    #[error("the triangles at the edge between particles {0} and {1} are wound against each other")]
    FlippedEdge(u32, u32),
    /// A triangle has a corner twice.
    #[error("triangle {0} names a particle twice")]
    DoubledCorner(usize),
}

/// An edge with the corners that lie opposite to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Its ends, in the order in which the first of its triangles goes round.
    pub nodes: [u32; 2],
    /// The third corner of that triangle.
    pub opposite: u32,
    /// The third corner of the other triangle; none at a border.
    pub other: Option<u32>,
    /// Whether both triangles go round in the same sense, so that they pass the edge in opposite directions; true at a border.
    pub consistent: bool,
}

impl Edge {
    /// Corners of the hinge, as [`super::hinge::Hinge`] has them.
    pub fn hinge(&self) -> Option<[u32; 4]> {
        self.other.map(|other| [self.nodes[0], self.nodes[1], self.opposite, other])
    }
}

/// All edges, sorted by their smaller and then their larger end.
pub fn edges(triangles: &[[u32; 3]]) -> Result<Vec<Edge>, SurfaceError> {
    let mut sides: Vec<([u32; 2], usize, usize)> = Vec::with_capacity(3 * triangles.len());
    for (t, nodes) in triangles.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (nodes[k], nodes[(k + 1) % 3]);
            if a == b {
                return Err(SurfaceError::DoubledCorner(t));
            }
            sides.push(([a.min(b), a.max(b)], t, k));
        }
    }
    sides.sort_unstable();
    let mut out: Vec<Edge> = Vec::new();
    let mut previous = None;
    for (ends, t, k) in sides {
        let at = |k: usize| triangles[t][k % 3];
        let (nodes, opposite) = ([at(k), at(k + 1)], at(k + 2));
        if previous == Some(ends) {
            let edge = out.last_mut().expect("an edge came before");
            if edge.other.is_some() {
                return Err(SurfaceError::CrowdedEdge(ends[0], ends[1]));
            }
            edge.other = Some(opposite);
            edge.consistent = edge.nodes[0] == nodes[1];
        } else {
            out.push(Edge { nodes, opposite, other: None, consistent: true });
        }
        previous = Some(ends);
    }
    Ok(out)
}

/// The corners of all hinges.
pub fn hinges(triangles: &[[u32; 3]]) -> Result<Vec<[u32; 4]>, SurfaceError> {
    Ok(edges(triangles)?.iter().filter_map(Edge::hinge).collect())
}

/// Checks that a surface is closed: every edge has two triangles with consistent winding.
pub fn check_closed(triangles: &[[u32; 3]]) -> Result<(), SurfaceError> {
    for edge in edges(triangles)? {
        let [a, b] = edge.nodes;
        if edge.other.is_none() {
            return Err(SurfaceError::OpenEdge(a, b));
        }
        if !edge.consistent {
            return Err(SurfaceError::FlippedEdge(a, b));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_triangles_have_five_edges_and_one_hinge() {
        let triangles = [[0, 1, 2], [2, 1, 3]];
        let found = edges(&triangles).unwrap();
        assert_eq!(found.len(), 5);
        assert_eq!(hinges(&triangles).unwrap(), [[1, 2, 0, 3]]);
        assert_eq!(check_closed(&triangles), Err(SurfaceError::OpenEdge(0, 1)));
    }

    #[test]
    fn what_is_wrong_is_named() {
        assert_eq!(edges(&[[0, 1, 2], [2, 1, 3], [1, 2, 4]]), Err(SurfaceError::CrowdedEdge(1, 2)));
        assert_eq!(edges(&[[0, 1, 1]]), Err(SurfaceError::DoubledCorner(0)));
        let tetrahedron = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        assert_eq!(check_closed(&tetrahedron), Ok(()));
        let flipped = [[0, 1, 2], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
        assert!(matches!(check_closed(&flipped), Err(SurfaceError::FlippedEdge(0, 1))));
    }
}
