//! Keeps the volume of a tetrahedron, [Ropes] eqs. 10 to 14, with a guard against collapse and inversion that has an energy.
//!
//! With `J = V/V₀` (signed, so that cells of negative volume at rest are as good as others):
//!
//! `E = K [ (J - 1)²/2 + w b(J) ]`, `b' = g`, `g(J) = J - 1/J` for `J ≥ Jₛ`, continued by its tangent below,
//! `f_a = -K [ (J - 1) + w g(J) ] ∇_a V/V₀`.
//!
//! K is an energy, because `J - 1` has no unit; w = 0 gives eq. 13. Departure from the paper: the guard of eq. 14 adds a volume to the
//! inverse of one, and on the inverted side its potential falls without bound towards `V = 0`, so that cells that invert gain energy
//! without end. Here the force is monotone through `J = 0`, and the energy strictly convex in J; as Jₛ goes to zero it becomes a wall.
//!
//! `∇²V` has eigenvalues of both signs in every state, so the positive semi-definite kind leaves it out: `K (1 + w g')/V₀² ∇V ∇Vᵀ`.

use glam::{DMat3, DVec3};
use pliant_core::{Constraint, Element, Elements, JacobianKind, Rates};
use pliant_scalar::math;

use super::relative::{RelativeBlocks, RelativeForce, dot};
use super::{BadConstraint, not_negative, positive};
use crate::cloth::algebra::cross;

/// A tetrahedron is degenerate below this ratio of six volumes to the product of the three edges from its first corner.
const NO_VOLUME: f64 = 1e-12;

/// Resistance to collapse and inversion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CollapseGuard {
    /// Weight w; 0: none.
    pub weight: f64,
    /// Jₛ: below this fraction of the rest volume the guard's force is linear.
    pub linear_below: f64,
}

impl Default for CollapseGuard {
    fn default() -> Self {
        Self { weight: 0.1, linear_below: 0.1 }
    }
}

impl CollapseGuard {
    /// No guard: eq. 13.
    pub const NONE: Self = Self { weight: 0.0, linear_below: 0.1 };

    /// `w (b, g, g')` at J.
    fn at(&self, j: f64) -> [f64; 3] {
        let Self { weight: w, linear_below: s } = *self;
        if w == 0.0 {
            return [0.0; 3];
        }
        let above = |j: f64| [0.5 * (j * j - 1.0) - math::ln(j), j - j.recip(), 1.0 + (j * j).recip()];
        let [b, g, slope] = if j >= s {
            above(j)
        } else {
            let ([b, g, slope], d) = (above(s), j - s);
            [b + (g + 0.5 * slope * d) * d, g + slope * d, slope]
        };
        [w * b, w * g, w * slope]
    }
}

/// One tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Volume {
    nodes: [u32; 4],
    /// V₀, m³; negative where the corners are ordered the other way round.
    rest_volume: f64,
    /// K, J.
    stiffness: f64,
    guard: CollapseGuard,
    /// τ, s.
    damping_time: f64,
}

/// All tetrahedra of a body that keep their volume.
pub type Volumes = Elements<Volume, 4>;

fn edges(x: [DVec3; 4]) -> [DVec3; 3] {
    [x[1] - x[0], x[2] - x[0], x[3] - x[0]]
}

/// Volume of a tetrahedron, m³: positive where corners 1, 2, 3 are counterclockwise seen from within their side of corner 0.
pub fn volume(x: [DVec3; 4]) -> f64 {
    let [a, b, c] = edges(x);
    a.dot(b.cross(c)) / 6.0
}

/// `∇V` at corners 1, 2, 3.
fn gradient([a, b, c]: [DVec3; 3]) -> [DVec3; 3] {
    [b.cross(c) / 6.0, c.cross(a) / 6.0, a.cross(b) / 6.0]
}

/// `∇²V`: V is linear in each corner, so that only mixed blocks are there.
fn curvature(edges: [DVec3; 3]) -> RelativeBlocks<3> {
    let [a, b, c] = edges.map(|e| cross(e * (1.0 / 6.0)));
    let zero = DMat3::ZERO;
    RelativeBlocks([[zero, -c, b], [c, zero, -a], [-b, a, zero]])
}

