//! What the runs of `fracture-steps` found, as plots and pictures.

use super::bars::{Bar, Bars, Group};
use super::images::{Wanted, side_by_side};
use super::pieces::CLASSES;
use super::run::{Moment, PHASES, Run};
use super::steps::Size;
use super::steps_tables::{count, label};
use crate::plot::Plot;
use crate::report::Figure;

const PHASE_COLOURS: [&str; 3] = ["#56B4E9", "#D55E00", "#009E73"];
/// From dust to the whole: dark to pale.
const CLASS_COLOURS: [&str; 8] =
    ["#440154", "#46327E", "#365C8D", "#277F8E", "#1FA187", "#4AC16D", "#A0DA39", "#FDE725"];

/// Fixed, adaptive and explicit steps.
fn three(size: &Size) -> [&Run; 3] {
    [size.rival(), size.adaptive(), &size.explicit]
}

fn seconds(sizes: &[Size]) -> Figure {
    let bar =
        |run: &Run| Bar { name: label(run), parts: run.phases().to_vec(), note: format!("{:.2} s", run.seconds()) };
    let group = |size: &Size| Group {
        title: format!("{} particles", count(size)),
        bars: three(size).map(bar).into_iter().chain(size.others.iter().map(bar)).collect(),
    };
    let bars = Bars {
        title: "Seconds on a processor by phase".into(),
        legend: PHASES.iter().zip(PHASE_COLOURS).map(|(phase, colour)| ((*phase).to_owned(), colour)).collect(),
        groups: sizes.iter().map(group).collect(),
    };
    bars.figure("seconds", "Shorter is faster; each group has its own scale.")
}

fn masses(sizes: &[Size]) -> Figure {
    let bar = |run: &Run| Bar {
        name: label(run),
        parts: run.pieces.shares().to_vec(),
        note: format!("{} fragments", run.pieces.fragments()),
    };
    let group = |size: &Size| Group {
        title: format!("{} particles", count(size)),
        bars: size.seeds.iter().chain([size.rival(), &size.explicit]).chain(&size.others).map(bar).collect(),
    };
    let bars = Bars {
        title: "Where the mass is in the end, by particles of a fragment".into(),
        legend: CLASSES.iter().zip(CLASS_COLOURS).map(|(class, colour)| ((*class).to_owned(), colour)).collect(),
        groups: sizes.iter().map(group).collect(),
    };
    bars.figure("fragments", "Bars of the same kind of cracks differ no more than those of the seeds do.")
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
        let points = line(size.adaptive(), |moment| 1e6 * moment.dt);
        steps = steps.line(format!("adaptive, {} particles", count(size)), &points);
    }
    for run in [largest.rival(), &largest.explicit] {
        steps = steps.dashed(run.method.name(), &line(run, |moment| 1e6 * moment.dt));
    }
    let mut energy = plot(format!("Energy of broken bonds, {} particles", count(largest))).y("energy [mJ]");
    let mut cost = plot(format!("What it takes, {} particles", count(largest))).y("on a processor so far [s]");
    for run in three(largest) {
        energy = energy.line(run.method.name(), &line(run, |moment| 1e3 * moment.released));
        cost = cost.line(run.method.name(), &line(run, |moment| moment.seconds));
    }
    for run in largest.seeds.iter().skip(1) {
        energy = energy.dashed(label(run), &line(run, |moment| 1e3 * moment.released));
    }
    vec![
        Figure::new(
            "steps",
            "Accepted steps; dashed lines are fixed and explicit ones at the largest number of particles.",
            &steps,
        ),
        Figure::new("cost", "Flat parts cost little.", &cost),
        Figure::new("energy", "Dashed lines are other seeds of adaptive steps.", &energy),
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
        &[size.rival(), size.adaptive()],
        &wanted,
    )
}

/// All of them.
pub fn plots(sizes: &[Size]) -> Vec<Figure> {
    let mut all = vec![seconds(sizes)];
    all.extend(over_time(sizes));
    all.push(masses(sizes));
    all.extend(sizes.last().filter(|size| !size.adaptive().shots.is_empty()).map(pictures));
    all
}
