//! The power of dt with which the force error ε of [Adaptive] shrinks. Eq. 8 takes F - F̃ to be linear in dt, hence ε ~ dt³ and the
//! exponent 1/3 of eq. 12. But the remainder of a linearization is quadratic in (dx, dv) = O(dt), hence ε ~ dt⁴; where v = 0 the
//! leading term vanishes and ε ~ dt⁵.

use pliant::prelude::*;
use pliant::time::Demand;

use super::method::Scheme;
use super::problem::NonlinearSpring;

/// The step is halved this often.
const HALVINGS: i32 = 6;

/// ε over dt of single steps from one state.
#[derive(Clone, Debug)]
pub struct Shrinking {
    /// The scheme.
    pub scheme: Scheme,
    /// Position and velocity where the steps begin, m and m/s.
    pub state: (f64, f64),
    /// (dt, ε), s and m, from the longest step.
    pub errors: Vec<(f64, f64)>,
}

impl Shrinking {
    /// Measures at one state.
    pub fn new(problem: &NonlinearSpring, scheme: Scheme, state: (f64, f64)) -> Self {
        let (mut system, start) = problem.parts();
        let integrator = scheme.entry().build(&system, &SolverSpec::default());
        let mut integrator = integrator.expect("the default solver exists");
        let (mut from, mut to) = (Point::new(start.clone()), Point::new(start));
        (from.state.x[0], from.state.v[0]) = (DVec3::X * state.0, DVec3::X * state.1);
        let mut error = |dt: f64| {
            let attempt = integrator
                .attempt(&mut system, &from, dt, Demand::default(), &mut to, &mut Work::default())
                .expect("a 3 × 3 system, positive definite");
            (dt, attempt.force_error.expect("both schemes predict the force").metres)
        };
        let errors = (0..=HALVINGS).map(|k| error(0.01 * 0.5_f64.powi(k))).collect();
        Self { scheme, state, errors }
    }

    /// Both schemes at a state in fast motion and at the turning point where the paper's run starts.
    pub fn all(problem: &NonlinearSpring) -> Vec<Self> {
        let states = [(-0.5, 3.0), (-1.0, 0.0)];
        Scheme::ALL.into_iter().flat_map(|scheme| states.map(|state| Self::new(problem, scheme, state))).collect()
    }

    /// d log ε / d log dt from halving to halving.
    pub fn slopes(&self) -> Vec<f64> {
        self.errors.windows(2).map(|pair| (pair[0].1 / pair[1].1).log2()).collect()
    }

    /// The slope between the shortest two steps.
    pub fn last_slope(&self) -> f64 {
        *self.slopes().last().expect("several halvings")
    }
}
