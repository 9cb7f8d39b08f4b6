//! The rigid part of a residual, body by body. Internal forces exert no net force and no torque on a body, so no force restores an error of its
//! momentum or angular momentum: it stays for the rest of the run, however small it was in metres. A Newton correction does not remove
//! it either where its matrix was assembled in a strained state, whose stresses resist rotation.
//!
//! A body here is a connected component of the matrix pattern without pinned particles.

use glam::{DMat3, DVec3};
use pliant_linalg::pattern::Pattern;
use pliant_scalar::math;

/// Inertia added about all axes, as a part of the trace: a straight line has none about its own axis.
const THIN: f64 = 1e-12;
/// Marks a particle without a free body: connected to a pinned particle, or in contact.
const NONE: u32 = u32::MAX;

/// (No `Default`: that of a matrix is the identity.)
#[derive(Clone, Copy, Debug)]
struct Body {
    mass: f64,
    middle: DVec3,
    /// m/s
    velocity: DVec3,
    /// rad/s
    spin: DVec3,
    inertia: DMat3,
}

impl Body {
    const ZERO: Body =
        Body { mass: 0.0, middle: DVec3::ZERO, velocity: DVec3::ZERO, spin: DVec3::ZERO, inertia: DMat3::ZERO };

    /// The spin of a given angular momentum, rad/s.
    fn spin_with(&self, momentum: DVec3) -> DVec3 {
        let inertia = self.inertia;
        let trace = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
        let full = inertia + DMat3::from_diagonal(DVec3::splat(THIN * trace));
        if trace > 0.0 { full.inverse() * momentum } else { DVec3::ZERO }
    }
}

/// Free bodies of a system and their last rigid motion.
#[derive(Clone, Debug, Default)]
pub(super) struct RigidBodies {
    body: Vec<u32>,
    bodies: Vec<Body>,
    /// Per body: whether a force acts on it that is not in the matrix pattern.
    in_contact: Vec<bool>,
    /// Whether every particle belongs to a free body.
    is_all: bool,
}

impl RigidBodies {
    /// Finds the connected components without pinned particles.
    pub fn label(&mut self, pattern: &Pattern, free: &[bool]) {
        let count = free.len();
        let mut parent: Vec<u32> = (0..count as u32).collect();
        for i in 0..count {
            for k in pattern.row(i) {
                let (a, b) = (root(&mut parent, i as u32), root(&mut parent, pattern.columns[k]));
                // the smaller number wins: the first particle of a body represents it
                parent[a.max(b) as usize] = a.min(b);
            }
        }
        let mut held = vec![false; count];
        for i in 0..count {
            held[root(&mut parent, i as u32) as usize] |= !free[i];
        }
        let mut number = vec![NONE; count];
        self.bodies.clear();
        self.body.clear();
        for i in 0..count {
            let first = root(&mut parent, i as u32) as usize;
            if first == i && !held[i] {
                number[i] = self.bodies.len() as u32;
                self.bodies.push(Body::ZERO);
            }
            self.body.push(number[first]);
        }
        self.is_all = !self.body.contains(&NONE);
        self.in_contact = vec![false; self.bodies.len()];
    }

    /// Marks all bodies as free of contact, until [`RigidBodies::mark_contact`].
    pub fn release(&mut self) {
        self.in_contact.fill(false);
    }

    /// Marks the body of a particle as in contact: it has no free motion.
    pub fn mark_contact(&mut self, particle: usize) {
        if let Some(in_contact) = self.in_contact.get_mut(self.body[particle] as usize) {
            *in_contact = true;
        }
    }

    /// Whether every particle belongs to a body that is not in contact.
    pub fn is_free_flight(&self) -> bool {
        self.is_all && !self.in_contact.contains(&true)
    }

    /// The largest spin in the motion found last, rad/s.
    pub fn fastest_spin(&self) -> f64 {
        self.bodies.iter().map(|body| body.spin.length()).fold(0.0, f64::max)
    }

