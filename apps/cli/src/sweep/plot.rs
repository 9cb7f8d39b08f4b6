//! The plot of a sweep: what runs cost against the first key that has numbers, a line for each combination of the other keys.

use std::collections::BTreeMap;

use pliant::scene::units::any_quantity;
use pliant::sweep::grid::shown;
use pliant::sweep::table::{number, short_name};
use pliant::sweep::{RunResult, Sweep, Vary};
use pliant_lab::plot::Plot;

/// Values that span more than this are shown on a logarithmic axis.
const WIDE: f64 = 20.0;
/// More lines than this are not named.
const NAMED: usize = 14;

/// The horizontal axis: where the values of a key stand on it.
struct Axis {
    /// Which key; none where only repeats differ.
    key: Option<usize>,
    label: String,
    places: Vec<f64>,
    /// In the place of numbers.
    names: Vec<String>,
}

/// The plot as SVG.
pub fn svg(sweep: &Sweep, results: &[Option<RunResult>]) -> String {
    let axis = Axis::of(&sweep.plan.vary);
    let panel = |title: &str, column: &str, label: &str| panel(sweep, results, &axis, [title, column, label]);
    Plot::render_row(&[
        panel(&format!("{}: time of a run", sweep.name()), "wall_seconds", "time on the clock [s]"),
        panel(&format!("{}: steps of a run", sweep.name()), "steps", "accepted steps"),
    ])
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
            // a plain number has the unit of those beside it
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

fn panel(sweep: &Sweep, results: &[Option<RunResult>], axis: &Axis, [title, column, label]: [&str; 3]) -> Plot {
    // lines in the order of their first run; each with all points, and where their middle is
    let mut lines: Vec<(String, Vec<(f64, f64)>)> = Vec::new();
    for (run, result) in sweep.runs().zip(results) {
        let Some(y) = result.as_ref().and_then(|result| number(result, column)) else { continue };
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
        match lines.iter_mut().find(|line| line.0 == name) {
            Some(line) => line.1.push((x, y)),
            None => lines.push((name, vec![(x, y)])),
        }
    }
    let all = || lines.iter().flat_map(|line| &line.1);
    let mut plot = Plot::new(title).x(axis.label.clone()).y(label).x_names(axis.names.clone()).size(600, 420);
    if axis.names.is_empty() && is_wide(all().map(|point| point.0)) {
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
    use super::is_wide;

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
