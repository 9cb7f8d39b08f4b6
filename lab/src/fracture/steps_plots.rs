//! What the runs of `fracture-steps` found, as plots and pictures.

use super::bars::{Bar, Bars, Group};
use super::images::{Wanted, side_by_side};
use super::pieces::CLASSES;
use super::run::{Moment, PHASES, Run};
use super::scan::{Scan, Setting};
use super::steps::Size;
use super::steps_tables::{count, label};
use pliant_plot::Plot;
use pliant_plot::report::Figure;

const PHASE_COLOURS: [&str; 3] = ["#56B4E9", "#D55E00", "#009E73"];
/// From dust to the whole: dark to pale.
const CLASS_COLOURS: [&str; 8] =
    ["#440154", "#46327E", "#365C8D", "#277F8E", "#1FA187", "#4AC16D", "#A0DA39", "#FDE725"];

fn seconds(sizes: &[Size]) -> Figure {
    let mean = |setting: &Setting| Bar {
        name: setting.method().name(),
        parts: setting.phases().to_vec(),
        note: format!("{:.2} s", setting.seconds()),
    };
    let bar =
        |run: &Run| Bar { name: label(run), parts: run.phases().to_vec(), note: format!("{:.2} s", run.seconds()) };
    let group = |size: &Size| Group {
        title: format!("{} particles", count(size)),
        bars: size.three().map(mean).into_iter().chain(size.others.iter().map(bar)).collect(),
    };
    let bars = Bars {
        title: "Seconds on a processor by phase".into(),
        legend: PHASES.iter().zip(PHASE_COLOURS).map(|(phase, colour)| ((*phase).to_owned(), colour)).collect(),
        groups: sizes.iter().map(group).collect(),
    };
    bars.figure(
        "seconds",
        "Shorter is faster; each group has its own scale. The first three bars of each are means of seeds.",
    )
}

fn masses(sizes: &[Size]) -> Figure {
    let bar = |run: &Run| Bar {
        name: label(run),
        parts: run.pieces.shares().to_vec(),
        note: format!("{} fragments", run.pieces.fragments()),
    };
    let group = |size: &Size| Group {
        title: format!("{} particles", count(size)),
        bars: size.reference.iter().chain(size.three().map(Setting::first)).chain(&size.others).map(bar).collect(),
    };
    let bars = Bars {
        title: "Where the mass is in the end, by particles of a fragment".into(),
        legend: CLASSES.iter().zip(CLASS_COLOURS).map(|(class, colour)| ((*class).to_owned(), colour)).collect(),
        groups: sizes.iter().map(group).collect(),
    };
    bars.figure(
        "fragments",
        "Bars of the same kind of cracks differ no more than the first ones, those of the reference, do.",
    )
}

/// What a size costs against what it breaks: the rivals along all settings that were tried.
fn precision(size: &Size) -> Figure {
    let point = |setting: &Setting| (setting.seconds(), 1e3 * setting.mean(Run::energy));
    let points = |scan: &Scan| scan.tried.iter().map(point).collect::<Vec<_>>();
    let (adaptive, fixed, explicit) = (points(&size.adaptive), points(&size.fixed), [point(&size.explicit)]);
    let all = adaptive.iter().chain(&fixed).chain(&explicit).map(|point| point.0);
    let ends = all.fold((f64::INFINITY, 0.0_f64), |(low, high), x| (low.min(x), high.max(x)));
    let fair = size.scatter.fair_energies();
    let level = |energy: f64| [(ends.0, 1e3 * energy), (ends.1, 1e3 * energy)];
    let plot = Plot::new(format!("Cost and outcome, {} particles", count(size)))
        .x("on a processor [s]")
        .y("energy of broken bonds [mJ]")
        .log_x()
        .size(720, 420)
        .line("adaptive newmark", &adaptive)
        .points("adaptive newmark", &adaptive)
        .line("fixed newmark", &fixed)
        .points("fixed newmark", &fixed)
        .points("explicit verlet", &explicit)
        .dashed("fair from", &level(fair.low))
        .dashed("fair up to", &level(fair.high));
    Figure::new(
        "precision",
        "Means of seeds; from the left, tolerances and fixed steps become smaller. The farther left a line comes to what is fair, the cheaper.",
        &plot,
    )
}

/// A line through every moment of a run.
fn line(run: &Run, what: impl Fn(&Moment) -> f64) -> Vec<(f64, f64)> {
    run.trace.iter().map(|moment| (1e6 * moment.time, what(moment))).collect()
}

fn over_time(sizes: &[Size]) -> Vec<Figure> {
    let Some(largest) = sizes.last() else { return Vec::new() };
    let plot = |title: String| Plot::new(title).x("time [µs]").size(720, 420);
    let mut steps = plot("Length of steps".into()).y("step [µs]").log_y();
    for size in sizes {
        let points = line(size.adaptive.best().first(), |moment| 1e6 * moment.dt);
        steps = steps.line(format!("adaptive, {} particles", count(size)), &points);
    }
    for run in [&largest.fixed.best().runs[0], largest.explicit.first()] {
        steps = steps.dashed(run.method.name(), &line(run, |moment| 1e6 * moment.dt));
    }
    let mut energy = plot(format!("Energy of broken bonds, {} particles", count(largest))).y("energy [mJ]");
    let mut cost = plot(format!("What it takes, {} particles", count(largest))).y("on a processor so far [s]");
    for run in largest.three().map(Setting::first) {
        energy = energy.line(run.method.name(), &line(run, |moment| 1e3 * moment.released));
        cost = cost.line(run.method.name(), &line(run, |moment| moment.seconds));
    }
    for run in &largest.reference {
        energy = energy.dashed(label(run), &line(run, |moment| 1e3 * moment.released));
    }
    vec![
        Figure::new(
            "steps",
            "Accepted steps; dashed lines are fixed and explicit ones at the largest number of particles.",
            &steps,
        ),
        Figure::new("cost", "Flat parts cost little.", &cost),
        Figure::new("energy", "Dashed lines are seeds of the reference.", &energy),
    ]
}

fn pictures(size: &Size) -> Figure {
    let wanted = [
        Wanted { shot: 0, damage: true, words: "damage" },
        Wanted { shot: 1, damage: true, words: "damage" },
        Wanted { shot: 1, damage: false, words: "fragments" },
    ];
    let title = format!("The plate, {} particles", count(size));
    side_by_side(
        "pictures",
        "While it breaks and at the end. Damage is the part of a particle’s bonds that is broken.",
        &title,
        &[size.fixed.best().first(), size.adaptive.best().first()],
        &wanted,
    )
}

/// All of them.
pub fn plots(sizes: &[Size]) -> Vec<Figure> {
    let mut all = vec![seconds(sizes)];
    all.extend(sizes.first().map(precision));
    all.extend(over_time(sizes));
    all.push(masses(sizes));
    all.extend(sizes.last().filter(|size| !size.explicit.first().shots.is_empty()).map(pictures));
    all
}
