//! `restrained-portraits`: [Restrained] figs. 2 (explicit), 3 (damped) and 5 (implicit, algorithm 1), with all criteria.
//!
//! The paper does not state the step of figs. 2 and 3, nor the damping of fig. 3; fig. 5 is at 0.02 s.

use pliant::core::Criterion;
use pliant_testkit::problems::{damped_oscillator, oscillator};

use super::oscillator::{Course, ENERGIES, course, exact_period, name, restrained};
use pliant_plot::Plot;
use pliant_plot::report::{Experiment, Figure, Table, Verdict};
use pliant_plot::text::scientific;

/// Step of figs. 2 and 3, s.
const DT: f64 = 0.005;
/// Step of fig. 5, s, and how long it is drawn.
const IMPLICIT: (f64, usize) = (0.02, 2500);
/// Damping of fig. 3, 1/s, and for how many steps it is drawn.
const DAMPED: (f64, usize) = (0.1, 8000);
/// Steps at which energies are compared, s, and for how long.
const STEPS: [f64; 5] = [0.1, 0.05, 0.025, 0.0125, 0.00625];
const LONG: f64 = 200.0;
/// Step at which the period is measured, s.
const FINE: f64 = 0.0025;

/// The name of the oscillator without restraint.
const UNRESTRAINED: &str = "without restraint";

/// The plotted and measured data.
struct Found {
    conservative: Vec<(Criterion, Course)>,
    damped: Vec<(String, Course)>,
    implicit: Vec<(String, Course)>,
    /// Largest deviations of the energy at each of [`STEPS`].
    energies: Vec<(Criterion, Vec<(f64, f64)>)>,
    /// Measured periods, s.
    periods: Vec<(Criterion, f64)>,
}

fn find(progress: &mut dyn FnMut(&str)) -> Found {
    let held = |criterion: Criterion| restrained(oscillator(1.0, 1.0, 0.0), criterion, ENERGIES);
    progress("figure 2");
    let round = (6.5 / DT) as usize;
    let draw = |criterion| (criterion, course(held(criterion), "velocity-verlet", DT, round));
    let conservative = Criterion::ALL.map(draw).into();
    progress("figure 3");
    let ours = Criterion::default();
    let (rate, steps) = DAMPED;
    let damped = |criterion| restrained(damped_oscillator(1.0, rate, 1.0, 0.0), criterion, ENERGIES);
    let damped = [
        (name(Criterion::Energy), course(damped(Criterion::Energy), "symplectic-euler", DT, steps)),
        (name(ours), course(damped(ours), "symplectic-euler", DT, steps)),
        (UNRESTRAINED.to_owned(), course(damped_oscillator(1.0, rate, 1.0, 0.0), "symplectic-euler", DT, steps)),
    ];
    progress("figure 5");
    let (dt, steps) = IMPLICIT;
    let implicit = [
        ("algorithm 1, by energy".to_owned(), course(held(Criterion::Energy), "linearized-backward-euler", dt, steps)),
        (format!("converged, {}", name(ours)), course(held(ours), "backward-euler", dt, steps)),
        (UNRESTRAINED.to_owned(), course(oscillator(1.0, 1.0, 0.0), "backward-euler", dt, steps)),
    ];
    let astray = |criterion: Criterion| {
        progress(&format!("energy over {LONG} s, {}", name(criterion)));
        let at = |dt: f64| (dt, course(held(criterion), "velocity-verlet", dt, (LONG / dt) as usize).astray);
        (criterion, STEPS.map(at).to_vec())
    };
    let energies = Criterion::ALL.map(astray).into();
    let period = |criterion: Criterion| {
        (criterion, course(held(criterion), "velocity-verlet", FINE, (LONG / FINE) as usize).period)
    };
    let periods = Criterion::ALL.map(period).into();
    Found { conservative, damped: damped.into(), implicit: implicit.into(), energies, periods }
}