impl Volume {
    /// A tetrahedron of stiffness K (J) with the volume of its rest shape.
    pub fn new(nodes: [u32; 4], rest: [DVec3; 4], stiffness: f64, guard: CollapseGuard) -> Result<Self, BadConstraint> {
        positive("volume stiffness", stiffness)?;
        not_negative("weight of the collapse guard", guard.weight)?;
        positive("start of the linear part of the collapse guard", guard.linear_below)?;
        let rest_volume = volume(rest);
        let size: f64 = edges(rest).iter().map(|e| e.length()).product();
        if !(6.0 * rest_volume.abs() > NO_VOLUME * size && size.is_finite()) {
            return Err(BadConstraint::Degenerate { what: "volume", nodes: nodes.to_vec() });
        }
        Ok(Self { nodes, rest_volume, stiffness, guard, damping_time: 0.0 })
    }

    /// The same, damped with a relaxation time, s.
    pub fn damped(self, damping_time: f64) -> Result<Self, BadConstraint> {
        not_negative("damping time", damping_time)?;
        Ok(Self { damping_time, ..self })
    }

    /// Volume at rest, m³.
    pub fn rest_volume(&self) -> f64 {
        self.rest_volume
    }

    /// `(J - 1) + w g(J)`: 0 at rest, below where the tetrahedron is pressed.
    pub fn pressure_factor(&self, j: f64) -> f64 {
        j - 1.0 + self.guard.at(j)[1]
    }

    /// `K [(J - 1) + w g + τ J̇]/V₀`, N/m², and `∇V`.
    fn moment(&self, edges: [DVec3; 3], v: [DVec3; 4]) -> (f64, [DVec3; 3]) {
        let gradient = gradient(edges);
        let j = edges[0].dot(gradient[0]) / self.rest_volume;
        let mut factor = self.pressure_factor(j);
        if self.damping_time != 0.0 {
            factor += self.damping_time * dot(&gradient, &self::edges(v)) / self.rest_volume;
        }
        (self.stiffness * factor / self.rest_volume, gradient)
    }
}

impl Element<4> for Volume {
    type Force = RelativeForce<3>;
    type Block = RelativeBlocks<3>;

    const NAME: &'static str = "volume-constraint";
    const INTERNAL: bool = true;

