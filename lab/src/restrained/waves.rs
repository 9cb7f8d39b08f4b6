//! `restrained-waves`: delay and lost amplitude of waves in what stands still.

use pliant::core::Criterion;
use pliant::prelude::integrator;
use pliant_testkit::waves::{Arrival, Course, Hold, PEAK, RATIO};

use super::oscillator::name;
use crate::plot::Plot;
use crate::report::{Experiment, Figure, Table, Verdict};
use crate::text::significant;

/// The chain.
const COURSE: Course = Course { count: 200, rows: 1, dt: 0.1 };
/// Speeds of the crest over that of rest.
const OVER: [f64; 9] = [3.0, 5.0, 7.0, 10.0, 20.0, 30.0, 50.0, 100.0, 300.0];
/// At this one it must be in time,
const FAST: f64 = 100.0;
/// within this part.
const ALLOWED: f64 = 0.02;
/// Drawn over time.
const DRAWN: [f64; 4] = [3.0, 10.0, 30.0, 100.0];
/// What an independent program found on a chain of its own: speed of the crest over that of rest, delay and lost part.
const REFERENCE: [(f64, f64, f64); 3] = [(10.0, 0.033, 0.39), (30.0, 0.006, 0.11), (100.0, 0.0, 0.0)];

/// Explicit with our criterion and the paper's; implicit with the one that is stable.
fn runs() -> [(&'static str, Criterion); 4] {
    [
        ("velocity-verlet", Criterion::default()),
        ("velocity-verlet", Criterion::Energy),
        ("velocity-verlet", Criterion::Momentum),
        ("backward-euler", Criterion::default()),
    ]
}

struct Series {
    label: String,
    free: Arrival,
    held: Vec<(f64, Arrival)>,
}

impl Series {
    fn late(&self) -> Vec<(f64, f64)> {
        self.held.iter().map(|(over, arrival)| (*over, 100.0 * arrival.late(&self.free))).collect()
    }

    fn lost(&self) -> Vec<(f64, f64)> {
        self.held.iter().map(|(over, arrival)| (*over, 100.0 * arrival.lost(&self.free))).collect()
    }

    fn at(&self, over: f64) -> Option<&Arrival> {
        self.held.iter().find(|(known, _)| *known == over).map(|(_, arrival)| arrival)
    }
}

fn figures(all: &[Series]) -> Vec<Figure> {
    let plot = |title: &str, label: &str| Plot::new(title).x("speed of the crest / speed of rest").y(label).log_x();
    let (mut late, mut lost) = (plot("Delay", "later by [%]"), plot("Lost amplitude", "lost [%]"));
    for series in all {
        late = late.line(&series.label, &series.late()).points(&series.label, &series.late());
        lost = lost.line(&series.label, &series.lost()).points(&series.label, &series.lost());
    }
    let reference = |of: fn(&(f64, f64, f64)) -> f64| REFERENCE.map(|known| (known.0, 100.0 * of(&known)));
    late = late.dashed("independent program", &reference(|known| known.1));
    lost = lost.dashed("independent program", &reference(|known| known.2));
    let first = &all[0];
    let mut passing = Plot::new("What passes the far end").x("time [s]").y("speed / crest at the start").size(640, 400);
    let shown = |arrival: &Arrival| -> Vec<(f64, f64)> {
        arrival.speeds.iter().filter(|(time, _)| *time > 120.0).map(|(time, v)| (*time, v / PEAK)).collect()
    };
    for over in DRAWN {
        if let Some(arrival) = first.at(over) {
            passing = passing.line(format!("{over} times the speed of rest"), &shown(arrival));
        }
    }
    passing = passing.dashed("without restraint", &shown(&first.free));
    vec![
        Figure::new("delay", "Fast waves are in time.", &late),
        Figure::new("lost", "What is below the limits stays behind, as momentum of what stands still.", &lost),
        Figure::new("passing", "Velocity Verlet, convex criterion.", &passing),
    ]
}

/// `restrained-waves`.
///
/// # Panics
/// If a scheme is not in the catalog or a step fails.
pub fn waves(progress: &mut dyn FnMut(&str)) -> Experiment {
    let mut all = Vec::new();
    for (scheme, criterion) in runs() {
        progress(&format!("{scheme}, {}", name(criterion)));
        let entry = integrator(scheme).unwrap_or_else(|| panic!("no integrator is called {scheme}"));
        let held = OVER.map(|over| (over, COURSE.send(entry, Some(Hold { criterion, over })))).into();
        all.push(Series { label: format!("{scheme}, {}", name(criterion)), free: COURSE.send(entry, None), held });
    }
    let over = OVER.map(|over| format!("{over}"));
    let headers = || ["run".to_owned()].into_iter().chain(over.clone());
    let mut late = Table::new("Later by, in %, for speeds of the crest over that of rest", headers());
    let mut lost = Table::new("Part of the crest that is lost, in %, for the same", headers());
    for series in &all {
        let cells = |values: Vec<(f64, f64)>| {
            let cells = values.into_iter().map(|(_, value)| format!("{value:.2}"));
            [series.label.clone()].into_iter().chain(cells).collect::<Vec<_>>()
        };
        late.push(cells(series.late()));
        lost.push(cells(series.lost()));
    }
    let worst = |over: f64| all.iter().filter_map(|s| Some(s.at(over)?.late(&s.free).abs())).fold(0.0, f64::max);
    let (fast, fastest) = (worst(FAST), worst(OVER[OVER.len() - 1]));
    let verdict = match (fast <= ALLOWED, fastest <= ALLOWED) {
        (true, _) => Verdict::Holds,
        (false, true) => Verdict::HoldsPartly,
        (false, false) => Verdict::Fails,
    };
    let percent = |value: f64| significant(100.0 * value, 2);
    let told = |over: f64| {
        let series = &all[0];
        series.at(over).map_or(String::new(), |arrival| {
            format!(
                "{} % late with {} % lost",
                percent(arrival.late(&series.free)),
                percent(arrival.lost(&series.free))
            )
        })
    };
    let summary_html = format!(
        "<p>A crest of {PEAK} m/s, some 16 masses wide, runs {} masses along a chain of {} that stands still; whoever is {RATIO} times as fast as the limit moves freely. What is \
         slower than the limit never gets going: the front of the wave has to gather momentum until it does, which is the delay, and its feet stay behind, which is the loss. \
         With velocity Verlet and the convex criterion it is, at 10 times the limit, {}; at 30 times {}; at 100 times {}. At {FAST} times no run is more than {} % off.</p>\
         <p>An independent program found 3.3 % and 39 % at 10 times, 0.6 % and 11 % at 30 times and nothing at 100 times, on a chain and with a wave of its own: the loss depends on how far the wave runs \
         and how long it is, so that these numbers are a scale and no reference.</p>",
        COURSE.way(),
        COURSE.count,
        told(10.0),
        told(30.0),
        told(100.0),
        percent(fast),
    );
    Experiment {
        id: "restrained-waves".into(),
        title: "Waves in what stands still".into(),
        paper: "A goal of ours; the method is of Manteaux, Faure, Redon and Cani, Exploring the use of adaptively restrained particles for graphics simulations".into(),
        claim: format!(
            "A wave sent into a frozen chain arrives within {:.0} % of its time where its crest is {FAST} times as fast as the limit.",
            100.0 * ALLOWED
        ),
        verdict,
        summary_html,
        tables: vec![late, lost],
        plots: figures(&all),
        seconds: 0.0,
    }
}
