//! `pliant run`.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use pliant::runner::{RunOptions, run as run_scene};
use pliant::scene::units::{dimension, parse_quantity};
use pliant::scene::{LoadedScene, load};
use pliant::shown::{joules, metres, seconds};
use pliant::summary::Summary;
use pliant::sweep::store::hold;
use pliant::verify::run_verified;

use crate::progress::Progress;
use crate::words::{Changes, scene_name};
use crate::{Outcome, print_line, threads};

fn describe_formats() -> String {
    let names: Vec<&str> = pliant::record::formats::names().collect();
    format!(
        "Formats of frames, separated by commas: {}, or none. Blender keeps its own frame rate when it imports usd: set that of its scene to \
         this run's --fps",
        names.join(", ")
    )
}

#[derive(Args)]
pub struct RunArgs {
    /// A scene file, or the name of a built-in scene
    #[arg(value_parser = scene_name())]
    scene: String,
    /// Folder of the result [default: out/SCENE]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// End of the run, such as 2 or "500 ms"
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    until: Option<String>,
    /// Frames a second of simulated time
    #[arg(long, value_name = "F", allow_hyphen_values = true)]
    fps: Option<f64>,
    /// accurate, or preview: for looks, with one step per frame and at most three solves per step
    #[arg(long, value_name = "Q")]
    quality: Option<String>,
    /// Verified global error, such as 1mm: runs again with smaller tolerances until two runs agree within it, and three show how fast errors fall
    #[arg(long, value_name = "E", allow_hyphen_values = true)]
    error: Option<String>,
    /// Change the scene: time.integrator=rk4, springs[0].stiffness="5 kN/m"
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    #[arg(long, value_name = "LIST", help = describe_formats())]
    format: Option<String>,
    /// Threads; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
    /// Go on with an interrupted run
    #[arg(long)]
    resume: bool,
    /// Replace an earlier result
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// Seconds between checkpoints
    #[arg(long, value_name = "S", default_value_t = 10.0)]
    checkpoint_every: f64,
    /// End with one line of JSON on standard output
    #[arg(long)]
    json: bool,
    /// No progress, no summary
    #[arg(short, long)]
    quiet: bool,
    /// A line for every step
    #[arg(short, long)]
    verbose: bool,
    /// Stop in the way of Ctrl-C when standard input ends, and hold this lock until then: a sweep runs its runs so
    #[arg(long, value_name = "LOCK", hide = true)]
    held_by_sweep: Option<PathBuf>,
}

pub fn run(args: &RunArgs) -> Outcome {
    let bad = |message: String| (message, 2);
    let mut changes = changes(&args.set, args.until.as_deref(), args.fps, args.format.as_deref());
    if let Some(quality) = &args.quality {
        changes.flag("--quality", quality, format!("quality={quality:?}"));
    }
    let scene = load(&args.scene, &changes.assignments).map_err(|error| changes.bad(&error))?;
    let error = match &args.error {
        None => None,
        Some(text) => {
            let length = parse_quantity::<dimension::Length>(text).map_err(|why| bad(format!("--error: {why}")))?.si();
            if !(length.is_finite() && length > 0.0) {
                return Err(bad(format!("--error: must be positive and finite, got {length} m")));
            }
            Some(length)
        }
    };
    let checkpoint_every = Duration::try_from_secs_f64(args.checkpoint_every).map_err(|why| {
        bad(format!("--checkpoint-every: must be a time in seconds, got {}: {why}", args.checkpoint_every))
    })?;
    if args.threads == Some(0) {
        return Err(bad("--threads: must be at least 1".into()));
    }
    let stop = Arc::new(AtomicBool::new(false));
    threads::set_on_interrupt(stop.clone());
    let _held = match &args.held_by_sweep {
        Some(lock) => Some(follow_sweep(lock, stop.clone())?),
        None => None,
    };
    threads::start(args.threads);
    let options = RunOptions {
        resume: args.resume,
        force: args.force,
        checkpoint_every,
        stop,
        ..RunOptions::new(args.output.clone().unwrap_or_else(|| PathBuf::from("out").join(&scene.name)))
    };
    let mut progress = Progress::new(&scene, args.quiet, args.verbose);
    let begun = Instant::now();
    let result = match error {
        Some(error) => run_verified(&scene, error, &options, &mut progress),
        None => run_scene(&scene, &options, &mut progress),
    };
    let elapsed = (progress.simulated() - begun).as_secs_f64();
    progress.clear();
    let summary = result.map_err(|failure| changes.failed(&failure))?;
    if !args.quiet {
        summarize(&scene, &summary, &options, elapsed);
    }
    // after the figures that they question; not suppressed by the quiet flag
    summary.warnings.iter().for_each(|warning| tell!("warning: {warning}"));
    if args.json {
        let json = serde_json::to_string(&summary).map_err(|why| (why.to_string(), 1))?;
        print_line(&json)?;
    }
    Ok(())
}

