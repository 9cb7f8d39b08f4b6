//! `divergence-free`: a pressure solve against an equation of state, on a block of water that collapses.

use super::pressure::{Pressure, Run, collapse, way_of_the_centre};
use pliant_plot::Plot;
use pliant_plot::report::{Experiment, Figure, Table, Verdict};

/// Target ratio of the lengths of steps.
pub const LONGER: f64 = 4.0;
/// m
const SPACING: f64 = 0.04;
/// s
const UNTIL: f64 = 1.2;
/// Factors of the default speed of sound.
const SOUNDS: [f64; 3] = [0.5, 1.0, 2.0];
/// Mean compressions that are allowed.
const ERRORS: [f64; 7] = [0.01, 0.003, 0.0015, 0.001, 0.0003, 0.0002, 0.0001];
/// Times of equal runs differed by up to a fifth either way on a busy machine: a gain must be larger.
const CLEARLY: f64 = 1.2;
/// Both flow the same where centres of the water are apart by no more than this part of their path.
const SAME_FLOW: f64 = 0.05;

fn name(pressure: Pressure) -> String {
    match pressure {
        Pressure::WeaklyCompressible { sound: 1.0 } => "weakly compressible, c".into(),
        Pressure::WeaklyCompressible { sound } => format!("weakly compressible, {sound} c"),
        Pressure::DivergenceFree { density_error } => format!("divergence-free, {density_error}"),
    }
}

/// A run with Tait's pressure and the cheapest one with a pressure solve that compresses no more and flows the same; `None` where there is none.
type Pair<'a> = (&'a Run, Option<&'a Run>);

fn pairs<'a>(weak: &'a [Run], free: &'a [Run], reference: &Run) -> Vec<Pair<'a>> {
    let rival = |run: &Run| {
        let same = free.iter().filter(|other| other.apart(reference) <= SAME_FLOW * way_of_the_centre());
        let equal = same.filter(|other| other.error() <= run.error());
        equal.min_by(|a, b| a.seconds.total_cmp(&b.seconds))
    };
    weak.iter().map(|run| (run, rival(run))).collect()
}

fn table<'a>(runs: impl Iterator<Item = &'a Run>, reference: &Run) -> Table {
    let headers = [
        "pressure",
        "steps",
        "rejected",
        "mean step [ms]",
        "iterations a step",
        "s per simulated s",
        "density error [%]",
        "worst moment [%]",
        "worst particle [%]",
        "at the far wall [s]",
        "centre apart [mm]",
    ];
    let caption = format!(
        "{} particles, {UNTIL} s simulated, one thread, seconds on a processor; what “divergence-free” allows is a part of the density. Density error: mean over particles and time; the largest mean \
         at a moment; the largest of all. Centre of the water: farthest from that of “{}” at one moment, on a way of {:.0} mm",
        reference.particles,
        name(reference.pressure),
        1e3 * way_of_the_centre(),
    );
    let mut table = Table::new(caption, headers);
    for run in runs {
        table.push([
            name(run.pressure),
            run.steps.to_string(),
            run.rejected.to_string(),
            format!("{:.3}", 1e3 * run.step()),
            format!("{:.2}", run.iterations as f64 / run.steps as f64),
            format!("{:.2}", run.cost()),
            format!("{:.4}", 100.0 * run.error()),
            format!("{:.3}", 100.0 * run.worst_moment()),
            format!("{:.2}", 100.0 * run.worst_particle()),
            run.arrival(SPACING).map_or("never".into(), |time| format!("{time:.2}")),
            format!("{:.1}", 1e3 * run.apart(reference)),
        ]);
    }
    table
}

fn compared(pairs: &[Pair]) -> Table {
    let headers = ["weakly compressible", "error [%]", "divergence-free", "error [%]", "step ratio", "time ratio"];
    let mut table =
        Table::new("Each beside the cheapest divergence-free run that compresses no more and flows the same", headers);
    for (weak, free) in pairs {
        let mut cells = vec![name(weak.pressure), format!("{:.4}", 100.0 * weak.error())];
        match free {
            Some(free) => cells.extend([
                name(free.pressure),
                format!("{:.4}", 100.0 * free.error()),
                format!("{:.2}", free.step() / weak.step()),
                format!("{:.2}", weak.seconds / free.seconds),
            ]),
            None => cells.extend(["none", "", "", ""].map(String::from)),
        }
        table.push(cells);
    }
    table
}

fn plots(weak: &[Run], free: &[Run]) -> Vec<Figure> {
    let over = |runs: &[Run], what: fn(&Run) -> f64| -> Vec<(f64, f64)> {
        runs.iter().map(|run| (100.0 * run.error(), what(run))).collect()
    };
    let on = |title: &str, what: fn(&Run) -> f64| {
        let plot = Plot::new(title).x("density error [%]").log_x().log_y().size(640, 420);
        let (weak, free) = (over(weak, what), over(free, what));
        plot.line("weakly compressible", &weak).points("", &weak).line("divergence-free", &free).points("", &free)
    };
    let mut errors = Plot::new("Density error over time").x("time [s]").y("mean over particles [%]").size(640, 420);
    let mut heights = Plot::new("Centre of the water").x("time [s]").y("height [m]").size(640, 420);
    let mut fronts = Plot::new("Front of the water").x("time [s]").y("place [m]").size(640, 420);
    for run in weak.iter().chain(free) {
        let curve = |what: fn(&super::pressure::Sample) -> f64| -> Vec<(f64, f64)> {
            run.samples.iter().map(|sample| (sample.time, what(sample))).collect()
        };
        errors = errors.line(name(run.pressure), &curve(|sample| 100.0 * sample.mean));
        heights = heights.line(name(run.pressure), &curve(|sample| sample.centre.y));
        let arrival = run.arrival(SPACING).unwrap_or(UNTIL);
        let running: Vec<(f64, f64)> =
            curve(|sample| sample.front).into_iter().filter(|point| point.0 <= arrival).collect();
        fronts = fronts.line(name(run.pressure), &running);
    }
    vec![
        Figure::new(
            "cost",
            "Lower and farther left is better.",
            &on("Cost against density error", Run::cost).y("s per simulated s"),
        ),
        Figure::new("step", "Higher is better.", &on("Step against density error", |r| 1e3 * r.step()).y("step [ms]")),
        Figure::new("error", "Looked at fifty times a second.", &errors),
        Figure::new("height", "The same flow, whatever the pressure is.", &heights),
        Figure::new("front", "Until it is at the far wall.", &fronts),
    ]
}

