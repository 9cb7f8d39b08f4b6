//! Keeps the area of a triangle: `E = ½ K (A/A₀ - 1)²`, K an energy as in [`super::volume`]; [Ropes] section 3 names it without a formula.
//!
//! With `a = x₁ - x₀`, `b = x₂ - x₀` and the unit normal n: `∇_a A = ½ b × n`, `∇_b A = ½ n × a`, and
//!
//! `A_aa = |b|²/4A n nᵀ`, `A_bb = |a|²/4A n nᵀ`, `A_ab = -(a·b)/4A n nᵀ - ½ [n]×`.
//!
//! The parts along n are a sum of squares: a stretched triangle resists being pushed out of its plane. The positive semi-definite kind
//! keeps them where the triangle is too large, and leaves `[n]×` out, which has eigenvalues of both signs. A triangle of no area has no
//! normal: no force.

use glam::{DMat3, DVec3};
use pliant_core::{Element, Elements, JacobianKind, Rates, mean_rate};

use super::relative::{RelativeBlocks, RelativeForce, dot};
use super::{BadConstraint, not_negative, positive};
use crate::cloth::algebra::{cross, outer};

/// Twice the area over the product of two edges below which a triangle has none.
const NO_AREA: f64 = 1e-12;

/// One triangle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    nodes: [u32; 3],
    /// A₀, m².
    rest_area: f64,
    /// K, J.
    stiffness: f64,
    /// τ, s.
    damping_time: f64,
}

/// All triangles of a body that keep their area.
pub type Areas = Elements<Area, 3>;

/// A triangle at positions.
struct Triangle {
    a: DVec3,
    b: DVec3,
    n: DVec3,
    area: f64,
}

impl Triangle {
    fn new(x: [DVec3; 3]) -> Option<Self> {
        let (a, b) = (x[1] - x[0], x[2] - x[0]);
        let c = a.cross(b);
        let twice = c.length();
        (twice > NO_AREA * a.length() * b.length()).then(|| Self { a, b, n: c / twice, area: 0.5 * twice })
    }

    fn gradient(&self) -> [DVec3; 2] {
        [self.b.cross(self.n) * 0.5, self.n.cross(self.a) * 0.5]
    }

    /// The part of `∇²A` along the normal.
    fn out_of_plane(&self) -> RelativeBlocks<2> {
        let nn = outer(self.n, self.n) * (0.25 / self.area);
        let mixed = nn * -self.a.dot(self.b);
        RelativeBlocks([[nn * self.b.length_squared(), mixed], [mixed, nn * self.a.length_squared()]])
    }

    fn curvature(&self) -> RelativeBlocks<2> {
        let mut blocks = self.out_of_plane();
        let n = cross(self.n * 0.5);
        blocks.0[0][1] -= n;
        blocks.0[1][0] += n;
        blocks
    }
}

impl Area {
    /// A triangle of stiffness K (J) with the area of its rest shape.
    pub fn new(nodes: [u32; 3], rest: [DVec3; 3], stiffness: f64) -> Result<Self, BadConstraint> {
        positive("area stiffness", stiffness)?;
        match Triangle::new(rest) {
            Some(rest) if rest.area.is_finite() => {
                Ok(Self { nodes, rest_area: rest.area, stiffness, damping_time: 0.0 })
            }
            _ => Err(BadConstraint::Degenerate { what: "area", nodes: nodes.to_vec() }),
        }
    }

    /// The same, damped with a relaxation time, s.
    pub fn damped(self, damping_time: f64) -> Result<Self, BadConstraint> {
        not_negative("damping time", damping_time)?;
        Ok(Self { damping_time, ..self })
    }

    /// `K (A/A₀ - 1 + τ Ȧ/A₀)/A₀`, N/m, and `∇A`.
    fn moment(&self, triangle: &Triangle, v: [DVec3; 3]) -> (f64, [DVec3; 2]) {
        let gradient = triangle.gradient();
        let mut factor = triangle.area / self.rest_area - 1.0;
        if self.damping_time != 0.0 {
            factor += self.damping_time * dot(&gradient, &[v[1] - v[0], v[2] - v[0]]) / self.rest_area;
        }
        (self.stiffness * factor / self.rest_area, gradient)
    }
}

/// m²
fn area(x: [DVec3; 3]) -> f64 {
    0.5 * (x[1] - x[0]).cross(x[2] - x[0]).length()
}

impl Element<3> for Area {
    type Force = RelativeForce<2>;
    type Block = RelativeBlocks<2>;

    const NAME: &'static str = "area-constraint";
    const INTERNAL: bool = true;

