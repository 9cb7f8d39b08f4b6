//! `restrained-block-of-water`, `restrained-permanent-flow` and `restrained-hanging-cloth`: [Restrained] tables 1 to 3.

use super::fields::Difference;
use super::race::{Race, WINDOW, run};
use super::race_plots::figures;
use super::setups::{AT_REST, BLOCK_OF_WATER, HANGING_CLOTH, Kind, MIN_GAIN, PERMANENT_FLOW, Setup, TIMES_CHAOS};
use pliant_plot::report::{Experiment, Table, Verdict};
use pliant_plot::text::{scientific, significant};

/// Table 1.
pub fn block_of_water(progress: &mut dyn FnMut(&str)) -> Experiment {
    report(&BLOCK_OF_WATER, BLOCK_OF_WATER.until, progress)
}

/// Table 2.
pub fn permanent_flow(progress: &mut dyn FnMut(&str)) -> Experiment {
    report(&PERMANENT_FLOW, PERMANENT_FLOW.until, progress)
}

/// Table 3.
pub fn hanging_cloth(progress: &mut dyn FnMut(&str)) -> Experiment {
    report(&HANGING_CLOTH, HANGING_CLOTH.until, progress)
}

/// One goal, and its result.
struct Goal {
    what: String,
    aim: String,
    measured: String,
    is_met: bool,
}

impl Goal {
    fn at_least(what: impl Into<String>, aim: f64, measured: f64) -> Self {
        let (is_met, aim) = (measured >= aim, format!("at least {aim}"));
        Self { what: what.into(), aim, measured: significant(measured, 3), is_met }
    }

    fn at_most(what: impl Into<String>, unit: &str, aim: f64, measured: f64) -> Self {
        let (is_met, aim) = (measured <= aim, format!("at most {} {unit}", scientific(aim, 3)));
        Self { what: what.into(), aim, measured: format!("{} {unit}", scientific(measured, 3)), is_met }
    }
}

/// Smallest, largest and mean speed-up.
fn gains(race: &Race) -> [f64; 3] {
    let all = race.gains();
    [all.iter().copied().fold(f64::INFINITY, f64::min), all.iter().copied().fold(0.0, f64::max), race.gain()]
}

/// A name, a unit, and what of a difference it is.
type Compared = (&'static str, &'static str, fn(&Difference) -> f64);

/// What is compared of a fluid.
const COMPARED: [Compared; 3] = [
    ("centre of mass", "m", |difference| difference.centre),
    ("heights", "m", |difference| difference.heights),
    ("kinetic energy", "J", |difference| difference.kinetic),
];

fn goals(setup: &Setup, race: &Race) -> Vec<Goal> {
    let [_, peak, mean] = gains(race);
    let mut goals = vec![Goal::at_least("speed-up, total over total", setup.aims.mean, mean)];
    if let Some(aim) = setup.aims.peak {
        goals.push(Goal::at_least("largest speed-up of a window", aim, peak));
    }
    goals.push(Goal::at_least("never slower: speed-up, total over total", MIN_GAIN, mean));
    match setup.kind {
        Kind::Fluid => {
            for (what, unit, of) in COMPARED {
                let what = format!("{what}, root mean square over time");
                goals.push(Goal::at_most(what, unit, TIMES_CHAOS * race.other.rms(of), race.restrained.rms(of)));
            }
        }
        Kind::Cloth => {
            let end = race.restrained.windows.last().map_or(f64::NAN, |window| window.difference.farthest);
            goals.push(Goal::at_most("farthest particle at the end", "mm", 1e3 * AT_REST, 1e3 * end));
        }
    }
    goals
}

