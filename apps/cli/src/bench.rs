//! `pliant bench`.

use std::io::IsTerminal as _;

use clap::Subcommand;
use indicatif::ProgressBar;
use pliant::scene::load;
use pliant::scene::suggest::nearest;
use pliant::time::catalog::INTEGRATORS;
use pliant_lab::score::{Options, ScoreRow, Scores, score};
use pliant_lab::text::{significant, time};

use crate::{Outcome, print_line};

#[derive(Subcommand)]
pub enum BenchCommand {
    /// Largest stable step, cost a step, order and score of every integrator
    Integrators {
        /// A scene file, or the name of a built-in scene
        #[arg(long, value_name = "SCENE", default_value = "spring-net")]
        scene: String,
        /// Change the scene: springs[0].damping=0
        #[arg(long, value_name = "PATH=VALUE")]
        set: Vec<String>,
        /// Only this integrator; may be given several times
        #[arg(long, value_name = "NAME")]
        only: Vec<String>,
        /// Threads; small scenes are fastest with one
        #[arg(long, value_name = "N", default_value_t = 1)]
        threads: usize,
        /// One JSON object instead of a table
        #[arg(long)]
        json: bool,
    },
}

pub fn bench(command: &BenchCommand) -> Outcome {
    let BenchCommand::Integrators { scene, set, only, threads, json } = command;
    let bad = |message: String| (message, 2);
    let names = || INTEGRATORS.iter().map(|entry| entry.properties.name);
    if let Some(wrong) = only.iter().find(|name| names().all(|known| known != name.as_str())) {
        let hint = nearest(wrong, names()).map_or_else(
            || format!("there are: {}", names().collect::<Vec<_>>().join(", ")),
            |near| format!("did you mean {near}?"),
        );
        return Err(bad(format!("--only: no integrator is called {wrong}; {hint}")));
    }
    if *threads == 0 {
        return Err(bad("--threads: must be at least 1".into()));
    }
    let loaded = load(scene, set).map_err(|error| bad(error.to_string()))?;
    let options = Options { threads: *threads, integrators: only.clone(), ..Options::default() };
    let status = std::io::stderr().is_terminal().then(ProgressBar::new_spinner);
    let mut tell = |text: &str| {
        if let Some(bar) = &status {
            bar.set_message(text.to_owned());
            bar.tick();
        }
    };
    let result = score(&loaded, &options, &mut tell);
    if let Some(bar) = &status {
        bar.finish_and_clear();
    }
    let scores = result.map_err(|message| (message, 1))?;
    if *json {
        print_line(&serde_json::to_string(&scores).map_err(|why| (why.to_string(), 1))?);
    } else {
        print_table(&scores);
    }
    Ok(())
}

fn print_table(scores: &Scores) {
    let Scores { scene, stretch, energy_scale, threads, .. } = scores;
    let plural = if *threads == 1 { "thread" } else { "threads" };
    print_line(&format!(
        "{scene}: runs of {stretch:.4} s with equal steps, energy scale {energy_scale:.3e} J, {threads} {plural}"
    ));
    let header = ["integrator", "max dt", "time a step", "symplectic", "order", "score", ""].map(str::to_owned);
    let rows: Vec<[String; 7]> = std::iter::once(header).chain(scores.ranked().into_iter().map(cells)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    for row in &rows {
        let mut line = String::new();
        for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
            // numbers to the right
            let gap = " ".repeat(width - cell.chars().count());
            let (before, after) =
                if matches!(column, 1 | 2 | 4 | 5) { (gap, String::new()) } else { (String::new(), gap) };
            line += &format!("{before}{cell}{after}  ");
        }
        print_line(line.trim_end());
    }
    print_line(
        "score = largest stable step / time a step: seconds simulated in a second of computing, on this machine",
    );
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
