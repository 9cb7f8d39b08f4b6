//! Figure 1 of [Adaptive]: the spring released from x = -1 m, where its force is only mildly nonlinear.

mod findings;
mod summary;
mod tables;

use std::time::Instant;

use super::figures::{capital, force_errors, step_lengths, trajectories, with_methods};
use super::method::{Method, Scheme};
use super::order::Shrinking;
use super::scan::{Count, Range, Scans};
use crate::plot::Plot;
use crate::report::{Experiment, Figure};
use findings::Findings;

const TARGETS: [u64; 3] = [60, 100, 200];
const RIVALS: [Method; 3] = [Method::Speed, Method::Stretch, Method::Doubling];
const LAWS: [Method; 4] = [Method::Paper, Method::Quarter, Method::Pi, Method::Combined];
/// What the pictures show: the three laws that have the paper's estimator alone draw nearly the same curve.
const DRAWN: [Method; 6] =
    [Method::Paper, Method::Combined, Method::Speed, Method::Stretch, Method::Doubling, Method::Fixed];
const RANGE: Range = Range { count: Count::Steps, least: 50, most: 220, resolution: 0.001 };

/// The paper's own test: is force-error control closest to the exact solution at equal work?
pub fn nonlinear_spring(progress: &mut dyn FnMut(&str)) -> Experiment {
    let begin = Instant::now();
    progress("nonlinear spring: all methods, released from -1 m");
    let scans = Scans::new(-1.0, 2.0, RANGE);
    progress("nonlinear spring: other horizons");
    let horizons = tables::horizons();
    progress("nonlinear spring: the order of the force error");
    let shrinking = Shrinking::all(&scans.problem);
    progress("nonlinear spring: pictures");
    let findings = Findings::new(&scans);
    Experiment {
        id: "adaptive-nonlinear-spring".into(),
        title: "Adaptive steps on the nonlinear spring".into(),
        paper: "Adaptive Time-Stepping with Linearized Force Error Estimation, figure 1".into(),
        claim:
            "At the same number of steps, force-error control is clearly closer to the reference than speed limiting, \
                stretch limiting and step doubling, with backward Euler and with Newmark."
                .into(),
        verdict: findings.verdict(),
        summary_html: summary::html(&scans, &findings, &shrinking),
        tables: vec![
            tables::errors(&scans),
            tables::rejections(&scans),
            tables::accepted(&scans),
            tables::largest(&scans),
            horizons,
            tables::slopes(&shrinking),
        ],
        plots: plots(&scans, &shrinking),
        seconds: begin.elapsed().as_secs_f64(),
    }
}

/// Every scheme with every target.
fn cases() -> impl Iterator<Item = (Scheme, u64)> {
    Scheme::ALL.into_iter().flat_map(|scheme| TARGETS.map(|target| (scheme, target)))
}

fn plots(scans: &Scans, shrinking: &[Shrinking]) -> Vec<Figure> {
    let until = scans.problem.until;
    let mut figures = vec![
        Figure::new(
            "trajectories-backward-euler",
            "Backward Euler at equal cost (each curve a run with the median error of its method). All lag behind the exact curve \
             because the scheme damps; the force-error laws lag less than the other adaptive methods, and equal steps least of all.",
            &trajectories(scans, Scheme::BackwardEuler, &DRAWN, 60, until),
        ),
        Figure::new(
            "trajectories-newmark",
            "Newmark at equal cost. The force-error laws lie on the exact curve but for the corners of their polygons. Speed limiting \
             misses the first swing: at rest it takes the longest step allowed.",
            &trajectories(scans, Scheme::Newmark, &DRAWN, 60, until),
        ),
    ];
    for scheme in Scheme::ALL {
        figures.push(Figure::new(
            format!("steps-{}", scheme.file()),
            format!(
                "{}: where the steps are spent. Force-error control is short where the force bends and long where it is straight; \
                 speed and stretch limiting do the opposite at the turning points, where the mass is slow but its acceleration \
                 largest. The truncation estimate evens the steps out towards the fixed one.",
                capital(scheme.name())
            ),
            &step_lengths(scans, scheme, &DRAWN, 100),
        ));
        figures.push(Figure::new(
            format!("rejections-{}", scheme.file()),
            format!(
                "{}: rejected attempts by law, medians at equal cost. Exponent 1/4 over-corrects less than 1/3; PI rejects least of \
                 the three laws with the paper's estimator.",
                capital(scheme.name())
            ),
            &rejections(scans, scheme),
        ));
    }
    figures.push(Figure::new(
        "force-error-order",
        "The force error of single steps. In motion it falls with slope 4, at the turning point with slope 5; slope 3, on which \
         eq. 12 rests, is seen nowhere once steps are short.",
        &force_errors(shrinking),
    ));
    figures
}

/// Rejections over solves for the four laws.
fn rejections(scans: &Scans, scheme: Scheme) -> Plot {
    let plot = Plot::new(format!("{}: rejected attempts", capital(scheme.name())))
        .x("solves, rejected attempts included")
        .y("rejected attempts")
        .size(720, 430);
    with_methods(plot, &LAWS, |method| {
        let medians = (55..=210).step_by(5).filter_map(|solves| {
            let medians = scans.of(scheme, method).within(Count::Solves, solves)?;
            Some((solves as f64, medians.rejected))
        });
        medians.collect()
    })
}
