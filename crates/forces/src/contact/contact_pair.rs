//! A contact pair: two features within reach of each other, with its energy, forces and derivatives.
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

/// Marks an unused node slot.
pub const NO_NODE: u32 = u32::MAX;

/// A candidate pair of the broad phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// A vertex and a triangle, or two edges.
    pub kind: PairKind,
    /// Its nodes, those of the first feature first.
    pub nodes: [u32; 4],
    /// Sort key: both primitives, and the index among the feature pairs of these two.
    pub key: [u32; 3],
}

/// State-independent parameters of a contact pair.
#[derive(Clone, Copy, Debug)]
pub struct Material {
    /// κ, N/m.
    pub stiffness: f64,
    /// Gap below which the barrier acts, m.
    pub thickness: f64,
    /// Sum of radii, m.
    pub radius: f64,
    /// Coefficient of friction.
    pub friction: f64,
    /// Edges count as nearly parallel below this squared product of their lengths and the sine of their angle, m⁴.
    pub parallel: f64,
}

/// A contact pair at one state.
#[derive(Clone, Copy, Debug)]
pub struct ContactPair {
    /// Its nodes; a vertex on a plane has only one.
    pub nodes: [u32; 4],
    /// `∇_i d = weights[i] normal`.
    pub weights: [f64; 4],
    /// Contact normal, from the second feature to the first.
    pub normal: DVec3,
    material: Material,
    barrier: Barrier,
    mollifier: f64,
    /// Velocity of the plane in contact, m/s; for a turning round collider, velocity of its surface relative to its centre or axis.
    pub carried: DVec3,
    /// `None` on a plane, which has a constant normal.
    kind: Option<PairKind>,
}

impl ContactPair {
    /// The contact pair of a candidate at a state, if it is within reach.
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

    /// A vertex at a gap above a plane, m, if it is within reach.
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

    /// Energy, J.
    pub fn energy(&self) -> f64 {
        self.material.stiffness * self.mollifier * self.barrier.energy
    }

    /// λ, the magnitude of the contact force, N.
    pub fn pressure(&self) -> f64 {
        -self.material.stiffness * self.mollifier * self.barrier.slope
    }

    /// Coefficient of friction.
    pub fn friction(&self) -> f64 {
        self.material.friction
    }

    /// The lagged contact on which friction acts during the next step.
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

    /// Upper bound of the stiffness between nodes of weight 1, N/m.
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

    /// The remaining terms of the energy's second derivative: `κ [m B' ∇²d + B' (∇m ∇dᵀ + ∇d ∇mᵀ) + B ∇²m]`.
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
