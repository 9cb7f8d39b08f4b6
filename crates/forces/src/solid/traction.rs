//! Loads on faces of a body: tractions that keep their direction, and pressure that follows the normal; both times a [`Ramp`].
//!
//! Traction (a dead load): force per area at rest, `f_a = s(t) t A/3` at each corner of a face; `E = -Σ f·x`, no stiffness.
//!
//! Pressure: `f_a = -s(t) p/6 (e₁ × e₂)` at each corner, `e_k = x_k - x₀`, against the outward normal of the present shape. On an open patch it has
//! no energy: its work depends on the motion of its rim (a whole closed surface has one: see [`crate::cloth::pressure`]). Its power is external
//! power in the energy budget. `∂f_a/∂x₁ = p/6 [e₂]×`, `∂f_a/∂x₂ = -p/6 [e₁]×`, and minus their sum for `x₀`: unsymmetric at the rim, and
//! indefinite; the positive semi-definite kind leaves it out.

use glam::{DMat3, DVec3};
use pliant_core::{
    DirtySet, Dissipative, ForceModel, ForceProperties, Incremental, Jacobian, JacobianKind, Rates, View,
};
use pliant_linalg::pattern::{Pattern, PatternBuilder};
use thiserror::Error;

use super::ramp::Ramp;
use crate::cloth::algebra::cross;

/// Errors of loads.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum LoadError {
    /// A corner does not exist.
    #[error("face {0} has a corner that is not there, or one twice")]
    BadFace(usize),
    /// NaN or infinite.
    #[error("loads must be finite")]
    NotFinite,
}

fn check(faces: &[[u32; 3]], particles: usize) -> Result<(), LoadError> {
    let bad = |[a, b, c]: &[u32; 3]| [a, b, c].iter().any(|n| **n as usize >= particles) || a == b || b == c || c == a;
    faces.iter().position(bad).map_or(Ok(()), |face| Err(LoadError::BadFace(face)))
}

/// A dead load.
#[derive(Clone, Debug)]
pub struct Traction {
    /// Particles and the force on each at factor 1, N, in increasing order.
    forces: Vec<(u32, DVec3)>,
    ramp: Ramp,
    /// The factor of the last evaluation.
    known: f64,
}

impl Traction {
    /// A traction in N/m² of the faces' area at rest, m.
    pub fn new(faces: &[[u32; 3]], rest: &[DVec3], traction: DVec3, ramp: Ramp) -> Result<Self, LoadError> {
        check(faces, rest.len())?;
        let mut total = vec![DVec3::ZERO; rest.len()];
        for face in faces {
            let [a, b, c] = face.map(|n| rest[n as usize]);
            let third = traction * ((b - a).cross(c - a).length() / 6.0);
            face.iter().for_each(|n| total[*n as usize] += third);
        }
        if total.iter().any(|f| !f.is_finite()) {
            return Err(LoadError::NotFinite);
        }
        let loaded = total.into_iter().enumerate().filter(|(_, f)| *f != DVec3::ZERO);
        Ok(Self { forces: loaded.map(|(n, f)| (n as u32, f)).collect(), ramp, known: f64::NAN })
    }

    /// `Σ f·x` at factor 1, J.
    fn work(&self, view: &View) -> f64 {
        self.forces.iter().map(|(n, f)| f.dot(view.x[*n as usize])).sum()
    }
}

impl ForceModel for Traction {
    fn name(&self) -> &'static str {
        "traction"
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties { is_linear: true, is_steady: self.ramp.is_constant(), ..ForceProperties::default() }
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        Some(-self.ramp.at(view.time).0 * self.work(view))
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        let (factor, _) = self.ramp.at(view.time);
        self.known = factor;
        self.forces.iter().for_each(|(n, f)| out[*n as usize] += *f * factor);
    }

    pliant_core::capabilities!(dissipative, incremental);
}

impl Dissipative for Traction {
    fn external_power(&mut self, view: &View) -> f64 {
        // ∂E/∂t
        match self.ramp.at(view.time).1 {
            0.0 => 0.0,
            rate => -rate * self.work(view),
        }
    }
}

impl Incremental for Traction {
    fn mark_dirty(&mut self, view: &View, _moved: &DirtySet, out: &mut DirtySet) {
        if self.known != self.ramp.at(view.time).0 {
            self.forces.iter().for_each(|(n, _)| out.add(*n));
        }
    }

