//! How far a sweep is: a bar on a terminal, a plain line now and then elsewhere.

use std::io::IsTerminal as _;
use std::time::Instant;

use indicatif::ProgressBar;

use crate::progress::{PLAIN_EVERY, dress, short};

pub struct Progress {
    bar: Option<ProgressBar>,
    quiet: bool,
    begun: Instant,
    last: Instant,
    total: usize,
    /// Finished before this sweep was started.
    before: usize,
    pub running: usize,
    pub done: usize,
    pub failed: usize,
}

impl Progress {
    pub fn new(name: &str, total: usize, before: usize, quiet: bool) -> Self {
        let bar = (!quiet && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(total as u64);
            dress(&bar, name);
            bar
        });
        let now = Instant::now();
        Self { bar, quiet, begun: now, last: now, total, before, running: 0, done: before, failed: 0 }
    }

    pub fn show(&mut self) {
        match &self.bar {
            Some(bar) => {
                bar.set_position((self.done + self.failed) as u64);
                bar.set_message(self.line());
            }
            None if !self.quiet && self.last.elapsed() >= PLAIN_EVERY => {
                self.last = Instant::now();
                tell!("{}", self.line());
            }
            None => {}
        }
    }

    pub fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    fn line(&self) -> String {
        let ended = self.done + self.failed - self.before;
        let left = match ended {
            0 => "?".to_owned(),
            _ => {
                let each = self.begun.elapsed().as_secs_f64() / ended as f64;
                short(each * (self.total - self.before - ended) as f64)
            }
        };
        let (done, total, running, failed) = (self.done, self.total, self.running, self.failed);
        format!("{done}/{total} done  {running} running  {failed} failed  {left} left")
    }
}
