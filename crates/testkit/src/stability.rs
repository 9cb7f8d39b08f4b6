//! Growth of an undamped oscillator `x'' = -ω² x` under steps of `z = ω dt`; dt is always 1.

use glam::DVec3;
use pliant_core::State;
use pliant_time::catalog::{Entry, SolverSpec};

use crate::problems::oscillator;
use crate::stepper::Stepper;

fn stepper(entry: &Entry, z: f64, x: f64, v: f64) -> Stepper {
    Stepper::new(oscillator(z, x, v), entry, &SolverSpec::default())
}

/// `|(ω x, v)|`.
fn amplitude(state: &State, omega: f64) -> f64 {
    (state.x[1] * omega).length().hypot(state.v[1].length())
}

/// Largest amplitude over the given number of steps relative to the initial amplitude; infinite as soon as it exceeds `stop`, or when
/// a step fails.
pub fn largest_amplitude(entry: &Entry, z: f64, steps: u32, stop: f64) -> f64 {
    let mut stepper = stepper(entry, z, 1.0, 0.3 * z);
    let start = amplitude(&stepper.point.state, z);
    let mut largest = 1.0;
    for _ in 0..steps {
        if stepper.step(1.0).is_err() {
            return f64::INFINITY;
        }
        largest = f64::max(largest, amplitude(&stepper.point.state, z) / start);
        if largest.is_nan() || largest > stop {
            return f64::INFINITY;
        }
    }
    largest
}

/// The smallest z at which the oscillator grows by more than a thousand in 4000 steps: the first on a grid of `step`, then bisected
/// to `precision` (relative). `None` when there is none below `end`.
pub fn limit(entry: &Entry, step: f64, end: f64, precision: f64) -> Option<f64> {
    let stable = |z: f64| largest_amplitude(entry, z, 4000, 1e3).is_finite();
    let mut low = step;
    while stable(low) {
        low += step;
        if low > end {
            return None;
        }
    }
    let (mut low, mut high) = (low - step, low);
    while high - low > precision * high {
        let middle = 0.5 * (low + high);
        if stable(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(0.5 * (low + high))
}

/// The matrix of one step in `(ω x, v)`, from two steps of a scheme without history. Rows: ω x, v.
///
/// # Panics
/// If a step fails.
pub fn step_matrix(entry: &Entry, z: f64) -> [[f64; 2]; 2] {
    let column = |x: f64, v: f64| {
        let mut stepper = stepper(entry, z, x / z, v);
        stepper.step(1.0).expect("a step");
        let state = &stepper.point.state;
        [state.x[1].x * z, state.v[1].x]
    };
    let (a, b) = (column(1.0, 0.0), column(0.0, 1.0));
    [[a[0], b[0]], [a[1], b[1]]]
}

/// Largest |eigenvalue|.
pub fn spectral_radius(a: [[f64; 2]; 2]) -> f64 {
    let half_trace = 0.5 * (a[0][0] + a[1][1]);
    let det = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    let under_root = half_trace * half_trace - det;
    if under_root < 0.0 { det.sqrt() } else { half_trace.abs() + under_root.sqrt() }
}

/// Growth of the amplitude in one step after `steps` others: |ρ| of the dominant root for schemes that are functions of the
/// first-order matrix (all multistep ones); their other roots have decayed by then.
///
/// # Panics
/// If a step fails.
pub fn growth_after(entry: &Entry, z: f64, steps: u32) -> f64 {
    let mut stepper = stepper(entry, z, 1.0, 0.3 * z);
    for _ in 0..steps {
        stepper.step(1.0).expect("a step");
        // a linear scheme may be scaled at will; history scales with the state
        let scale = 1.0 / amplitude(&stepper.point.state, z);
        let point = &mut stepper.point;
        let vectors = [&mut point.state.x, &mut point.state.v, &mut point.force];
        for values in vectors.into_iter().chain(&mut point.memory.vectors) {
            values.iter_mut().for_each(|value: &mut DVec3| *value *= scale);
        }
    }
    let before = amplitude(&stepper.point.state, z);
    stepper.step(1.0).expect("a step");
    amplitude(&stepper.point.state, z) / before
}