    fn update_force(&mut self, view: &View, reached: &[u32], out: &mut [DVec3]) {
        let (factor, _) = self.ramp.at(view.time);
        self.known = factor;
        for n in reached {
            if let Ok(at) = self.forces.binary_search_by_key(n, |(n, _)| *n) {
                out[*n as usize] += self.forces[at].1 * factor;
            }
        }
    }
}

/// A pressure on faces.
#[derive(Clone, Debug)]
pub struct FacePressure {
    faces: Vec<[u32; 3]>,
    /// Particles and their faces, in order.
    incident: Vec<(u32, u32)>,
    /// For each face the positions of its nine blocks in the matrix, by rows.
    positions: Vec<[u32; 9]>,
    pressure: f64,
    ramp: Ramp,
    /// A sixth of the pressure at the last evaluation.
    known: f64,
}

impl FacePressure {
    /// A pressure in Pa on faces with corners counterclockwise as seen from outside, of a system of `particles` particles.
    pub fn new(faces: Vec<[u32; 3]>, particles: usize, pressure: f64, ramp: Ramp) -> Result<Self, LoadError> {
        check(&faces, particles)?;
        if !pressure.is_finite() {
            return Err(LoadError::NotFinite);
        }
        let corners = |(face, corners): (u32, &[u32; 3])| corners.map(|n| (n, face));
        let mut incident: Vec<(u32, u32)> = (0..).zip(&faces).flat_map(corners).collect();
        incident.sort_unstable();
        Ok(Self { faces, incident, positions: Vec::new(), pressure, ramp, known: f64::NAN })
    }

    /// A sixth of the pressure, at the time of a view.
    fn sixth(&self, view: &View) -> f64 {
        self.pressure * self.ramp.at(view.time).0 / 6.0
    }

    /// The faces of a particle, in order.
    fn around(&self, particle: u32) -> impl Iterator<Item = &[u32; 3]> {
        let first = self.incident.partition_point(|(n, _)| *n < particle);
        let own = self.incident[first..].iter().take_while(move |(n, _)| *n == particle);
        own.map(|(_, face)| &self.faces[*face as usize])
    }
}

/// `e₁, e₂`.
fn edges(face: &[u32; 3], x: &[DVec3]) -> [DVec3; 2] {
    let [a, b, c] = face.map(|n| x[n as usize]);
    [b - a, c - a]
}

/// Axes `w_b` of `∂f_a/∂x_b = p/6 [w_b]×`, the same for every a.
fn axes([e1, e2]: [DVec3; 2]) -> [DVec3; 3] {
    [e1 - e2, e2, -e1]
}

impl ForceModel for FacePressure {
    fn name(&self) -> &'static str {
        "face-pressure"
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties {
            is_steady: self.ramp.is_constant(),
            has_symmetric_jacobian: false,
            ..ForceProperties::default()
        }
    }

    fn energy(&mut self, _view: &View) -> Option<f64> {
        None
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        let sixth = self.sixth(view);
        self.known = sixth;
        for face in &self.faces {
            let [e1, e2] = edges(face, view.x);
            let force = e1.cross(e2) * -sixth;
            face.iter().for_each(|n| out[*n as usize] += force);
        }
    }

    fn couple(&self, pattern: &mut PatternBuilder) {
        for [a, b, c] in &self.faces {
            for (a, b) in [(a, b), (b, c), (c, a)] {
                pattern.couple(*a as usize, *b as usize);
            }
        }
    }

    fn bind(&mut self, pattern: &Pattern) {
        let find = |face: &[u32; 3], at: usize| {
            let (row, column) = (face[at / 3] as usize, face[at % 3] as usize);
            pattern.find(row, column).expect("couple() announced every pair of a face") as u32
        };
        self.positions = self.faces.iter().map(|face| std::array::from_fn(|at| find(face, at))).collect();
    }

    fn add_jacobian(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        if kind == JacobianKind::Psd {
            return;
        }
        let sixth = self.sixth(view);
        let is_wanted = |n: &u32| !out.is_partial || out.rows.binary_search(n).is_ok();
        for (face, positions) in self.faces.iter().zip(&self.positions).filter(|(f, _)| f.iter().any(is_wanted)) {
            let w = axes(edges(face, view.x)).map(|w| w * sixth);
            for (at, position) in positions.iter().enumerate() {
                let axis = match kind {
                    JacobianKind::Symmetric => (w[at % 3] - w[at / 3]) * 0.5,
                    _ => w[at % 3],
                };
                let block: DMat3 = cross(axis);
                out.stiffness.values[*position as usize] += block;
            }
        }
    }

    fn add_rates(&mut self, view: &View, free: &[bool], out: &mut [Rates]) {
        let sixth = self.sixth(view).abs();
        for face in &self.faces {
            let w = axes(edges(face, view.x));
            for a in 0..3 {
                let partners = (0..3).filter(|b| free[face[*b] as usize]);
                let sum: f64 = partners.map(|b| 0.5 * (w[b] - w[a]).length()).sum();
                out[face[a] as usize].stiffness += sixth * sum;
            }
        }
    }

    pliant_core::capabilities!(dissipative, incremental);
}

