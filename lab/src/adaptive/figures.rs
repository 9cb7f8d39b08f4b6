//! Drawings that several experiments share. A method has the same colour in all of them.

use std::ops::RangeInclusive;

use super::method::{Method, Scheme};
use super::order::Shrinking;
use super::run::run;
use super::scan::Scans;
use pliant_plot::Plot;

type Points = Vec<(f64, f64)>;

/// The size of all plots, in pixels.
pub const WIDTH: u32 = 640;
/// The same.
pub const HEIGHT: u32 = 420;

/// Adds one curve for each method given, in the order and the colours of [`Method::ALL`]; fixed steps are the grey yardstick.
pub fn with_methods(mut plot: Plot, methods: &[Method], mut points: impl FnMut(Method) -> Points) -> Plot {
    for method in Method::ALL {
        plot = match (method, methods.contains(&method)) {
            (Method::Fixed, true) => plot.dashed(method.name(), &points(method)),
            (Method::Fixed, false) => plot,
            (_, true) => plot.line(method.name(), &points(method)),
            // A nameless curve without points reserves its colour.
            (_, false) => plot.line("", &[]),
        };
    }
    plot
}

/// The typical run of a method at some cost: (time, position) of its accepted steps.
pub fn typical_curve(scans: &Scans, scheme: Scheme, method: Method, solves: u64) -> Points {
    let parameter = scans.of(scheme, method).typical(solves).parameter;
    let mut curve = Vec::new();
    run(&scans.problem, scheme, &method.control(parameter), parameter, &mut curve).expect("it ran before");
    curve
}

/// Position between two times, like figure 1 of the paper.
pub fn trajectories(
    scans: &Scans,
    scheme: Scheme,
    methods: &[Method],
    solves: u64,
    shown: RangeInclusive<f64>,
) -> Plot {
    let problem = &scans.problem;
    let samples = problem.exact.iter().enumerate().map(|(k, x)| (problem.time(k), *x));
    let exact: Points = samples.filter(|(time, _)| shown.contains(time)).collect();
    let plot = plot(scans, scheme, solves, "position").y("position [m]").dashed("exact", &exact);
    with_methods(plot, methods, |method| clip(&typical_curve(scans, scheme, method, solves), &shown))
}

/// Distance from the exact solution over time.
pub fn deviations(scans: &Scans, scheme: Scheme, methods: &[Method], solves: u64) -> Plot {
    let plot = plot(scans, scheme, solves, "distance from the exact motion").y("x − exact [m]").hline(0.0, "");
    with_methods(plot, methods, |method| {
        scans.problem.deviations(&typical_curve(scans, scheme, method, solves)).collect()
    })
}

/// Length of the steps over time.
pub fn step_lengths(scans: &Scans, scheme: Scheme, methods: &[Method], solves: u64) -> Plot {
    let plot = plot(scans, scheme, solves, "length of the steps").y("step [s]").log_y();
    with_methods(plot, methods, |method| {
        let curve = typical_curve(scans, scheme, method, solves);
        curve.windows(2).flat_map(|pair| [0, 1].map(|end| (pair[end].0, pair[1].0 - pair[0].0))).collect()
    })
}

/// A plot over time of runs at equal cost.
fn plot(scans: &Scans, scheme: Scheme, solves: u64, what: &str) -> Plot {
    let until = scans.problem.until;
    Plot::new(format!("{}, {solves} solves in {until} s: {what}", capital(scheme.name())))
        .x("time [s]")
        .size(WIDTH, HEIGHT)
}

/// The part of a polygon between two times.
fn clip(curve: &[(f64, f64)], shown: &RangeInclusive<f64>) -> Points {
    let mut part = Vec::new();
    for pair in curve.windows(2) {
        let ((t0, x0), (t1, x1)) = (pair[0], pair[1]);
        let at = |time: f64| (time, x0 + (x1 - x0) * (time - t0) / (t1 - t0));
        let (from, to) = (t0.max(*shown.start()), t1.min(*shown.end()));
        if from < to {
            if part.is_empty() {
                part.push(at(from));
            }
            part.push(at(to));
        }
    }
    part
}

/// The slope d log ε / d log dt of single steps over their length.
pub fn force_error_slopes(measured: &[Shrinking]) -> Plot {
    let mut plot = Plot::new("By which power of dt the force error ε of one step shrinks")
        .x("step [s]")
        .y("d log ε / d log dt")
        .log_x()
        .size(WIDTH, HEIGHT);
    for one in measured {
        let name = format!("{} at x = {} m, v = {} m/s", one.scheme.name(), minus(one.state.0), minus(one.state.1));
        let steps = one.errors.windows(2).map(|pair| (pair[0].0 * pair[1].0).sqrt());
        let slopes: Points = steps.zip(one.slopes()).collect();
        plot = plot.line(&name, &slopes).points(&name, &slopes);
    }
    let ends = measured.first().and_then(|one| Some((one.errors.first()?.0, one.errors.last()?.0)));
    plot.dashed("as in eq. 8", &ends.map_or(Vec::new(), |(long, short)| vec![(short, 3.0), (long, 3.0)]))
}

/// A number with a proper minus sign.
pub fn minus(value: f64) -> String {
    value.to_string().replace('-', "−")
}

/// A word at the start of a sentence.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
