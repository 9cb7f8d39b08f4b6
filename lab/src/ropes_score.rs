//! The score of [Ropes] table 1, largest stable step over time per step, measured on two scenes of ours.

use pliant::core::{JacobianKind, State, System};
use pliant::prelude::DVec3;

use crate::claims::TABLE_1;
use crate::plot::Plot;
use crate::report::{Experiment, Figure, Table, Verdict};
use crate::score::{Options, ScoreRow, Scores, score};
use crate::stepper::builtin;
use crate::text::{significant, time};

/// Beside the explicit ones; the rest of the implicit ones are slower still (`pliant bench integrators` measures all).
const IMPLICIT: [&str; 3] = ["linearized-backward-euler", "newmark", "tr-bdf2"];
const BEST: &str = "symplectic-euler";
const SECOND: &str = "symplectic-midpoint";
/// Scores within this are equal: a busy machine does not time better.
const TIE: f64 = 0.2;

/// Largest frequency of a system at a state, rad/s, by power iteration on M⁻¹K. The Rayleigh quotient comes from below and is right to
/// about a per cent after so many rounds.
pub fn fastest_frequency(system: &mut System, state: &State) -> f64 {
    let mut jacobian = system.new_jacobian();
    system.assemble(&state.view(), JacobianKind::Exact, &mut jacobian);
    let weights = system.inverse_masses().to_vec();
    // alternating signs: the fastest modes of nets and chains look like that
    let start = |i: usize| {
        let sign = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        DVec3::new(1.0, -0.7, 0.4) * (sign + 0.1 * (i as f64).sin())
    };
    let mut x: Vec<DVec3> = (0..state.len()).map(start).collect();
    let mut y = x.clone();
    let mut omega2 = 0.0;
    for _ in 0..2000 {
        let free = x.iter_mut().zip(&weights).filter(|(_, weight)| **weight == 0.0);
        free.for_each(|(x, _)| *x = DVec3::ZERO);
        jacobian.stiffness.multiply(&x, &mut y);
        // in the norm of M: λ = xᵀKx / xᵀMx
        let (mut above, mut below) = (0.0, 0.0);
        for ((x, y), weight) in x.iter().zip(&mut y).zip(&weights).filter(|(_, weight)| **weight > 0.0) {
            above -= x.dot(*y);
            below += x.length_squared() / weight;
            *y *= -weight;
        }
        omega2 = above / below;
        let scale = y.iter().map(|y| y.length()).fold(f64::MIN_POSITIVE, f64::max).recip();
        x.iter_mut().zip(&y).for_each(|(x, y)| *x = *y * scale);
    }
    omega2.max(0.0).sqrt()
}

/// Spearman's rank correlation.
pub fn rank_correlation(a: &[f64], b: &[f64]) -> f64 {
    let ranks = |values: &[f64]| -> Vec<f64> {
        values.iter().map(|v| values.iter().filter(|w| *w > v).count() as f64).collect()
    };
    let n = a.len() as f64;
    let squares: f64 = ranks(a).iter().zip(ranks(b)).map(|(a, b)| (a - b) * (a - b)).sum();
    1.0 - 6.0 * squares / (n * (n * n - 1.0))
}

/// The paper's nine in its order.
fn nine(scores: &Scores) -> Vec<&ScoreRow> {
    TABLE_1.iter().map(|claim| scores.find(claim.name).expect("it was measured")).collect()
}

fn table(scores: &Scores) -> Table {
    let mut table = Table::new(
        format!("{}, by falling score (one thread)", scores.scene),
        ["integrator", "largest dt", "time of a step", "score", "score / symplectic Euler’s", "in the paper", "note"],
    );
    let best = scores.find(BEST).map_or(f64::NAN, |row| row.score);
    let paper_best = TABLE_1.iter().find(|claim| claim.name == BEST).map_or(f64::NAN, |claim| claim.score);
    for row in scores.ranked() {
        let claim = TABLE_1.iter().find(|claim| claim.name == row.name);
        let cells = [
            row.name.to_owned(),
            format!("{}{}", if row.at_least { "≥ " } else { "" }, time(row.max_dt)),
            time(1e-3 * row.ms_per_step),
            significant(row.score, 3),
            format!("{:.3}", row.score / best),
            claim.map_or_else(|| "–".to_owned(), |claim| format!("{:.3}", claim.score / paper_best)),
            row.note.clone(),
        ];
        if row.name == BEST {
            table = table.emphasized_row(cells);
        } else {
            table.push(cells);
        }
    }
    table
}

