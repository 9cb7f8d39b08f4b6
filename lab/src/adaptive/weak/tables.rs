//! The tables of the comparison.

use super::super::method::{Method, Scheme};
use super::super::order::Shrinking;
use super::super::scan::{Count, Medians, Range, Scans};
use super::super::words::{milli, number};
use super::{LAWS, RANGE, cases};
use pliant_plot::report::Table;

/// Two names and then one column for each method.
fn headers(first: [&str; 2], methods: &[Method]) -> Vec<String> {
    first.into_iter().chain(methods.iter().map(|method| method.short_name())).map(String::from).collect()
}

/// One row for each scheme and cost, one column for each method.
fn by_case(caption: &str, unit: &str, methods: &[Method], cell: impl Fn(Scheme, Method, u64) -> String) -> Table {
    let mut table = Table::new(caption, headers(["scheme", unit], methods));
    for (scheme, target) in cases() {
        let cells = methods.iter().map(|method| cell(scheme, *method, target));
        table.push([scheme.name().to_owned(), target.to_string()].into_iter().chain(cells));
    }
    table
}

/// RMS errors at equal solves.
pub fn errors(scans: &Scans) -> Table {
    let caption = "RMS error in millimetres at equal solves, rejected attempts included (medians over all runs within 3 % of the \
                   count). Eq. 12, 1/4, PI: laws for the force error alone; + truncation: both estimates";
    by_case(caption, "solves", &Method::ALL, |scheme, method, solves| milli(scans.at(scheme, method, solves).rms))
}

/// Rejections at equal solves.
pub fn rejections(scans: &Scans) -> Table {
    let methods = [&LAWS[..], &[Method::Stretch, Method::Doubling]].concat();
    let rejected = |medians: Medians| format!("{:.0}", medians.rejected);
    by_case("Rejected attempts in the same runs", "solves", &methods, |scheme, method, solves| {
        rejected(scans.at(scheme, method, solves))
    })
}

/// RMS errors at equal accepted steps, and the solves spent.
pub fn accepted(scans: &Scans) -> Table {
    let caption = "RMS error in millimetres at equal accepted steps (and the solves that they cost); a half step of step doubling \
                   counts as one";
    let methods = Method::ALL.into_iter().filter(|method| !matches!(method, Method::Quarter | Method::Speed));
    by_case(caption, "steps", &methods.collect::<Vec<_>>(), |scheme, method, steps| {
        let medians = scans.of(scheme, method).at(Count::Steps, steps);
        format!("{} ({:.0})", milli(medians.rms), medians.solves)
    })
}

/// Largest errors at equal solves.
pub fn largest(scans: &Scans) -> Table {
    let caption = "Largest error in millimetres at equal solves";
    by_case(caption, "solves", &Method::ALL, |scheme, method, solves| milli(scans.at(scheme, method, solves).max))
}

/// How the comparison with equal steps depends on the time that is simulated.
pub fn horizons() -> Table {
    const SOLVES: u64 = 200;
    const SHOWN: [Method; 4] = [Method::Paper, Method::Pi, Method::Combined, Method::Fixed];
    let caption = format!(
        "RMS error in millimetres at {SOLVES} solves over other lengths of time: the comparison with equal steps depends on it"
    );
    let mut table = Table::new(caption, headers(["scheme", "time [s]"], &SHOWN));
    let range = Range { count: Count::Solves, least: SOLVES, most: SOLVES, resolution: 2.0 * RANGE.resolution };
    let scans: Vec<(f64, Scans)> =
        [0.5, 2.0, 5.0].map(|until| (until, Scans::of_methods(-1.0, until, &SHOWN, range))).into();
    for scheme in Scheme::ALL {
        for (until, scans) in &scans {
            let cells = SHOWN.map(|method| milli(scans.at(scheme, method, SOLVES).rms));
            table.push([scheme.name().to_owned(), until.to_string()].into_iter().chain(cells));
        }
    }
    table
}

/// The power of dt in the force error.
pub fn slopes(shrinking: &[Shrinking]) -> Table {
    let mut headers = vec!["scheme".to_owned(), "x [m]".to_owned(), "v [m/s]".to_owned()];
    let steps: Vec<f64> = shrinking.first().map_or(Vec::new(), |one| one.errors.iter().map(|(dt, _)| *dt).collect());
    headers.extend(steps.windows(2).map(|pair| format!("{} ms", number(1e3 * pair[0]))));
    let caption = "Slope d log ε / d log dt of single steps, between a dt and its half (eq. 8 of the paper expects 3)";
    let mut table = Table::new(caption, headers);
    for one in shrinking {
        let start = [one.scheme.name().to_owned(), one.state.0.to_string(), one.state.1.to_string()];
        table.push(start.into_iter().chain(one.slopes().iter().map(|slope| format!("{slope:.2}"))));
    }
    table
}
