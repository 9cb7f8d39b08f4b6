//! Meshes of tetrahedra: lattices, surfaces, what is wrong with them, refinement.

pub mod check;
pub mod hierarchy;
pub mod lattice;
pub mod octasection;
pub mod surface;

use glam::DVec3;
use pliant_scalar::math;

/// Points and tetrahedra. Corners 1, 2, 3 go round counterclockwise as seen from corner 0's far side: `(x₁ - x₀)·((x₂ - x₀) × (x₃ - x₀)) > 0`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetraMesh {
    /// Positions, m.
    pub points: Vec<DVec3>,
    /// Corners of each tetrahedron.
    pub tetrahedra: Vec<[u32; 4]>,
}

impl TetraMesh {
    /// Positions of a tetrahedron's corners.
    ///
    /// # Panics
    /// If the tetrahedron or one of its corners is out of range.
    pub fn corners(&self, tetrahedron: usize) -> [DVec3; 4] {
        self.tetrahedra[tetrahedron].map(|n| self.points[n as usize])
    }

    /// Volume of the whole, m³; inverted tetrahedra count as negative.
    ///
    /// # Panics
    /// If a corner is out of range.
    pub fn volume(&self) -> f64 {
        (0..self.tetrahedra.len()).map(|t| signed_volume(self.corners(t))).sum()
    }
}

/// Volume of a tetrahedron, negative where it is inside out.
pub fn signed_volume([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).dot((c - a).cross(d - a)) / 6.0
}

/// The smallest angle between two faces, rad: 70.5° in a regular tetrahedron, 0 in a flat one.
pub fn least_dihedral_angle(x: [DVec3; 4]) -> f64 {
    // outward normals of the faces opposite to each corner, or all inward
    let face = |[a, b, c]: [usize; 3]| (x[b] - x[a]).cross(x[c] - x[a]);
    let normals = surface::FACES.map(face);
    let mut least = std::f64::consts::PI;
    for p in 0..4 {
        for q in p + 1..4 {
            let (m, n) = (normals[p], normals[q]);
            // π minus the angle between outward normals; atan2 of nothing is 0, so that flat ones count as bad
            let angle = math::atan2(m.cross(n).length(), -m.dot(n));
            least = if angle < least || angle.is_nan() { angle } else { least };
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_and_volumes_of_known_tetrahedra() {
        let regular = [(1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (-1.0, 1.0, -1.0), (-1.0, -1.0, 1.0)];
        let regular = regular.map(|(x, y, z)| DVec3::new(x, y, z));
        assert!((least_dihedral_angle(regular) - (1.0_f64 / 3.0).acos()).abs() < 1e-14);
        assert!((signed_volume(regular).abs() - 8.0 / 3.0).abs() < 1e-14);
        let corner = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
        assert!((least_dihedral_angle(corner) - (1.0 / 3.0_f64.sqrt()).acos()).abs() < 1e-14);
        assert_eq!(signed_volume(corner), 1.0 / 6.0);
        let flat = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(0.3, 0.3, 0.0)];
        assert!(least_dihedral_angle(flat) < 1e-14);
    }
}