    /// Whether there are no free bodies.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Finds the rigid motions at x with the momentum and the angular momentum of `right(i)`, kg m/s. Bodies in contact have none.
    pub fn find(&mut self, masses: &[f64], x: &[DVec3], right: impl Fn(usize) -> DVec3) {
        self.bodies.fill(Body::ZERO);
        for (i, number) in self.body.iter().enumerate() {
            if let Some(body) = self.bodies.get_mut(*number as usize) {
                body.mass += masses[i];
                body.middle += x[i] * masses[i];
                body.velocity += right(i);
            }
        }
        for body in &mut self.bodies {
            body.middle /= body.mass;
            body.velocity /= body.mass;
        }
        for (i, number) in self.body.iter().enumerate() {
            if let Some(body) = self.bodies.get_mut(*number as usize) {
                let arm = x[i] - body.middle;
                body.spin += arm.cross(right(i));
                let outer = DMat3::from_cols(arm * arm.x, arm * arm.y, arm * arm.z);
                body.inertia += (DMat3::from_diagonal(DVec3::splat(arm.length_squared())) - outer) * masses[i];
            }
        }
        for (body, in_contact) in self.bodies.iter_mut().zip(&self.in_contact) {
            body.spin = body.spin_with(body.spin);
            if *in_contact || !(body.spin.is_finite() && body.velocity.is_finite()) {
                (body.velocity, body.spin) = (DVec3::ZERO, DVec3::ZERO);
            }
        }
    }

    /// Rotational energy in the motion found last, J.
    pub fn spin_energy(&self) -> f64 {
        self.bodies.iter().map(|body| 0.5 * body.spin.dot(body.inertia * body.spin)).sum()
    }

    /// Angular momenta about the centres of mass in the motion found last, body by body.
    pub fn write_angular_momenta(&self, out: &mut Vec<DVec3>) {
        out.clear();
        out.extend(self.bodies.iter().map(|body| body.inertia * body.spin));
    }

    /// Adds those to others.
    pub fn add_angular_momenta(&self, to: &mut [DVec3]) {
        to.iter_mut().zip(&self.bodies).for_each(|(to, body)| *to += body.inertia * body.spin);
    }

    /// Sets the motion with these angular momenta and without velocities of the centres of mass.
    pub fn spin_by(&mut self, momenta: &[DVec3]) {
        for (body, momentum) in self.bodies.iter_mut().zip(momenta) {
            (body.velocity, body.spin) = (DVec3::ZERO, body.spin_with(*momentum));
        }
    }

    /// Velocities of the centres of mass in the motion found last, m/s, body by body.
    pub fn write_drifts(&self, out: &mut Vec<DVec3>) {
        out.clear();
        out.extend(self.bodies.iter().map(|body| body.velocity));
    }

    /// The momenta of the centres of mass in the motion found last, as a sum of lengths, kg m/s.
    pub fn momentum(&self) -> f64 {
        self.bodies.iter().map(|body| body.velocity.length() * body.mass).sum()
    }

    /// The energy that bodies with these angular momenta gain by those of the motion found last, J.
    pub fn power_of(&self, momenta: &[DVec3]) -> f64 {
        self.bodies.iter().zip(momenta).map(|(body, momentum)| body.spin.dot(*momentum)).sum()
    }

    /// Sets the motion that changes the velocities of the centres of mass found last to these.
    pub fn drift_by(&mut self, drifts: &[DVec3]) {
        for (body, drift) in self.bodies.iter_mut().zip(drifts) {
            (body.velocity, body.spin) = (*drift - body.velocity, DVec3::ZERO);
        }
    }

    /// Sets the spins to small angles, rad, by which bodies are rotated to lower their rotational energy at the same angular momentum: to first
    /// order by `excess`, J. `false` where that angle is larger than `most`.
    pub fn tilt(&mut self, excess: f64, most: f64) -> bool {
        let slope = |body: &Body| body.spin.cross(body.inertia * body.spin);
        let steepness: f64 = self.bodies.iter().map(|body| slope(body).length_squared()).sum();
        let scale = -excess / steepness;
        let steepest = self.bodies.iter().map(|body| slope(body).length()).fold(0.0, f64::max);
        let angle = scale.abs() * steepest;
        if angle.is_nan() || angle > most {
            return false;
        }
        self.bodies.iter_mut().for_each(|body| body.spin = slope(&*body) * scale);
        true
    }