    fn nodes(&self) -> [u32; 3] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 3]) -> f64 {
        0.5 * self.stiffness * (area(x) / self.rest_area - 1.0).powi(2)
    }

    fn mean_viscous_power(&self, x: [DVec3; 3], v: [DVec3; 3], span: f64) -> f64 {
        let rate = mean_rate(x, v, span, area) / self.rest_area;
        -self.stiffness * self.damping_time * rate * rate
    }

    fn viscous_power(&self, x: [DVec3; 3], v: [DVec3; 3]) -> f64 {
        let Some(triangle) = Triangle::new(x) else { return 0.0 };
        let rate = dot(&triangle.gradient(), &[v[1] - v[0], v[2] - v[0]]) / self.rest_area;
        -self.stiffness * self.damping_time * rate * rate
    }

    #[inline]
    fn force(&self, x: [DVec3; 3], v: [DVec3; 3]) -> RelativeForce<2> {
        let Some(triangle) = Triangle::new(x) else { return RelativeForce::default() };
        let (moment, gradient) = self.moment(&triangle, v);
        RelativeForce(gradient.map(|g| g * -moment))
    }

    #[inline]
    fn force_on(force: &RelativeForce<2>, a: usize) -> DVec3 {
        force.on(a)
    }

    fn jacobian(&self, x: [DVec3; 3], v: [DVec3; 3], kind: JacobianKind) -> (RelativeBlocks<2>, RelativeBlocks<2>) {
        let Some(triangle) = Triangle::new(x) else { return Default::default() };
        let (moment, gradient) = self.moment(&triangle, v);
        let unit = self.stiffness / (self.rest_area * self.rest_area);
        let (mut stiffness, mut damping) = (RelativeBlocks::default(), RelativeBlocks::default());
        stiffness.add_outer(-unit, &gradient, &gradient);
        if kind == JacobianKind::Psd {
            // the elastic part alone: how it is damped at the moment makes nothing stiffer
            let tension = self.stiffness * (triangle.area / self.rest_area - 1.0) / self.rest_area;
            stiffness.add_scaled(-tension.max(0.0), &triangle.out_of_plane());
        } else {
            let curvature = triangle.curvature();
            stiffness.add_scaled(-moment, &curvature);
            if self.damping_time != 0.0 {
                let turning = curvature.times(&[v[1] - v[0], v[2] - v[0]]);
                stiffness.add_outer(-unit * self.damping_time, &gradient, &turning);
                if kind == JacobianKind::Symmetric {
                    stiffness = stiffness.symmetric();
                }
            }
        }
        if self.damping_time != 0.0 {
            damping.add_outer(-unit * self.damping_time, &gradient, &gradient);
        }
        (stiffness, damping)
    }

    fn block(blocks: &RelativeBlocks<2>, a: usize, b: usize) -> DMat3 {
        blocks.at(a, b)
    }

    fn rates(&self, x: [DVec3; 3], v: [DVec3; 3]) -> Rates {
        let (stiffness, damping) = self.jacobian(x, v, JacobianKind::Symmetric);
        Rates { stiffness: stiffness.largest(), damping: damping.largest() }
    }

    fn row_rates(&self, x: [DVec3; 3], v: [DVec3; 3], free: [bool; 3]) -> [Rates; 3] {
        let (stiffness, damping) = self.jacobian(x, v, JacobianKind::Symmetric);
        [0, 1, 2].map(|a| Rates { stiffness: stiffness.row_sum(a, &free), damping: damping.row_sum(a, &free) })
    }

    fn stretch(&self, _from: [DVec3; 3], _to: [DVec3; 3]) -> Option<f64> {
        None
    }

    fn is_damped(&self) -> bool {
        self.damping_time != 0.0
    }

    fn is_symmetric(&self) -> bool {
        self.damping_time == 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::super::checks::{check_element, check_psd};
    use super::*;

    const REST: [DVec3; 3] = [DVec3::ZERO, DVec3::new(1.1, 0.1, -0.1), DVec3::new(0.2, 0.9, 0.1)];

    #[test]
    fn derivatives_at_rest_stretched_and_pressed() {
        for scale in [1.0, 1.5, 0.3] {
            for tau in [0.0, 0.2] {
                let triangle = Area::new([0, 1, 2], REST, 2.0).unwrap().damped(tau).unwrap();
                check_element(&triangle, REST.map(|x| x * scale), 2e-9);
                check_psd(&triangle, REST.map(|x| x * scale));
            }
        }
    }

    #[test]
    fn a_triangle_without_area_has_no_force() {
        let triangle = Area::new([0, 1, 2], REST, 2.0).unwrap().damped(0.1).unwrap();
        for x in [[REST[0], REST[1], REST[1] * 3.0], [REST[1]; 3]] {
            assert_eq!(triangle.energy(x), 1.0, "½ K");
            assert_eq!(triangle.force(x, REST).0, [DVec3::ZERO; 2]);
            let (stiffness, damping) = triangle.jacobian(x, REST, JacobianKind::Exact);
            assert_eq!((stiffness.largest(), damping.largest()), (0.0, 0.0));
            let error = Area::new([3, 1, 2], x, 1.0).unwrap_err();
            assert_eq!(error.to_string(), "the rest shape of particles [3, 1, 2] is degenerate: it has no area");
        }
        assert!(Area::new([0, 1, 2], REST, 0.0).is_err());
    }
}
