//! One run: the curve through its accepted steps, its cost, and its distance from the solution.

use pliant::prelude::*;
use pliant::time::{Demand, Integrator};

use super::method::Scheme;
use super::problem::NonlinearSpring;
use super::scan::Count;

/// The cost and the error of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Score {
    /// The parameter of the method.
    pub parameter: f64,
    /// Linear systems solved, those of rejected attempts included.
    pub solves: u64,
    /// Pieces of the curve; an accepted attempt of step doubling adds two.
    pub steps: u64,
    /// Rejected attempts.
    pub rejected: u64,
    /// The part of the steps that truncation bounded.
    pub truncation: f64,
    /// Root-mean-square distance to the solution, m.
    pub rms: f64,
    /// Largest distance to the solution, m.
    pub max: f64,
}

impl Score {
    /// A count, as a number to compute with.
    pub fn count(&self, count: Count) -> f64 {
        match count {
            Count::Solves => self.solves as f64,
            Count::Steps => self.steps as f64,
        }
    }
}

/// Runs the spring; `curve` is overwritten with (time, position). `None` where the controller failed.
pub fn run(
    problem: &NonlinearSpring,
    scheme: Scheme,
    control: &ControlSpec,
    parameter: f64,
    curve: &mut Vec<(f64, f64)>,
) -> Option<Score> {
    let mut simulation = problem.simulation(scheme.entry(), control);
    let mut halves = (control.kind == ControlKind::STEP_DOUBLING).then(|| Halves::new(&simulation, scheme));
    curve.clear();
    curve.push((0.0, problem.start));
    while !simulation.is_done() {
        if let Some(halves) = &mut halves {
            halves.from.copy_from(simulation.point());
        }
        let report = simulation.step().ok()?;
        if let Some(halves) = &mut halves {
            curve.push(halves.middle(&mut simulation.system, report.dt)?);
        }
        curve.push((report.time, simulation.state().x[0].x));
    }
    let (rms, max) = problem.distance(curve);
    let tally = simulation.tally();
    Some(Score {
        parameter,
        solves: tally.work.solves,
        steps: curve.len() as u64 - 1,
        rejected: tally.rejected,
        truncation: tally.bound_by[1] as f64 / tally.steps as f64,
        rms,
        max,
    })
}

/// Step doubling keeps two half steps, of which the loop shows only the second; this repeats the first, without counting its cost.
struct Halves {
    integrator: Box<dyn Integrator>,
    from: Point,
    middle: Point,
}

impl Halves {
    fn new(simulation: &Simulation, scheme: Scheme) -> Self {
        let integrator = scheme.entry().build(&simulation.system, &SolverSpec::default());
        Self {
            integrator: integrator.expect("the default solver exists"),
            from: Point::default(),
            middle: Point::default(),
        }
    }

    fn middle(&mut self, system: &mut System, dt: f64) -> Option<(f64, f64)> {
        self.integrator
            .attempt(system, &self.from, 0.5 * dt, Demand::default(), &mut self.middle, &mut Work::default())
            .ok()?;
        Some((self.middle.state.time, self.middle.state.x[0].x))
    }
}