/// An inward spiral with vertical parts: every stop is nearer and longer than the one before.
fn is_a_spiral(course: &Course) -> bool {
    let pairs = || course.stands.windows(2).skip(1);
    course.stands.len() > 4 && pairs().all(|pair| pair[1].0 < pair[0].0 && pair[1].1 > pair[0].1)
}

/// Order of the energy error, from the longest step to the shortest.
fn order(energies: &[(f64, f64)]) -> f64 {
    let [long, short] = [energies[0], energies[energies.len() - 1]];
    (long.1 / short.1).ln() / (long.0 / short.0).ln()
}

fn tables(found: &Found) -> [Table; 3] {
    let mut periods = Table::new(
        format!(
            "Periods from q = 1; measured with velocity Verlet at {FINE} s over {LONG} s. Without restraint: 6.283185307 s"
        ),
        ["criterion", "by quadrature [s]", "measured [s]", "off by", "stands still for [s]", "part of the time"],
    );
    for ((criterion, measured), (_, drawn)) in found.periods.iter().zip(&found.conservative) {
        let exact = exact_period(*criterion);
        // a stop is over at the first step that moves
        let stand = drawn.stands.last().map_or(0.0, |(_, time)| *time);
        periods.push([
            name(*criterion),
            format!("{exact:.9}"),
            format!("{measured:.9}"),
            format!("{:.1e}", measured / exact - 1.0),
            format!("{stand:.3}"),
            format!("{:.1} %", 200.0 * stand / exact),
        ]);
    }
    let mut energies = Table::new(
        format!("Largest deviation of H_AR from 0.5 J over {LONG} s, velocity Verlet, J"),
        std::iter::once("criterion".to_owned()).chain(STEPS.map(|dt| format!("h = {dt}"))).chain(["order".to_owned()]),
    );
    for (criterion, astray) in &found.energies {
        let cells = astray.iter().map(|(_, astray)| scientific(*astray, 2));
        energies.push(std::iter::once(name(*criterion)).chain(cells).chain([format!("{:.2}", order(astray))]));
    }
    let mut stands = Table::new(
        "Figures 3 and 5: how far out it stands still, and for how long",
        ["figure", "run", "stands", "first [m]", "for [s]", "last [m]", "for [s] "],
    );
    let damped = found.damped.iter().map(|run| ("3", run));
    for (figure, (name, course)) in damped.chain(found.implicit.iter().map(|run| ("5", run))) {
        // the first one begins at the start, in the middle of what would be a stop
        if let [_, first, .., last] = course.stands.as_slice() {
            let digits = |value: f64| format!("{value:.3}");
            let count = course.stands.len().to_string();
            let cells = [digits(first.0), digits(first.1), digits(last.0), digits(last.1)];
            stands.push([figure.to_owned(), name.clone(), count].into_iter().chain(cells));
        }
    }
    [periods, energies, stands]
}

fn figures(found: &Found) -> Vec<Figure> {
    let portrait = |title: &str| Plot::new(title).x("q [m]").y("p [kg m/s]").equal_axes().size(540, 520);
    let round = |k: u32| (std::f64::consts::TAU * f64::from(k) / 200.0).sin_cos();
    let circle: Vec<(f64, f64)> = (0..=200).map(round).collect();
    let mut conservative = portrait("Figure 2: explicit").dashed(UNRESTRAINED, &circle);
    for (criterion, course) in &found.conservative {
        conservative = conservative.line(name(*criterion), &course.points);
    }
    let of = |title: &str, runs: &[(String, Course)]| {
        runs.iter().fold(portrait(title), |plot, (name, course)| match name == UNRESTRAINED {
            true => plot.dashed(name, &course.points),
            false => plot.line(name, &course.points),
        })
    };
    let mut energy =
        Plot::new("Energy over 200 s, velocity Verlet").x("step [s]").y("largest deviation [J]").log_x().log_y();
    for (criterion, astray) in &found.energies {
        energy = energy.line(name(*criterion), astray).points(name(*criterion), astray);
    }
    energy = energy.dashed("order 2", &STEPS.map(|dt| (dt, dt * dt)));
    vec![
        Figure::new(
            "figure-2",
            "Where it is slow, it stands still at q = ±1 and gathers momentum. The paper’s criteria then overshoot: in the transition q' is larger than p/m.",
            &conservative,
        ),
        Figure::new(
            "figure-3",
            "Damped: an inward spiral with ever longer upright parts.",
            &of("Figure 3: damped", &found.damped),
        ),
        Figure::new(
            "figure-5",
            "Backward Euler damps, so the portrait is that of the damped oscillator.",
            &of("Figure 5: implicit, h = 0.02 s", &found.implicit),
        ),
        Figure::new("energy", "H_AR errs like the square of the step.", &energy),
    ]
}

