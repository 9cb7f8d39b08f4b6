//! Work-precision diagrams: the error of each method of [Adaptive] over its cost.

use std::time::Instant;

use super::figures::{HEIGHT, WIDTH, capital, minus, with_methods};
use super::method::{Method, Scheme};
use super::scan::{Count, Range, Scans};
use super::words::{list, milli, span};
use pliant_plot::Plot;
use pliant_plot::report::{Experiment, Figure, Table, Verdict};

const RANGE: Range = Range { count: Count::Solves, least: 30, most: 1600, resolution: 0.003 };
/// Each cost is this many times the one before.
const RATIO: f64 = 1.12;
/// The error that eq. 12 has at this cost is the one to reach.
const YARDSTICK: u64 = 200;
const RIVALS: [Method; 3] = [Method::Speed, Method::Stretch, Method::Doubling];

/// Error over solves for all methods, both schemes, and both starts.
pub fn work_precision(progress: &mut dyn FnMut(&str)) -> Experiment {
    let begin = Instant::now();
    let diagrams: Vec<Diagram> = [-1.0, -5.0]
        .into_iter()
        .flat_map(|start| {
            progress(&format!("work and precision: all methods, released from {start} m"));
            let scans = Scans::new(start, 2.0, RANGE);
            Scheme::ALL.map(|scheme| Diagram::new(&scans, scheme))
        })
        .collect();
    progress("work and precision: pictures");
    Experiment {
        id: "adaptive-work-precision".into(),
        title: "Work against precision".into(),
        paper: "Adaptive Time-Stepping with Linearized Force Error Estimation, abstract".into(),
        claim: "With a similar amount of computational budget, the method produces superior accuracy in comparison with prior work.".into(),
        verdict: verdict(&diagrams),
        summary_html: summary(&diagrams),
        tables: vec![same_error(&diagrams), orders(&diagrams)],
        plots: diagrams.iter().map(Diagram::figure).collect(),
        seconds: begin.elapsed().as_secs_f64(),
    }
}

/// Median errors over costs, of one scheme from one start.
struct Diagram {
    scheme: Scheme,
    start: f64,
    curves: Vec<(Method, Vec<(f64, f64)>)>,
}

impl Diagram {
    fn new(scans: &Scans, scheme: Scheme) -> Self {
        let curve = |method| {
            let scan = scans.of(scheme, method);
            let near = |solves: u64| scan.within(Count::Solves, solves).map(|m| (solves as f64, m.rms));
            (method, costs().filter_map(near).collect())
        };
        Self { scheme, start: scans.problem.start, curves: Method::ALL.map(curve).into() }
    }

    fn curve(&self, method: Method) -> &[(f64, f64)] {
        self.curves.iter().find(|(m, _)| *m == method).map_or(&[], |(_, points)| points)
    }

    fn error(&self, method: Method, solves: f64) -> Option<f64> {
        self.curve(method).iter().find(|(s, _)| *s == solves).map(|(_, error)| *error)
    }

    /// At how many costs one method is more accurate than another, and at how many both ran.
    fn wins(&self, method: Method, rival: Method) -> (usize, usize) {
        let both = self.curve(method).iter().filter_map(|(s, error)| Some((*error, self.error(rival, *s)?)));
        both.fold((0, 0), |(wins, all), (error, other)| (wins + usize::from(error < other), all + 1))
    }

    /// The cost from which on a method stays below an error, between two costs by straight lines in logarithms.
    fn cost_of(&self, method: Method, error: f64) -> Option<f64> {
        let curve = self.curve(method);
        let last_above = curve.iter().rposition(|(_, e)| *e > error);
        let Some(k) = last_above else { return curve.first().map(|(solves, _)| *solves) };
        let ((s0, e0), (s1, e1)) = (curve[k], *curve.get(k + 1)?);
        Some(s0 * (s1 / s0).powf((e0 / error).ln() / (e0 / e1).ln()))
    }

    /// The power of the number of solves with which the error falls from the yardstick on (least squares in logarithms).
    fn order(&self, method: Method) -> f64 {
        let late = self.curve(method).iter().filter(|(solves, _)| *solves >= YARDSTICK as f64);
        let points: Vec<(f64, f64)> = late.map(|(solves, error)| (solves.ln(), error.ln())).collect();
        let count = points.len() as f64;
        let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / count, y + point.1 / count));
        let (xy, xx) =
            points.iter().fold((0.0, 0.0), |(xy, xx), p| (xy + (p.0 - x) * (p.1 - y), xx + (p.0 - x).powi(2)));
        -xy / xx
    }

    /// The error to reach.
    fn yardstick(&self) -> f64 {
        self.error(Method::Paper, YARDSTICK as f64).unwrap_or(f64::NAN)
    }

    fn name(&self) -> String {
        format!("{} from {} m", self.scheme.name(), minus(self.start))
    }

    fn figure(&self) -> Figure {
        let plot = Plot::new(format!("{}: error over work", capital(&self.name())))
            .x("solves in 2 s, rejected attempts included")
            .y("RMS error [m]")
            .log_x()
            .log_y()
            .size(WIDTH, HEIGHT);
        let file = format!("work-precision-{}-{}", self.scheme.file(), self.start.abs());
        Figure::new(file, self.caption(), &with_methods(plot, &Method::ALL, |method| self.curve(method).to_vec()))
    }

    fn caption(&self) -> String {
        let what = match (self.scheme, self.start > -2.0) {
            (Scheme::BackwardEuler, true) => {
                "Lower is better. Equal steps are the lower edge, force + truncation comes nearest to it, and the other methods of the \
                 paper lie above eq. 12, the farther the more is spent."
            }
            (Scheme::Newmark, true) => {
                "The second-order scheme. Speed limiting does not converge: its first step is the longest allowed, however much it may \
                 spend."
            }
            (Scheme::BackwardEuler, false) => {
                "The strongly nonlinear start. Equal steps are useless until they are short enough for the first instant; only with a \
                 great many of them they catch up."
            }
            (Scheme::Newmark, false) => {
                "The strongly nonlinear start with the second-order scheme: at a few hundred solves orders of magnitude lie between \
                 the force-error laws and equal steps."
            }
        };
        let crossing = match self.overtakes() {
            Some(solves) => format!("From {solves:.0} solves on, force + truncation is ahead of equal steps."),
            None => "At the largest cost equal steps are ahead of force + truncation.".to_owned(),
        };
        format!("{what} {crossing}")
    }

    /// The cost from which on force + truncation is more accurate than equal steps, up to the largest.
    fn overtakes(&self) -> Option<f64> {
        let behind =
            |(solves, error): &(f64, f64)| self.error(Method::Fixed, *solves).is_some_and(|fixed| fixed <= *error);
        let curve = self.curve(Method::Combined);
        curve.get(curve.iter().rposition(behind).map_or(0, |last| last + 1)).map(|(solves, _)| *solves)
    }
}

