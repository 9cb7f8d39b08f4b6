//! The summary of a run; also the contents of `stats.json`.

use pliant_core::{Clock, Energy, Ledger, Work};
use pliant_scene::LoadedScene;
use pliant_time::Simulation;
use serde::{Deserialize, Serialize};

use crate::warnings;

/// Lengths of accepted steps, s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepLengths {
    /// Shortest.
    pub min: f64,
    /// Simulated time over steps.
    pub mean: f64,
    /// Longest.
    pub max: f64,
}

/// Energies at the end, J.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EnergySummary {
    /// The parts.
    #[serde(flatten)]
    pub parts: Energy,
    /// Their sum.
    pub total: f64,
}

/// How many steps each criterion limited.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BoundBy {
    /// The error of the linearized force.
    pub force_error: u64,
    /// The truncation estimate.
    pub truncation: u64,
    /// Anything else.
    pub other: u64,
}

/// The result of `--error`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verified {
    /// The requested error, m.
    pub asked: f64,
    /// The largest difference between the kept run and the one before, over all frames and particles, m.
    pub difference: f64,
    /// Bound on the error of the kept run, m: twice what that difference gives, with the ratio of steps and `order`.
    pub estimate: f64,
    /// The order of the estimate: the observed one where it is below the declared one, and 1 unless the runs before show more too.
    #[serde(default)]
    pub order: f64,
    /// The declared order of the scheme.
    #[serde(default)]
    pub declared_order: u32,
    /// The observed order of the last three runs; none where two of them are the same.
    #[serde(default)]
    pub observed_order: Option<f64>,
    /// Number of runs.
    pub runs: u32,
    /// Steps of all runs together.
    pub steps: u64,
    /// Linear solves of all runs together.
    pub solves: u64,
    /// Wall-clock time of all runs together, s.
    pub wall_seconds: f64,
}

/// Kinetic energy, against the energy available, J: see [`Ledger::excess`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MotionSummary {
    /// The largest kinetic energy at any time.
    pub peak: f64,
    /// The largest energy available for motion.
    pub available: f64,
}

/// The failure of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Death {
    /// Time of the last good state, s; the figures are those of that state.
    pub time: f64,
    /// Steps taken until then.
    pub steps: u64,
    /// The error.
    pub why: String,
}

/// A run in figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Name of the scene.
    pub scene: String,
    /// Name of the integrator.
    pub integrator: String,
    /// Name of the controller.
    pub controller: String,
    /// Simulated time reached, s.
    pub time: f64,
    /// Whether that is the end of the scene.
    pub finished: bool,
    /// Why the run failed, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub died: Option<Death>,
    /// Recorded frames, the first at t = 0.
    pub frames: u64,
    /// Accepted steps.
    pub steps: u64,
    /// Rejected attempts.
    pub rejected: u64,
    /// Linear solves, rejected attempts included.
    pub solves: u64,
    /// Iterations of the linear solver.
    pub linear_iterations: u64,
    /// All costs.
    pub work: Work,
    /// Lengths of steps.
    pub dt: StepLengths,
    /// What limited them.
    pub bound_by: BoundBy,
    /// Wall-clock time, s, summed over resumed parts.
    pub wall_seconds: f64,
    /// Wall-clock time by stage, s; of the last part of a resumed run.
    #[serde(default)]
    pub clock: Clock,
    /// Energies at the end.
    pub energy: EnergySummary,
    /// The energy budget since the start, J.
    pub ledger: Ledger,
    /// Kinetic energy, against the energy available.
    #[serde(default)]
    pub motion: MotionSummary,
    /// Warnings about figures that cannot be true, in plain language.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
    /// Linear momentum at the end, kg m/s.
    pub momentum: [f64; 3],
    /// Part of the particles that were active (1: nothing is restrained yet).
    pub active_fraction: f64,
    /// Number of particles.
    pub particles: usize,
    /// Fingerprint of the exact final state.
    pub state_hash: String,
    /// Fingerprint of the scene.
    pub fingerprint: String,
    /// Verified global error, where it was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
    /// Version of the program.
    pub version: String,
    /// Instruction level of this machine: same binary and same level give the same bits.
    pub simd: String,
    /// Threads used; they change no bit.
    pub threads: usize,
}

impl Verified {
    /// The basis of the order of the estimate, as text.
    pub fn by_order(&self) -> String {
        let (order, declared) = (self.order, self.declared_order);
        match self.observed_order {
            None => format!("by the declared order {declared}, none observed"),
            Some(observed) if order >= f64::from(declared) => {
                format!("by the declared order {declared}, {observed:.2} observed")
            }
            Some(observed) if observed <= order => {
                format!("by the observed order {observed:.2}, below the declared {declared}")
            }
            Some(observed) => {
                format!(
                    "by order {order:.2}: no more is proven by the {observed:.2} of the last three runs (declared {declared})"
                )
            }
        }
    }
}

impl Summary {
    /// The summary of a simulation.
    pub fn of(scene: &LoadedScene, simulation: &Simulation, wall_seconds: f64) -> Self {
        let tally = simulation.tally();
        let state = simulation.state();
        let energy = simulation.account().energy;
        let [force_error, truncation, other] = tally.bound_by;
        Self {
            scene: scene.name.clone(),
            integrator: scene.scene.time.integrator.clone(),
            controller: scene.scene.time.control.kind.clone(),
            time: state.time,
            finished: simulation.is_done(),
            died: None,
            frames: simulation.progress().next_frame,
            steps: tally.steps,
            rejected: tally.rejected,
            solves: tally.work.solves,
            linear_iterations: tally.work.linear_iterations,
            work: tally.work,
            dt: StepLengths { min: tally.dt_min, mean: state.time / tally.steps.max(1) as f64, max: tally.dt_max },
            bound_by: BoundBy { force_error, truncation, other },
            wall_seconds,
            clock: simulation.system.clock,
            energy: EnergySummary { parts: energy, total: energy.total() },
            ledger: *simulation.ledger(),
            motion: MotionSummary {
                peak: simulation.ledger().peak_kinetic,
                available: simulation.ledger().available(),
            },
            warnings: warnings::of(simulation, scene.checked.integrator.properties, scene.checked.control.kind),
            momentum: simulation.system.momentum(state).to_array(),
            active_fraction: if state.time > 0.0 { tally.moving / state.time } else { 1.0 },
            particles: state.len(),
            state_hash: format!("{:016x}", state.hash()),
            fingerprint: format!("{:016x}", scene.fingerprint()),
            verified: None,
            version: env!("CARGO_PKG_VERSION").into(),
            simd: instruction_level().into(),
            threads: pliant_parallel::threads(),
        }
    }
}

/// The instruction level that run-time dispatch inside the direct solvers picks on this machine.
pub fn instruction_level() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if std::arch::is_x86_feature_detected!("avx512f") {
            return "avx512";
        }
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
            return "avx2";
        }
    }
    "scalar"
}
