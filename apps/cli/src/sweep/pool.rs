//! The runs of a sweep, each a process of its own: one that crashes affects no other.

use std::collections::{HashMap, VecDeque};
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Output, Stdio};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};

use pliant::sweep::{Run, RunResult, Status, Store, Sweep};
use serde_json::Value;

/// Number of lines of a failed run's output that are kept.
const LAST_LINES: usize = 12;

/// Events of runs, in order.
pub enum Event {
    Begun,
    Ended(RunResult),
    /// Interrupted: it is resumed with the sweep.
    Stopped,
}

/// Waiting runs, and runs in progress.
pub struct Pool<'a> {
    pub sweep: &'a Sweep,
    pub store: &'a Store,
    pub program: PathBuf,
    pub threads: usize,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<usize>,
    /// A run stops when its standard input is closed, so it also does when this process is killed.
    under_way: HashMap<usize, ChildStdin>,
    is_stopped: bool,
}

impl<'a> Pool<'a> {
    /// `waiting`: the runs to be done, from 0.
    pub fn new(sweep: &'a Sweep, store: &'a Store, program: PathBuf, threads: usize, waiting: VecDeque<usize>) -> Self {
        Self { sweep, store, program, threads, state: Mutex::new(State { waiting, ..State::default() }) }
    }

    /// Runs the waiting runs one after the other, until none is left or the sweep is stopped.
    pub fn work(&self, events: &Sender<Event>) {
        while let Some(k) = self.next() {
            let _ = events.send(Event::Begun);
            let _ = events.send(self.run(&self.sweep.run(k)));
        }
    }

    /// Starts no more runs, and asks those in progress to write a checkpoint and stop.
    pub fn stop(&self) {
        let mut state = self.state();
        state.is_stopped = true;
        state.waiting.clear();
        state.under_way.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn next(&self) -> Option<usize> {
        self.state().waiting.pop_front()
    }

    fn run(&self, run: &Run) -> Event {
        let failed = |reason: String, summary: Value| {
            Event::Ended(RunResult { number: run.number, status: Status::Failed, reason, summary })
        };
        // Compared with the fingerprint at the end of the run: the scene file may be edited meanwhile.
        let expected = match self.sweep.scene(run) {
            Ok(scene) => format!("{:016x}", scene.fingerprint()),
            Err(error) => return failed(error.to_string(), Value::Null),
        };
        let output = match self.execute(run) {
            Ok(output) => output,
            Err(error) => return failed(format!("the run cannot be started: {error}"), Value::Null),
        };
        // Ctrl-C on a terminal reaches runs too, possibly before this process.
        if output.status.code() == Some(130) {
            return Event::Stopped;
        }
        if !output.status.success() {
            return failed(reason(&output), Value::Null);
        }
        let stdout = String::from_utf8_lossy(&output.stdout);
        match serde_json::from_str::<Value>(stdout.lines().last().unwrap_or_default()) {
            Err(error) => failed(format!("the summary of the run cannot be read: {error}"), Value::Null),
            Ok(summary) if summary["fingerprint"] != expected.as_str() => {
                failed("the scene or its meshes were changed after the sweep had begun".into(), summary)
            }
            Ok(summary) => {
                Event::Ended(RunResult { number: run.number, status: Status::Done, reason: String::new(), summary })
            }
        }
    }

    fn execute(&self, run: &Run) -> std::io::Result<Output> {
        let mut child = Command::new(&self.program)
            .args(self.arguments(run))
            .args(["--resume", "--json", "--quiet"])
            .arg("--held-by-sweep")
            .arg(self.store.runs_lock())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take();
        let mut state = self.state();
        if let (Some(stdin), false) = (stdin, state.is_stopped) {
            state.under_way.insert(run.number, stdin);
        }
        drop(state);
        let output = child.wait_with_output();
        self.state().under_way.remove(&run.number);
        output
    }

    /// The arguments of `pliant` that start this run, from the sweep or by hand.
    fn arguments(&self, run: &Run) -> Vec<String> {
        let folder = self.store.run_folder(run.number);
        let changes =
            self.sweep.plan.set.iter().chain(&run.assignments).flat_map(|set| ["--set".to_owned(), set.clone()]);
        let mut arguments = vec!["run".to_owned(), self.sweep.plan.scene.clone()];
        arguments.extend(changes);
        arguments.extend([
            "--threads".into(),
            self.threads.to_string(),
            "--output".into(),
            folder.display().to_string(),
        ]);
        arguments
    }

    /// The command that repeats a run, for a shell.
    pub fn command(&self, run: &Run) -> String {
        let words = ["pliant".to_owned()].into_iter().chain(self.arguments(run)).chain(["--force".to_owned()]);
        words.map(|word| quoted(&word)).collect::<Vec<_>>().join(" ")
    }
}

/// Why a run failed: its last output, or its exit status.
fn reason(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines[lines.len().saturating_sub(LAST_LINES)..].join("\n");
    let words = last.strip_prefix("pliant: ").unwrap_or(&last);
    if output.status.code().is_some() && !words.is_empty() {
        return words.to_owned();
    }
    // "exit status: 1", "signal: 9 (SIGKILL)"
    let ended = format!("ended with {}", output.status);
    if words.is_empty() { ended } else { format!("{words}\n{ended}") }
}

fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+%@".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
