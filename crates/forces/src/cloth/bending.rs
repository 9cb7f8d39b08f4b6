//! Stiffness of a single hinge, shared by the hinge models. For a mesh-independent stiffness see [`super::plate`]. A hinge is an edge with its two
//! triangles.
//!
//! The energy of a hinge is `½ κ (θ - θ₀)²` with `κ = B L²/(A₁ + A₂)`: B the bending stiffness of the sheet in N m, L the edge's length and
//! A the areas at rest. [DiscreteShells] eq. 2 writes `k (θ - θ₀)² 3 L²/(A₁ + A₂)`, so `k = B/6`.
//!
//! With this constant a sheet bent to a cylinder of radius R has the energy `B area / 2R²` of a plate where its mesh is of equilateral
//! triangles in any direction of bending ([SeungNelson]: `B = (√3/2) κ` for equilateral hinges), and where it is a grid of
//! rectangles with one diagonal each, bent along its lines or along the diagonal across the split. On such a grid bent along the
//! split itself the hinge energy is three times as large, and no refinement helps: hinges see the curvature across edges only. Meshes
//! with edges in many directions are between the two. The tests measure these factors.

use glam::{DVec2, DVec3};

/// Bending stiffness of a plate of Young's modulus E (Pa), Poisson's ratio ν and thickness t (m): `E t³ / 12 (1 - ν²)`, N m. Cloth is
/// softer by orders of magnitude, because its fibres slide: take measured values for it.
pub fn plate_stiffness(young: f64, poisson: f64, thickness: f64) -> f64 {
    young * thickness.powi(3) / (12.0 * (1.0 - poisson * poisson))
}

/// Bending stiffness across an edge of a sheet that is stiffer to bend along its warp (first) than along its weft: bending across an
/// edge curves the direction at right angles to it. `edge` is in the (warp, weft) plane of the sheet.
pub fn stiffness_across(edge: DVec2, bending: [f64; 2]) -> f64 {
    let squares = edge * edge;
    let total = squares.x + squares.y;
    if total > 0.0 { (bending[0] * squares.y + bending[1] * squares.x) / total } else { bending[0].min(bending[1]) }
}

/// `L²/(A₁ + A₂)` of a hinge at rest: corners as in [`super::hinge::Hinge`]. `None` where a triangle has no area.
pub fn shape_factor(rest: [DVec3; 4]) -> Option<f64> {
    let edge = rest[1] - rest[0];
    let twice = |corner: DVec3| edge.cross(corner - rest[0]).length();
    let (first, second, square) = (twice(rest[2]), twice(rest[3]), edge.length_squared());
    let smallest = 1e-12 * square;
    (first > smallest && second > smallest && (first + second).is_finite()).then(|| 2.0 * square / (first + second))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stiffness_follows_the_direction_that_is_curved() {
        assert_eq!(stiffness_across(DVec2::new(0.0, 2.0), [3.0, 1.0]), 3.0);
        assert_eq!(stiffness_across(DVec2::new(2.0, 0.0), [3.0, 1.0]), 1.0);
        assert_eq!(stiffness_across(DVec2::new(1.0, -1.0), [3.0, 1.0]), 2.0);
    }

    #[test]
    fn a_steel_sheet() {
        // 210 GPa, 0.3, 1 mm: 19.2 N m
        assert!((plate_stiffness(210e9, 0.3, 1e-3) - 19.23).abs() < 0.01);
    }
}