/// `restrained-portraits`.
pub fn phase_portraits(progress: &mut dyn FnMut(&str)) -> Experiment {
    let found = find(progress);
    let off = |(criterion, measured): &(Criterion, f64)| (measured / exact_period(*criterion) - 1.0).abs();
    let worst = found.periods.iter().map(off).fold(0.0, f64::max);
    let orders: Vec<f64> = found.energies.iter().map(|(_, astray)| order(astray)).collect();
    let [least, most] = [orders.iter().copied().fold(9.0, f64::min), orders.iter().copied().fold(0.0, f64::max)];
    let is_restrained = |run: &&(String, Course)| run.0 != UNRESTRAINED;
    let spirals = |runs: &[(String, Course)]| runs.iter().filter(is_restrained).all(|run| is_a_spiral(&run.1));
    // vertical parts: it stops at q = ±1 and nowhere else
    let is_upright = |course: &Course| course.stands.iter().all(|(place, _)| (place - 1.0).abs() < 1e-3);
    let claims = [
        found.conservative.iter().all(|(_, course)| course.stands.len() > 1 && is_upright(course)),
        spirals(&found.damped),
        spirals(&found.implicit),
        worst < 1e-5,
        // a kink in T, where there is one, causes errors of single steps that vanish faster
        least > 1.8,
    ];
    let said = |holds: bool, yes: &'static str, no: &'static str| if holds { yes } else { no };
    let summary_html = format!(
        "<p><b>Figure 2.</b> {} The energy H_AR errs with order {least:.2} to {most:.2} and does not drift; the periods are those by \
         quadrature within {worst:.0e}. The paper’s criteria make the oscillator <em>faster</em> than it is, 6.18 s against 6.28 s, although it \
         stands still for a while: in the transition its effective velocity exceeds p/m. Convex ones, where it never does, make it slower.</p>\
         <p><b>Figure 3.</b> {} (γ = {} 1/s; the paper does not say which.)</p>\
         <p><b>Figure 5.</b> {} At h = 0.02 s and ε_f/ε_r = 4 the published scheme behaves; where it does not is in the map of its stability.</p>",
        said(
            claims[0],
            "The orbit has upright parts at q = ±1, and closes.",
            "The orbit does not stand still at q = ±1 only."
        ),
        said(
            claims[1],
            "An inward spiral, whose upright parts become longer from turn to turn.",
            "Not an inward spiral with ever longer upright parts."
        ),
        DAMPED.0,
        said(claims[2], "So does algorithm 1: implicit Euler damps.", "Algorithm 1 does not do that."),
    );
    let verdict = match claims.iter().filter(|holds| **holds).count() {
        n if n == claims.len() => Verdict::Holds,
        0 => Verdict::Fails,
        _ => Verdict::HoldsPartly,
    };
    Experiment {
        id: "restrained-portraits".into(),
        title: "Phase portraits of the restrained oscillator".into(),
        paper: "Manteaux, Faure, Redon and Cani, Exploring the use of adaptively restrained particles for graphics simulations, figures 2, 3 and 5".into(),
        claim: "A restrained oscillator stands still where it is slow, on a closed orbit of constant H_AR; damped, and with implicit Euler, it spirals inwards, \
                and the more it is damped, the longer it stands still."
            .into(),
        verdict,
        summary_html,
        tables: tables(&found).into(),
        plots: figures(&found),
        seconds: 0.0,
    }
}
