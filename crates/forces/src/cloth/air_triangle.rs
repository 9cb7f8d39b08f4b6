//! One triangle of [`super::aerodynamics`]: its force and derivatives.
//!
//! Derivatives. With `f = A g(n, u)` and the area vector `a = A n = ½ (x₁ - x₀) × (x₂ - x₀)`: `∂f/∂a = g nᵀ + ∂g/∂n (I - n nᵀ)`,
//! `∂a/∂x_b = ½ [e_b]×` with the edge `e_b` opposite corner b. The derivative in x is kept by the exact kind only: it is unsymmetric
//! through and through. The positive semi-definite kind keeps of `∂f/∂v` what belongs to drag, which needs no clamping.

use glam::{DMat3, DVec3};
use pliant_core::element::gather;
use pliant_core::{Element, JacobianKind, Merged, Rates, View};

use super::air_lanes;
use super::algebra::{cross, norm, outer, scalar, symmetric_part};
use super::lanes::WORTHWHILE;

/// One triangle in the air. Its "velocities" are relative to the air: [`super::aerodynamics::Aerodynamics`] converts them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct AirTriangle {
    pub(super) nodes: [u32; 3],
    /// `½ ρ` times each coefficient, kg/m³.
    pub(super) normal: f64,
    pub(super) tangential: f64,
    pub(super) lift: f64,
}

/// Blocks (a, b) of a derivative, the same for every a.
#[derive(Clone, Copy, Debug)]
pub(super) enum AirBlock {
    /// And for every b: derivatives in v are.
    Same(DMat3),
    Each([DMat3; 3]),
}

impl Default for AirBlock {
    fn default() -> Self {
        Self::Same(DMat3::ZERO)
    }
}

impl AirBlock {
    #[inline]
    fn at(&self, b: usize) -> DMat3 {
        match self {
            Self::Same(block) => *block,
            Self::Each(blocks) => blocks[b],
        }
    }
}

/// Area, normal, and the relative velocity with its components.
pub(super) struct Flow {
    pub(super) area: f64,
    n: DVec3,
    u: DVec3,
    speed: f64,
    across: f64,
    along: DVec3,
    sliding: f64,
}

impl AirTriangle {
    pub(super) fn flow(x: [DVec3; 3], v: [DVec3; 3]) -> Option<Flow> {
        let a = (x[1] - x[0]).cross(x[2] - x[0]) * 0.5;
        let area = a.length();
        if area == 0.0 {
            return None;
        }
        let n = a / area;
        let u = (v[0] + v[1] + v[2]) * (1.0 / 3.0);
        let across = u.dot(n);
        let along = u - n * across;
        Some(Flow { area, n, u, speed: u.length(), across, along, sliding: along.length() })
    }

    /// `-g(n, u)`: minus the force per area.
    fn resistance(&self, flow: &Flow) -> DVec3 {
        let Flow { n, u, speed, across, along, sliding, .. } = *flow;
        let mut g = n * (self.normal * across.abs() * across) + along * (self.tangential * sliding);
        if self.lift != 0.0 && speed > 0.0 {
            g += (n * speed - u * (across / speed)) * (self.lift * across);
        }
        g
    }

    /// `-∂g/∂u` of drag and of lift.
    pub(super) fn by_velocity(&self, flow: &Flow) -> (DMat3, DMat3) {
        let Flow { n, u, speed, across, along, sliding, .. } = *flow;
        let nn = outer(n, n);
        let mut drag = nn * (2.0 * self.normal * across.abs()) + (scalar(1.0) - nn) * (self.tangential * sliding);
        if sliding > 0.0 {
            drag += outer(along, along) * (self.tangential / sliding);
        }
        let mut lift = DMat3::ZERO;
        if self.lift != 0.0 && speed > 0.0 {
            let ratio = across / speed;
            lift = nn * speed + outer(n, u) * ratio - outer(u, n) * (2.0 * ratio) - scalar(ratio * across)
                + outer(u, u) * (ratio * ratio / speed);
        }
        (drag, lift * self.lift)
    }

    /// `-∂(A g)/∂a`.
    fn by_area(&self, flow: &Flow) -> DMat3 {
        let Flow { n, u, speed, across, along, sliding, .. } = *flow;
        let nu = outer(n, u);
        let mut by_normal = (scalar(across.abs() * across) + nu * (2.0 * across.abs())) * self.normal
            - (nu + scalar(across)) * (self.tangential * sliding);
        if sliding > 0.0 {
            // t tᵀ (n uᵀ + u_n I) with t along the sheet, at right angles to n
            by_normal -= outer(along, along) * (self.tangential * across / sliding);
        }
        if self.lift != 0.0 && speed > 0.0 {
            by_normal += ((nu + scalar(across)) * speed - outer(u, u) * (2.0 * across / speed)) * self.lift;
        }
        outer(self.resistance(flow), n) + by_normal * (scalar(1.0) - outer(n, n))
    }