/// A sentence about a pair.
fn told((weak, free): &Pair) -> String {
    let Some(free) = free else {
        return format!("No divergence-free run compresses as little as “{}” and flows the same.", name(weak.pressure));
    };
    format!(
        "Against “{}” the cheapest that compresses no more and flows the same is “{}”: steps {:.1} times as long, {:.2} times as fast.",
        name(weak.pressure),
        name(free.pressure),
        free.step() / weak.step(),
        weak.seconds / free.seconds
    )
}

/// `divergence-free`.
///
/// # Panics
/// If a run does not come to its end.
pub fn divergence_free(progress: &mut dyn FnMut(&str)) -> Experiment {
    let mut run = |pressure: Pressure| {
        progress(&name(pressure));
        collapse(pressure, SPACING, UNTIL).unwrap_or_else(|error| panic!("{}: {error}", name(pressure)))
    };
    let weak = SOUNDS.map(|sound| run(Pressure::WeaklyCompressible { sound }));
    let free = ERRORS.map(|density_error| run(Pressure::DivergenceFree { density_error }));
    let [.., reference] = &weak;
    let pairs = pairs(&weak, &free, reference);
    let is_longer = |pair: &Pair| pair.1.is_some_and(|free| free.step() >= LONGER * pair.0.step());
    let is_faster = |pair: &Pair| pair.1.is_some_and(|free| CLEARLY * free.seconds < pair.0.seconds);
    let holds = |pair: &Pair| is_longer(pair) && is_faster(pair);
    let verdict = match (pairs.iter().all(holds), pairs.iter().any(|pair| is_longer(pair) || is_faster(pair))) {
        (true, _) => Verdict::Holds,
        (false, true) => Verdict::HoldsPartly,
        (false, false) => Verdict::Fails,
    };
    let [contact_blocks, .., strict] = &free;
    // what a step costs in weakly compressible ones, without iterations and for each of them
    let unit = reference.seconds / reference.steps as f64;
    let [a, b] = [contact_blocks, strict]
        .map(|run| (run.iterations as f64 / run.steps as f64, run.seconds / run.steps as f64 / unit));
    let each = (b.1 - a.1) / (b.0 - a.0);
    let base = a.1 - each * a.0;
    let way = way_of_the_centre();
    let off: Vec<f64> = free.iter().map(|run| run.apart(reference) / way).collect();
    let astray: Vec<String> = free
        .iter()
        .zip(&off)
        .filter(|run| *run.1 > SAME_FLOW)
        .map(|run| format!("“{}”", name(run.0.pressure)))
        .collect();
    let flow = match &astray[..] {
        [] => "all divergence-free runs are nearer than that".to_owned(),
        some => format!("{} is farther off", some.join(", ")),
    };
    let summary_html = format!(
        "<p>{} Faster means by more than {:.0} %, because seconds of equal runs differed by up to that, either way, on a busy machine.</p>\
         <p>A divergence-free step costs as much as {base:.1} weakly compressible ones before \
         any iteration, and each iteration as much as {each:.2}: pressures and rates both go over all pairs. Lists of neighbours that last for many short steps are \
         rebuilt after one or two long ones, which is likely much of the rest; that was not measured. Where much \
         compression is allowed Tait’s pressure is hard to beat: the loosest solve, one iteration, compresses by {:.2} % already.</p>\
         <p>Both flow the same where the centre of the water stays within {:.0} % of its way from where “{}” has it: {flow}, the strictest is off by {:.1} %, the \
         loosest by {:.1} %. Artificial viscosity is the same in all runs: α c is kept where c changes.</p>\
         <p>Density is looked at {} times over the run. What is allowed bounds the mean that a solve leaves; what is found has the curvature of long steps \
         in it as well. Single particles are compressed far more than the mean with either pressure. Seconds are those of one machine, one thread and \
         one run each; steps and densities are the same everywhere.</p>",
        pairs.iter().map(told).collect::<Vec<_>>().join(" "),
        100.0 * (CLEARLY - 1.0),
        100.0 * contact_blocks.error(),
        100.0 * SAME_FLOW,
        name(reference.pressure),
        100.0 * strict.apart(reference) / way,
        100.0 * contact_blocks.apart(reference) / way,
        reference.samples.len() - 1,
    );
    Experiment {
        id: "fluid-divergence-free".into(),
        title: "Pressures that are solved for against pressures that answer".into(),
        paper:
            "Bender and Koschier, Divergence-free smoothed particle hydrodynamics, 2015; the figures are a goal of ours"
                .into(),
        claim: format!(
            "DFSPH takes at least {LONGER} times larger steps at equal density error and wins in seconds per simulated second."
        ),
        verdict,
        summary_html,
        tables: vec![table(weak.iter().chain(&free), reference), compared(&pairs)],
        plots: plots(&weak, &free),
        seconds: 0.0,
    }
}
