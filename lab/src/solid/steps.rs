//! `corotational-steps`: error over work of force-error control [Adaptive] and of equal steps on solids.

use std::time::Instant;

use crate::contest::{Case, Contest, Method};
use pliant_plot::report::Experiment;

const CASES: &[Case] = &[
    (
        "sheared-bar",
        &["solid[0].box.cells=[2, 12, 2]", "probe[0].particle=116", "solid[0].loads[0].ramp=0.1"],
        0.4,
        1e-3,
    ),
    ("rotating-cube", &["solid[0].box.cells=[3, 3, 3]"], 0.4, 2e-3),
    ("twisting-bar", &["solid[0].box.cells=[10, 2, 2]"], 0.4, 2e-3),
];
/// Errors at which costs are compared, m.
const LEVELS: &[f64] = &[2e-3, 1e-3, 5e-4, 2e-4, 1e-4];
const LINEARIZED: &str = "linearized-backward-euler";
const FORCE_ERROR: &[&str] = &["kind=force-error", "law=combined"];
/// Longer steps than cloth's: these bodies are soft and damped.
const METHODS: &[Method] = &[
    Method {
        name: "fixed",
        scheme: LINEARIZED,
        control: &["kind=fixed"],
        parameter: "dt",
        values: &[40e-3, 16e-3, 8e-3, 4e-3, 2e-3, 1e-3],
    },
    Method {
        name: "force-error, combined",
        scheme: LINEARIZED,
        control: FORCE_ERROR,
        parameter: "tolerance",
        values: &[1e-3, 1e-4, 1e-5, 1e-6, 1e-7],
    },
    Method {
        name: "fixed",
        scheme: "bdf2",
        control: &["kind=fixed"],
        parameter: "dt",
        values: &[80e-3, 40e-3, 20e-3, 10e-3, 5e-3],
    },
    Method {
        name: "force-error, combined",
        scheme: "bdf2",
        control: FORCE_ERROR,
        parameter: "tolerance",
        values: &[1e-3, 1e-4, 1e-5, 1e-6],
    },
];

/// `corotational-steps`.
pub fn corotational_steps(progress: &mut dyn FnMut(&str)) -> Experiment {
    let begin = Instant::now();
    let results = Contest { cases: CASES, methods: METHODS.iter().collect(), levels: LEVELS }.run(progress);
    Experiment {
        id: "corotational-steps".into(),
        title: "Adaptive steps on solids".into(),
        paper: "a goal of ours; Adaptive Time-Stepping with Linearized Force Error Estimation has cloth only".into(),
        claim: "At equal error, force-error control takes less work on solids than equal steps.".into(),
        verdict: results.verdict(),
        summary_html: format!(
            "<p>Small versions of three scenes; the error is the largest distance of any particle from the reference at the end. {} {}",
            results.doubts(),
            results.comparisons()
        ),
        tables: results.tables(),
        plots: results.figures(),
        seconds: begin.elapsed().as_secs_f64(),
    }
}
