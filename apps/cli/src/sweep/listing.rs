//! The results of a sweep on the terminal: the most important figures. All of them are in the table.

use pliant::sweep::table::{number, short_name, warnings};
use pliant::sweep::{RunResult, Status, Sweep};
use pliant_plot::text::significant;

use crate::columns::columns;

/// Largest number of rows that are printed; the table has all.
const SHOWN: usize = 20;
/// Columns of the table, and their names here.
const FIGURES: [(&str, &str); 4] =
    [("steps", "steps"), ("rejected", "rejected"), ("dt_mean", "mean dt [s]"), ("wall_seconds", "time [s]")];

/// A header and a line for each run, and how many runs are left out.
pub fn lines(sweep: &Sweep, results: &[Option<RunResult>]) -> (Vec<String>, usize) {
    let keys = (0..sweep.plan.vary.len()).map(|k| short_name(&sweep.plan.vary, k).to_owned());
    let mut header: Vec<String> = std::iter::once("run".to_owned()).chain(keys).chain(["status".to_owned()]).collect();
    let first = header.len();
    header.extend(FIGURES.map(|(_, name)| name.to_owned()));
    let mut rows = vec![header];
    for (run, result) in sweep.runs().zip(results).take(SHOWN) {
        let status = match result.as_ref().map(|result| result.status) {
            None => "missing",
            Some(Status::Done) if result.as_ref().is_some_and(|one| warnings(one).next().is_some()) => "warned",
            Some(Status::Done) => "done",
            Some(Status::Failed) => "failed",
        };
        let figure = |column: &str| match result.as_ref().and_then(|result| number(result, column)) {
            None => String::new(),
            Some(value) if column == "dt_mean" => format!("{value:.2e}"),
            Some(value) if column == "wall_seconds" && value < 100.0 => significant(value, 3),
            Some(value) if column == "wall_seconds" => format!("{value:.0}"),
            Some(value) => value.to_string(),
        };
        let mut row = vec![run.number.to_string()];
        row.extend(run.values);
        row.push(status.to_owned());
        row.extend(FIGURES.map(|(column, _)| figure(column)));
        rows.push(row);
    }
    let right: Vec<usize> = std::iter::once(0).chain(first..rows[0].len()).collect();
    (columns(&rows, &right), results.len().saturating_sub(SHOWN))
}
