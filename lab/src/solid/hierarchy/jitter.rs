//! The evenness of step times when frames are updated at intervals, and the jump of the energy there.

use std::time::Instant;

use pliant::core::Work;
use pliant::parallel::on_one_thread;
use pliant::scene::LoadedScene;

use super::bar as bar_with;
use pliant_plot::Plot;
use pliant_plot::report::{Figure, Table};
use pliant_plot::text::{scientific, significant};

/// Name, solver and whether frames are taken in turns.
const WAYS: [(&str, &str, bool); 3] = [
    ("factored, all at once", "cholesky", false),
    ("iterated, all at once", "adaptive", false),
    ("iterated, in turns", "adaptive", true),
];
/// Number of repetitions; of every step the shortest time counts, which is the least disturbed.
const REPEATS: usize = 3;

/// The times of a run, step by step.
pub struct Steps {
    name: &'static str,
    /// s
    wall: Vec<f64>,
    work: Vec<Work>,
}

/// The bar with frames taken every 150 ms, as in the paper.
fn bar(solver: &str, spread: bool, until: f64, dt: f64) -> LoadedScene {
    let changes = [
        format!("solver.kind={solver}"),
        "solid[0].frame_interval=150 ms".into(),
        format!("solid[0].spread_frames={spread}"),
        "time.integrator=backward-euler".into(),
        "time.control.kind=fixed".into(),
        format!("time.control.dt={dt}"),
        format!("time.until={until}"),
        format!("time.fps={}", 1.0 / until),
    ];
    bar_with(&changes)
}

/// Plays all ways.
pub fn measured(until: f64, dt: f64) -> Vec<Steps> {
    let play = |(name, solver, spread): (&'static str, &str, bool)| {
        let scene = bar(solver, spread, until, dt);
        let (mut wall, mut work): (Vec<f64>, Vec<Work>) = (Vec::new(), Vec::new());
        for _ in 0..REPEATS {
            let mut simulation = scene.build().unwrap_or_else(|error| panic!("{error}")).simulation;
            simulation.track_energy(false);
            work.clear();
            while !simulation.is_done() {
                let begun = Instant::now();
                let report = simulation.step().unwrap_or_else(|error| panic!("{name}: {error}"));
                let seconds = begun.elapsed().as_secs_f64();
                let step = work.len();
                if wall.len() == step {
                    wall.push(seconds);
                }
                wall[step] = wall[step].min(seconds);
                work.push(report.work);
            }
        }
        Steps { name, wall, work }
    };
    on_one_thread(|| WAYS.into_iter().map(play).collect())
}

/// The largest and the middle one, without the first step, which sets everything up.
fn extremes(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let mut sorted: Vec<f64> = values.skip(1).collect();
    sorted.sort_by(f64::total_cmp);
    (sorted.last().copied().unwrap_or(f64::NAN), sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN))
}

impl Steps {
    /// The longest step over the middle one.
    pub fn jitter(&self) -> f64 {
        let (most, middle) = extremes(self.wall.iter().copied());
        most / middle
    }

    /// All steps, s.
    pub fn seconds(&self) -> f64 {
        self.wall.iter().sum()
    }
}

/// Times and counts.
pub fn table(all: &[Steps]) -> Table {
    let headers = [
        "solver, frames",
        "sum [s]",
        "median [ms]",
        "longest [ms]",
        "longest / median",
        "set up",
        "iterations, median, most",
    ];
    let mut table = Table::new("How evenly steps take their time; new frames every 150 ms", headers);
    for steps in all {
        let (most, middle) = extremes(steps.wall.iter().copied());
        let iterations = extremes(steps.work.iter().map(|work| work.linear_iterations as f64));
        table.push([
            steps.name.to_owned(),
            significant(steps.seconds(), 2),
            significant(1e3 * middle, 2),
            significant(1e3 * most, 2),
            significant(steps.jitter(), 2),
            steps.work.iter().map(|work| work.factorisations).sum::<u64>().to_string(),
            format!("{}, {}", iterations.1, iterations.0),
        ]);
    }
    table
}

/// Time of every step.
pub fn figure(all: &[Steps]) -> Figure {
    let mut plot = Plot::new("Wall time of the steps").x("step").y("time [ms]").log_y();
    for steps in all {
        let points: Vec<(f64, f64)> =
            steps.wall.iter().enumerate().skip(1).map(|(k, t)| (k as f64 + 1.0, 1e3 * t)).collect();
        plot = plot.line(steps.name, &points);
    }
    Figure::new("jitter", "New frames every 150 ms: a factorisation shows, an iteration hardly does.", &plot)
}

/// The jump of the energy when frames are updated: time, s, and jump over the elastic energy before.
pub fn jumps(until: f64, dt: f64) -> Vec<(f64, f64)> {
    let scene = bar("adaptive", false, until, dt);
    let build = || scene.build().unwrap_or_else(|error| panic!("{error}")).simulation;
    // The second one is set to the state of the first one, and its energy is evaluated before and after.
    let (mut simulation, mut shadow) = (build(), build());
    let mut jumps = Vec::new();
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|error| panic!("{error}"));
        let view = simulation.state().view();
        let stored = |system: &mut pliant::core::System| {
            let solid = system.models().iter().position(|model| model.name() == "framed-solid");
            solid.map_or(f64::NAN, |k| system.energies().energy_of(k, &view).unwrap_or(f64::NAN))
        };
        let before = stored(&mut shadow.system);
        if shadow.system.begin_step(&view) {
            jumps.push((view.time, (stored(&mut shadow.system) - before) / before));
        }
    }
    jumps
}

/// Over time.
pub fn jump_figure(jumps: &[(f64, f64)]) -> Figure {
    let points: Vec<(f64, f64)> = jumps.iter().map(|(time, jump)| (*time, 1e3 * jump)).collect();
    let plot = Plot::new("Energy at updates").x("time [s]").y("jump of the stored energy [‰]").points("jump", &points);
    Figure::new("jumps", "What is stored in old frames is not what is stored in new ones.", &plot.hline(0.0, ""))
}

/// In words.
pub fn jumps_in_words(jumps: &[(f64, f64)]) -> String {
    let largest = jumps.iter().map(|(_, jump)| jump.abs()).fold(0.0, f64::max);
    let up = jumps.iter().filter(|(_, jump)| *jump > 0.0).count();
    format!(
        "When frames are taken the stored energy jumps, by {} of itself at most; {up} of {} jumps are upwards.",
        scientific(largest, 2),
        jumps.len()
    )
}
