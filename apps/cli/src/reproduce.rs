//! `pliant reproduce`.

use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::ProgressBar;
use pliant::lock::FolderLock;
use pliant::scene::builtin::SCENES;
use pliant::scene::suggest::nearest;
use pliant_lab::chapters::{chapter, chapters};
use pliant_lab::{Entry, experiments, machine};
use pliant_plot::report::{Chapter, Experiment, Report, kept};

use crate::words::refused;
use crate::{Outcome, print_line};

#[derive(Args)]
pub struct ReproduceArgs {
    /// Experiments or papers (intro, ropes, adaptive, corotational, restrained, fluid, fracture); all without one
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Folder of the report
    #[arg(short, long, value_name = "DIR", default_value = "report")]
    output: PathBuf,
    /// Take experiments that are finished in this folder as they are
    #[arg(long)]
    resume: bool,
    /// List the experiments and do nothing
    #[arg(long)]
    list: bool,
}

pub fn reproduce(args: &ReproduceArgs) -> Outcome {
    let chosen = choose(&args.names).map_err(|message| (message, 2))?;
    let width = chosen.iter().map(|entry| entry.id.len()).max().unwrap_or(0);
    if args.list {
        for entry in chosen {
            print_line(&format!("{:width$}  {}", entry.id, entry.title))?;
        }
        return Ok(());
    }
    // Fails now rather than after minutes, if the folder cannot be written.
    let command = ["pliant", "reproduce"].into_iter().chain(args.names.iter().map(String::as_str));
    let made = machine::made_with(&command.collect::<Vec<_>>().join(" "));
    let mut report = Report::new("The papers, repeated", chapters()).intro(INTRO).made_with(made);
    let mut lock = FolderLock::look(&args.output).map_err(|refusal| refused(&refusal))?;
    lock.take().map_err(|refusal| (refused(&refusal).0, 1))?;
    write(&report, &args.output)?;
    // Holds the number of finished experiments; locked while the report is written, so that Ctrl-C waits for whole files.
    let finished = Arc::new(Mutex::new(0_usize));
    let (at_interrupt, folder) = (finished.clone(), args.output.display().to_string());
    let _ = ctrlc::set_handler(move || {
        let count = at_interrupt.lock().unwrap_or_else(PoisonError::into_inner);
        tell!(
            "\npliant: interrupted; the {} finished experiments are in {folder}/index.html, --resume goes on with them",
            *count
        );
        std::process::exit(130);
    });
    let begun = Instant::now();
    let mut last = "";
    for entry in &chosen {
        let part = chapter(entry.paper).ok_or_else(|| (format!("{} belongs to no chapter", entry.id), 1))?;
        if std::mem::replace(&mut last, part.id) != part.id {
            report.show(part, still(part)?);
        }
        let kept = if args.resume { kept::recall(&args.output, entry.id) } else { None };
        let experiment = kept.unwrap_or_else(|| run(entry));
        let line = format!(
            "{:width$}  {:13}  {:6.1} s  {}",
            entry.id,
            experiment.verdict.words(),
            experiment.seconds,
            experiment.title
        );
        report.push(part, experiment);
        let mut count = finished.lock().unwrap_or_else(PoisonError::into_inner);
        write(&report, &args.output)?;
        *count += 1;
        drop(count);
        print_line(&line)?;
    }
    let page = args.output.join("index.html");
    print_line(&format!(
        "{} experiments, {} of computing ({:.0} s in all, with pictures of the scenes); the report is {}",
        chosen.len(),
        report.computing(),
        begun.elapsed().as_secs_f64(),
        page.display()
    ))
}

const INTRO: &str = "<p>What the papers say about integrators, time steps and stability, measured again with this engine. Every number, plot and \
                     verdict was computed by <code>pliant reproduce</code>; times and scores belong to the machine it ran on. \
                     A claim <em>holds in part</em> where the direction is right but a number, a range or a condition is not.</p>";

fn write(report: &Report, folder: &Path) -> Outcome {
    report.write(folder).map_err(|error| (error.to_string(), 1))
}

/// What the head of a chapter shows.
fn still(part: &Chapter) -> Result<Vec<u8>, (String, u8)> {
    let (name, text) = SCENES.iter().find(|(name, _)| *name == part.scene).copied().unwrap_or_default();
    crate::render::still_of(name, text, [960, 600])
}

fn run(entry: &Entry) -> Experiment {
    let status = std::io::stderr().is_terminal().then(ProgressBar::new_spinner);
    if let Some(bar) = &status {
        bar.enable_steady_tick(Duration::from_millis(100));
        bar.set_message(entry.id);
    }
    let begun = Instant::now();
    let mut tell = |text: &str| {
        if let Some(bar) = &status {
            bar.set_message(format!("{}: {text}", entry.id));
        }
    };
    let experiment = (entry.run)(&mut tell);
    if let Some(bar) = &status {
        bar.finish_and_clear();
    }
    Experiment { id: entry.id.to_owned(), seconds: begun.elapsed().as_secs_f64(), ..experiment }
}

/// The selected experiments, each once, in the order of the report. A name is an experiment, or the beginning of a paper's.
fn choose(names: &[String]) -> Result<Vec<&'static Entry>, String> {
    let means = |name: &str, entry: &Entry| entry.id == name || (!name.is_empty() && entry.paper.starts_with(name));
    for name in names {
        if !experiments().iter().any(|entry| means(name, entry)) {
            let known = experiments().iter().flat_map(|entry| [entry.id, entry.paper]);
            let hint = nearest(name, known).map_or_else(
                || "`pliant reproduce --list` lists them".to_owned(),
                |near| format!("did you mean {near}?"),
            );
            return Err(format!("no experiment or paper is called \"{name}\"; {hint}"));
        }
    }
    let is_chosen = |entry: &&Entry| names.is_empty() || names.iter().any(|name| means(name, entry));
    Ok(experiments().iter().filter(is_chosen).collect())
}
