//! Lagged Coulomb friction, smoothed: `f = -μ λ φ(|u|/s) u/|u|` for a sliding velocity u, with φ(y) = 2y - y² below 1 and 1 above [Incremental]
//! eq. 12. Below the speed s (ε_v of IPC, `contact.creep`) friction is regularized, so sticking contacts creep: the cost of a differentiable force.
//!
//! Normal force, contact point and tangent plane are lagged: taken from the start of the step, as there. Within a step friction then has a
//! dissipation potential and a symmetric derivative, and Newton's method converges. Friction is one step behind the contact.

use glam::{DMat3, DVec3};

use crate::cloth::algebra::outer;

/// The factor g in `f = -μ λ g u`, and its derivative g'/|u|.
pub fn friction_factor(speed: f64, creep: f64) -> (f64, f64) {
    if speed < creep {
        // g = (2 - y)/s with y = |u|/s; g'/|u| = -1/(s² |u|)
        let y = speed / creep;
        let rate = if speed > 0.0 { -1.0 / (creep * creep * speed) } else { 0.0 };
        ((2.0 - y) / creep, rate)
    } else {
        (1.0 / speed, -1.0 / (speed * speed * speed))
    }
}

/// `∫ φ` from rest to a speed, m/s: the potential of a force of 1 N.
pub fn friction_potential(speed: f64, creep: f64) -> f64 {
    let y = speed / creep;
    if y < 1.0 { creep * (y * y - y * y * y / 3.0) } else { speed - creep / 3.0 }
}

/// Friction of a contact in an iterate of Newton's method: the sliding velocity u and the force w that the linear model predicts there, as a part
/// of its largest. With a = 1/g the law is `a(|u|) w = u`, and its linearization about (u, w) is
///
/// `δw = (δu - w (∇a·δu))/a + u/a - w`.
///
/// With w of the law this is the exact derivative, which vanishes along the slip: Newton's method then overshoots contacts that come to rest, and
/// the force changes sign again and again. A w that is predicted by the iterates before has not changed sign yet, and the derivative is
/// stiff where the prediction and the law differ. It is the primal-dual method for total variation (Chan, Golub and Mulet 1999); both agree where
/// Newton's method converges.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct PredictedForce {
    u: DVec3,
    w: DVec3,
}

impl PredictedForce {
    /// The force of the law itself.
    pub fn exact(u: DVec3, creep: f64) -> Self {
        Self { u, w: u * friction_factor(u.length(), creep).0 }
    }

    /// The force predicted at another sliding velocity, at most 1.
    pub fn advanced(&self, u: DVec3, creep: f64) -> Self {
        let (g, gradient) = self.linear_model(creep);
        let w = (u - self.w * gradient.dot(u - self.u)) * g;
        Self { u, w: w / w.length().max(1.0) }
    }

    /// The distance of the predicted force from the law.
    pub fn error(&self, creep: f64) -> f64 {
        (Self::exact(self.u, creep).w - self.w).length()
    }

    /// 1/a and ∇a at the sliding velocity.
    fn linear_model(&self, creep: f64) -> (f64, DVec3) {
        let speed = self.u.length();
        let (g, rate) = friction_factor(speed, creep);
        (g, self.u * (-rate / (g * g)))
    }

    /// `∂w/∂u` within the tangent plane of `normal`, its symmetric part: eigenvalues are never negative, because w and ∇a are at most 1.
    pub fn tangent(&self, normal: DVec3, creep: f64) -> DMat3 {
        let (g, gradient) = self.linear_model(creep);
        let product = outer(self.w, gradient);
        (DMat3::IDENTITY - outer(normal, normal) - (product + product.transpose()) * 0.5) * g
    }
}

/// A contact with its normal force at the start of the step, on which friction acts for one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaggedContact {
    /// Its nodes.
    pub nodes: [u32; 4],
    /// Sliding velocity is the part of `Σ weights v - carried`
    pub weights: [f64; 4],
    /// tangential to this normal;
    pub normal: DVec3,
    /// `carried` is the velocity of the plane or turning surface, m/s.
    pub carried: DVec3,
    /// μ λ, N.
    pub strength: f64,
}

impl LaggedContact {
    /// Sliding velocity, m/s.
    pub fn sliding(&self, v: &[DVec3; 4]) -> DVec3 {
        let relative = (0..4).fold(-self.carried, |sum, i| sum + v[i] * self.weights[i]);
        relative - self.normal * self.normal.dot(relative)
    }

    /// The force on a node of weight 1, N.
    pub fn force(&self, v: &[DVec3; 4], creep: f64) -> DVec3 {
        let u = self.sliding(v);
        u * -(self.strength * friction_factor(u.length(), creep).0)
    }

    /// The potential of which [`LaggedContact::force`] is minus the derivative by velocity, W: `μ λ ∫ φ`.
    pub fn potential(&self, v: &[DVec3; 4], creep: f64) -> f64 {
        self.strength * friction_potential(self.sliding(v).length(), creep)
    }

    /// Power of the friction force, W.
    pub fn power(&self, v: &[DVec3; 4], creep: f64) -> f64 {
        self.force(v, creep).dot(self.sliding(v))
    }

    /// `∂f/∂v` between two nodes of weight 1, N s/m.
    pub fn derivative(&self, predicted: &PredictedForce, creep: f64) -> DMat3 {
        predicted.tangent(self.normal, creep) * -self.strength
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_at_the_creeping_speed_and_smooth_there() {
        let creep = 1e-4;
        let force = |speed: f64| friction_factor(speed, creep).0 * speed;
        assert!((force(creep) - 1.0).abs() < 1e-12 && (force(3.0 * creep) - 1.0).abs() < 1e-12);
        assert!((force(creep * (1.0 - 1e-6)) - 1.0).abs() < 1e-11);
        assert!((force(0.5 * creep) - 0.75).abs() < 1e-12);
    }

    #[test]
    fn the_derivative_is_that_of_the_force() {
        let (creep, normal) = (0.3, DVec3::Y);
        for u in [DVec3::new(0.1, 0.0, 0.05), DVec3::new(0.5, 0.0, -0.4)] {
            let d = DVec3::new(0.3, 0.0, 0.7);
            let force = |u: DVec3| u * friction_factor(u.length(), creep).0;
            let h = 1e-6;
            let difference = (force(u + d * h) - force(u - d * h)) / (2.0 * h);
            let tangent = PredictedForce::exact(u, creep).tangent(normal, creep);
            assert!((difference - tangent * d).length() < 1e-8);
        }
    }

    #[test]
    fn the_force_is_minus_the_derivative_of_the_potential() {
        let contact = LaggedContact {
            nodes: [0, 1, 2, 3],
            weights: [1.0, -0.2, -0.5, -0.3],
            normal: DVec3::new(0.6, 0.0, 0.8),
            carried: DVec3::new(0.02, -0.1, 0.05),
            strength: 3.7,
        };
        // creeping and sliding
        for creep in [2.0, 0.1] {
            let v = [0.3, -0.2, 0.5, 0.1].map(|k| DVec3::new(k, 0.7 - k, k * k));
            let h = 1e-6;
            for (i, weight) in contact.weights.into_iter().enumerate() {
                for axis in DVec3::AXES {
                    let at = |h: f64| {
                        let mut v = v;
                        v[i] += axis * h;
                        contact.potential(&v, creep)
                    };
                    let (slope, force) = ((at(h) - at(-h)) / (2.0 * h), contact.force(&v, creep).dot(axis) * weight);
                    assert!((slope + force).abs() < 1e-8, "{creep} m/s, node {i}: {slope} {force}");
                }
            }
        }
    }
}
