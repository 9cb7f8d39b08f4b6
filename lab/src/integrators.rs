//! Measured properties of every integrator of the catalog, beside those of [Ropes] table 1.
//!
//! | column | measured on |
//! |---|---|
//! | order | error of (θ, θ') at t = 10 from (1, 0.3), dt = 0.01 and 0.005; `θ'' = -sin θ`, and `θ'' = -sin θ - 0.2 θ'` |
//! | area | determinant of the map of one step at (0.7, 0.4), dt = 0.1, by five-point differences |
//! | limit | largest ω·dt for which the undamped oscillator does not grow: bisection on the spectral radius of one step |
//! | energy | largest change of ½θ'² - cos θ in 10⁴ steps of 0.1 from (1, 0) |
//!
//! The measurements are those of the law tests (`crates/testkit`). Everything is computed when the experiment runs; no figure in the
//! table is a constant but the paper's.

use pliant::prelude::{DVec3, Drag, ForceModel, Pendulum, PendulumForce, SolverSpec};
use pliant::time::catalog::{Entry, INTEGRATORS};
use pliant::time::{Stability, Symplectic};
use pliant_testkit::Problem;
use pliant_testkit::energy::{Deviation, determinant, pendulum_deviation};
use pliant_testkit::order::{errors, reference, slopes};
use pliant_testkit::problems::pendulum;
use pliant_testkit::stability::{growth_after, spectral_radius, step_matrix};

/// For which ω·dt an oscillator was found not to grow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// For none; the growth in a step of ω·dt = 0.1.
    None(f64),
    /// Up to this.
    UpTo(f64),
    /// Above this only; the largest growth below it, and where.
    Above(f64, f64, f64),
    /// For all that were tried, up to 10⁴.
    All,
}

impl Limit {
    /// For a table.
    pub fn words(&self) -> String {
        match self {
            Self::None(_) => "0".into(),
            Self::UpTo(z) => format!("{z:.4}"),
            Self::Above(z, ..) => format!("> {z:.3} only"),
            Self::All => "∞".into(),
        }
    }
}

/// One integrator, measured.
#[derive(Clone)]
pub struct Measured {
    /// Which.
    pub entry: &'static Entry,
    /// Errors at the end for [`STEPS`] steps, without damping.
    pub errors: [f64; 4],
    /// Order without velocity-dependent forces.
    pub order: f64,
    /// Order with them.
    pub order_damped: f64,
    /// `det - 1` of one step; `None` for schemes with a history: their step is no map of (θ, θ').
    pub area: Option<f64>,
    /// Stability on oscillators.
    pub limit: Limit,
    /// Energy in the long run.
    pub energy: Deviation,
}

/// Numbers of steps with which the orders are measured; the last two count.
pub const STEPS: [u32; 4] = [250, 500, 1000, 2000];
const UNTIL: f64 = 10.0;
/// Number of steps over which energy is followed,
pub const LONG_RUN: u32 = 10_000;
/// of this length, s.
pub const LONG_STEP: f64 = 0.1;
/// Below this change of the determinant a map is called area preserving: above the rounding of the differences (1e-13), below RK4
/// (5e-9), which comes closest without being it.
pub const AREA: f64 = 1e-10;
/// Growth that counts as growth: half-step, the slowest, has 1.25e-5 at ω·dt = 0.1; rounding makes 1e-8 of a double eigenvalue.
const GROWTH: f64 = 1.0 + 1e-7;

fn undamped() -> Problem {
    pendulum(1.0, 0.3)
}

fn damped() -> Problem {
    let models: Vec<Box<dyn ForceModel>> = vec![
        Box::new(PendulumForce::new(vec![Pendulum { node: 0, strength: 1.0 }])),
        Box::new(Drag::new(0.2, vec![1.0])),
    ];
    let at = |value: f64| vec![DVec3::new(value, 0.0, 0.0)];
    Problem::new(vec![1.0], at(1.0), at(0.3), Vec::new(), models)
}

/// Measures one integrator.
pub fn measure(entry: &'static Entry) -> Measured {
    let order = |problem: fn() -> Problem| {
        let exact = reference(problem(), UNTIL, 20_000);
        let errors = errors(problem, entry, &SolverSpec::default(), UNTIL, &STEPS, &exact);
        (slopes(&errors, &STEPS)[2], errors)
    };
    let ((order, errors), (order_damped, _)) = (order(undamped), order(damped));
    let area = (!has_history(entry)).then(|| determinant(pendulum(0.7, 0.4), entry, 0.1, 1e-3) - 1.0);
    Measured {
        entry,
        errors: errors.try_into().unwrap_or([f64::NAN; 4]),
        order,
        order_damped,
        area,
        limit: limit(entry),
        energy: pendulum_deviation(entry, LONG_STEP, LONG_RUN),
    }
}

