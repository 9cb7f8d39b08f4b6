//! Progress on standard error: a bar on a terminal, a plain line now and then elsewhere.

use std::io::IsTerminal as _;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use pliant::core::StepReport;
use pliant::runner::Observer;
use pliant::scene::LoadedScene;
use pliant::shown::{metres, seconds};
use pliant::time::Simulation;

const REFRESH: Duration = Duration::from_millis(100);
pub const PLAIN_EVERY: Duration = Duration::from_secs(10);

pub struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    verbose: bool,
    begun: Instant,
    last: Instant,
    begun_at: f64,
    /// Of the pictures after a run, and since when they are drawn.
    drawing: Option<(Counter, Instant)>,
}

impl Progress {
    pub fn new(scene: &LoadedScene, quiet: bool, verbose: bool) -> Self {
        let show_bar = !quiet && !verbose && std::io::stderr().is_terminal();
        let bar = show_bar.then(|| {
            let bar = ProgressBar::new(1000);
            dress(&bar, &scene.name);
            bar
        });
        let now = Instant::now();
        Self { bar, quiet, verbose, begun: now, last: now, begun_at: f64::NAN, drawing: None }
    }

    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        if let Some((counter, _)) = &self.drawing {
            counter.clear();
        }
    }

    /// When the simulation itself was over.
    pub fn simulated(&self) -> Instant {
        self.drawing.as_ref().map_or_else(Instant::now, |(_, since)| *since)
    }
}

impl Observer for Progress {
    fn message(&mut self, text: &str) {
        self.begun_at = f64::NAN;
        match &self.bar {
            Some(bar) => bar.println(text),
            None if !self.quiet || text.starts_with("warning") => tell!("{text}"),
            None => {}
        }
    }

    fn step(&mut self, simulation: &Simulation, report: &StepReport) {
        if self.begun_at.is_nan() {
            (self.begun_at, self.begun) = (report.time - report.dt, Instant::now());
        }
        if self.verbose {
            tell!(
                "step {:6}  t {:.6} s  dt {}  error {}  rejected {}  bound by {:?}",
                report.step,
                report.time,
                seconds(report.dt),
                metres(report.error),
                report.rejected,
                report.binding
            );
            return;
        }
        let pause = if self.bar.is_some() { REFRESH } else { PLAIN_EVERY };
        if self.quiet || self.last.elapsed() < pause {
            return;
        }
        self.last = Instant::now();
        let until = simulation.frames().until;
        let done = (report.time - self.begun_at).max(1e-300);
        let left = self.begun.elapsed().as_secs_f64() * (until - report.time) / done;
        let line = format!(
            "t {}/{}  dt {}  steps {}  rejected {}  {} left",
            seconds(report.time),
            seconds(until),
            seconds(report.dt),
            report.step,
            simulation.tally().rejected,
            short(left)
        );
        match &self.bar {
            Some(bar) => {
                bar.set_position((1000.0 * report.time / until) as u64);
                bar.set_message(line);
            }
            None => tell!("{line}"),
        }
    }

    fn drawing(&mut self, what: &str, done: usize, total: usize) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
        let since = self.drawing.as_ref().map_or_else(Instant::now, |(_, since)| *since);
        if self.drawing.as_ref().is_none_or(|(counter, _)| counter.what != what) {
            self.clear();
            self.drawing = Some((Counter::new(what, self.quiet), since));
        }
        if let Some((counter, _)) = &mut self.drawing {
            counter.at(done, total);
            if done == total {
                counter.clear();
            }
        }
    }
}

/// How all bars look.
pub fn dress(bar: &ProgressBar, name: &str) {
    let coloured = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
    let template = if coloured { "{prefix} [{bar:30.cyan/blue}] {msg}" } else { "{prefix} [{bar:30}] {msg}" };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_prefix(name.to_owned());
}

pub fn short(seconds: f64) -> String {
    match seconds {
        s if s < 99.5 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s if s < 3.6e6 => format!("{:.1} h", s / 3600.0),
        _ => "very long".into(),
    }
}

/// Counts on standard error: a bar on a terminal, a line now and then elsewhere.
pub struct Counter {
    bar: Option<ProgressBar>,
    what: String,
    quiet: bool,
    last: Instant,
}

impl Counter {
    pub fn new(what: &str, quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| ProgressBar::new(1));
        Self { bar, what: what.to_owned(), quiet, last: Instant::now() }
    }

    pub fn at(&mut self, done: usize, total: usize) {
        if let Some(bar) = &self.bar {
            bar.set_length(total as u64);
            bar.set_position(done as u64);
        } else if !self.quiet && self.last.elapsed() > PLAIN_EVERY {
            self.last = Instant::now();
            tell!("{} {done}/{total}", self.what);
        }
    }

    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