    /// `∂f/∂x + c ∂f/∂v`.
    pub(super) fn merged(&self, view: &View, kind: JacobianKind, c: f64) -> AirBlock {
        let (stiffness, damping) = self.jacobian(gather(self.nodes, view.x), gather(self.nodes, view.v), kind);
        match (&stiffness, &damping) {
            (AirBlock::Same(stiffness), AirBlock::Same(damping)) => AirBlock::Same(*stiffness + *damping * c),
            _ => AirBlock::Each([0, 1, 2].map(|b| stiffness.at(b) + damping.at(b) * c)),
        }
    }
}

impl Element<3> for AirTriangle {
    /// A third of the whole, the same for every corner.
    type Force = DVec3;
    type Block = AirBlock;

    const NAME: &'static str = "aerodynamics";
    const INTERNAL: bool = false;
    const MERGES: bool = true;

    fn nodes(&self) -> [u32; 3] {
        self.nodes
    }

    fn energy(&self, _x: [DVec3; 3]) -> f64 {
        0.0
    }

    fn viscous_power(&self, x: [DVec3; 3], v: [DVec3; 3]) -> f64 {
        let of = |flow: Flow| {
            -flow.area * (self.normal * flow.across.abs().powi(3) + self.tangential * flow.sliding.powi(3))
        };
        Self::flow(x, v).map_or(0.0, of)
    }

    #[inline]
    fn force(&self, x: [DVec3; 3], v: [DVec3; 3]) -> DVec3 {
        Self::flow(x, v).map_or(DVec3::ZERO, |flow| self.resistance(&flow) * (flow.area / -3.0))
    }

    fn force_on(force: &DVec3, _a: usize) -> DVec3 {
        *force
    }

    fn jacobian(&self, x: [DVec3; 3], v: [DVec3; 3], kind: JacobianKind) -> (AirBlock, AirBlock) {
        let Some(flow) = Self::flow(x, v) else { return Default::default() };
        let (drag, lift) = self.by_velocity(&flow);
        let by_velocity = match kind {
            JacobianKind::Exact => drag + lift,
            JacobianKind::Symmetric => symmetric_part(drag + lift),
            JacobianKind::Psd => drag,
        };
        let damping = AirBlock::Same(by_velocity * (flow.area / -9.0));
        if kind != JacobianKind::Exact {
            return (AirBlock::default(), damping);
        }
        let by_area = self.by_area(&flow) * (-1.0 / 6.0);
        let opposite = [x[2] - x[1], x[0] - x[2], x[1] - x[0]];
        (AirBlock::Each(opposite.map(|edge| by_area * cross(edge))), damping)
    }

    fn write_forces(elements: &[Self], view: &View, out: &mut [DVec3]) {
        if elements.len() >= WORTHWHILE {
            return air_lanes::write_forces(elements, view, out);
        }
        for (element, force) in elements.iter().zip(out) {
            *force = element.force(gather(element.nodes, view.x), gather(element.nodes, view.v));
        }
    }

    #[inline]
    fn block(blocks: &AirBlock, _a: usize, b: usize) -> DMat3 {
        blocks.at(b)
    }

    fn write_merged(elements: &[Self], view: &View, kind: JacobianKind, at: Merged, out: &mut [AirBlock]) {
        if kind == JacobianKind::Psd && elements.len() >= WORTHWHILE {
            return air_lanes::write_psd(elements, view, at.rate, out);
        }
        for (element, block) in elements.iter().zip(out) {
            *block = element.merged(view, kind, at.rate);
        }
    }

    #[inline]
    fn add_row(blocks: &AirBlock, _a: usize, places: [usize; 3], values: &mut [DMat3]) {
        match blocks {
            AirBlock::Same(block) => places.into_iter().for_each(|place| values[place] += *block),
            AirBlock::Each(blocks) => places.into_iter().zip(blocks).for_each(|(place, block)| values[place] += *block),
        }
    }

    fn rates(&self, x: [DVec3; 3], v: [DVec3; 3]) -> Rates {
        let (stiffness, damping) = self.jacobian(x, v, JacobianKind::Exact);
        let largest = |blocks: AirBlock| (0..3).map(|b| norm(&blocks.at(b))).fold(0.0, f64::max);
        Rates { stiffness: largest(stiffness), damping: largest(damping) }
    }

    fn stretch(&self, _from: [DVec3; 3], _to: [DVec3; 3]) -> Option<f64> {
        None
    }

    fn is_damped(&self) -> bool {
        true
    }

    fn is_symmetric(&self) -> bool {
        false
    }
}
