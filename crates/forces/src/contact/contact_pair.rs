//! One pair of features within reach of each other, and all that follows from it: energy, forces, derivatives.
//!
//! With d the distance, w the weights of its four nodes (`d = |Σ w x|`, `∇_i d = w_i n`), g = d - (radii) the gap and B the barrier,
//! `E = κ m B(g)`; m is 1 but for nearly parallel edges, whose distance has no derivative where they are parallel [Incremental] 5.

use glam::{DMat3, DVec3};
use pliant_core::JacobianKind;
use pliant_geom::distance::{PairKind, closest};
use pliant_geom::mollifier::{self, Mollifier};

use super::barrier::{Barrier, barrier};
use super::lagged_friction::LaggedContact;
use crate::cloth::algebra::outer;

/// What is meant by a node that is not there.
pub const NO_NODE: u32 = u32::MAX;

/// Two features that may come near each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// A vertex and a triangle, or two edges.
    pub kind: PairKind,
    /// Their nodes.
    pub nodes: [u32; 4],
    /// Pairs are in the order of these: both primitives, and a number among the pairs of these two.
    pub key: [u32; 3],
}

/// What does not depend on the state of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Material {
    /// κ, N/m.
    pub stiffness: f64,
    /// Gap at which the force begins, m.
    pub thickness: f64,
    /// Sum of radii, m.
    pub radius: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Below this squared product of their lengths and the sine between them, edges count as nearly parallel, m⁴.
    pub parallel: f64,
}

/// A pair within reach.
#[derive(Clone, Copy, Debug)]
pub struct ContactPair {
    /// Its nodes; a vertex on a plane has only one.
    pub nodes: [u32; 4],
    /// `∇_i d = weights[i] normal`.
    pub weights: [f64; 4],
    /// From the second feature to the first.
    pub normal: DVec3,
    material: Material,
    barrier: Barrier,
    mollifier: f64,
    /// Velocity of the plane that it is on, m/s; of a round collider that turns, of its surface against its middle.
    pub carried: DVec3,
    /// Absent on a plane, whose normal does not change.
    kind: Option<PairKind>,
}

impl ContactPair {
    /// The pair at a state, if it is within reach.
    pub fn between(candidate: &Candidate, x: &[DVec3; 4], material: Material) -> Option<Self> {
        let closest = closest(candidate.kind, x);
        let gap = closest.distance - material.radius;
        if gap >= material.thickness {
            return None;
        }
        let mollifier = match candidate.kind {
            PairKind::VertexTriangle => 1.0,
            PairKind::EdgeEdge => mollifier::value(x, material.parallel),
        };
        Some(Self {
            nodes: candidate.nodes,
            weights: closest.weights,
            normal: closest.normal(),
            material,
            barrier: barrier(gap, material.thickness),
            mollifier,
            carried: DVec3::ZERO,
            kind: Some(candidate.kind),
        })
    }

    /// A vertex above a plane by a gap, m, if it is within reach.
    pub fn on_plane(vertex: u32, gap: f64, normal: DVec3, carried: DVec3, material: Material) -> Option<Self> {
        (gap < material.thickness).then(|| Self {
            nodes: [vertex, NO_NODE, NO_NODE, NO_NODE],
            weights: [1.0, 0.0, 0.0, 0.0],
            normal,
            material,
            barrier: barrier(gap, material.thickness),
            mollifier: 1.0,
            carried,
            kind: None,
        })
    }

    /// J
    pub fn energy(&self) -> f64 {
        self.material.stiffness * self.mollifier * self.barrier.energy
    }

    /// λ, the force that presses the features apart, N.
    pub fn pressure(&self) -> f64 {
        -self.material.stiffness * self.mollifier * self.barrier.slope
    }

    /// Coefficient of friction.
    pub fn friction(&self) -> f64 {
        self.material.friction
    }

    /// What friction holds on to for the next step.
    pub fn lagged_contact(&self) -> Option<LaggedContact> {
        let strength = self.material.friction * self.pressure();
        let Self { nodes, weights, normal, carried, .. } = *self;
        (strength > 0.0).then_some(LaggedContact { nodes, weights, normal, carried, strength })
    }

    /// Forces on the four nodes, N.
    pub fn forces(&self, x: &[DVec3; 4]) -> [DVec3; 4] {
        let push = self.normal * self.pressure();
        let mut forces = self.weights.map(|w| push * w);
        if self.mollifier < 1.0 {
            let gradient = Mollifier::new(x, self.material.parallel).gradient;
            let scale = self.material.stiffness * self.barrier.energy.min(f64::MAX);
            for (force, gradient) in forces.iter_mut().zip(gradient) {
                *force -= gradient * scale;
            }
        }
        forces
    }

    /// A bound of the stiffness between nodes of weight 1, N/m.
    pub fn stiffness(&self) -> f64 {
        self.material.stiffness * self.mollifier * self.barrier.curvature
    }

    /// Writes `∂f_i/∂x_j`.
    pub fn jacobian(&self, x: &[DVec3; 4], kind: JacobianKind, mut write: impl FnMut(usize, usize, DMat3)) {
        let steep = outer(self.normal, self.normal) * self.stiffness();
        let curved = if kind == JacobianKind::Psd { None } else { self.kind.map(|kind| self.curved(kind, x)) };
        let count = if self.kind.is_some() { 4 } else { 1 };
        for i in 0..count {
            for j in 0..count {
                let mut k = steep * -(self.weights[i] * self.weights[j]);
                if let Some(curved) = &curved {
                    k -= curved[i][j];
                }
                write(i, j, k);
            }
        }
    }

    /// The rest of the energy's second derivative: `κ [m B' ∇²d + B' (∇m ∇dᵀ + ∇d ∇mᵀ) + B ∇²m]`.
    fn curved(&self, kind: PairKind, x: &[DVec3; 4]) -> [[DMat3; 4]; 4] {
        let (stiffness, barrier) = (self.material.stiffness, self.barrier);
        let mut out = closest(kind, x)
            .hessian_of_distance(x)
            .map(|row| row.map(|h| h * (stiffness * self.mollifier * barrier.slope)));
        if self.mollifier < 1.0 {
            let Mollifier { gradient, hessian, .. } = Mollifier::new(x, self.material.parallel);
            for i in 0..4 {
                for j in 0..4 {
                    let (a, b) = (self.normal * self.weights[i], self.normal * self.weights[j]);
                    let mixed = outer(gradient[i], b) + outer(a, gradient[j]);
                    out[i][j] += (mixed * barrier.slope + hessian[i][j] * barrier.energy.min(f64::MAX)) * stiffness;
                }
            }
        }
        out
    }
}
