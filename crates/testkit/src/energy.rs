//! Invariants of symplectic schemes: area, energy, momentum.

use glam::DVec3;
use pliant_core::{State, System};
use pliant_time::catalog::{Entry, SolverSpec};

use crate::problems::{Problem, pendulum};
use crate::stepper::Stepper;

/// Determinant of the map (x, v) → (x1, v1) of one step along the x axis of a problem's last particle, by differences over five points
/// (error `w⁴/30` times the fifth derivative, plus rounding of about `ε/w`).
///
/// # Panics
/// If a step fails.
pub fn determinant(problem: Problem, entry: &Entry, dt: f64, width: f64) -> f64 {
    let start = problem.state.clone();
    let mut stepper = Stepper::new(problem, entry, &SolverSpec::default());
    let mut end = |dx: f64, dv: f64| {
        let mut state = start.clone();
        let last = state.len() - 1;
        state.x[last].x += dx;
        state.v[last].x += dv;
        stepper.restart(state);
        stepper.step(dt).expect("a step");
        let state = &stepper.point.state;
        [state.x[last].x, state.v[last].x]
    };
    let mut derivative = |dx: f64, dv: f64| {
        let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k: f64| end(k * dx, k * dv));
        [0, 1].map(|i| (a[i] - 8.0 * b[i] + 8.0 * c[i] - d[i]) / (12.0 * width))
    };
    let (x, v) = (derivative(width, 0.0), derivative(0.0, width));
    x[0] * v[1] - x[1] * v[0]
}

/// Energy of the pendulum `θ'' = -sin θ` in the course of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deviation {
    /// Largest |E - E0| in the first half of the run, J.
    pub first_half: f64,
    /// Largest |E - E0| in the second half, J.
    pub second_half: f64,
    /// E - E0 at the end, J.
    pub last: f64,
}

impl Deviation {
    /// Largest |E - E0|.
    pub fn largest(&self) -> f64 {
        self.first_half.max(self.second_half)
    }
}

/// Energy deviation of the pendulum from (1, 0).
///
/// # Panics
/// If a step fails.
pub fn pendulum_deviation(entry: &Entry, dt: f64, steps: u32) -> Deviation {
    let mut stepper = Stepper::new(pendulum(1.0, 0.0), entry, &SolverSpec::default());
    let energy = |state: &State| 0.5 * state.v[0].x * state.v[0].x - state.x[0].x.cos();
    let start = energy(&stepper.point.state);
    let mut deviation = Deviation::default();
    for step in 0..steps {
        stepper.step(dt).expect("a step");
        let change = energy(&stepper.point.state) - start;
        let half = if step < steps / 2 { &mut deviation.first_half } else { &mut deviation.second_half };
        *half = half.max(change.abs());
        deviation.last = change;
    }
    deviation
}

/// Momenta of a state, with the sums of their terms' norms.
#[derive(Clone, Copy, Debug)]
pub struct Momenta {
    /// Σ m v, kg m/s.
    pub linear: DVec3,
    /// Σ x × m v, kg m²/s.
    pub angular: DVec3,
    /// Σ m |v|.
    pub linear_scale: f64,
    /// Σ m |x| |v|.
    pub angular_scale: f64,
}

/// Momenta of a state.
pub fn momenta(system: &System, state: &State) -> Momenta {
    let particles = || system.masses().iter().zip(&state.x).zip(&state.v).map(|((m, x), v)| (*m, *x, *v));
    Momenta {
        linear: system.momentum(state),
        angular: particles().map(|(m, x, v)| x.cross(v * m)).sum(),
        linear_scale: particles().map(|(m, _, v)| m * v.length()).sum(),
        angular_scale: particles().map(|(m, x, v)| m * x.length() * v.length()).sum(),
    }
}