    /// The spin of a particle's body, rad/s, in the motion found last.
    pub fn spin(&self, i: usize) -> DVec3 {
        self.bodies.get(self.body[i] as usize).map_or(DVec3::ZERO, |body| body.spin)
    }

    /// The centre of mass of a particle's body, m.
    pub fn middle(&self, i: usize) -> DVec3 {
        self.bodies.get(self.body[i] as usize).map_or(DVec3::ZERO, |body| body.middle)
    }

    /// The velocity of a particle at x, m/s, in the motion found last.
    pub fn velocity(&self, i: usize, x: DVec3) -> DVec3 {
        self.bodies
            .get(self.body[i] as usize)
            .map_or(DVec3::ZERO, |body| body.velocity + body.spin.cross(x - body.middle))
    }

    /// The velocity of the centre of mass of a particle's body, m/s, in the motion found last.
    pub fn drift(&self, i: usize) -> DVec3 {
        self.bodies.get(self.body[i] as usize).map_or(DVec3::ZERO, |body| body.velocity)
    }

    /// The velocity after a time γ of that motion, of a particle at x.
    pub fn tangent(&self, i: usize, x: DVec3, gamma: f64) -> DVec3 {
        self.bodies.get(self.body[i] as usize).map_or(DVec3::ZERO, |body| {
            let arm = x - body.middle;
            body.velocity + body.spin.cross(arm + turned(body.spin * gamma, arm))
        })
    }

    /// Displacement of a particle at x by that motion in a time γ, m: rotated, not only moved along the tangent.
    pub fn moved(&self, i: usize, x: DVec3, gamma: f64) -> DVec3 {
        self.bodies
            .get(self.body[i] as usize)
            .map_or(DVec3::ZERO, |body| body.velocity * gamma + turned(body.spin * gamma, x - body.middle))
    }
}

/// Change of an arm by a rotation vector. (Not as a difference of two arms: small angles would lose their digits.)
pub(super) fn turned(angle: DVec3, arm: DVec3) -> DVec3 {
    let half = 0.5 * angle.length();
    let (sine, cosine) = math::sin_cos(half);
    let (s, c) = if half > 0.0 { (sine * cosine / half, 0.5 * (sine / half).powi(2)) } else { (1.0, 0.5) };
    let tangent = angle.cross(arm);
    tangent * s + angle.cross(tangent) * c
}

fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}

#[cfg(test)]
mod tests {
    use glam::DQuat;

    use super::*;

    #[test]
    fn bodies_are_turned_not_stretched() {
        let x = [DVec3::ZERO, DVec3::new(1.0, 0.0, 0.0), DVec3::new(0.0, 2.0, 0.0), DVec3::new(5.0, 0.0, 0.0)];
        let mut bodies =
            RigidBodies { body: vec![0, 0, 0, NONE], bodies: vec![Body::ZERO], in_contact: vec![false], is_all: false };
        let masses = [1.0, 2.0, 3.0, 1.0];
        let middle = (x[1] * 2.0 + x[2] * 3.0) / 6.0;
        let (velocity, spin) = (DVec3::new(0.1, 0.2, 0.3), DVec3::new(0.3, -0.2, 0.5));
        let right: Vec<DVec3> = (0..4).map(|i| (velocity + spin.cross(x[i] - middle)) * masses[i]).collect();
        bodies.find(&masses, &x, |i| right[i]);
        for i in 0..3 {
            assert!((bodies.velocity(i, x[i]) * masses[i] - right[i]).length() < 1e-10);
            let turned = middle + DQuat::from_scaled_axis(spin * 0.7) * (x[i] - middle) + velocity * 0.7;
            assert!((x[i] + bodies.moved(i, x[i], 0.7) - turned).length() < 1e-10);
        }
        assert_eq!(bodies.velocity(3, x[3]), DVec3::ZERO);
        bodies.mark_contact(1);
        bodies.find(&masses, &x, |i| right[i]);
        assert_eq!(bodies.moved(2, x[2], 1.0), DVec3::ZERO);
    }
}
