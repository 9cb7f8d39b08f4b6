//! Drawings that several experiments share. A method has the same colour in all of them.

use super::method::{Method, Scheme};
use super::order::Shrinking;
use super::run::run;
use super::scan::Scans;
use crate::plot::Plot;

type Points = Vec<(f64, f64)>;

/// Adds one curve for each method given, in the order and the colours of [`Method::ALL`]; fixed steps are the grey yardstick.
pub fn with_methods(mut plot: Plot, methods: &[Method], mut points: impl FnMut(Method) -> Points) -> Plot {
    for method in Method::ALL {
        plot = match (method, methods.contains(&method)) {
            (Method::Fixed, true) => plot.dashed(method.name(), &points(method)),
            (Method::Fixed, false) => plot,
            (_, true) => plot.line(method.name(), &points(method)),
            // A nameless curve of no points takes up its colour and nothing else.
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

/// Position over time up to `end`, like figure 1 of the paper.
pub fn trajectories(scans: &Scans, scheme: Scheme, methods: &[Method], solves: u64, end: f64) -> Plot {
    let problem = &scans.problem;
    let samples = problem.exact.iter().enumerate().map(|(k, x)| (problem.time(k), *x));
    let exact: Points = samples.take_while(|(time, _)| *time <= end).collect();
    let plot = Plot::new(format!("{}, {solves} solves in {} s: position", capital(scheme.name()), problem.until))
        .x("time [s]")
        .y("position [m]")
        .size(720, 430)
        .dashed("exact", &exact);
    with_methods(plot, methods, |method| {
        let mut curve = typical_curve(scans, scheme, method, solves);
        let shown = curve.iter().position(|(time, _)| *time >= end).map_or(curve.len(), |last| last + 1);
        curve.truncate(shown);
        if let [.., (t0, x0), (t1, x1)] = &mut curve[..]
            && *t1 > end
        {
            (*t1, *x1) = (end, *x0 + (*x1 - *x0) * (end - *t0) / (*t1 - *t0));
        }
        curve
    })
}

/// Length of the steps over time.
pub fn step_lengths(scans: &Scans, scheme: Scheme, methods: &[Method], solves: u64) -> Plot {
    let until = scans.problem.until;
    let plot = Plot::new(format!("{}, {solves} solves in {until} s: length of the steps", capital(scheme.name())))
        .x("time [s]")
        .y("step [s]")
        .log_y()
        .size(720, 430);
    with_methods(plot, methods, |method| {
        let curve = typical_curve(scans, scheme, method, solves);
        curve.windows(2).flat_map(|pair| [0, 1].map(|end| (pair[end].0, pair[1].0 - pair[0].0))).collect()
    })
}

/// ε of single steps over their length, with the slope that eq. 8 expects and the true one.
pub fn force_errors(measured: &[Shrinking]) -> Plot {
    let mut plot = Plot::new("The force error of one step").x("step [s]").y("ε [m]").log_x().log_y().size(720, 430);
    for one in measured {
        let (x, v) = one.state;
        let name = format!("{}, x = {x} m, v = {v} m/s", one.scheme.name());
        plot = plot.line(&name, &one.errors).points(&name, &one.errors);
    }
    // Guides through the end of the uppermost curve, where steps are long.
    let moving = measured.iter().find(|one| one.state.1 != 0.0);
    if let Some((dt, error)) = moving.and_then(|one| one.errors.last().copied()) {
        let guide = |power: i32| [1.0, 4.0, 16.0].map(|factor: f64| (dt * factor, 0.5 * error * factor.powi(power)));
        plot = plot.dashed("slope 3 (eq. 8)", &guide(3)).dashed("slope 4", &guide(4)).dashed("slope 5", &guide(5));
    }
    plot
}

/// A word at the start of a sentence.
pub fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
