//! The test of [Adaptive] section 4: one mass, `x'' = -Kx (x + x³) - Kv (v + v³)`, and its solution to eleven digits.

use pliant::prelude::*;
use pliant::scene::LoadedScene;
use pliant::scene::assemble::{Assembled, assemble};
use pliant::time::catalog::Entry;

/// Equal intervals of the time at which curves are compared: 2001 samples.
const INTERVALS: usize = 2000;

/// RK4 steps in each interval of the coarser of two references.
const REFERENCE_STEPS: usize = 20;

/// Bounds of every step in these experiments, s.
pub const BOUNDS: StepBounds = StepBounds { min: 1e-7, max: 0.1 };

/// The spring, released at rest.
pub struct NonlinearSpring {
    /// Where the mass starts, m.
    pub start: f64,
    /// End of the run, s.
    pub until: f64,
    /// The solution at 2001 equally spaced times.
    pub exact: Vec<f64>,
    /// The largest error of the finer reference before extrapolation, m: what is left in `exact` is less.
    pub uncertainty: f64,
    scene: LoadedScene,
}

impl NonlinearSpring {
    /// The scene `nonlinear-spring`, released from `start`.
    pub fn new(start: f64, until: f64) -> Self {
        let changes = [format!("springs[0].points=[[{start:?}, 0, 0]]")];
        let scene = pliant::scene::load("nonlinear-spring", &changes).expect("a built-in scene");
        let mut problem = Self { start, until, exact: Vec::new(), uncertainty: 0.0, scene };
        // RK4's error falls by 16 when its step is halved, so the difference of two runs gives that of the finer.
        let (coarse, fine) = (problem.reference(REFERENCE_STEPS), problem.reference(2 * REFERENCE_STEPS));
        let corrections = || coarse.iter().zip(&fine).map(|(c, f)| (f - c) / 15.0);
        problem.exact = fine.iter().zip(corrections()).map(|(f, correction)| f + correction).collect();
        problem.uncertainty = corrections().fold(0.0, |largest, c| largest.max(c.abs()));
        problem
    }

    /// The times of `exact`, s.
    pub fn time(&self, sample: usize) -> f64 {
        self.until * sample as f64 / INTERVALS as f64
    }

    /// A simulation at its start, with a single frame at its end so that frames disturb no step.
    pub fn simulation(&self, integrator: &Entry, control: &ControlSpec) -> Simulation {
        self.simulation_in_frames(integrator, control, 1)
    }

    fn simulation_in_frames(&self, integrator: &Entry, control: &ControlSpec, frames: usize) -> Simulation {
        let (system, state) = self.parts();
        let frames = Frames { fps: frames as f64 / self.until, until: self.until };
        let mut simulation = Simulation::new(system, state, integrator, &self.scene.checked.solver, control, frames)
            .expect("the scene's solver is in the catalog");
        simulation.track_energy(false);
        simulation
    }

    /// The mass and its spring, and the start.
    pub fn parts(&self) -> (System, State) {
        let Assembled { system, start: state, .. } = assemble(&self.scene).expect("the scene was checked");
        (system, state)
    }

    fn reference(&self, steps: usize) -> Vec<f64> {
        let dt = self.until / (INTERVALS * steps) as f64;
        let control = ControlSpec { kind: ControlKind::FIXED, dt: Some(dt), bounds: BOUNDS, ..ControlSpec::default() };
        let rk4 = integrator("rk4").expect("it is in the catalog");
        let mut simulation = self.simulation_in_frames(rk4, &control, INTERVALS);
        let mut x = vec![self.start];
        while !simulation.is_done() {
            simulation.advance_frame(|_, _| {}).expect("steps far below the limit of stability");
            x.push(simulation.state().x[0].x);
        }
        x
    }

    /// How far the polygon through `points` (time and position, from 0 to the end) is from the solution: (time, deviation), s and m,
    /// at all samples.
    pub fn deviations(&self, points: &[(f64, f64)]) -> impl Iterator<Item = (f64, f64)> {
        let mut piece = 0;
        self.exact.iter().enumerate().map(move |(sample, exact)| {
            let time = self.time(sample);
            while piece + 2 < points.len() && points[piece + 1].0 < time {
                piece += 1;
            }
            let ((t0, x0), (t1, x1)) = (points[piece], points[piece + 1]);
            (time, x0 + (x1 - x0) * (time - t0) / (t1 - t0) - exact)
        })
    }

    /// Root-mean-square and largest deviation, m.
    pub fn distance(&self, points: &[(f64, f64)]) -> (f64, f64) {
        let (mut sum, mut largest) = (0.0, 0.0_f64);
        for (_, deviation) in self.deviations(points) {
            sum += deviation * deviation;
            largest = largest.max(deviation.abs());
        }
        ((sum / self.exact.len() as f64).sqrt(), largest)
    }
}
