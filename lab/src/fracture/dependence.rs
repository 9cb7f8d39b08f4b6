//! `fracture-step-dependence`: what breaks with fixed steps of several lengths, with and without a limit of the overshoot of bonds.

use super::run::{Job, Run, Wishes, run_all};
use super::steps::OVERSHOOT;
use super::throw::{Method, Throw};
use pliant_plot::Plot;
use pliant_plot::report::{Experiment, Figure, Table, Verdict};
use pliant_plot::text::significant;

/// Energies within this part of that of the shortest steps are the same: the scatter over seeds is no less.
pub const SAME: f64 = 0.1;
const MAX_SECONDS: f64 = 60.0;

/// The plan of the runs.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The throw.
    pub throw: Throw,
    /// From the longest on, s.
    pub steps: Vec<f64>,
}

fn plan() -> Plan {
    Plan {
        throw: Throw { spacing: 8e-3 / 3.0, seed: 1, speed: 10.0, flight: 20e-6, until: 120e-6 },
        steps: vec![4e-6, 2e-6, 1e-6, 0.5e-6, 0.25e-6],
    }
}

/// Runs of one kind, from the longest steps on.
struct Series {
    name: String,
    runs: Vec<(f64, Run)>,
}

impl Series {
    fn of(plan: &Plan, overshoot: Option<f64>, progress: &mut dyn FnMut(&str)) -> Self {
        let name = overshoot.map_or("bonds tear as they come".into(), |part| format!("overshoot at most {part}"));
        let wishes = Wishes { shots: Vec::new(), most_seconds: MAX_SECONDS };
        let jobs: Vec<Job> =
            plan.steps.iter().map(|dt| (plan.throw, Method::Fixed { dt: *dt, tolerance: 1.0, overshoot })).collect();
        let runs = plan.steps.iter().copied().zip(run_all(&jobs, &wishes, progress));
        Self { name, runs: runs.collect() }
    }

    fn ended(&self) -> impl DoubleEndedIterator<Item = &(f64, Run)> {
        self.runs.iter().filter(|run| run.1.failure.is_none())
    }

    fn line(&self, what: impl Fn(&Run) -> f64) -> Vec<(f64, f64)> {
        self.ended().map(|(dt, run)| (1e6 * dt, what(run))).collect()
    }

    /// The largest part by which energies differ from that of the shortest steps; `None` without two runs.
    fn spread(&self) -> Option<f64> {
        let (_, finest) = self.ended().next_back()?;
        let off = self.ended().map(|(_, run)| (run.energy() / finest.energy() - 1.0).abs());
        (self.ended().count() > 1).then(|| off.fold(0.0, f64::max))
    }

    /// The longest step from which on all energies are within [`SAME`] of that of the shortest.
    fn settled(&self) -> Option<f64> {
        let (_, finest) = self.ended().next_back()?;
        let near = |entry: &&(f64, Run)| (entry.1.energy() / finest.energy() - 1.0).abs() <= SAME;
        // the shortest always agrees with itself, which shows nothing
        self.ended().rev().take_while(near).skip(1).last().map(|entry| entry.0)
    }
}

fn table(all: &[Series], throw: &Throw) -> Table {
    let headers = [
        "bonds",
        "fixed step [µs]",
        "steps",
        "rejected",
        "shortest [µs]",
        "broken bonds",
        "their energy [mJ]",
        "energy of one [µJ]",
        "fragments",
        "largest [%]",
        "dust [%]",
        "s",
        "in the end",
    ];
    let particles = all.iter().flat_map(|series| &series.runs).map(|run| run.1.particles).max().unwrap_or(0);
    let caption = format!(
        "{particles} particles, {:.2} mm apart, until {:.0} µs; one thread, seconds on a processor",
        1e3 * throw.spacing,
        1e6 * throw.until
    );
    let mut table = Table::new(caption, headers);
    for series in all {
        for (dt, run) in &series.runs {
            let shares = run.pieces.shares();
            table.push([
                series.name.clone(),
                significant(1e6 * dt, 3),
                run.trace.len().to_string(),
                run.rejected().to_string(),
                significant(1e6 * run.steps()[0], 3),
                run.broken.to_string(),
                significant(1e3 * run.energy(), 4),
                significant(1e6 * run.energy() / run.broken.max(1) as f64, 3),
                run.pieces.fragments().to_string(),
                format!("{:.1}", 100.0 * run.pieces.largest()),
                format!("{:.1}", 100.0 * shares[0]),
                significant(run.seconds(), 3),
                run.failure.clone().unwrap_or_default(),
            ]);
        }
    }
    table
}