/// Stops the run when the sweep that started it ends, for whatever reason; until then no other process works in its folder.
fn follow_sweep(lock: &Path, stop: Arc<AtomicBool>) -> Result<File, (String, u8)> {
    let held = hold(lock).map_err(|error| (format!("{}: cannot be held: {error}", lock.display()), 1))?;
    let waiting = move || {
        let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
        stop.store(true, Ordering::Relaxed);
    };
    let started = std::thread::Builder::new().spawn(waiting);
    started.map_err(|why| (format!("the thread that waits for the end of the sweep cannot be started: {why}"), 1))?;
    Ok(held)
}

/// Changes of the scene that flags make.
pub fn changes(set: &[String], until: Option<&str>, fps: Option<f64>, formats: Option<&str>) -> Changes {
    let mut changes = Changes::set(set);
    if let Some(until) = until {
        changes.flag("--until", until, format!("time.until={}", as_toml(until)));
    }
    if let Some(fps) = fps {
        changes.flag("--fps", &fps.to_string(), format!("time.fps={fps:?}"));
    }
    if let Some(formats) = formats {
        let names: Vec<String> = formats
            .split(',')
            .map(str::trim)
            .filter(|f| !f.is_empty() && *f != "none")
            .map(|f| format!("{f:?}"))
            .collect();
        changes.flag("--format", formats, format!("output.formats=[{}]", names.join(",")));
    }
    changes
}

fn as_toml(text: &str) -> String {
    if text.trim().parse::<f64>().is_ok() { text.trim().to_owned() } else { format!("{:?}", text.trim()) }
}

fn summarize(scene: &LoadedScene, summary: &Summary, options: &RunOptions, elapsed: f64) {
    let per_second = summary.time / summary.wall_seconds.max(1e-9);
    let pace = pliant_plot::text::significant(per_second, 2);
    tell!(
        "{}: {} simulated in {:.2} s ({pace} x real time), {} particles",
        scene.name,
        seconds(summary.time),
        summary.wall_seconds,
        summary.particles
    );
    tell!(
        "  {} with {}: {} steps ({} rejected), dt {} / {} / {} (min / mean / max), {} solves",
        summary.integrator,
        summary.controller,
        summary.steps,
        summary.rejected,
        seconds(summary.dt.min),
        seconds(summary.dt.mean),
        seconds(summary.dt.max),
        summary.solves
    );
    // parts of a resumed run are known since it was resumed, of several runs those of the last
    let parts: f64 = summary.clock.parts().iter().map(|(_, seconds)| seconds).sum();
    let known = if parts <= elapsed { summary.wall_seconds.min(elapsed) } else { summary.wall_seconds }.max(1e-9);
    let share = |(name, seconds): (&str, f64)| format!("{name} {:.0} %", 100.0 * seconds / known);
    tell!("  time went into {}", summary.clock.parts().map(share).join(", "));
    if let Some(verified) = &summary.verified {
        tell!(
            "  verified: two runs agree within {} at every frame, this one errs by {} at most, {} ({} asked; {} runs, {} steps)",
            metres(verified.difference),
            metres(verified.estimate),
            verified.by_order(),
            metres(verified.asked),
            verified.runs,
            verified.steps
        );
    }
    let ledger = &summary.ledger;
    let entries = [
        ("damping", ledger.viscous),
        ("loads", ledger.loads),
        ("contact", ledger.contact),
        ("colliders", ledger.colliders),
        ("pins", ledger.pins),
        ("projection", ledger.projection),
        ("fracture", ledger.fracture),
    ];
    let booked = entries.iter().filter(|(_, change)| *change != 0.0);
    let changes: Vec<String> = booked
        .chain([&("integrator", ledger.integrator)])
        .map(|(name, change)| format!("{name} {}{}", if *change > 0.0 { "+" } else { "" }, joules(*change)))
        .collect();
    let (start, now) = (joules(ledger.start), joules(summary.energy.total));
    tell!("  energy {start} at the start, {now} now: {}", changes.join(", "));
    let files = pliant::folder::listed(&options.folder).join(", ");
    tell!("  {} frames in {}: {files}", summary.frames, options.folder.display());
}
