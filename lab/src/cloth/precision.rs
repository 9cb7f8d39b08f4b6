//! `adaptive-cloth`: error over work of every controller of [Adaptive] on cloth, and equal steps beside them.

use std::time::Instant;

use crate::contest::{Case, Contest, METHODS};
use pliant_plot::report::Experiment;

const CASES: &[Case] = &[
    ("hanging-cloth", &["cloth[0].grid.columns=12", "cloth[0].grid.rows=12"], 0.2, 0.5e-3),
    ("cloth-on-sphere", &["cloth[0].grid.columns=12", "cloth[0].grid.rows=12"], 0.2, 0.4e-3),
    ("twisted-cloth", &["cloth[0].grid.columns=16", "cloth[0].grid.rows=10"], 0.2, 0.5e-3),
];
/// Errors at which costs are compared, m.
const LEVELS: &[f64] = &[1e-2, 5e-3, 2e-3];

/// `adaptive-cloth`.
pub fn adaptive_cloth(progress: &mut dyn FnMut(&str)) -> Experiment {
    let begin = Instant::now();
    let results = Contest { cases: CASES, methods: METHODS.iter().collect(), levels: LEVELS }.run(progress);
    Experiment {
        id: "adaptive-cloth".into(),
        title: "Adaptive steps on cloth".into(),
        paper: "Adaptive Time-Stepping with Linearized Force Error Estimation, abstract and results".into(),
        claim: "At equal error, force-error control takes less work on cloth than equal steps and than the other controllers.".into(),
        verdict: results.verdict(),
        summary_html: format!(
            "<p>Small versions of three scenes; the error is the largest distance of any particle from the reference at the end, which is \
             early: later on folds amplify any difference, and no reference converges. {} {}",
            results.doubts(),
            results.comparisons()
        ),
        tables: results.tables(),
        plots: results.figures(),
        seconds: begin.elapsed().as_secs_f64(),
    }
}
