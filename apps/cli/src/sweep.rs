//! `pliant sweep`: a scene with every combination of some values. What a sweep is, its folder and its table are in [`pliant::sweep`].

mod listing;
mod plot;
mod pool;
mod progress;

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread::Builder;
use std::time::{Duration, Instant};

use clap::Args;
use pliant::sweep::store::names;
use pliant::sweep::table::{csv, unequal_repeats, warnings};
use pliant::sweep::{RunResult, Status, Store, Sweep, SweepError, Vary};
use serde_json::json;

use crate::words::{refused, scene_name};
use crate::{Outcome, print_line, threads};
use pool::{Event, Pool};
use progress::Progress;

/// Largest number of failures that are printed; the table has all.
const LISTED: usize = 20;
const REFRESH: Duration = Duration::from_millis(100);

#[derive(Args)]
pub struct SweepArgs {
    /// A scene file, or the name of a built-in scene
    #[arg(value_parser = scene_name())]
    scene: String,
    /// Values of a key: time.control.tolerance=1mm,0.1mm; may be given several times, the last key changes fastest
    #[arg(long, value_name = "PATH=VALUE,VALUE")]
    vary: Vec<String>,
    /// Runs of each combination, to see how much times vary; their results must be the same
    #[arg(long, value_name = "N", default_value_t = 1)]
    repeat: usize,
    /// Runs at a time [default: all cores are used]
    #[arg(short, long, value_name = "J")]
    jobs: Option<usize>,
    /// Folder of all results; started again with the same one, a sweep goes on where it was [default: out/SCENE-sweep]
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Change the scene in all runs: time.integrator=rk4, springs[0].stiffness="5 kN/m"
    #[arg(long, value_name = "PATH=VALUE")]
    set: Vec<String>,
    /// End of the runs, such as 2 or "500 ms"
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    until: Option<String>,
    /// Formats of frames, separated by commas, or none; that of the scene if not given
    #[arg(long, value_name = "LIST")]
    format: Option<String>,
    /// Threads of each run; results do not depend on it
    #[arg(long, value_name = "N", default_value_t = 1)]
    threads: usize,
    /// Only go on with a sweep: it is an error if the folder holds none
    #[arg(long)]
    resume: bool,
    /// Throw away what an earlier sweep left in the folder
    #[arg(long, conflicts_with = "resume")]
    force: bool,
    /// End with one line of JSON on standard output
    #[arg(long)]
    json: bool,
    /// No progress, no summary
    #[arg(short, long)]
    quiet: bool,
}