fn plot(scores: &Scores) -> Plot {
    let mut plot = Plot::new(format!("{}: step against cost", scores.scene));
    plot = plot.x("time of a step [ms]").y("largest stable dt [ms]").log_x().log_y().size(620, 500);
    // in the order of the catalog, so that colours mean the same on every scene
    for row in scores.rows.iter().filter(|row| row.max_dt > 0.0 && !row.study) {
        plot = plot.points(row.name, &[(row.ms_per_step, 1e3 * row.max_dt)]);
    }
    // a line of equal score through the winner, as far as there are steps
    if let Some(best) = scores.find(BEST) {
        let longest = 1e3 * scores.rows.iter().map(|row| row.max_dt).fold(0.0, f64::max);
        plot = plot.dashed(
            "symplectic Euler’s score",
            &[(best.ms_per_step, 1e3 * best.max_dt), (longest / best.score, longest)],
        );
    }
    plot
}

/// `ropes-score`.
///
/// # Panics
/// If one of the two built-in scenes cannot be measured.
pub fn ropes_score(progress: &mut dyn FnMut(&str)) -> Experiment {
    let explicit = TABLE_1.iter().map(|claim| claim.name).chain(["symplectic-midpoint-literal"]);
    let integrators: Vec<String> = explicit.chain(IMPLICIT).map(str::to_owned).collect();
    let options = Options { integrators, ..Options::default() };
    let paper: Vec<f64> = TABLE_1.iter().map(|claim| claim.score).collect();
    let (mut tables, mut plots, mut words) = (Vec::new(), Vec::new(), String::new());
    let (mut wins, mut second) = (true, true);
    for name in ["spring-net", "spring-chain"] {
        let scene = builtin(name, &[]);
        let scores = score(&scene, &options, progress).unwrap_or_else(|error| panic!("{error}"));
        let rows = nine(&scores);
        let ours: Vec<f64> = rows.iter().map(|row| row.score).collect();
        let correlation = rank_correlation(&ours, &paper);
        let best = scores.find(BEST).expect("it was measured");
        let top = ours.iter().copied().fold(0.0, f64::max);
        wins &= best.score >= (1.0 - TIE) * top;
        let above = |row: &&ScoreRow| row.score > scores.find(SECOND).map_or(0.0, |row| row.score);
        second &= rows.iter().filter(|row| above(row)).count() <= 1;
        let mut built = scene.build().unwrap_or_else(|error| panic!("{error}")).simulation;
        let start = built.state().clone();
        let fastest = fastest_frequency(&mut built.system, &start);
        let dt = |name: &str| 1e3 * scores.find(name).map_or(f64::NAN, |row| row.max_dt);
        words += &format!(
            "<li><b>{name}</b>: symplectic Euler is stable up to {:.2} ms; 2/ω of the stiffness matrix at the start is {:.2} ms, less a little \
             for damping. RK4 reaches {:.2} ms, explicit Euler {:.3} ms. Among the paper’s nine, symplectic Euler has {:.0} % of the \
             best score; the ranks correlate with the paper’s by {correlation:.2}.</li>",
            dt(BEST),
            2e3 / fastest,
            dt("rk4"),
            dt("explicit-euler"),
            100.0 * best.score / top,
        );
        tables.push(table(&scores));
        let caption = "Up and to the left is better. The dashed line has the score of symplectic Euler.";
        plots.push(Figure::new(name, caption, &plot(&scores)));
    }
    let verdict = match (wins, second) {
        (true, true) => Verdict::Holds,
        (true, false) => Verdict::HoldsPartly,
        (false, _) => Verdict::Fails,
    };
    let summary_html = format!(
        "<p>The score is the largest stable time step over the time that a step takes: seconds simulated in a second of computing. Absolute \
         values belong to a scene and a machine; only ratios and ranks can be compared with the paper’s suture thread. Times repeat within \
         some per cent at best, so scores within {:.0} % are taken as equal. (The misprinted midpoint, at the end of the tables, only seems to win: it \
         has half the stiffness.)</p>\
         <ul>{words}</ul>\
         <p>Two things differ from the paper. Its explicit Euler reaches a third of the \
         symplectic step; here it is a small part of it, because without damping it has no stable step at all, and with damping c \
         along springs of stiffness k only one of about c/k. And RK4 does not take shorter steps than symplectic Euler but \
         longer ones; its four force evaluations are what costs it the lead.</p>\
         <p>Implicit schemes take steps as long as a frame and pay for them with a linear system. On these small, soft scenes they lose; \
         their step does not shrink when the springs get stiffer.</p>",
        100.0 * TIE,
    );
    Experiment {
        id: "ropes-score".into(),
        title: "Stability against cost: the score table".into(),
        paper: "Cioacă and Cărămizaru, On the impact of explicit or semi-implicit integration methods, section 6, table 1".into(),
        claim: "Symplectic Euler has the highest ratio of largest time step to time per step, the symplectic midpoint the second highest."
            .into(),
        verdict,
        summary_html,
        tables,
        plots,
        seconds: 0.0,
    }
}