/// As the paper prints it.
fn printed(setup: &Setup, race: &Race) -> Table {
    let braces = |gains: [f64; 3]| format!("{{{}}}", gains.map(|gain| significant(gain, 3)).join(", "));
    let [full, restrained] = setup.printed.seconds;
    Table::new(
        format!(
            "Table {}: computation time and speed-up {{min, max, mean}} over windows of {WINDOW} s",
            setup.printed.table
        ),
        ["", "simulated [s]", "full [s]", "restrained [s]", "speed-up"],
    )
    .row([
        "paper".into(),
        setup.until.to_string(),
        full.to_string(),
        restrained.to_string(),
        braces(setup.printed.gains),
    ])
    .emphasized_row([
        "here".into(),
        race.until.to_string(),
        significant(race.full.seconds(), 4),
        significant(race.restrained.seconds(), 4),
        braces(gains(race)),
    ])
}

fn aims(goals: &[Goal]) -> Table {
    let mut table = Table::new("Aims", ["what", "aim", "measured", "met"]);
    for goal in goals {
        let met = if goal.is_met { "yes" } else { "NO" };
        table.push([goal.what.as_str(), &goal.aim, &goal.measured, met]);
    }
    table
}

fn thresholds(restraint: &[&str]) -> String {
    let one = |set: &&str| set.trim_start_matches("restraint.").replace('"', "").replace('=', " ");
    restraint.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The cost of a gain: the same with other thresholds.
fn trade(setup: &Setup, race: &Race) -> Table {
    let headers = [
        "thresholds",
        "restrained [s]",
        "speed-up",
        "steps",
        "centre [mm]",
        "heights [mm]",
        "kinetic [J]",
        "farthest at the end [mm]",
    ];
    let title = "Other thresholds; differences are root mean squares over time, but for the last";
    let mut table = Table::new(title, headers);
    let runs = [setup.restraint]
        .into_iter()
        .chain(setup.others.iter().copied())
        .zip([&race.restrained].into_iter().chain(&race.others));
    for (restraint, course) in runs {
        let end = course.windows.last().map_or(f64::NAN, |window| window.difference.farthest);
        let differences =
            [1e3 * course.rms(|d| d.centre), 1e3 * course.rms(|d| d.heights), course.rms(|d| d.kinetic), 1e3 * end];
        let speed = [course.seconds(), race.full.seconds() / course.seconds()].map(|value| significant(value, 3));
        let numbers =
            speed.into_iter().chain([course.steps().to_string()]).chain(differences.map(|value| significant(value, 3)));
        table.push([thresholds(restraint)].into_iter().chain(numbers));
    }
    table
}

/// Every window.
fn windows(race: &Race) -> Table {
    let headers = [
        "until [s]",
        "full [s]",
        "restrained [s]",
        "speed-up",
        "steps, full",
        "steps, restrained",
        "active [%]",
        "transition [%]",
        "restrained [%]",
        "centre [m]",
        "heights [m]",
        "kinetic [J]",
        "farthest [m]",
    ];
    let mut table = Table::new("Window by window; differences are from the full run, at the end of each", headers);
    let count = race.full.windows.len();
    for (k, (full, held)) in race.full.windows.iter().zip(&race.restrained.windows).enumerate() {
        let d = held.difference;
        let times = [full.seconds, held.seconds, full.seconds / held.seconds].map(|value| significant(value, 3));
        let shares = held.shares.map(|share| format!("{:.1}", 100.0 * share));
        let differences = [d.centre, d.heights, d.kinetic, d.farthest].map(|value| scientific(value, 2));
        let end = significant(race.until * (k + 1) as f64 / count as f64, 4);
        let steps = [full.steps, held.steps].map(|steps| steps.to_string());
        table.push([end].into_iter().chain(times).chain(steps).chain(shares).chain(differences));
    }
    table
}

fn words(setup: &Setup, race: &Race, goals: &[Goal]) -> String {
    let missed: Vec<String> = goals
        .iter()
        .filter(|goal| !goal.is_met)
        .map(|goal| format!("{} ({}, {})", goal.what, goal.measured, goal.aim))
        .collect();
    let missed = match missed.as_slice() {
        [] => "All aims are met.".to_owned(),
        all => format!("<b>Missed:</b> {}.", all.join("; ")),
    };
    let shortened = if race.until < setup.until {
        format!("<p><b>Shortened to {} s of {} s: not the experiment.</b></p>", race.until, setup.until)
    } else {
        String::new()
    };
    let thresholds = thresholds(setup.restraint);
    let last = race.restrained.windows.last().map_or([0.0; 3], |window| window.shares);
    let resting = race.restrained.windows.iter().map(|window| window.shares[2]).fold(0.0, f64::max);
    let compared = match setup.kind {
        Kind::Fluid => format!(
            "A fluid is chaotic: a full run whose particles start 1e-12 of a spacing elsewhere ends up {} mm away in its centre and {} mm in its heights (root mean square over time), \
             the restrained one {} mm and {} mm.",
            significant(1e3 * race.other.rms(|d| d.centre), 3),
            significant(1e3 * race.other.rms(|d| d.heights), 3),
            significant(1e3 * race.restrained.rms(|d| d.centre), 3),
            significant(1e3 * race.restrained.rms(|d| d.heights), 3),
        ),
        Kind::Cloth => {
            let end = |windows: &[super::race::Window]| {
                windows.last().map_or(f64::NAN, |window| 1e3 * window.difference.farthest)
            };
            format!(
                "The farthest particle is at most {} mm from where the full run has it, and {} mm in the end, when the fastest particle of the full run moves with {} mm/s. Both runs take \
                 backward Euler; the scene’s own integrator, bdf2, is {} mm from it in the end and needs {} s, so that the speed-up over it is {}.",
                significant(1e3 * race.restrained.most(|d| d.farthest), 3),
                significant(end(&race.restrained.windows), 3),
                significant(1e3 * race.full.windows.last().map_or(f64::NAN, |window| window.fastest), 2),
                significant(end(&race.other.windows), 3),
                significant(race.other.seconds(), 3),
                significant(race.other.seconds() / race.restrained.seconds(), 3),
            )
        }
    };
    format!(
        "{shortened}<p>{missed}</p><p>{} particles; thresholds: {thresholds}. Full and restrained run take turns, {WINDOW} s of simulated time each, on the same machine; times are wall times without \
         output. At most {:.0} % of the particles are restrained on the mean over a window, and {:.0} % in the last one. {} steps in full, {} restrained. {} kg m/s of momentum fade. {compared}</p>",
        race.particles,
        100.0 * resting,
        100.0 * last[2],
        race.full.steps(),
        race.restrained.steps(),
        scientific(race.damped_impulse, 3),
    )
}

/// The experiment over a time; its own, unless it is to be tried out.
///
/// # Panics
/// If a run does not come to its end.
pub fn report(setup: &Setup, until: f64, progress: &mut dyn FnMut(&str)) -> Experiment {
    let race = run(setup, until, progress).unwrap_or_else(|error| panic!("{error}"));
    let goals = goals(setup, &race);
    let verdict = match (goals.iter().all(|goal| goal.is_met), race.gain() > 1.0) {
        (true, _) => Verdict::Holds,
        (false, true) => Verdict::HoldsPartly,
        (false, false) => Verdict::Fails,
    };
    let claimed = match setup.kind {
        Kind::Fluid => {
            "while centre of mass, heights and kinetic energy stay as near to the full run as twice what chaos allows"
        }
        Kind::Cloth => "and less than 1 mm is wrong at rest",
    };
    Experiment {
        id: setup.id.into(),
        title: setup.title.into(),
        paper: format!(
            "Manteaux, Faure, Redon and Cani, Exploring the use of adaptively restrained particles for graphics simulations, table {}",
            setup.printed.table
        ),
        claim: format!(
            "Restraint makes {} s of {} {} times as fast, {claimed}.",
            setup.until, setup.scene, setup.aims.mean
        ),
        verdict,
        summary_html: words(setup, &race, &goals),
        tables: vec![printed(setup, &race), aims(&goals), trade(setup, &race), windows(&race)],
        plots: figures(&race, setup),
        seconds: 0.0,
    }
}