pub fn sweep(args: &SweepArgs) -> Outcome {
    let bad = |message: String| (message, 2);
    if args.threads == 0 {
        return Err(bad("--threads: must be at least 1".into()));
    }
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = args.jobs.unwrap_or((cores / args.threads).max(1));
    if jobs == 0 {
        return Err(bad("--jobs: must be at least 1".into()));
    }
    if args.repeat == 0 {
        return Err(bad("--repeat: must be at least 1".into()));
    }
    let wrong = |why: String| bad(format!("--vary: {why}"));
    let vary = args.vary.iter().map(|text| Vary::parse(text)).collect::<Result<Vec<_>, SweepError>>();
    let vary = vary.map_err(|error| wrong(error.to_string()))?;
    let set = crate::run::changes(&args.set, args.until.as_deref(), None, args.format.as_deref());
    let sweep = Sweep::new(&args.scene, &set.assignments, vary, args.repeat).map_err(|error| match error {
        SweepError::Grid(why) => bad(why),
        SweepError::Vary(why) => wrong(why),
        SweepError::Scene(error) => {
            bad(error.told(&|change| set.typed(change).unwrap_or_else(|| format!("--vary {change}"))))
        }
    })?;
    let folder = args.output.clone().unwrap_or_else(|| PathBuf::from("out").join(format!("{}-sweep", sweep.name())));
    if args.resume && !folder.join(names::PLAN).exists() {
        return Err(bad(format!("--resume: there is no sweep in {}", folder.display())));
    }
    if args.vary.is_empty() && args.repeat == 1 {
        return Err(bad("a sweep varies something or repeats it: give --vary PATH=VALUE,VALUE or --repeat N; `pliant run` makes one run".into()));
    }
    let program =
        std::env::current_exe().map_err(|error| (format!("where this program lies is unknown: {error}"), 1))?;
    let store = Store::open(&folder, &sweep.plan, args.force).map_err(|refusal| refused(&refusal))?;
    let mut results = store.results(sweep.len());
    let is_done = |result: &Option<RunResult>| result.as_ref().is_some_and(|one| one.status == Status::Done);
    let waiting: VecDeque<usize> = (0..sweep.len()).filter(|k| !is_done(&results[*k])).collect();
    let skipped = sweep.len() - waiting.len();
    if !args.quiet && skipped > 0 {
        tell!("{skipped} of {} runs are done already", sweep.len());
    }
    waiting.iter().for_each(|k| results[*k] = None);

    let begun = Instant::now();
    let pool = Pool::new(&sweep, &store, program, args.threads, waiting);
    let mut progress = Progress::new(sweep.name(), sweep.len(), skipped, args.quiet);
    let stopped = run_all(&pool, jobs, &mut results, &mut progress)?;
    progress.clear();

    store.write(names::TABLE, &csv(&sweep, &results)).map_err(|error| (error.to_string(), 1))?;
    store.write(names::PLOT, &plot::svg(&sweep, &results)).map_err(|error| (error.to_string(), 1))?;
    let unequal = unequal_repeats(&sweep, &results);
    for (a, b) in unequal.iter().take(LISTED) {
        tell!(
            "WARNING: runs {a} and {b} are repeats of one combination, but ended in different states: this must not happen"
        );
    }
    let failures: Vec<&RunResult> = results.iter().flatten().filter(|one| one.status == Status::Failed).collect();
    for failure in failures.iter().take(LISTED) {
        tell!("run {} failed: {}", failure.number, failure.reason.replace('\n', "\n  "));
        tell!("  again: {}", pool.command(&sweep.run(failure.number - 1)));
    }
    let mut warned = results.iter().flatten().filter_map(|one| Some((one.number, warnings(one).next()?)));
    if let Some((number, warning)) = warned.next() {
        tell!("warning: run {number}: {warning}");
        // they say nearly the same
        let others: Vec<String> = warned.map(|(number, _)| number.to_string()).collect();
        if !others.is_empty() {
            let table = folder.join(names::TABLE);
            tell!("  and {} more runs ({}) of the same, see {}", others.len(), others.join(", "), table.display());
        }
    }
    if failures.len() > LISTED {
        tell!("and {} more, see {}", failures.len() - LISTED, folder.join(names::TABLE).display());
    }
    let done = results.iter().filter(|result| is_done(result)).count();
    let seconds = begun.elapsed().as_secs_f64();
    if !args.quiet {
        let shown = folder.display();
        let (lines, others) = listing::lines(&sweep, &results);
        lines.iter().for_each(|line| tell!("  {line}"));
        if others > 0 {
            tell!("  and {others} more in {}", folder.join(names::TABLE).display());
        }
        tell!("{}: {done} of {} runs done in {seconds:.1} s, {jobs} at a time", sweep.name(), sweep.len());
        tell!("  {shown}: {}, {}, {}/", names::TABLE, names::PLOT, names::RUNS);
    }
    if args.json {
        let failed: Vec<_> = failures
            .iter()
            .map(|one| json!({"run": one.number, "reason": one.reason, "command": pool.command(&sweep.run(one.number - 1))}))
            .collect();
        let line = json!({
            "scene": sweep.name(), "runs": sweep.len(), "done": done, "skipped": skipped, "failed": failures.len(),
            "missing": sweep.len() - done - failures.len(), "interrupted": stopped, "failures": failed,
            "unequal_repeats": unequal, "wall_seconds": seconds, "jobs": jobs, "output": folder.display().to_string(),
        });
        print_line(&line.to_string())?;
    }
    if stopped || done + failures.len() < sweep.len() {
        let text =
            format!("interrupted; {done} of {} runs are done, the same command goes on with the others", sweep.len());
        return Err((text, 130));
    }
    match failures.len() {
        0 => Ok(()),
        failed => Err((format!("{failed} of {} runs failed", sweep.len()), 1)),
    }
}

/// Runs everything that is waiting; returns whether it was interrupted.
fn run_all(
    pool: &Pool<'_>,
    jobs: usize,
    results: &mut [Option<RunResult>],
    progress: &mut Progress,
) -> Result<bool, (String, u8)> {
    let stop = Arc::new(AtomicBool::new(false));
    threads::set_on_interrupt(stop.clone());
    let mut unwritable = None;
    std::thread::scope(|scope| {
        let (sender, events) = channel();
        let jobs = jobs.min(results.len());
        for job in 0..jobs {
            let sender = sender.clone();
            match Builder::new().spawn_scoped(scope, move || pool.work(&sender)) {
                Ok(_) => {}
                Err(why) if job == 0 => return Err((format!("no thread can be started for the runs: {why}"), 1)),
                Err(why) => {
                    tell!("warning: {job} runs at a time, not {jobs}: no more threads can be started ({why})");
                    break;
                }
            }
        }
        drop(sender);
        loop {
            match events.recv_timeout(REFRESH) {
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Event::Begun) => progress.running += 1,
                Ok(Event::Stopped) => progress.running -= 1,
                Ok(Event::Ended(result)) => {
                    progress.running -= 1;
                    match result.status {
                        Status::Done => progress.done += 1,
                        Status::Failed => progress.failed += 1,
                    }
                    // Results that cannot be stored end the sweep: on a full disk every later run would fail as well.
                    if let Err(why) = pool.store.keep(&result) {
                        unwritable.get_or_insert(why.to_string());
                        pool.stop();
                    }
                    let at = result.number - 1;
                    results[at] = Some(result);
                }
            }
            if stop.load(Ordering::Relaxed) {
                pool.stop();
            }
            progress.show();
        }
        Ok(())
    })?;
    match unwritable {
        Some(why) => {
            progress.clear();
            Err((why, 1))
        }
        None => Ok(stop.load(Ordering::Relaxed)),
    }
}
