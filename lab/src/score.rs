//! The score table of [Ropes] section 6 for any scene: the largest stable step of every integrator, the cost of a step, and their
//! quotient, seconds simulated in a second of computing.
//!
//! **Stable** needs a definition on a scene that is nonlinear, damped and driven. What counts is the excess
//!
//! `X(t) = E(t) - E(0) - W_pins(t)`,
//!
//! the energy beyond that of the start and the work of its moving pins (W_pins, from the ledger). Damping only removes energy,
//! so X > 0 is an error of the integrator. It is measured against the energy scale E*: the largest kinetic energy, or the largest change of
//! elastic or gravitational energy, in a fine reference run. A run with equal steps is stable if every step comes to its end and
//!
//! * X never passes [`EXPLODED`] · E*, and
//! * X does not come to pass [`GREW`] · E*: after the first tenth of the run it stays below that, or below 1.25 times its maximum in the
//!   first tenth. Symplectic schemes swing about the true energy, widely near their limit, but from the first swing on; what grows,
//!   or heats up and then balances with damping, was not there in the beginning.
//!
//! * no length or volume that has a size at rest is off by [`STRETCHED`] of it more than the worst of the reference.
//!
//! Losing energy is not unstable. Where things touch, contact may cut steps short, but not most of them. (The ledger's own entry for the integrator would be finer, but it is booked against the trapezoidal
//! rule for the work of damping, which means little when a step is as long as the motion.)
//!
//! **The largest** stable step is that below the first unstable one. Schemes with a stability limit are searched upwards from half the
//! limit that a bound of the fastest frequency gives. The others come down from the longest step, in steps of a third: implicit
//! ones until a run is stable, explicit ones (which have no limit without damping) too, but on scenes of a few particles, which may come
//! to rest by luck, until three in a row are. Then both are bisected. The longest step is the frame interval, or four radians of the fastest motion
//! where that is longer: no explicit scheme gets there, and for a scheme that does, the table says ≥.
//!
//! **Cost** is the best of several blocks of the same steps, at the largest stable step, warm, without ledger and recording.

mod pace;
mod subject;
mod trial;

use pliant::time::catalog::{Entry, INTEGRATORS};
use pliant::time::{Stability, Symplectic};
use serde::Serialize;

pub use pace::{Pace, Paces};
pub use subject::{ROPE_DAMPING, Subject, SwingingRope, UnderWay};
use trial::{Bench, Found, Timer};

/// Excess over the energy scale at which a run has exploded.
pub const EXPLODED: f64 = 10.0;
/// Excess over the energy scale that must be reached after the first tenth of a run to count.
pub const GREW: f64 = 0.1;
/// Relative error of lengths and volumes, beyond that of the reference, at which they are lost.
pub const STRETCHED: f64 = 0.5;
/// Smallest number of steps of a run, however long they are.
pub const MIN_STEPS: u64 = 200;

/// Rounds in which the integrators are timed in turn.
const ROUNDS: u32 = 8;

/// How to measure.
#[derive(Clone, Debug)]
pub struct Options {
    /// Relative precision of the largest stable step of explicit schemes.
    pub precision: f64,
    /// The same of implicit schemes, which end where Newton's method does rather than at a sharp limit.
    pub precision_implicit: f64,
    /// About how long the reference run may take, s; if it is stopped, all runs are as short as it was.
    pub reference_seconds: f64,
    /// Blocks of steps that are timed in each of eight rounds.
    pub blocks: u32,
    /// Length of a block, s.
    pub block_seconds: f64,
    /// Threads. With one, small scenes are fastest and times repeat best.
    pub threads: usize,
    /// Catalog names; empty for all.
    pub integrators: Vec<String>,
    /// Speeds are measured at this error too, m.
    pub error: Option<f64>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            precision: 0.03,
            precision_implicit: 0.12,
            reference_seconds: 6.0,
            blocks: 10,
            block_seconds: 0.004,
            threads: 1,
            integrators: Vec::new(),
            error: None,
        }
    }
}

/// One line of the table.
#[derive(Clone, Debug, Serialize)]
pub struct ScoreRow {
    /// Catalog name.
    pub name: &'static str,
    /// Largest stable step, s; 0 when none was found.
    pub max_dt: f64,
    /// Whether `max_dt` is only the longest step that was tried.
    pub at_least: bool,
    /// Cost of a step of that length, ms; 0 when there is none.
    pub ms_per_step: f64,
    /// `yes`, `no`, or `linear forces only`.
    pub symplectic: &'static str,
    /// Declared order on this scene: the one for velocity-dependent forces where it has some.
    pub order: u32,
    /// `max_dt` over the time of a step, both in seconds.
    pub score: f64,
    /// Whether it is a misprint that is kept for study.
    pub study: bool,
    /// What to know about it.
    pub note: String,
}

