//! The plot of a sweep: cost of runs, their final state and the energy error of their integrator, against the first key that has
//! numbers; a line for each combination of the other keys, and a red cross for each run that has no such figure.

use std::collections::BTreeMap;

use pliant::scene::units::any_quantity;
use pliant::sweep::grid::shown;
use pliant::sweep::table::{number, short_name, warnings};
use pliant::sweep::{RunResult, Status, Sweep, Vary};
use pliant_plot::Plot;

/// Values that span more than this are shown on a logarithmic axis.
const WIDE: f64 = 20.0;
/// Largest number of lines with a legend.
const NAMED: usize = 14;

/// The horizontal axis: positions of the values of a key.
struct Axis {
    /// Which key; none where only repeats differ.
    key: Option<usize>,
    label: String,
    places: Vec<f64>,
    /// Instead of numbers.
    names: Vec<String>,
}

/// One plot of the picture.
struct Panel {
    title: &'static str,
    column: &'static str,
    label: &'static str,
    /// Whether its sign is left out, so that it may span decades.
    absolute: bool,
    /// Whether figures of runs that exploded are meaningless here; their cost is not.
    needs_sense: bool,
}

/// Cost of runs, their final state, and the energy error of the integrator.
const PANELS: [Panel; 4] = [
    Panel {
        title: "time of a run",
        column: "wall_seconds",
        label: "time on the clock [s]",
        absolute: false,
        needs_sense: false,
    },
    Panel { title: "steps of a run", column: "steps", label: "accepted steps", absolute: false, needs_sense: false },
    Panel {
        title: "energy at the end",
        column: "energy_total",
        label: "total energy [J]",
        absolute: false,
        needs_sense: true,
    },
    Panel {
        title: "energy error",
        column: "ledger_integrator",
        label: "gained or lost by the integrator [J]",
        absolute: true,
        needs_sense: true,
    },
];

/// The plot as SVG.
pub fn svg(sweep: &Sweep, results: &[Option<RunResult>]) -> String {
    let axis = Axis::of(&sweep.plan.vary);
    let panels: Vec<Plot> = PANELS.iter().map(|one| panel(sweep, results, &axis, one)).collect();
    Plot::render_rows(&panels, 2)
}

impl Axis {
    fn of(vary: &[Vary]) -> Self {
        let numeric = vary.iter().enumerate().find_map(|(k, one)| Some((k, numbers(one)?)));
        if let Some((k, (places, unit))) = numeric {
            let unit = if unit.is_empty() { unit } else { format!(" [{unit}]") };
            return Self { key: Some(k), label: format!("{}{unit}", vary[k].path), places, names: Vec::new() };
        }
        match vary.first() {
            None => Self { key: None, label: "run".into(), places: Vec::new(), names: Vec::new() },
            Some(one) => {
                let places = (0..one.values.len()).map(|k| k as f64).collect();
                let names = one.values.iter().map(|value| shown(value)).collect();
                Self { key: Some(0), label: one.path.clone(), places, names }
            }
        }
    }
}

/// The values of a key as numbers in SI units, if there are several and all are of one kind.
fn numbers(vary: &Vary) -> Option<(Vec<f64>, String)> {
    if vary.values.len() < 2 {
        return None;
    }
    let mut unit: Option<String> = None;
    let mut places = Vec::new();
    for value in &vary.values {
        let text = shown(value);
        match (text.parse::<f64>(), any_quantity(&text)) {
            // a plain number has the unit of its neighbours
            (Ok(plain), _) => places.push(plain),
            (_, Some((si, found))) if unit.as_ref().is_none_or(|unit| *unit == found) => {
                places.push(si);
                unit = Some(found);
            }
            _ => return None,
        }
    }
    Some((places, unit.unwrap_or_default()))
}

