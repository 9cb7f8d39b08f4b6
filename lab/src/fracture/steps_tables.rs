//! What the runs of `fracture-steps` found, as tables.

use super::pieces::{Band, CLASSES, SMALL};
use super::run::{PHASES, Run};
use super::scan::Setting;
use super::steps::Size;
use pliant_plot::report::Table;
use pliant_plot::text::significant;

const HEADERS: [&str; 19] = [
    "run",
    "s",
    "flight [s]",
    "impact [s]",
    "debris [s]",
    "steps",
    "rejected",
    "solves",
    "iterations",
    "shortest [µs]",
    "mean [µs]",
    "longest [µs]",
    "broken bonds",
    "their energy [mJ]",
    "fragments",
    "largest [%]",
    "dust [%]",
    "as the seeds?",
    "in the end",
];

/// As tables call a run of a size.
pub fn label(run: &Run) -> String {
    if run.throw.seed == 1 { run.method.name() } else { format!("{}, seed {}", run.method.name(), run.throw.seed) }
}

/// How many particles, for words.
pub fn count(size: &Size) -> usize {
    size.explicit.first().particles
}

fn cells(size: &Size, run: &Run) -> Vec<String> {
    let micro = |time: f64| if time.is_finite() { significant(1e6 * time, 3) } else { String::new() };
    let mut cells = vec![label(run), significant(run.seconds(), 3)];
    cells.extend(run.phases().map(|seconds| format!("{seconds:.3}")));
    let counts = [run.trace.len() as u64, run.rejected(), run.work.solves, run.work.linear_iterations];
    cells.extend(counts.map(|number| number.to_string()));
    cells.extend(run.steps().map(micro));
    cells.push(run.broken.to_string());
    cells.push(significant(1e3 * run.energy(), 4));
    cells.push(run.pieces.fragments().to_string());
    cells.extend([run.pieces.largest(), run.pieces.shares()[0]].map(|part| format!("{:.1}", 100.0 * part)));
    cells.push(size.strange(run).words());
    cells.push(run.failure.clone().unwrap_or_default());
    cells
}

/// All runs at one spacing; those that are compared stand out.
pub fn runs(size: &Size) -> Table {
    let throw = size.explicit.first().throw;
    let caption = format!(
        "{} particles, {:.2} mm apart; one thread, seconds on a processor. Fragments are those of more than {SMALL} particles. “As the seeds”: energy \
         and masses by size of fragment lie within what the seeds of the reference, in the first rows, span, widened by half of that on either side; they themselves \
         do by definition. Rows in bold are the tolerance and the fixed step that are compared",
        count(size),
        1e3 * throw.spacing,
    );
    let mut table = Table::new(caption, HEADERS);
    let bold = [size.fixed.best(), size.adaptive.best()].map(Setting::method);
    for run in size.all() {
        let cells = cells(size, run);
        if bold.contains(&run.method) {
            table = table.emphasized_row(cells);
        } else {
            table.push(cells);
        }
    }
    table
}

/// What the seeds span.
pub fn scatters(sizes: &[Size]) -> Table {
    let headers = ["particles", "energy [mJ]", "fragments", "largest [%]"].into_iter().map(String::from);
    let classes = CLASSES.iter().map(|class| format!("{class} [%]"));
    let mut table = Table::new(
        "What the reference breaks the plate into, from the least to the most of all seeds: energy of broken bonds, fragments, and the part of the \
         mass in the largest, in dust (single particles) and in fragments of so many particles",
        headers.chain(classes),
    );
    let span = |band: Band, factor: f64, digits: usize| {
        if band.low > band.high {
            return "–".to_owned();
        }
        format!("{:.digits$} … {:.digits$}", factor * band.low, factor * band.high)
    };
    for size in sizes {
        let scatter = &size.scatter;
        let mut cells = vec![count(size).to_string(), span(scatter.energy, 1e3, 1), span(scatter.fragments, 1.0, 0)];
        cells.push(span(scatter.largest, 100.0, 1));
        cells.extend(scatter.shares.map(|band| span(band, 100.0, 1)));
        table.push(cells);
    }
    table
}

/// Adaptive steps beside fixed and explicit ones.
pub fn compared(sizes: &[Size]) -> Table {
    let headers = [
        "particles",
        "fixed step [µs]",
        "fixed [s]",
        "tolerance",
        "adaptive [s]",
        "times as fast",
        "in the flight",
        "in the impact",
        "in the debris",
        "explicit [s]",
        "adaptive over explicit",
        "in the flight",
        "in the impact",
        "in the debris",
    ];
    let mut table = Table::new(
        "How many times as fast as fixed steps adaptive ones are, and explicit ones than those; in all and by phase. Each has the loosest setting that is fair; \
         tolerances are in usual ones, seconds the mean of the seeds",
        headers,
    );
    for size in sizes {
        let [fixed, adaptive, explicit] = size.three();
        let ratios = |slow: &Setting, fast: &Setting| -> [String; PHASES.len()] {
            let (slow, fast) = (slow.phases(), fast.phases());
            // times below a tick of the clock have no ratio
            std::array::from_fn(|k| if fast[k] > 0.0 { significant(slow[k] / fast[k], 2) } else { "–".into() })
        };
        let mut cells = vec![count(size).to_string(), significant(1e6 * fixed.mean(|run| run.steps()[1]), 3)];
        cells.push(significant(fixed.seconds(), 3));
        cells.push(adaptive.method().tolerance().map_or("–".into(), |tolerance| tolerance.to_string()));
        cells.extend([adaptive.seconds(), size.gain()].map(|value| significant(value, 3)));
        cells.extend(ratios(fixed, adaptive));
        cells.extend([explicit.seconds(), size.explicit_gain()].map(|value| significant(value, 3)));
        cells.extend(ratios(adaptive, explicit));
        table.push(cells);
    }
    table
}