/// A table and what it was measured against.
#[derive(Clone, Debug, Serialize)]
pub struct Scores {
    /// Name of the scene.
    pub scene: String,
    /// Length of every run, s (or [`MIN_STEPS`] steps, if they take longer).
    pub stretch: f64,
    /// Energy scale E*, J.
    pub energy_scale: f64,
    /// Bound of the fastest frequency at the start, rad/s.
    pub frequency_bound: f64,
    /// Threads used.
    pub threads: usize,
    /// The largest relative error of lengths and volumes in the reference.
    pub strain: f64,
    /// A line for each integrator, in the order of the catalog.
    pub rows: Vec<ScoreRow>,
    /// Speeds at an error, if one was asked for.
    pub paces: Option<Paces>,
}

impl Scores {
    /// The line of an integrator.
    pub fn find(&self, name: &str) -> Option<&ScoreRow> {
        self.rows.iter().find(|row| row.name == name)
    }

    /// The lines by falling score, misprints last.
    pub fn ranked(&self) -> Vec<&ScoreRow> {
        let mut rows: Vec<&ScoreRow> = self.rows.iter().collect();
        rows.sort_by(|a, b| a.study.cmp(&b.study).then(b.score.total_cmp(&a.score)));
        rows
    }
}

/// Measures a scene; fails where it cannot be built, nothing moves in it, or its reference run ends early.
pub fn score(subject: &dyn Subject, options: &Options, progress: &mut dyn FnMut(&str)) -> Result<Scores, String> {
    progress(&format!("{}: reference run", subject.name()));
    let bench = Bench::new(subject, options)?;
    let wanted = |name: &str| options.integrators.is_empty() || options.integrators.iter().any(|n| n == name);
    let mut found = Vec::new();
    for entry in INTEGRATORS.iter().filter(|entry| wanted(entry.properties.name)) {
        found.push((entry, bench.search(entry, progress)?));
    }
    progress(&format!("{}: time of a step", subject.name()));
    let timer = |(entry, found): &(&'static Entry, Found)| {
        (found.max_dt > 0.0).then(|| bench.timer(entry, found.max_dt)).transpose()
    };
    let mut timers = found.iter().map(timer).collect::<Result<Vec<_>, String>>()?;
    // in turn, so that other load affects all of them
    for _ in 0..ROUNDS {
        timers.iter_mut().flatten().try_for_each(|timer| bench.time(timer))?;
    }
    let seconds = |timer: &Option<Timer>| timer.as_ref().map_or(0.0, |timer| timer.best);
    let rows = found.iter().zip(&timers).map(|((entry, found), timer)| row(&bench, entry, found, 1e3 * seconds(timer)));
    let rows = rows.collect();
    let steps: Vec<(&'static Entry, f64)> = found.iter().map(|(entry, found)| (*entry, found.max_dt)).collect();
    let paces = options.error.map(|error| pace::paces(&bench, &steps, error, progress)).transpose()?;
    Ok(Scores {
        scene: subject.name().to_owned(),
        stretch: bench.stretch,
        energy_scale: bench.scale,
        frequency_bound: bench.frequency,
        threads: options.threads,
        strain: bench.strain,
        rows,
        paces,
    })
}

fn row(bench: &Bench, entry: &'static Entry, found: &Found, ms_per_step: f64) -> ScoreRow {
    let properties = entry.properties;
    ScoreRow {
        name: properties.name,
        max_dt: found.max_dt,
        at_least: found.beyond.is_none(),
        ms_per_step,
        symplectic: match properties.symplectic {
            Symplectic::Yes => "yes",
            Symplectic::OnlyLinear => "linear forces only",
            Symplectic::No => "no",
        },
        order: if bench.damped { properties.order_damped } else { properties.order },
        score: if found.max_dt > 0.0 { found.max_dt / (1e-3 * ms_per_step) } else { 0.0 },
        study: properties.study.is_some(),
        note: note(bench, entry, found),
    }
}

fn note(bench: &Bench, entry: &Entry, found: &Found) -> String {
    let mut parts: Vec<String> = Vec::new();
    if entry.properties.study.is_some() {
        parts.push("misprint, for study only".into());
    }
    let stability = entry.properties.stability;
    match (&found.beyond, stability) {
        (None, _) => parts.push("no longer step was tried".into()),
        (Some(_), _) if found.max_dt == 0.0 => parts.push(format!("unstable down to {:.0e} s", bench.shortest)),
        // schemes with a limit are expected to end there
        (Some(_), Stability::UpTo(_) | Stability::Never(_)) => {}
        (Some(why), _) => parts.push(format!("beyond: {why}")),
    }
    match stability {
        Stability::Never(_) if bench.damped => parts.push("stable only thanks to damping".into()),
        Stability::Never(_) => parts.push("grows at every step, below that too little to see here".into()),
        Stability::Above(z) => parts.push(format!("undamped motion grows below ω·dt = {z:.2}")),
        _ => {}
    }
    parts.join("; ")
}
