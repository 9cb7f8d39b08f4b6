//! A triangle at rest: where its corners lie in the plane of the undeformed sheet, as the two vectors that turn positions into the
//! deformation gradient, and the compact forms of forces and derivatives that all membranes share.
//!
//! `F = [w_u w_v]`, `w_u = Σ_a g_a.x x_a`, `w_v = Σ_a g_a.y x_a` with `g_a = ∂N_a/∂(u, v)`, the same as [BaraffWitkin] eq. 9. As the
//! `g_a` add up to nothing, those of corners 1 and 2 are enough, and so are the blocks of those two corners.

use glam::{DMat2, DMat3, DVec2, DVec3};
use pliant_core::Rates;

use super::algebra::symmetric_norm;

/// Area and gradients of a triangle at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RestTriangle {
    /// Gradients of the hat functions of corners 1 and 2 in (u, v), 1/m; that of corner 0 is minus their sum.
    pub gradients: [DVec2; 2],
    /// m²
    pub area: f64,
}

impl RestTriangle {
    /// From corners in the plane of the sheet, u along the warp and v along the weft, m. `None` where they span no area, or one that
    /// is lost in rounding.
    pub fn in_plane(corners: [DVec2; 3]) -> Option<Self> {
        let (a, b) = (corners[1] - corners[0], corners[2] - corners[0]);
        let twice = a.perp_dot(b);
        let span = a.length_squared().max(b.length_squared());
        if !(twice.abs() > 1e-12 * span && span.is_finite()) {
            return None;
        }
        let inverse = DMat2::from_cols(a, b).inverse();
        Some(Self { gradients: [inverse.row(0), inverse.row(1)], area: 0.5 * twice.abs() })
    }

    /// From corners in space, m: the triangle is laid into its own plane with u along the warp's shadow there. `None` where the
    /// triangle has no area or the warp no shadow.
    pub fn in_space(corners: [DVec3; 3], warp: DVec3) -> Option<Self> {
        let (a, b) = (corners[1] - corners[0], corners[2] - corners[0]);
        let normal = a.cross(b).try_normalize()?;
        let shadow = warp - normal * warp.dot(normal);
        // a warp within a millionth of the normal has a direction made of rounding
        let visible = shadow.length_squared() > 1e-12 * warp.length_squared();
        if !visible {
            return None;
        }
        let u = shadow.try_normalize()?;
        let v = normal.cross(u);
        let flat = |d: DVec3| DVec2::new(d.dot(u), d.dot(v));
        Self::in_plane([DVec2::ZERO, flat(a), flat(b)])
    }

    /// `[w_u w_v]` of positions, or its rate of velocities.
    #[inline]
    pub fn gradient(&self, x: [DVec3; 3]) -> [DVec3; 2] {
        let (a, b) = (x[1] - x[0], x[2] - x[0]);
        let [g, h] = self.gradients;
        [a * g.x + b * h.x, a * g.y + b * h.y]
    }

    /// Forces on corners 1 and 2 from `∂energy/∂[w_u w_v]`.
    #[inline]
    pub fn forces(&self, p: [DVec3; 2]) -> TriangleForce {
        TriangleForce(self.gradients.map(|g| -(p[0] * g.x + p[1] * g.y)))
    }

    /// Blocks of corners 1 and 2 from the derivative of `∂energy/∂[w_u w_v]` in `[w_u w_v]`.
    #[inline]
    pub fn blocks(&self, m: &GradientBlock) -> TriangleBlock {
        let [g, h] = self.gradients;
        let of =
            |g: DVec2, h: DVec2| -(m.uu * (g.x * h.x) + m.uv * (g.x * h.y) + m.vu * (g.y * h.x) + m.vv * (g.y * h.y));
        TriangleBlock([of(g, g), of(g, h), of(h, g), of(h, h)])
    }
}

/// A derivative by the deformation gradient, in blocks of `∂p_u/∂w_u` and so on.
#[derive(Clone, Copy, Debug)]
pub struct GradientBlock {
    /// `∂p_u/∂w_u`
    pub uu: DMat3,
    /// `∂p_u/∂w_v`
    pub uv: DMat3,
    /// `∂p_v/∂w_u`
    pub vu: DMat3,
    /// `∂p_v/∂w_v`
    pub vv: DMat3,
}

impl GradientBlock {
    /// Times a number.
    #[inline]
    pub fn scaled(&self, by: f64) -> Self {
        Self { uu: self.uu * by, uv: self.uv * by, vu: self.vu * by, vv: self.vv * by }
    }

