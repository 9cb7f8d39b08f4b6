//! `pliant bench`.

use std::io::IsTerminal as _;

use clap::Subcommand;
use indicatif::ProgressBar;
use pliant::scene::load;
use pliant::scene::suggest::nearest;
use pliant::scene::units::{dimension, parse_quantity};
use pliant::shown;
use pliant::time::catalog::INTEGRATORS;
use pliant_lab::score::{Options, Pace, Paces, ScoreRow, Scores, UnderWay, score};
use pliant_plot::text::{scientific, significant, time};

use crate::columns::columns;
use crate::words::{Changes, scene_name};
use crate::{Outcome, print_line};

#[derive(Subcommand)]
pub enum BenchCommand {
    /// Largest stable step, cost a step, order and score of every integrator
    Integrators {
        /// A scene file, or the name of a built-in scene
        #[arg(long, value_name = "SCENE", default_value = "spring-net", value_parser = scene_name())]
        scene: String,
        /// Change the scene: springs[0].damping=0
        #[arg(long, value_name = "PATH=VALUE")]
        set: Vec<String>,
        /// Begin at this moment of the scene, reached as the scene says: "8 s"
        #[arg(long, value_name = "T")]
        from: Option<String>,
        /// Change the scene from that moment on: rope[0].damping=0
        #[arg(long, value_name = "PATH=VALUE", requires = "from")]
        then: Vec<String>,
        /// Only this integrator; may be given several times
        #[arg(long, value_name = "NAME")]
        only: Vec<String>,
        /// Threads; small scenes are fastest with one
        #[arg(long, value_name = "N", default_value_t = 1)]
        threads: usize,
        /// Also measures speeds at this largest error of any particle at any frame, such as 1mm; "none" leaves that out
        #[arg(long, value_name = "E", default_value = "1mm")]
        error: String,
        /// About how long the reference run may take, in seconds of computing; no run lasts longer than what it reaches
        #[arg(long, value_name = "S", default_value_t = 6.0)]
        seconds: f64,
        /// One JSON object instead of a table
        #[arg(long)]
        json: bool,
    },
}

