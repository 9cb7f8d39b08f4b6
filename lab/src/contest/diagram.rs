//! Error over work of several controllers on several scenes, and equal steps beside them: runs, gains, tables and plots.

use super::{Gain, Method, Outcome, Problem};
use pliant::parallel::on_one_thread;
use pliant_plot::Plot;
use pliant_plot::report::{Figure, Table, Verdict};
use pliant_plot::text::significant;

/// Scene, changes, end (s), longer step of the two references (s).
pub type Case = (&'static str, &'static [&'static str], f64, f64);
/// Errors below this multiple of the reference's uncertainty are not compared.
pub const TRUSTED: f64 = 2.0;
const SCHEMES: [&str; 2] = ["linearized-backward-euler", "bdf2"];

/// What is compared.
#[derive(Clone, Debug)]
pub struct Contest {
    /// Scenes.
    pub cases: &'static [Case],
    /// Schemes with controllers.
    pub methods: Vec<&'static Method>,
    /// Errors at which costs are compared, m.
    pub levels: &'static [f64],
}

/// All runs of a contest.
pub struct Results {
    contest: Contest,
    diagrams: Vec<Diagram>,
    failures: Vec<String>,
}

/// The runs of one method on one problem.
struct Curve {
    method: &'static Method,
    runs: Vec<(f64, Result<Outcome, String>)>,
}

impl Curve {
    fn ended(&self) -> impl Iterator<Item = &Outcome> {
        self.runs.iter().filter_map(|(_, run)| run.as_ref().ok())
    }

    fn points(&self, cost: fn(&Outcome) -> f64, least: f64) -> Vec<(f64, f64)> {
        self.ended().filter(|run| run.error >= least).map(|run| (cost(run), run.error)).collect()
    }

    /// The cost from which on the method stays below an error, between two runs by straight lines in logarithms. `None` where the
    /// finest run does not reach it, or where even the coarsest does, which gives no cost.
    fn cost_of(&self, cost: fn(&Outcome) -> f64, error: f64) -> Option<f64> {
        let mut curve: Vec<(f64, f64)> = self.ended().map(|run| (cost(run), run.error)).collect();
        curve.sort_by(|a, b| a.0.total_cmp(&b.0));
        let k = curve.iter().rposition(|(_, e)| *e > error)?;
        let ((c0, e0), (c1, e1)) = (curve[k], *curve.get(k + 1)?);
        Some(c0 * (c1 / c0).powf((e0 / error).ln() / (e0 / e1).ln()))
    }
}

struct Diagram {
    problem: Problem,
    curves: Vec<Curve>,
}

fn solves(run: &Outcome) -> f64 {
    run.solves as f64
}

fn seconds(run: &Outcome) -> f64 {
    run.seconds
}

impl Contest {
    /// Runs everything on one thread: bodies this small gain nothing from more, and wall times are steadier.
    pub fn run(self, progress: &mut dyn FnMut(&str)) -> Results {
        let mut failures = Vec::new();
        let mut diagrams = Vec::new();
        for (name, changes, until, dt) in self.cases {
            progress(&format!("{name}: references"));
            match on_one_thread(|| Problem::new(name, changes, *until, *dt)) {
                Err(why) => failures.push(format!("{name}: the reference fails: {why}")),
                Ok(problem) => {
                    let curves = self.methods.iter().map(|method| {
                        progress(&format!("{name}: {} with {}", method.name, method.scheme));
                        let run = |value: &f64| (*value, on_one_thread(|| problem.run(&method.settings(*value))));
                        Curve { method, runs: method.values.iter().map(run).collect() }
                    });
                    let curves = curves.collect();
                    diagrams.push(Diagram { problem, curves });
                }
            }
        }
        for diagram in &diagrams {
            for curve in &diagram.curves {
                for (value, run) in &curve.runs {
                    if let Err(why) = run {
                        let Method { name, scheme, parameter, .. } = curve.method;
                        failures.push(format!(
                            "{}, {name} with {scheme}, {parameter} = {value:e}: {why}",
                            diagram.problem.name
                        ));
                    }
                }
            }
        }
        Results { contest: self, diagrams, failures }
    }
}

impl Results {
    /// Levels below the accuracy of the reference are left out.
    fn levels(&self, diagram: &Diagram) -> Vec<f64> {
        let least = TRUSTED * diagram.problem.doubt;
        self.contest.levels.iter().copied().filter(|level| *level >= least).collect()
    }

    /// Every comparison that could be made.
    pub fn gains(&self) -> Vec<Gain> {
        let mut gains = Vec::new();
        for diagram in &self.diagrams {
            for level in self.levels(diagram) {
                gains.extend(SCHEMES.into_iter().filter_map(|scheme| diagram.gain(scheme, level)));
            }
        }
        gains
    }

    /// Beaten means: by a tenth, in every comparison that could be made.
    pub fn verdict(&self) -> Verdict {
        let gains = self.gains();
        let wins = gains.iter().filter(|gain| gain.over_best.is_some_and(|(_, ratio)| ratio > 1.1)).count();
        match wins {
            0 => Verdict::Fails,
            wins if wins == gains.len() => Verdict::Holds,
            _ => Verdict::HoldsPartly,
        }
    }

    /// The accuracy of the references, as HTML.
    pub fn doubts(&self) -> String {
        let doubt = |diagram: &Diagram| {
            let Problem { name, until, doubt, .. } = &diagram.problem;
            format!("<li>{name}, {until} s: the two references agree within {} mm</li>", significant(1e3 * doubt, 2))
        };
        let doubts: String = self.diagrams.iter().map(doubt).collect();
        format!(
            "The reference has equal steps of bdf2; one with steps twice as long tells how far to trust it:</p><ul>{doubts}</ul>\
             <p>Errors below {TRUSTED} times that are not shown."
        )
    }

    /// All comparisons and failures, as HTML.
    pub fn comparisons(&self) -> String {
        let gains: String = self.gains().iter().map(Gain::words).collect();
        let failed: String = self.failures.iter().map(|why| format!("<li>{why}</li>")).collect();
        let failed = if failed.is_empty() {
            "<p>No run failed.</p>".into()
        } else {
            format!("<p>Runs that failed:</p><ul>{failed}</ul>")
        };
        format!(
            "What others cost beside force-error (combined) with the same scheme at equal error:</p><ul>{gains}</ul>{failed}"
        )
    }

    /// Costs at equal error, and all runs.
    pub fn tables(&self) -> Vec<Table> {
        vec![self.costs("Solves", solves), self.costs("Wall time [s]", seconds), self.all_runs()]
    }

    /// Error over work.
    pub fn figures(&self) -> Vec<Figure> {
        self.diagrams.iter().flat_map(|diagram| diagram.figures(&self.contest.methods)).collect()
    }

    fn costs(&self, what: &str, cost: fn(&Outcome) -> f64) -> Table {
        let mut columns = vec!["scheme".to_owned(), "controller".to_owned()];
        for diagram in &self.diagrams {
            columns.extend(
                self.levels(diagram)
                    .into_iter()
                    .map(|level| format!("{} {} mm", diagram.problem.name, significant(1e3 * level, 1))),
            );
        }
        let mut table = Table::new(format!("{what} for an error (– not reached, or not told by these runs)"), columns);
        for (k, method) in self.contest.methods.iter().enumerate() {
            let mut cells = vec![method.scheme.to_owned(), method.name.to_owned()];
            for diagram in &self.diagrams {
                let cell = |level| {
                    diagram.curves[k].cost_of(cost, level).map_or("–".to_owned(), |cost| significant(cost, 3))
                };
                cells.extend(self.levels(diagram).into_iter().map(cell));
            }
            table.push(cells);
        }
        table
    }

    fn all_runs(&self) -> Table {
        let headers =
            ["scene", "scheme", "controller", "value", "error [mm]", "solves", "steps", "rejected", "wall [s]"];
        let mut table =
            Table::new("All runs; the value is the step [s], the tolerance, the distance or the stretch [m]", headers);
        for diagram in &self.diagrams {
            for curve in &diagram.curves {
                for (value, run) in &curve.runs {
                    let Method { name, scheme, .. } = curve.method;
                    let head =
                        [diagram.problem.name.to_owned(), (*scheme).to_owned(), (*name).to_owned(), format!("{value}")];
                    let tail = match run {
                        Ok(run) => [
                            significant(1e3 * run.error, 3),
                            run.solves.to_string(),
                            run.steps.to_string(),
                            run.rejected.to_string(),
                            format!("{:.2}", run.seconds),
                        ],
                        Err(_) => ["failed"; 5].map(str::to_owned),
                    };
                    table.push(head.into_iter().chain(tail));
                }
            }
        }
        table
    }
}

impl Diagram {
    fn gain(&self, scheme: &'static str, level: f64) -> Option<Gain> {
        let of = |name: &str| self.curves.iter().find(|c| c.method.scheme == scheme && c.method.name == name);
        let rivals = self.curves.iter().filter(|c| c.method.scheme == scheme && !c.method.name.starts_with("force"));
        let gain = |over_best, over_fixed| Gain { scene: self.problem.name, scheme, level, over_best, over_fixed };
        let Some(own) = of("force-error, combined").and_then(|curve| curve.cost_of(solves, level)) else {
            // A rival that reaches an error where force-error has no run to compare is a loss and must be shown.
            let costs = rivals.filter_map(|c| Some((c.method.name, c.cost_of(solves, level)?)));
            let (name, _) = costs.min_by(|a, b| a.1.total_cmp(&b.1))?;
            return Some(gain(Some((name, 0.0)), None));
        };
        let ratios = rivals.filter_map(|c| Some((c.method.name, c.cost_of(solves, level)? / own)));
        let over_best = ratios.min_by(|a, b| a.1.total_cmp(&b.1));
        Some(gain(over_best, of("fixed").and_then(|curve| curve.cost_of(solves, level)).map(|cost| cost / own)))
    }

    fn figures(&self, methods: &[&'static Method]) -> Vec<Figure> {
        let Problem { name, until, doubt, .. } = &self.problem;
        let figure = |file: &str, what: &str, scheme: &'static str, cost: fn(&Outcome) -> f64| {
            let mut plot = Plot::new(format!("{name}, {scheme}: error over {file}"))
                .x(what)
                .y("largest error [m]")
                .log_x()
                .log_y()
                .hline(*doubt, "doubt of the reference")
                .size(640, 420);
            // in the order of the scheme that has them all, so that a controller has the same colour in every picture
            for Method { name, .. } in methods.iter().filter(|method| method.scheme == methods[0].scheme) {
                let of = |curve: &&Curve| curve.method.scheme == scheme && curve.method.name == *name;
                plot = match self.curves.iter().find(of) {
                    Some(curve) => {
                        let points = curve.points(cost, TRUSTED * doubt);
                        plot.line(*name, &points).points(*name, &points)
                    }
                    None => plot.line("", &[]),
                };
            }
            let caption = format!("{name} after {until} s with {scheme}: lower and further left is better.");
            Figure::new(format!("{name}-{scheme}-{file}"), caption, &plot)
        };
        SCHEMES
            .into_iter()
            .flat_map(|scheme| {
                [
                    figure("solves", "solves, rejected attempts included", scheme, solves),
                    figure("time", "wall time [s]", scheme, seconds),
                ]
            })
            .collect()
    }
}
