//! Springs of a triangle mesh: mass-spring nets in place of membranes [Provot].
//!
//! An edge that is the longest of both its triangles is the diagonal of a quadrilateral: it and the other diagonal resist shear. All other
//! edges are structural.
//! Bending is resisted by springs between the corners opposite to a structural edge. Rest lengths are those of the positions given.
//!
//! The stiffness of such a net depends on its mesh, and its Poisson's ratio cannot be chosen: a mesh-independent membrane is [`super::stvk`].

use glam::DVec3;

use super::surface::{SurfaceError, edges};
use crate::spring::linear::Spring;

/// Stiffness and damping of one kind of spring.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringKind {
    /// N/m
    pub stiffness: f64,
    /// N s/m
    pub damping: f64,
}

/// The three kinds; those without stiffness and damping are left out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SpringKinds {
    /// Along edges.
    pub structural: SpringKind,
    /// Along both diagonals of quadrilaterals.
    pub shear: SpringKind,
    /// Across structural edges.
    pub bend: SpringKind,
}

/// Springs of a mesh whose particles are at rest at `x`, in m.
pub fn mesh_springs(triangles: &[[u32; 3]], x: &[DVec3], kinds: &SpringKinds) -> Result<Vec<Spring>, SurfaceError> {
    let length = |a: u32, b: u32| (x[b as usize] - x[a as usize]).length();
    let mut springs = Vec::new();
    let mut add = |nodes: [u32; 2], kind: SpringKind| {
        if kind != SpringKind::default() {
            let SpringKind { stiffness, damping } = kind;
            springs.push(Spring { nodes, rest_length: length(nodes[0], nodes[1]), stiffness, damping });
        }
    };
    for edge in edges(triangles)? {
        let [a, b] = edge.nodes;
        let own = length(a, b);
        // with a tolerance: the sides of an equilateral triangle differ by rounding
        let longest = |c: u32| own > 1.001 * length(a, c).max(length(b, c));
        let diagonal = edge.other.is_some_and(|other| longest(edge.opposite) && longest(other));
        add([a, b], if diagonal { kinds.shear } else { kinds.structural });
        if let Some(other) = edge.other {
            add([edge.opposite, other], if diagonal { kinds.shear } else { kinds.bend });
        }
    }
    Ok(springs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_grid_of_squares_has_both_diagonals_of_each() {
        let (columns, rows) = (4_u32, 3_u32);
        let at = |c: u32, r: u32| r * columns + c;
        let x: Vec<DVec3> =
            (0..rows).flat_map(|r| (0..columns).map(move |c| DVec3::new(f64::from(c), f64::from(r), 0.0))).collect();
        let mut triangles = Vec::new();
        for r in 0..rows - 1 {
            for c in 0..columns - 1 {
                triangles.push([at(c, r), at(c + 1, r), at(c + 1, r + 1)]);
                triangles.push([at(c, r), at(c + 1, r + 1), at(c, r + 1)]);
            }
        }
        let one = |stiffness: f64| SpringKind { stiffness, damping: 0.0 };
        let kinds = SpringKinds { structural: one(1.0), shear: one(2.0), bend: one(3.0) };
        let springs = mesh_springs(&triangles, &x, &kinds).unwrap();
        let count = |k: f64| springs.iter().filter(|s| s.stiffness == k).count();
        let (squares, lines) = (6, 3 * 3 + 4 * 2);
        assert_eq!((count(1.0), count(2.0)), (lines, 2 * squares));
        // edges inside the grid: 3 of the middle row, 2 columns of 2
        assert_eq!(count(3.0), 3 + 4);
        assert!(springs.iter().filter(|s| s.stiffness == 2.0).all(|s| (s.rest_length - 2_f64.sqrt()).abs() < 1e-15));
        let only =
            mesh_springs(&triangles, &x, &SpringKinds { structural: one(1.0), ..SpringKinds::default() }).unwrap();
        assert_eq!(only.len(), lines);
    }
}