/// The costs that are compared, the yardstick among them.
fn costs() -> impl Iterator<Item = u64> {
    let power = |cost: u64| (cost as f64 / YARDSTICK as f64).ln() / RATIO.ln();
    let powers = power(RANGE.least).ceil() as i32..=power(RANGE.most).floor() as i32;
    powers.map(|k| (YARDSTICK as f64 * RATIO.powi(k)).round() as u64)
}

/// At how many costs one method is more accurate than another, and at how many both ran, over several diagrams.
fn wins<'a>(diagrams: impl IntoIterator<Item = &'a Diagram>, method: Method, rival: Method) -> (usize, usize) {
    let each = diagrams.into_iter().map(|diagram| diagram.wins(method, rival));
    each.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1))
}

/// Beaten means: in nine of ten comparisons.
fn verdict(diagrams: &[Diagram]) -> Verdict {
    let beats = |rival| {
        let (wins, all) = wins(diagrams, Method::Paper, rival);
        10 * wins >= 9 * all
    };
    match (RIVALS.into_iter().all(beats), beats(Method::Fixed)) {
        (true, true) => Verdict::Holds,
        (true, false) => Verdict::HoldsPartly,
        (false, _) => Verdict::Fails,
    }
}

fn summary(diagrams: &[Diagram]) -> String {
    let tally = |method, rival, start: f64| {
        let (wins, all) = wins(diagrams.iter().filter(|diagram| diagram.start == start), method, rival);
        format!("{wins} of {all}")
    };
    let both = |method, rival| {
        format!("{} from −1 m (and {} from −5 m)", tally(method, rival, -1.0), tally(method, rival, -5.0))
    };
    let price = |start: f64| {
        let some = diagrams.iter().filter(move |diagram| diagram.start == start);
        let ratios = some.filter_map(|diagram| {
            let error = diagram.yardstick();
            Some(diagram.cost_of(Method::Fixed, error)? / diagram.cost_of(Method::Combined, error)?)
        });
        span(ratios, |ratio| format!("{ratio:.1}"))
    };
    let rivals: Vec<String> =
        RIVALS.into_iter().map(|rival| format!("{} in {}", rival.name(), both(Method::Paper, rival))).collect();
    format!(
        "<p>The same comparison at all costs from {} to {} solves over 2 s; each point is the median over all runs within 3 % of its \
         count.</p>\n\
         <p><strong>Against the other adaptive methods.</strong> Of the comparisons at equal cost, over both schemes, eq. 12 is more \
         accurate than the {}.</p>\n\
         <p><strong>Against equal steps.</strong> Eq. 12 is more accurate in {}; force + truncation in {}. For \
         the error that eq. 12 reaches with {YARDSTICK} solves, equal steps need {} times the solves of force + truncation from −1 m, and \
         {} times from −5 m.</p>",
        RANGE.least,
        RANGE.most,
        list(&rivals),
        both(Method::Paper, Method::Fixed),
        both(Method::Combined, Method::Fixed),
        price(-1.0),
        price(-5.0),
    )
}

fn same_error(diagrams: &[Diagram]) -> Table {
    let headers = ["case", "error [mm]"].into_iter().chain(Method::ALL.map(Method::short_name));
    let caption =
        format!("Solves for the RMS error that eq. 12 has at {YARDSTICK} (– not reached with {})", RANGE.most);
    let mut table = Table::new(caption, headers);
    for diagram in diagrams {
        let error = diagram.yardstick();
        let cost = |method| diagram.cost_of(method, error).map_or("–".to_owned(), |solves| format!("{solves:.0}"));
        table.push([diagram.name(), milli(error)].into_iter().chain(Method::ALL.map(cost)));
    }
    table
}

fn orders(diagrams: &[Diagram]) -> Table {
    let headers = ["case"].into_iter().chain(Method::ALL.map(Method::short_name));
    let caption =
        format!("Measured order: the power of 1/solves with which the error falls from {YARDSTICK} solves on");
    let mut table = Table::new(caption, headers);
    for diagram in diagrams {
        let cells = Method::ALL.map(|method| format!("{:.2}", diagram.order(method)));
        table.push([diagram.name()].into_iter().chain(cells));
    }
    table
}