fn plots(all: &[Series]) -> Vec<Figure> {
    let on = |title: &str, unit: &str, what: fn(&Run) -> f64| {
        let empty = Plot::new(title).x("fixed step [µs]").y(unit).log_x();
        all.iter().fold(empty, |plot, series| {
            let points = series.line(what);
            plot.line(series.name.clone(), &points).points(series.name.clone(), &points)
        })
    };
    let energy = on("Energy of broken bonds", "energy [mJ]", |run| 1e3 * run.energy());
    let count = on("Broken bonds", "bonds", |run| run.broken as f64);
    let each = on("Energy of a broken bond", "energy [µJ]", |run| 1e6 * run.energy() / run.broken.max(1) as f64);
    let cost = on("What it takes", "on a processor [s]", Run::seconds).log_y();
    vec![
        Figure::new("energy", "Flat is independent of the step.", &energy),
        Figure::new("bonds", "The same, counted.", &count),
        Figure::new("each", "Bonds that are torn far before anyone looks take more with them than they need.", &each),
        Figure::new("cost", "Limits cost steps.", &cost),
    ]
}

fn told(series: &Series) -> String {
    let Some(spread) = series.spread() else {
        return format!("<li>{}: too few runs come to their end</li>", series.name);
    };
    let settled = series.settled().map_or("no step longer than the shortest".into(), |dt| {
        format!("steps of {} µs and all shorter ones", significant(1e6 * dt, 3))
    });
    let energies: Vec<String> = series.ended().map(|(_, run)| significant(1e3 * run.energy(), 3)).collect();
    format!(
        "<li>{}: {} mJ from the longest steps to the shortest; up to {:.0} % from the last of these. Within {:.0} % of it are {settled}.</li>",
        series.name,
        energies.join(", "),
        100.0 * spread,
        100.0 * SAME,
    )
}

/// `fracture-step-dependence`.
pub fn step_dependence(progress: &mut dyn FnMut(&str)) -> Experiment {
    report(&plan(), progress)
}

/// The same with another plan.
pub fn report(plan: &Plan, progress: &mut dyn FnMut(&str)) -> Experiment {
    let all = [None, Some(OVERSHOOT)].map(|overshoot| Series::of(plan, overshoot, progress));
    let [free, clipped] = &all;
    let verdict = match (free.spread(), clipped.spread()) {
        (Some(free), Some(clipped)) if clipped <= SAME && free > SAME => Verdict::Holds,
        (Some(free), Some(clipped)) if clipped < 0.5 * free => Verdict::HoldsPartly,
        _ => Verdict::Fails,
    };
    let reason = match (free.spread(), clipped.spread()) {
        (Some(free), _) if free <= SAME => {
            "Without the limit cracks hardly depend on the step here: there is nothing to be cured."
        }
        (Some(_), Some(clipped)) if clipped <= SAME => {
            "With the limit what breaks does not depend on the step, as far as that can be told from one seed."
        }
        (Some(free), Some(clipped)) if clipped < 0.5 * free => {
            "With the limit what breaks depends less on the step, but it does."
        }
        (Some(_), Some(_)) => "The limit does not make what breaks depend much less on the step.",
        _ => "Too few runs come to their end.",
    };
    let (first, second) =
        (free.ended().map(|run| run.1.seconds()).sum::<f64>(), clipped.ended().map(|run| run.1.seconds()).sum::<f64>());
    let summary_html = format!(
        "<p>The plate of <code>fracture-steps</code> with Newmark and fixed steps. Bonds are looked at after each accepted step: long steps let them be torn far beyond what \
         they bear, so that those that break hold more energy, and those beside them have not felt it yet. A limit of the overshoot shortens a step in which any bond \
         would be torn by more than {OVERSHOOT} of what it bears; steps are fixed only where nothing tears.</p><ul>{}</ul><p>{reason} All runs together take {} s \
         without the limit and {} s with it.</p>",
        all.iter().map(told).collect::<String>(),
        significant(first, 2),
        significant(second, 2),
    );
    Experiment {
        id: "fracture-step-dependence".into(),
        title: "Cracks and the length of steps".into(),
        paper: "our own goal; Adaptive Time-Stepping with Linearized Force Error Estimation removes bonds after accepted steps only".into(),
        claim: format!(
            "What breaks depends on the length of fixed steps, and no longer (within {:.0} %) where bonds may be torn by no more than {OVERSHOOT} of what they bear in a step.",
            100.0 * SAME
        ),
        verdict,
        summary_html,
        tables: vec![table(&all, &plan.throw)],
        plots: plots(&all),
        seconds: 0.0,
    }
}