    /// The sum of two.
    #[inline]
    pub fn plus(&self, other: &Self) -> Self {
        Self { uu: self.uu + other.uu, uv: self.uv + other.uv, vu: self.vu + other.vu, vv: self.vv + other.vv }
    }

    /// Its symmetric part.
    pub fn symmetric(&self) -> Self {
        let uv = (self.uv + self.vu.transpose()) * 0.5;
        let own = super::algebra::symmetric_part;
        Self { uu: own(self.uu), uv, vu: uv.transpose(), vv: own(self.vv) }
    }
}

/// Forces on corners 1 and 2; that on corner 0 is minus their sum.
#[derive(Clone, Copy, Debug, Default)]
pub struct TriangleForce(pub [DVec3; 2]);

impl TriangleForce {
    /// The force on a corner.
    #[inline]
    pub fn on(&self, a: usize) -> DVec3 {
        if a == 0 { -(self.0[0] + self.0[1]) } else { self.0[a - 1] }
    }
}

/// Blocks (1, 1), (1, 2), (2, 1), (2, 2); rows and columns sum to zero, which gives those of corner 0.
#[derive(Clone, Copy, Debug)]
pub struct TriangleBlock(pub [DMat3; 4]);

impl Default for TriangleBlock {
    /// Zero; a matrix's own default is the identity.
    fn default() -> Self {
        Self([DMat3::ZERO; 4])
    }
}

impl TriangleBlock {
    /// The block of two corners.
    #[inline]
    pub fn at(&self, a: usize, b: usize) -> DMat3 {
        let [k11, k12, k21, k22] = &self.0;
        match (a, b) {
            (0, 0) => *k11 + *k22 + (*k12 + *k21),
            (0, 1) => -(*k11 + *k21),
            (0, 2) => -(*k22 + *k12),
            (1, 0) => -(*k11 + *k12),
            (2, 0) => -(*k22 + *k21),
            _ => self.0[2 * (a - 1) + b - 1],
        }
    }

    /// The largest norm of a diagonal block. Of a matrix without negative eigenvalues it bounds the row sums' share of every corner.
    pub fn largest(&self) -> f64 {
        (0..3).map(|a| symmetric_norm(&self.at(a, a))).fold(0.0, f64::max)
    }
}

/// Bounds from derivatives of the kind without negative eigenvalues: it is never below the exact one.
pub fn rates_of(blocks: &(TriangleBlock, TriangleBlock)) -> Rates {
    Rates { stiffness: blocks.0.largest(), damping: blocks.1.largest() }
}

/// Largest change of an edge's length between two states, m.
pub fn edge_stretch(from: [DVec3; 3], to: [DVec3; 3]) -> f64 {
    let length = |x: [DVec3; 3], a: usize| (x[(a + 1) % 3] - x[a]).length();
    let change = |a: usize| (length(to, a) - length(from, a)).abs();
    (0..3).map(change).fold(0.0, |largest, c| if c > largest || c.is_nan() { c } else { largest })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turned_triangle_has_an_orthonormal_gradient_along_the_warp() {
        let corners = [DVec3::new(0.2, 0.1, 0.3), DVec3::new(1.0, 0.4, -0.2), DVec3::new(0.3, 1.1, 0.6)];
        let warp = DVec3::new(1.0, 0.5, 0.2);
        let rest = RestTriangle::in_space(corners, warp).unwrap();
        let [u, v] = rest.gradient(corners);
        assert!((u.length() - 1.0).abs() < 1e-14 && (v.length() - 1.0).abs() < 1e-14 && u.dot(v).abs() < 1e-14);
        assert!(v.dot(warp).abs() < 1e-14 && u.dot(warp) > 0.0);
        let area = 0.5 * (corners[1] - corners[0]).cross(corners[2] - corners[0]).length();
        assert!((rest.area - area).abs() < 1e-15);
    }

    #[test]
    fn what_has_no_area_or_no_warp_is_refused() {
        let corners = [DVec3::ZERO, DVec3::X, DVec3::X * 2.0];
        assert_eq!(RestTriangle::in_space(corners, DVec3::X), None);
        assert_eq!(RestTriangle::in_space([DVec3::ZERO, DVec3::X, DVec3::Y], DVec3::Z), None);
        assert_eq!(RestTriangle::in_plane([DVec2::ZERO, DVec2::X, DVec2::new(f64::NAN, 1.0)]), None);
    }
}