    fn nodes(&self) -> [u32; 4] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 4]) -> f64 {
        let j = volume(x) / self.rest_volume;
        self.stiffness * (0.5 * (j - 1.0) * (j - 1.0) + self.guard.at(j)[0])
    }

    fn viscous_power(&self, x: [DVec3; 4], v: [DVec3; 4]) -> f64 {
        let rate = dot(&gradient(edges(x)), &edges(v)) / self.rest_volume;
        -self.stiffness * self.damping_time * rate * rate
    }

    #[inline]
    fn force(&self, x: [DVec3; 4], v: [DVec3; 4]) -> RelativeForce<3> {
        let (moment, gradient) = self.moment(edges(x), v);
        RelativeForce(gradient.map(|g| g * -moment))
    }

    #[inline]
    fn force_on(force: &RelativeForce<3>, a: usize) -> DVec3 {
        force.on(a)
    }

    fn jacobian(&self, x: [DVec3; 4], v: [DVec3; 4], kind: JacobianKind) -> (RelativeBlocks<3>, RelativeBlocks<3>) {
        let d = edges(x);
        let (moment, gradient) = self.moment(d, v);
        let unit = self.stiffness / (self.rest_volume * self.rest_volume);
        let j = d[0].dot(gradient[0]) / self.rest_volume;
        let mut stiffness = RelativeBlocks::default();
        stiffness.add_outer(-unit * (1.0 + self.guard.at(j)[2]), &gradient, &gradient);
        let mut damping = RelativeBlocks::default();
        if kind != JacobianKind::Psd {
            let curvature = curvature(d);
            stiffness.add_scaled(-moment, &curvature);
            if self.damping_time != 0.0 {
                stiffness.add_outer(-unit * self.damping_time, &gradient, &curvature.times(&edges(v)));
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

    fn block(blocks: &RelativeBlocks<3>, a: usize, b: usize) -> DMat3 {
        blocks.at(a, b)
    }

    fn rates(&self, x: [DVec3; 4], v: [DVec3; 4]) -> Rates {
        let (stiffness, damping) = self.jacobian(x, v, JacobianKind::Symmetric);
        Rates { stiffness: stiffness.largest(), damping: damping.largest() }
    }

    fn row_rates(&self, x: [DVec3; 4], v: [DVec3; 4], free: [bool; 4]) -> [Rates; 4] {
        let (stiffness, damping) = self.jacobian(x, v, JacobianKind::Symmetric);
        [0, 1, 2, 3].map(|a| Rates { stiffness: stiffness.row_sum(a, &free), damping: damping.row_sum(a, &free) })
    }

    /// `J - 1`.
    fn constraint(&self, x: [DVec3; 4]) -> Option<Constraint<4>> {
        let [b, c, d] = gradient(edges(x)).map(|g| g / self.rest_volume);
        Some(Constraint { error: volume(x) / self.rest_volume - 1.0, gradient: [-(b + c + d), b, c, d] })
    }

    fn stretch(&self, _from: [DVec3; 4], _to: [DVec3; 4]) -> Option<f64> {
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

    const REST: [DVec3; 4] =
        [DVec3::ZERO, DVec3::new(1.1, 0.1, -0.1), DVec3::new(0.2, 0.9, 0.1), DVec3::new(0.1, 0.2, 1.2)];

    fn cell(guard: CollapseGuard) -> Volume {
        Volume::new([0, 1, 2, 3], REST, 2.0, guard).unwrap()
    }

    /// Corner 3 at a height that makes J what it is to be.
    fn at(j: f64) -> [DVec3; 4] {
        let n = (REST[1] - REST[0]).cross(REST[2] - REST[0]);
        let foot = REST[3] - n * (REST[3].dot(n) / n.length_squared());
        [REST[0], REST[1], REST[2], foot + (REST[3] - foot) * j]
    }

    #[test]
    fn derivatives_at_rest_flat_and_inside_out() {
        for guard in [CollapseGuard::default(), CollapseGuard::NONE] {
            for j in [1.0, 2.0, 0.5, 0.05, 0.0, -0.3, -1.0] {
                for tau in [0.0, 0.3] {
                    let cell = cell(guard).damped(tau).unwrap();
                    assert!((volume(at(j)) / cell.rest_volume() - j).abs() < 1e-15);
                    check_element(&cell, at(j), 2e-9);
                    check_psd(&cell, at(j));
                }
            }
            // folded into a line and into a point
            check_element(&cell(guard), [REST[0], REST[1], REST[1] * 0.5, REST[1] * 2.0], 2e-9);
            check_element(&cell(guard), [REST[1]; 4], 2e-9);
        }
        // ordered the other way round: the same J, the same energy
        let turned =
            Volume::new([0, 1, 2, 3], [REST[1], REST[0], REST[2], REST[3]], 2.0, CollapseGuard::default()).unwrap();
        assert!(turned.rest_volume() < 0.0);
        let x = at(0.4);
        let (a, b) = (cell(CollapseGuard::default()).energy(x), turned.energy([x[1], x[0], x[2], x[3]]));
        assert!((a - b).abs() < 1e-15 * a);
    }

    #[test]
    fn pressure_factors() {
        let guarded = cell(CollapseGuard::default());
        for (j, factor) in [(2.0, 1.15), (1.0, 0.0), (0.5, -0.65), (0.1, -1.89), (0.0, -3.0), (-1.0, -14.1)] {
            assert!((guarded.pressure_factor(j) - factor).abs() < 1e-14, "{j}: {}", guarded.pressure_factor(j));
        }
        // [Ropes] eq. 13: F_0 = K (V - V₀)/6V₀² (p_1 - p_3) × (p_2 - p_3)
        let (plain, x) = (cell(CollapseGuard::NONE), at(1.4));
        let v0 = plain.rest_volume();
        let expected = (x[1] - x[3]).cross(x[2] - x[3]) * (2.0 * (volume(x) - v0) / (6.0 * v0 * v0));
        assert!((plain.force(x, [DVec3::ZERO; 4]).on(0) - expected).length() < 1e-14);
    }

    /// The force has no jump anywhere, and grows with J: no cell gains by inverting.
    #[test]
    fn the_guard_is_monotone_through_inversion() {
        let cell = cell(CollapseGuard::default());
        let mut last = cell.pressure_factor(-2.0);
        for k in 1..4000 {
            let next = cell.pressure_factor(-2.0 + 1e-3 * f64::from(k));
            // slope 1 + w (1 + 1/Jₛ²) at most
            assert!(next > last && next - last < 11.2 * 1e-3, "{k}: {last} {next}");
            last = next;
        }
    }

    /// An apex that flies through the base of its tetrahedron and comes back: with Verlet's method the energy error decreases with the square of the
    /// step, which no force without an energy would do.
    #[test]
    fn an_apex_shot_through_its_base_keeps_its_energy() {
        let rest = [DVec3::new(0.0, 0.0, 1.0), DVec3::ZERO, DVec3::Y, DVec3::X];
        let cell = Volume::new([0, 1, 2, 3], rest, 1.0, CollapseGuard::default()).unwrap();
        let fly = |dt: f64| {
            // the base is pinned; the apex has mass 1
            let energy = |x: DVec3, v: DVec3| cell.energy([x, rest[1], rest[2], rest[3]]) + 0.5 * v.length_squared();
            let force = |x: DVec3| cell.force([x, rest[1], rest[2], rest[3]], [DVec3::ZERO; 4]).on(0);
            let (mut x, mut v) = (rest[0], DVec3::new(0.0, 0.0, -3.0));
            let (start, mut worst, mut lowest) = (energy(x, v), 0.0_f64, 1.0_f64);
            while x.z <= 1.0 {
                v += force(x) * (0.5 * dt);
                x += v * dt;
                v += force(x) * (0.5 * dt);
                worst = worst.max((energy(x, v) - start).abs());
                lowest = lowest.min(x.z);
            }
            println!("dt {dt}: energy {start}, error {worst:.2e}, lowest J {lowest:.4}, back with {:.6}", v.z);
            (worst, lowest, v.z)
        };
        let (coarse, lowest, _) = fly(2e-3);
        let (fine, _, back) = fly(1e-3);
        assert!((3.6..4.4).contains(&(coarse / fine)), "order 2: {coarse:e} {fine:e}");
        assert!(coarse < 1e-4 * 4.5 && (lowest + 0.5866).abs() < 1e-3, "{coarse:e} {lowest}");
        assert!((back - 3.0).abs() < 1e-2, "it comes back as fast as it left: {back}");
    }

    #[test]
    fn what_is_no_constraint_is_refused() {
        let guard = CollapseGuard::default();
        let flat = [REST[0], REST[1], REST[2], REST[1] + REST[2]];
        let error = Volume::new([4, 5, 6, 7], flat, 1.0, guard).unwrap_err();
        assert_eq!(error.to_string(), "the rest shape of particles [4, 5, 6, 7] is degenerate: it has no volume");
        for stiffness in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(Volume::new([0, 1, 2, 3], REST, stiffness, guard).is_err());
        }
        let bad = CollapseGuard { weight: -0.1, ..guard };
        assert!(Volume::new([0, 1, 2, 3], REST, 1.0, bad).is_err());
        let bad = CollapseGuard { linear_below: 0.0, ..guard };
        assert!(Volume::new([0, 1, 2, 3], REST, 1.0, bad).is_err());
        assert!(Volume::new([0, 1, 2, 3], REST, 1.0, guard).unwrap().damped(-1.0).is_err());
    }
}