pub fn bench(command: &BenchCommand) -> Outcome {
    let BenchCommand::Integrators { scene, set, from, then, only, threads, error, seconds, json } = command;
    let bad = |message: String| (message, 2);
    let names = || INTEGRATORS.iter().map(|entry| entry.properties.name);
    if let Some(wrong) = only.iter().find(|name| names().all(|known| known != name.as_str())) {
        let hint = nearest(wrong, names()).map_or_else(
            || format!("there are: {}", names().collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean {near}?"),
        );
        return Err(bad(format!("--only: no integrator is called {wrong}; {hint}")));
    }
    if !(seconds.is_finite() && *seconds > 0.0) {
        return Err(bad(format!("--seconds: must be positive and finite, got {seconds}")));
    }
    if *threads == 0 {
        return Err(bad("--threads: must be at least 1".into()));
    }
    let error = match error.as_str() {
        "none" => None,
        text => {
            let metres = parse_quantity::<dimension::Length>(text).map_err(|why| bad(format!("--error: {why}")))?.si();
            if !(metres.is_finite() && metres > 0.0) {
                return Err(bad(format!("--error: must be positive and finite, got {metres} m")));
            }
            Some(metres)
        }
    };
    let moment = |text: &String| match parse_quantity::<dimension::Time>(text).map(|time| time.si()) {
        Ok(time) if time.is_finite() && time > 0.0 => Ok(time),
        Ok(time) => Err(bad(format!("--from: must be positive and finite, got {time} s"))),
        Err(why) => Err(bad(format!("--from: {why}"))),
    };
    let from = from.as_ref().map(moment).transpose()?;
    let loaded = load(scene, set).map_err(|error| Changes::set(set).bad(&error))?;
    let options = Options {
        threads: *threads,
        integrators: only.clone(),
        error,
        reference_seconds: *seconds,
        ..Options::default()
    };
    let status = std::io::stderr().is_terminal().then(ProgressBar::new_spinner);
    let mut tell = |text: &str| {
        if let Some(bar) = &status {
            bar.set_message(text.to_owned());
            bar.tick();
        }
    };
    let result = match from {
        None => score(&loaded, &options, &mut tell),
        Some(from) => {
            tell(&format!("{scene}: to {}", shown::seconds(from)));
            let mut changes = Changes::set(set);
            then.iter().for_each(|change| changes.flag("--then", change, change.clone()));
            let measured = load(scene, &changes.assignments).map_err(|error| changes.bad(&error))?;
            UnderWay::new(&loaded, measured, from).and_then(|subject| score(&subject, &options, &mut tell))
        }
    };
    if let Some(bar) = &status {
        bar.finish_and_clear();
    }
    let scores = result.map_err(|message| (message, 1))?;
    if *json {
        return print_line(&serde_json::to_string(&scores).map_err(|why| (why.to_string(), 1))?);
    }
    print_table(&scores)?;
    scores.paces.iter().try_for_each(print_paces)
}

fn print_table(scores: &Scores) -> Outcome {
    let Scores { scene, stretch, energy_scale, threads, .. } = scores;
    let plural = if *threads == 1 { "thread" } else { "threads" };
    print_line(&format!(
        "{scene}: runs of {} with equal steps, energy scale {energy_scale:.3e} J, {threads} {plural}",
        shown::seconds(*stretch)
    ))?;
    let header = ["integrator", "max dt", "time a step", "symplectic", "order", "score", ""].map(str::to_owned);
    let rows: Vec<[String; 7]> = std::iter::once(header).chain(scores.ranked().into_iter().map(cells)).collect();
    columns(&rows, &[1, 2, 4, 5]).iter().try_for_each(|line| print_line(line))?;
    print_line("score = largest stable step / time a step: seconds simulated in a second of computing, on this machine")
}

/// Speeds at an error.
fn print_paces(paces: &Paces) -> Outcome {
    let Paces { error, reference_error, stretch, rows, note } = paces;
    print_line("")?;
    if !note.is_empty() {
        return print_line(&format!(
            "no speeds at an error of {} over {} (reference good to {}): {note}",
            shown::metres(*error),
            shown::seconds(*stretch),
            shown::metres(*reference_error)
        ));
    }
    print_line(&format!(
        "at an error of {} over {} (reference good to {}):",
        shown::metres(*error),
        shown::seconds(*stretch),
        shown::metres(*reference_error)
    ))?;
    let header = ["integrator", "control", "setting", "steps", "error", "simulated s per s", ""].map(str::to_owned);
    let rows: Vec<[String; 7]> = std::iter::once(header).chain(rows.iter().map(pace_cells)).collect();
    columns(&rows, &[2, 3, 4, 5]).iter().try_for_each(|line| print_line(line))
}

fn pace_cells(pace: &Pace) -> [String; 7] {
    let setting =
        if pace.control == "fixed" { time(pace.setting) } else { format!("{} m", scientific(pace.setting, 3)) };
    [
        pace.name.to_owned(),
        pace.control.to_owned(),
        setting,
        pace.steps.to_string(),
        format!("{} m", scientific(pace.error, 2)),
        if pace.speed > 0.0 { significant(pace.speed, 3) } else { "none".to_owned() },
        pace.note.clone(),
    ]
}

fn cells(row: &ScoreRow) -> [String; 7] {
    let (dt, cost) = if row.max_dt > 0.0 {
        (time(row.max_dt), time(1e-3 * row.ms_per_step))
    } else {
        ("none".to_owned(), String::new())
    };
    [
        row.name.to_owned(),
        format!("{}{dt}", if row.at_least { ">= " } else { "" }),
        cost,
        row.symplectic.to_owned(),
        row.order.to_string(),
        significant(row.score, 4),
        row.note.clone(),
    ]
}
