//! Figure 1 of [Adaptive]: the spring released from x = -1 m, where its force is only mildly nonlinear.

mod findings;
mod summary;
mod tables;

use std::ops::RangeInclusive;
use std::time::Instant;

use super::figures::{
    HEIGHT, WIDTH, capital, deviations, force_error_slopes, step_lengths, trajectories, with_methods,
};
use super::method::{Method, Scheme};
use super::order::Shrinking;
use super::scan::{Count, Range, Scans};
use findings::Findings;
use pliant_plot::Plot;
use pliant_plot::report::{Experiment, Figure};

const TARGETS: [u64; 3] = [60, 100, 200];
const RIVALS: [Method; 3] = [Method::Speed, Method::Stretch, Method::Doubling];
const LAWS: [Method; 4] = [Method::Paper, Method::Quarter, Method::Pi, Method::Combined];
/// What the pictures show: the three laws that have the paper's estimator alone draw nearly the same curve.
const DRAWN: [Method; 6] =
    [Method::Paper, Method::Combined, Method::Speed, Method::Stretch, Method::Doubling, Method::Fixed];
/// The pictures of positions leave out the first fall, s: beside it nothing else could be seen.
const SHOWN: RangeInclusive<f64> = 0.28..=2.0;
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
    let mut figures = Vec::new();
    for scheme in Scheme::ALL {
        let mut add = |name: &str, caption: String, plot: &Plot| {
            figures.push(Figure::new(format!("{name}-{}", scheme.file()), caption, plot));
        };
        let name = capital(scheme.name());
        let motion = match scheme {
            Scheme::BackwardEuler => {
                "after the first fall, each curve a run with the median error of its method. The scheme damps, and all curves die \
                 out too soon; those of the force-error laws less so than the other adaptive methods, and equal steps least."
            }
            Scheme::Newmark => {
                "after the first fall, each curve a run with the median error of its method. The force-error laws keep to the exact \
                 curve but for the corners of their polygons; stretch limiting drifts out of phase."
            }
        };
        add("trajectories", format!("{name}: {motion}"), &trajectories(scans, scheme, &DRAWN, 60, SHOWN));
        let distance = match scheme {
            Scheme::BackwardEuler => {
                "the same runs from the start. All lose their swing in the same rhythm; what differs is how fast."
            }
            Scheme::Newmark => {
                "the same runs from the start. Speed limiting and step doubling miss the first fall: both begin with the longest step \
                 allowed. Equal steps pay for theirs in the beginning, and are ahead of eq. 12 later on."
            }
        };
        add("deviations", format!("{name}: {distance}"), &deviations(scans, scheme, &DRAWN, 60));
        let steps = "where the steps are spent. Speed and stretch limiting take their longest steps at the turning points, where the \
                     acceleration is largest, and their shortest in fast but smooth motion. Eq. 12 follows the nonlinearity, which \
                     fades as the swing dies out; force + truncation stays nearer to the fixed step.";
        add("steps", format!("{name}: {steps}"), &step_lengths(scans, scheme, &DRAWN, 100));
        let rejected = "rejected attempts by law, medians at equal cost. Eq. 12 over-corrects and pays with rejections; exponent 1/4 \
                        has about half as many, PI and force + truncation fewer still.";
        add("rejections", format!("{name}: {rejected}"), &rejections(scans, scheme));
    }
    let order = "The force error of single steps. In motion its power of dt approaches 4, at rest in the turning point 5; the power 3, on \
                 which eq. 12 rests, is that of steps so long that no power law holds.";
    figures.push(Figure::new("force-error-order", order, &force_error_slopes(shrinking)));
    figures
}

/// Rejections over solves for the four laws.
fn rejections(scans: &Scans, scheme: Scheme) -> Plot {
    let plot = Plot::new(format!("{}: rejected attempts", capital(scheme.name())))
        .x("solves, rejected attempts included")
        .y("rejected attempts")
        .size(WIDTH, HEIGHT);
    with_methods(plot, &LAWS, |method| {
        let medians = (55..=210).step_by(5).filter_map(|solves| {
            let medians = scans.of(scheme, method).within(Count::Solves, solves)?;
            Some((solves as f64, medians.rejected))
        });
        medians.collect()
    })
}
