//! The oscillator of [Restrained] figs. 2, 3 and 5, `k = m = 1`: restrained at kinetic energies below 0.05 J, free above 0.2 J.

use pliant::core::{Activity, Criterion, Limits, Restraint, StepFailure};
use pliant::prelude::{SolverSpec, integrator};
use pliant_testkit::problems::Problem;
use pliant_testkit::stepper::Stepper;

/// Kinetic energies of rest and of free motion, J.
pub const ENERGIES: [f64; 2] = [0.05, 0.2];

/// The name of a criterion in plots and tables.
pub fn name(criterion: Criterion) -> String {
    let of_the_paper =
        [(Criterion::Energy, "by energy (paper, eq. 3)"), (Criterion::Momentum, "by momentum (paper, 6.3)")];
    let known = of_the_paper.iter().find(|(known, _)| *known == criterion);
    known.map_or_else(|| format!("{criterion:?} (ours)").to_lowercase(), |(_, name)| (*name).to_owned())
}

/// Limits of a unit mass between two kinetic energies, J.
fn limits(criterion: Criterion, energies: [f64; 2]) -> Limits {
    let [low, high] = energies.map(|energy| (2.0 * energy).sqrt());
    Limits::new(criterion, low, high, 0.0)
}

/// A problem of unit masses under restraint between two kinetic energies, J, with momenta that do not decay.
pub fn restrained(mut problem: Problem, criterion: Criterion, energies: [f64; 2]) -> Problem {
    let limits = vec![limits(criterion, energies); problem.state.len()];
    problem.system.set_restraint(Some(Restraint::new(criterion, limits, f64::INFINITY)));
    problem
}

/// One step of a scheme after the other on particle 1 of a problem.
pub struct Run {
    stepper: Stepper,
    dt: f64,
}

impl Run {
    /// At its start. Linear systems are solved by LU, as in the paper.
    ///
    /// # Panics
    /// If there is no such scheme.
    pub fn new(problem: Problem, scheme: &str, dt: f64) -> Self {
        let solver = SolverSpec { kind: "lu".into(), tolerance: 1e-13, ..SolverSpec::default() };
        let entry = integrator(scheme).unwrap_or_else(|| panic!("no integrator is called {scheme}"));
        Self { stepper: Stepper::new(problem, entry, &solver), dt }
    }

    /// The adaptively restrained energy, J.
    pub fn energy(&mut self) -> f64 {
        let view = self.stepper.point.state.view();
        self.stepper.system.energies().kinetic(view.v) + self.stepper.system.energies().potential(&view)
    }

    /// Position and momentum.
    pub fn place(&self) -> (f64, f64) {
        let state = &self.stepper.point.state;
        (state.x[1].x, state.v[1].x)
    }

    /// Whether it is restrained.
    pub fn stands(&self) -> bool {
        self.stepper.system.active_set().activity(1, self.stepper.point.state.v[1]) == Activity::Restrained
    }

    /// The next step.
    pub fn step(&mut self) -> Result<(), StepFailure> {
        self.stepper.step(self.dt).map(|_| ())
    }
}

/// A whole run.
#[derive(Clone, Debug, Default)]
pub struct Course {
    /// Position and momentum, from the start on.
    pub points: Vec<(f64, f64)>,
    /// Largest deviation of the energy from its start, J.
    pub astray: f64,
    /// Where it was restrained, how far out and for how long, s; without a last stop that is not over.
    pub stands: Vec<(f64, f64)>,
    /// Mean time from passing the middle upwards to the next time, s; NaN if it did not pass twice.
    pub period: f64,
}

/// Runs a problem for the given number of steps.
///
/// # Panics
/// If a step fails.
pub fn course(problem: Problem, scheme: &str, dt: f64, steps: usize) -> Course {
    let mut run = Run::new(problem, scheme, dt);
    let start = run.energy();
    let mut course = Course { points: vec![run.place()], ..Course::default() };
    let (mut since, mut passed) = (run.stands().then_some(0), Vec::new());
    for k in 1..=steps {
        let (before, _) = run.place();
        run.step().unwrap_or_else(|failure| panic!("step {k} of {scheme}: {failure:?}"));
        let (x, p) = run.place();
        course.points.push((x, p));
        course.astray = course.astray.max((run.energy() - start).abs());
        match (run.stands(), since) {
            (true, None) => since = Some(k),
            (false, Some(begun)) => {
                course.stands.push((before.abs(), (k - begun) as f64 * dt));
                since = None;
            }
            _ => {}
        }
        if before < 0.0 && x >= 0.0 {
            passed.push((k as f64 - x / (x - before)) * dt);
        }
    }
    course.period = match passed.as_slice() {
        [first, .., last] => (last - first) / (passed.len() - 1) as f64,
        _ => f64::NAN,
    };
    course
}

/// The exact period from q = 1, p = 0, s: `4 ∫ dp/|q|` over the momenta of a quarter, with `q² = 1 - 2 T(p)`; `p = P sin φ` where P is the largest.
pub fn exact_period(criterion: Criterion) -> f64 {
    let limits = limits(criterion, ENERGIES);
    let energy = |p: f64| criterion.response(p, &limits).energy;
    // T is p²/2 less something constant above the limits
    let largest = (1.0 - 2.0 * energy(1.0) + 1.0).sqrt();
    let rate = |angle: f64| {
        let p = largest * angle.sin();
        // both vanish at the end; their ratio is 1 wherever it moves freely
        if p >= limits.full { 1.0 } else { largest * angle.cos() / (1.0 - 2.0 * energy(p)).sqrt() }
    };
    // smooth between the limits only
    let ends = [0.0, limits.restrained, limits.full].map(|p| (p / largest).asin());
    let [zero, low, high] = ends;
    let pieces = [(zero, low), (low, high), (high, std::f64::consts::FRAC_PI_2)];
    4.0 * pieces.into_iter().map(|(from, to)| simpson(rate, from, to)).sum::<f64>()
}

/// An integral by Simpson's rule.
fn simpson(f: impl Fn(f64) -> f64, from: f64, to: f64) -> f64 {
    const PARTS: u32 = 2000;
    let h = (to - from) / f64::from(PARTS);
    let weight = |k: u32| match k {
        0 | PARTS => 1.0,
        k if k % 2 == 1 => 4.0,
        _ => 2.0,
    };
    (0..=PARTS).map(|k| weight(k) * f(from + h * f64::from(k))).sum::<f64>() * h / 3.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against an independent quadrature with a tolerance of 1e-9.
    #[test]
    fn periods_by_quadrature() {
        for (criterion, period) in [
            (Criterion::Energy, 6.181_127_779_424),
            (Criterion::Momentum, 6.194_528_166_458),
            (Criterion::Convex, 6.415_170_152_094),
        ] {
            let found = exact_period(criterion);
            assert!((found - period).abs() < 2e-9, "{criterion:?}: {found}");
        }
    }
}