fn panel(sweep: &Sweep, results: &[Option<RunResult>], axis: &Axis, what: &Panel) -> Plot {
    // lines in the order of their first run; each with all points, and where their middle is
    let mut lines: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    let (mut failed, mut exploded) = (Vec::new(), Vec::new());
    for (run, result) in sweep.runs().zip(results) {
        let Some(result) = result else { continue };
        let vary = &sweep.plan.vary;
        let x = match axis.key {
            None => run.number as f64,
            Some(key) => {
                let at = vary[key].values.iter().position(|value| shown(value) == run.values[key]);
                axis.places[at.unwrap_or(0)]
            }
        };
        let others = (0..vary.len()).filter(|k| Some(*k) != axis.key);
        let name: Vec<String> = others.map(|k| format!("{} {}", short_name(vary, k), run.values[k])).collect();
        let name = name.join(", ");
        // also of a run without a value, so that a line has the same colour in all panels
        let at = lines.iter().position(|line| line.0 == name).unwrap_or_else(|| {
            lines.push((name, Vec::new()));
            lines.len() - 1
        });
        // a failed run has no value, whatever it left behind
        if result.status == Status::Failed {
            failed.push(x);
        } else if what.needs_sense && warnings(result).next().is_some() {
            exploded.push(x);
        } else if let Some(y) = number(result, what.column) {
            lines[at].1.push((x, if what.absolute { y.abs() } else { y }));
        }
    }
    let all = || lines.iter().flat_map(|line| &line.1);
    let title = format!("{}: {}", sweep.name(), what.title);
    let mut plot = Plot::new(title).x(axis.label.clone()).y(what.label).x_names(axis.names.clone()).size(600, 420);
    if axis.names.is_empty() && is_wide(all().map(|point| point.0).chain(failed.clone()).chain(exploded.clone())) {
        plot = plot.log_x();
    }
    if is_wide(all().map(|point| point.1)) {
        plot = plot.log_y();
    }
    let are_named = lines.len() <= NAMED;
    for (name, points) in &lines {
        let name = if are_named { name.as_str() } else { "" };
        plot = plot.line(name, &middles(points));
        if are_named {
            plot = plot.points(name, points);
        }
    }
    for (name, places) in [("failed", failed), ("exploded", exploded)] {
        if !places.is_empty() {
            plot = plot.marks(format!("{name} ({})", places.len()), &places);
        }
    }
    plot
}

fn is_wide(values: impl Iterator<Item = f64>) -> bool {
    let (least, most) =
        values.fold((f64::INFINITY, 0.0_f64), |(least, most), value| (least.min(value), most.max(value)));
    least > 0.0 && most > WIDE * least
}

/// The median over repeats at each place, from left to right.
fn middles(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    // positive and negative numbers in their order as bits: the sign decides which way
    let key = |x: f64| {
        let bits = x.to_bits() as i64;
        bits ^ (((bits >> 63) as u64) >> 1) as i64
    };
    let mut columns: BTreeMap<i64, (f64, Vec<f64>)> = BTreeMap::new();
    for (x, y) in points {
        columns.entry(key(*x)).or_insert((*x, Vec::new())).1.push(*y);
    }
    let middle = |(x, mut ys): (f64, Vec<f64>)| {
        ys.sort_unstable_by(f64::total_cmp);
        (x, 0.5 * (ys[(ys.len() - 1) / 2] + ys[ys.len() / 2]))
    };
    columns.into_values().map(middle).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn runs_without_figures_are_marked() {
        let vary = vec![Vary::parse("time.control.tolerance=1mm,0.1mm,0.01mm").unwrap()];
        let sweep = Sweep::new("spring-net", &[], vary, 1).unwrap();
        let figures = |energy: f64, warnings: &[&str]| {
            json!({"wall_seconds": 1.0, "steps": 9, "energy": {"total": energy}, "ledger": {"integrator": -energy},
                "warnings": warnings})
        };
        let result = |number: usize, status: Status, summary: Value| {
            Some(RunResult { number, status, reason: String::new(), summary })
        };
        let good = [1.0, 2.0, 3.0].map(|energy| result(1, Status::Done, figures(energy, &[])));
        let svg = super::svg(&sweep, &good);
        assert!(!svg.contains("failed") && !svg.contains("exploded") && !svg.contains("no data"), "{svg}");
        let mut ended = good;
        ended[1] = result(2, Status::Failed, figures(1e9, &[]));
        ended[2] = result(3, Status::Done, figures(1e9, &["energy out of nothing"]));
        let svg = super::svg(&sweep, &ended);
        assert_eq!(svg.matches(">failed (1)<").count(), 4, "in every panel");
        assert_eq!(svg.matches(">exploded (1)<").count(), 2, "in those of energies");
        assert!(!svg.contains("10⁸") && !svg.contains("10⁹"), "what it left behind stretches no axis");
    }

    #[test]
    fn tolerances_stand_on_a_logarithmic_axis() {
        assert!(is_wide([1e-3, 1e-4, 1e-5].into_iter()) && is_wide((1..=24).map(f64::from)));
        assert!(
            !is_wide([1e-3, 1e-4].into_iter())
                && !is_wide([0.0, 1.0].into_iter())
                && !is_wide([-1.0, 100.0].into_iter())
        );
    }
}