impl Dissipative for FacePressure {
    fn external_power(&mut self, view: &View) -> f64 {
        let sixth = self.sixth(view);
        let power = |face: &[u32; 3]| {
            let [e1, e2] = edges(face, view.x);
            let speed: DVec3 = face.iter().map(|n| view.v[*n as usize]).sum();
            -sixth * e1.cross(e2).dot(speed)
        };
        self.faces.iter().map(power).sum()
    }
}

impl Incremental for FacePressure {
    fn mark_dirty(&mut self, view: &View, moved: &DirtySet, out: &mut DirtySet) {
        if self.known != self.sixth(view) {
            return self.faces.iter().flatten().for_each(|n| out.add(*n));
        }
        for particle in moved.list() {
            self.around(*particle).flatten().for_each(|n| out.add(*n));
        }
    }

    fn update_force(&mut self, view: &View, reached: &[u32], out: &mut [DVec3]) {
        let sixth = self.sixth(view);
        self.known = sixth;
        for particle in reached {
            for face in self.around(*particle) {
                let [e1, e2] = edges(face, view.x);
                out[*particle as usize] += e1.cross(e2) * -sixth;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [DVec3; 4] = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y];
    const FACES: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

    fn force(model: &mut dyn ForceModel, time: f64) -> DVec3 {
        let mut out = [DVec3::ZERO; 4];
        model.add_force(&View { time, x: &SQUARE, v: &[DVec3::ZERO; 4] }, &mut out);
        out.iter().sum()
    }

    #[test]
    fn loads_are_force_times_area_times_the_ramp() {
        let mut traction = Traction::new(&FACES, &SQUARE, DVec3::new(3.0, 0.0, -2.0), Ramp::up(2.0)).unwrap();
        assert!((force(&mut traction, 1.0) - DVec3::new(1.5, 0.0, -1.0)).length() < 1e-15);
        let moved = View { time: 1.0, x: &SQUARE, v: &[DVec3::ZERO; 4] };
        let energy = traction.energy(&moved).unwrap();
        assert!((traction.external_power(&moved) - energy).abs() < 1e-15, "rate ½, factor ½");
        // against the outward normal z
        let mut pressure = FacePressure::new(FACES.to_vec(), 4, 5.0, Ramp::default()).unwrap();
        assert!((force(&mut pressure, 0.0) + DVec3::Z * 5.0).length() < 1e-15);
        let up = View { time: 0.0, x: &SQUARE, v: &[DVec3::Z * 2.0; 4] };
        assert!((pressure.external_power(&up) + 10.0).abs() < 1e-14);
    }

    #[test]
    fn bad_faces_and_loads_are_refused() {
        let none = Ramp::default;
        assert_eq!(Traction::new(&[[0, 1, 9]], &SQUARE, DVec3::X, none()).err(), Some(LoadError::BadFace(0)));
        assert_eq!(Traction::new(&FACES, &SQUARE, DVec3::NAN, none()).err(), Some(LoadError::NotFinite));
        assert_eq!(FacePressure::new(vec![[0, 1, 1]], 4, 1.0, none()).err(), Some(LoadError::BadFace(0)));
        assert_eq!(FacePressure::new(vec![], 4, f64::NAN, none()).err(), Some(LoadError::NotFinite));
    }
}
