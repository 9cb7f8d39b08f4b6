//! One pair of features within reach of each other, and all that follows from it: energy, forces, derivatives.
//!
//! With d the distance, w the weights of its four nodes (`d = |Σ w x|`, `∇_i d = w_i n`), g = d - (radii) the gap and B the barrier,
//! `E = κ m B(g)`; m is 1 but for nearly parallel edges, whose distance has no derivative where they are parallel [Incremental] 5.

use glam::{DMat3, DVec3};
use pliant_core::JacobianKind;
use pliant_geom::distance::{PairKind, closest};
use pliant_geom::mollifier::{self, Mollifier};

use super::barrier::{Barrier, barrier};
use super::friction::{outer, smoothed, tangent};

/// What is meant by a node that is not there.
pub const NOBODY: u32 = u32::MAX;

/// Two features that may come near each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// A vertex and a triangle, or two edges.
    pub kind: PairKind,
    /// Their nodes.
    pub nodes: [u32; 4],
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
pub struct Touch {
    /// Its nodes; a vertex on a plane has only one.
    pub nodes: [u32; 4],
    /// `∇_i d = weights[i] normal`.
    pub weights: [f64; 4],
    /// From the second feature to the first.
    pub normal: DVec3,
    material: Material,
    barrier: Barrier,
    mollifier: f64,
    /// Velocity of the plane that it is on, m/s.
    pub carried: DVec3,
    /// Absent on a plane, whose normal does not change.
    kind: Option<PairKind>,
}

impl Touch {
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

    /// A vertex above a plane, if it is within reach.
    pub fn on_plane(vertex: u32, gap: f64, normal: DVec3, carried: DVec3, material: Material) -> Option<Self> {
        (gap < material.thickness).then(|| Self {
            nodes: [vertex, NOBODY, NOBODY, NOBODY],
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

    /// Sliding velocity, m/s.
    pub fn sliding(&self, v: &[DVec3; 4]) -> DVec3 {
        let relative = combine(&self.weights, v) - self.carried;
        relative - self.normal * self.normal.dot(relative)
    }

    /// Power of friction, W.
    pub fn friction_power(&self, v: &[DVec3; 4], creep: f64) -> f64 {
        let u = self.sliding(v);
        -self.material.friction * self.pressure() * smoothed(u.length(), creep).0 * u.length_squared()
    }

    /// Forces on the four nodes, N.
    pub fn forces(&self, x: &[DVec3; 4], v: &[DVec3; 4], creep: f64) -> [DVec3; 4] {
        let mut push = self.normal * self.pressure();
        if self.material.friction > 0.0 {
            let u = self.sliding(v);
            push -= u * (self.material.friction * self.pressure() * smoothed(u.length(), creep).0);
        }
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

    /// Bounds of the diagonal: N/m and N s/m for a weight of 1.
    pub fn rates(&self, v: &[DVec3; 4], creep: f64) -> (f64, f64) {
        let stiffness = self.material.stiffness * self.mollifier * self.barrier.curvature;
        let (g, _) = smoothed(self.sliding(v).length(), creep);
        (stiffness, self.material.friction * self.pressure() * g)
    }

    /// Writes `∂f_i/∂x_j` and `∂f_i/∂v_j`.
    pub fn jacobian(
        &self,
        x: &[DVec3; 4],
        v: &[DVec3; 4],
        creep: f64,
        kind: JacobianKind,
        mut write: impl FnMut(usize, usize, DMat3, DMat3),
    ) {
        let Material { stiffness, friction, .. } = self.material;
        let normal = self.normal;
        let steep = outer(normal, normal) * (stiffness * self.mollifier * self.barrier.curvature);
        let u = self.sliding(v);
        let drag = tangent(u, normal, creep) * (friction * self.pressure());
        let curved = if kind == JacobianKind::Psd { None } else { self.kind.map(|kind| self.curved(kind, x)) };
        let turned = (kind == JacobianKind::Exact && friction > 0.0).then(|| self.turned(x, v, u, creep));
        let count = if self.kind.is_some() { 4 } else { 1 };
        for i in 0..count {
            for j in 0..count {
                let product = self.weights[i] * self.weights[j];
                let mut k = steep * -product;
                if let Some(curved) = &curved {
                    k -= curved[i][j];
                }
                if let Some(turned) = &turned {
                    k += turned[i][j];
                }
                write(i, j, k, drag * -product);
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

    /// How friction changes because pressure, weights and normal do; unsymmetric.
    fn turned(&self, x: &[DVec3; 4], v: &[DVec3; 4], u: DVec3, creep: f64) -> [[DMat3; 4]; 4] {
        let Material { stiffness, friction, .. } = self.material;
        let (n, lambda) = (self.normal, self.pressure());
        let (g, rate) = smoothed(u.length(), creep);
        let along = DMat3::from_diagonal(DVec3::splat(g)) + outer(u, u) * rate;
        let plane = DMat3::IDENTITY - outer(n, n);
        let relative = combine(&self.weights, v) - self.carried;
        let mut gradient = [DVec3::ZERO; 4];
        if self.mollifier < 1.0 {
            gradient = Mollifier::new(x, self.material.parallel).gradient;
        }
        let closest = self.kind.map(|kind| closest(kind, x));
        let changes = closest.as_ref().map_or([[DVec3::ZERO; 4]; 4], |closest| closest.weight_gradients(x));
        let distance = closest.as_ref().map_or(1.0, |closest| closest.distance);
        let mut out = [[DMat3::ZERO; 4]; 4];
        for j in 0..4 {
            let presses = (n * (self.mollifier * self.barrier.curvature * self.weights[j])
                + gradient[j] * self.barrier.slope)
                * -stiffness;
            let (mut dv, mut dr) = (DMat3::ZERO, DMat3::from_diagonal(DVec3::splat(self.weights[j])));
            for k in 0..4 {
                dv += outer(v[k], changes[k][j]);
                dr += outer(x[k], changes[k][j]);
            }
            let dn = if self.kind.is_some() { plane * dr * (1.0 / distance) } else { DMat3::ZERO };
            // u = V - n (n·V)
            let du = plane * dv - dn * n.dot(relative) - outer(n, dn.transpose() * relative);
            for i in 0..4 {
                let sum = outer(u, presses) * (g * self.weights[i])
                    + outer(u, changes[i][j]) * (lambda * g)
                    + along * du * (lambda * self.weights[i]);
                out[i][j] = sum * -friction;
            }
        }
        out
    }
}

fn combine(weights: &[f64; 4], values: &[DVec3; 4]) -> DVec3 {
    values[0] * weights[0] + values[1] * weights[1] + values[2] * weights[2] + values[3] * weights[3]
}
