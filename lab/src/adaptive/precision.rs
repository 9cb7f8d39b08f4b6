//! Work against precision: how the error of each method of [Adaptive] falls when it may spend more.

use std::time::Instant;

use super::figures::{capital, with_methods};
use super::method::{Method, Scheme};
use super::scan::{Count, Range, Scans};
use super::words::{number, span};
use crate::plot::Plot;
use crate::report::{Experiment, Figure, Table, Verdict};

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
        let curve = self.curve(Method::Paper);
        let nearest = |solves: f64| (solves / YARDSTICK as f64).ln().abs();
        curve.iter().min_by(|a, b| nearest(a.0).total_cmp(&nearest(b.0))).map_or(f64::NAN, |(_, error)| *error)
    }

    fn name(&self) -> String {
        format!("{} from {} m", self.scheme.name(), self.start)
    }

    fn figure(&self) -> Figure {
        let plot = Plot::new(format!("{}: error over work", capital(&self.name())))
            .x("solves in 2 s, rejected attempts included")
            .y("RMS error [m]")
            .log_x()
            .log_y()
            .size(720, 470);
        let file = format!("work-precision-{}-{}", self.scheme.file(), self.start.abs());
        Figure::new(file, self.caption(), &with_methods(plot, &Method::ALL, |method| self.curve(method).to_vec()))
    }

    fn caption(&self) -> &'static str {
        match (self.scheme, self.start > -2.0) {
            (Scheme::BackwardEuler, true) => {
                "Lower is better. Every controlled method has order 1 like the scheme; equal steps are the lower edge, force + \
                 truncation follows closely, the rivals of the paper lie above eq. 12."
            }
            (Scheme::Newmark, true) => {
                "Order 2 for all but speed limiting, whose first step stays dt_max however much it may spend. Equal steps are the \
                 lower edge again; force + truncation comes near."
            }
            (Scheme::BackwardEuler, false) => {
                "The strongly nonlinear start: equal steps now cost many times as much as any force-error law for the same error."
            }
            (Scheme::Newmark, false) => {
                "The strongly nonlinear start with the second-order scheme: at a few hundred solves orders of magnitude separate \
                 the force-error laws from equal steps."
            }
        }
    }
}

/// The costs that are compared.
fn costs() -> impl Iterator<Item = u64> {
    let count = ((RANGE.most as f64 / RANGE.least as f64).ln() / RATIO.ln()) as i32;
    (0..=count).map(|k| (RANGE.least as f64 * RATIO.powi(k)).round() as u64)
}

fn verdict(diagrams: &[Diagram]) -> Verdict {
    let mostly = |rival| {
        diagrams.iter().all(|diagram| {
            let (wins, all) = diagram.wins(Method::Paper, rival);
            10 * wins >= 9 * all
        })
    };
    match (RIVALS.into_iter().all(mostly), mostly(Method::Fixed)) {
        (true, true) => Verdict::Holds,
        (true, false) => Verdict::HoldsPartly,
        (false, _) => Verdict::Fails,
    }
}

fn summary(diagrams: &[Diagram]) -> String {
    let tally = |method, rival, start: f64| {
        let some = diagrams.iter().filter(|diagram| diagram.start == start).map(|diagram| diagram.wins(method, rival));
        let (wins, all) = some.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        format!("{wins} of {all}")
    };
    let both = |method, rival| {
        format!("{} from −1 m and {} from −5 m", tally(method, rival, -1.0), tally(method, rival, -5.0))
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
        "<p>The same runs over all costs from {} to {} solves; each point is the median over all runs within 3 % of its count.</p>\n\
         <p>Over both schemes, eq. 12 is more accurate than {}. Against equal steps it wins in {}; force + truncation in {}. For the \
         error that eq. 12 reaches with {YARDSTICK} solves, equal steps need {} times the solves of force + truncation from −1 m and {} \
         times from −5 m (where they reach it at all).</p>",
        RANGE.least,
        RANGE.most,
        rivals.join("; than "),
        both(Method::Paper, Method::Fixed),
        both(Method::Combined, Method::Fixed),
        price(-1.0),
        price(-5.0),
    )
}

fn same_error(diagrams: &[Diagram]) -> Table {
    let headers = ["case", "RMS error [m]"].into_iter().chain(Method::ALL.map(Method::name));
    let caption =
        format!("Solves for the RMS error that eq. 12 has at about {YARDSTICK} (– not reached with {})", RANGE.most);
    let mut table = Table::new(caption, headers);
    for diagram in diagrams {
        let error = diagram.yardstick();
        let cost = |method| diagram.cost_of(method, error).map_or("–".to_owned(), |solves| format!("{solves:.0}"));
        table.push([diagram.name(), number(error)].into_iter().chain(Method::ALL.map(cost)));
    }
    table
}

fn orders(diagrams: &[Diagram]) -> Table {
    let headers = ["case"].into_iter().chain(Method::ALL.map(Method::name));
    let caption =
        format!("Measured order: the power of 1/solves with which the error falls from {YARDSTICK} solves on");
    let mut table = Table::new(caption, headers);
    for diagram in diagrams {
        let cells = Method::ALL.map(|method| format!("{:.2}", diagram.order(method)));
        table.push([diagram.name()].into_iter().chain(cells));
    }
    table
}