/// Measures the whole catalog.
pub fn measure_all(progress: &mut dyn FnMut(&str)) -> Vec<Measured> {
    let one = |entry: &'static Entry| {
        progress(entry.properties.name);
        measure(entry)
    };
    INTEGRATORS.iter().map(one).collect()
}

/// Multistep schemes limit how steps may change.
fn has_history(entry: &Entry) -> bool {
    entry.properties.max_ratio.is_finite()
}

/// Where the oscillator stops growing, or starts to.
pub fn limit(entry: &Entry) -> Limit {
    let growth = |z: f64| {
        if has_history(entry) { growth_after(entry, z, 300) } else { spectral_radius(step_matrix(entry, z)) }
    };
    let grows = |z: f64| growth(z) > GROWTH;
    let grid: Vec<f64> = (1..=40).map(|k| 0.1 * f64::from(k)).collect();
    let bisect = |mut stable: f64, mut unstable: f64| {
        while (stable - unstable).abs() > 1e-7 {
            let middle = 0.5 * (stable + unstable);
            *(if grows(middle) { &mut unstable } else { &mut stable }) = middle;
        }
        0.5 * (stable + unstable)
    };
    let stays = |z: &f64| !grows(*z);
    let far = [10.0, 100.0, 1e4];
    match (grid.iter().position(|z| grows(*z)), grid.iter().rposition(|z| grows(*z))) {
        (None, _) | (_, None) if far.iter().all(stays) => Limit::All,
        (Some(first), Some(last)) if last + 1 < grid.len() && far.iter().all(stays) => {
            // a window of instability; the history schemes have one next to zero
            let edge = bisect(grid[last + 1], grid[last]);
            let finer = (1..=400).map(|k| 0.01 * f64::from(k)).filter(|z| *z > grid[first] - 0.1);
            let (at, most) = finer.map(|z| (z, growth(z))).fold((0.0, 0.0), |a, b| if b.1 > a.1 { b } else { a });
            Limit::Above(edge, most, at)
        }
        (Some(0), _) => Limit::None(growth(0.1)),
        (Some(first), _) => Limit::UpTo(bisect(grid[first - 1], grid[first])),
        (None, _) => Limit::UpTo(f64::INFINITY),
    }
}

impl Measured {
    /// How the energy behaves: `grows`, `falls` or `bounded`, by comparing the halves of the run.
    pub fn trend(&self) -> &'static str {
        let Deviation { first_half, second_half, last } = self.energy;
        match second_half > 1.2 * first_half {
            true if last > 0.0 => "grows",
            true => "falls",
            // what has lost nearly everything cannot lose more
            false if last < -0.9 * (1.0 - 1.0_f64.cos()) => "falls to rest",
            false => "bounded",
        }
    }

    /// Whether the measured map preserves area, in the words of the table.
    pub fn area_words(&self) -> &'static str {
        match (self.area, self.entry.properties.symplectic) {
            (None, _) => "–",
            (Some(area), _) if area.abs() < AREA => "yes",
            (Some(_), Symplectic::OnlyLinear) => "if linear",
            _ => "no",
        }
    }

    /// Whether what was measured is what the catalog declares.
    pub fn as_declared(&self) -> bool {
        let properties = self.entry.properties;
        let near = |measured: f64, declared: u32| (measured - f64::from(declared)).abs() < 0.1;
        let limit = match (self.limit, properties.stability) {
            (Limit::None(growth), Stability::Never(formula)) => (growth / formula(0.1) - 1.0).abs() < 1e-6,
            (Limit::UpTo(measured), Stability::UpTo(declared)) => (measured / declared - 1.0).abs() < 1e-3,
            (Limit::Above(measured, ..), Stability::Above(declared)) => (measured / declared - 1.0).abs() < 1e-2,
            (Limit::All, Stability::Always) => true,
            _ => false,
        };
        let area = self.area.is_none_or(|area| (area.abs() < AREA) == (properties.symplectic == Symplectic::Yes));
        near(self.order, properties.order) && near(self.order_damped, properties.order_damped) && limit && area
    }
}
