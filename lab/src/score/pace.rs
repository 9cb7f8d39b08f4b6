//! The speed of each integrator at a given error: seconds simulated in a second of computing, of the longest steps with which no
//! particle is ever farther than that from the reference. The longest stable step does not give that: at their limits, explicit
//! schemes are stable and wrong.
//!
//! Positions are compared at every frame with those of a reference, RK4 with steps of a small part of its limit. Its own error is estimated by
//! another one with twice those steps. From the frame on at which that is no longer small against the error asked for (chaotic motion: a falling chain
//! after a second) nothing is measured; how far that was is part of the answer.
//! Equal steps begin with the largest stable one, tolerances with the error asked for; both are divided by two, or four, until the error is small enough,
//! or a run takes so long that it is stopped. Between two rungs of that ladder lies up to a factor of two in speed.

use std::time::Instant;

use pliant::core::State;
use pliant::time::catalog::Entry;
use pliant::time::control::{ControlKind, ControlSpec, StepBounds};
use pliant::time::{Frames, Simulation};
use serde::Serialize;

use super::trial::{Bench, FINE};

/// Rungs of the ladder.
const RUNGS: i32 = 14;
/// The reference must be better than what is asked for by this factor.
const BETTER: f64 = 5.0;
/// How long a run may take, of the time of the reference.
const PATIENCE: f64 = 0.3;
/// It must be that for this many frames, or for the whole run.
const MIN_FRAMES: usize = 6;

/// Steps that err by no more than asked for.
#[derive(Clone, Debug, Serialize)]
pub struct Pace {
    /// Catalog name of the integrator.
    pub name: &'static str,
    /// `fixed` or `force-error`.
    pub control: &'static str,
    /// The step, s, or the tolerance per step, m.
    pub setting: f64,
    /// Steps taken.
    pub steps: u64,
    /// Largest distance from the reference, m; that of the last try where none was good enough.
    pub error: f64,
    /// Simulated seconds in a second of computing; 0 where none was good enough.
    pub speed: f64,
    /// Why there is none.
    pub note: String,
}

/// All of them, and what they were held against.
#[derive(Clone, Debug, Serialize)]
pub struct Paces {
    /// The error that was asked for, m.
    pub error: f64,
    /// How far the reference may be off, m.
    pub reference_error: f64,
    /// Length of the runs, s.
    pub stretch: f64,
    /// By falling speed.
    pub rows: Vec<Pace>,
    /// Why there are none.
    pub note: String,
}

/// Largest distance of a particle from itself.
fn apart(a: &State, b: &State) -> f64 {
    let distances = a.x.iter().zip(&b.x).map(|(a, b)| a.distance(*b));
    distances.fold(0.0, |m, d| if d > m || d.is_nan() { d } else { m })
}

/// Places at frames.
struct Track {
    frames: Vec<State>,
    seconds: f64,
    steps: u64,
}

impl Track {
    /// Of as many frames as this one has.
    fn distance(&self, other: &Track) -> f64 {
        if self.frames.len() > other.frames.len() {
            return f64::INFINITY;
        }
        let distances = self.frames.iter().zip(&other.frames).map(|(a, b)| apart(a, b));
        distances.fold(0.0, |m, d| if d > m || d.is_nan() { d } else { m })
    }
}

/// Runs to the end or for the given time, s.
fn track(mut simulation: Simulation, most_seconds: f64) -> Result<Track, String> {
    simulation.track_energy(false);
    let (mut frames, mut seconds) = (Vec::new(), 0.0);
    while !simulation.is_done() {
        let frame = simulation.progress_frame();
        while simulation.progress_frame() == frame && !simulation.is_done() {
            let begun = Instant::now();
            simulation.step().map_err(|error| error.why)?;
            seconds += begun.elapsed().as_secs_f64();
            if seconds > most_seconds {
                return Err(format!("given up after {most_seconds:.1} s"));
            }
        }
        frames.push(simulation.state().clone());
    }
    Ok(Track { frames, seconds, steps: simulation.tally().steps })
}

/// Measures all integrators with their largest stable steps (0: none).
pub(super) fn paces(
    bench: &Bench,
    found: &[(&'static Entry, f64)],
    error: f64,
    progress: &mut dyn FnMut(&str),
) -> Result<Paces, String> {
    let own = bench.subject.frames();
    let frames = Frames { fps: own.fps, until: bench.subject.begins() + bench.stretch };
    let patience = PATIENCE * bench.options.reference_seconds;
    let fine = |part: f64, most: f64| {
        bench.pool.install(|| track(bench.subject.start(bench.reference(), &bench.fine(part), frames)?, most))
    };
    progress(&format!("{}: reference for errors", bench.subject.name()));
    let nothing = |reference_error: f64, note: String| Paces {
        error,
        reference_error,
        stretch: bench.stretch,
        rows: Vec::new(),
        note,
    };
    // as long as the run that set the stretch, and twice that: neither is stopped
    let (coarse, reference) = match (fine(FINE, f64::INFINITY), fine(0.5 * FINE, f64::INFINITY)) {
        (Ok(coarse), Ok(reference)) => (coarse, reference),
        (Err(why), _) | (_, Err(why)) => return Ok(nothing(f64::NAN, format!("the reference ends early: {why}"))),
    };
    let agree = |(a, b): &(&State, &State)| BETTER * apart(a, b) <= error;
    let good = coarse.frames.iter().zip(&reference.frames).take_while(agree).count();
    let whole = good == coarse.frames.len();
    if good == 0 || !whole && good < MIN_FRAMES {
        let why = "two references, one with steps twice as long as the other's, are apart by more than a fifth of that from the start";
        return Ok(nothing(coarse.distance(&reference), why.to_owned()));
    }
    let until = coarse.frames[good - 1].time;
    let (stretch, frames) = (until - bench.subject.begins(), Frames { until, ..frames });
    let first = Track { frames: coarse.frames[..good].to_vec(), ..coarse };
    let doubt = first.distance(&reference);
    let mut rows = Vec::new();
    for (entry, max_dt) in found.iter().filter(|(entry, _)| entry.properties.study.is_none()) {
        for kind in [ControlKind::FIXED, ControlKind::FORCE_ERROR] {
            if *max_dt == 0.0 && kind == ControlKind::FIXED {
                continue;
            }
            let base = ControlSpec { kind, ..ControlSpec::default() };
            if base.works_with(entry.properties).is_err() {
                continue;
            }
            let name = entry.properties.name;
            let control = if kind == ControlKind::FIXED { "fixed" } else { "force-error" };
            progress(&format!("{}: {name} under {control} at {error:e} m", bench.subject.name()));
            let mut row =
                Pace { name, control, setting: f64::NAN, steps: 0, error: f64::NAN, speed: 0.0, note: String::new() };
            let longest = 1.0 / own.fps;
            for rung in 0..RUNGS {
                row.setting = if kind == ControlKind::FIXED {
                    max_dt.min(longest) * 0.5_f64.powi(rung)
                } else {
                    error * 0.25_f64.powi(rung)
                };
                let bounds = StepBounds { min: 1e-9, max: longest };
                let spec = if kind == ControlKind::FIXED {
                    ControlSpec { dt: Some(row.setting), bounds, ..base }
                } else {
                    ControlSpec { tolerance: row.setting, bounds, ..base }
                };
                let run = bench.pool.install(|| track(bench.subject.start(entry, &spec, frames)?, patience));
                match run {
                    Ok(run) => {
                        (row.steps, row.error) = (run.steps, run.distance(&reference));
                        if row.error <= error {
                            row.speed = stretch / run.seconds;
                            break;
                        }
                        row.note = "not good enough".into();
                    }
                    Err(why) => {
                        row.note = why;
                        if row.note.starts_with("given up") {
                            break;
                        }
                    }
                }
            }
            if row.speed > 0.0 {
                row.note.clear();
            }
            rows.push(row);
        }
    }
    rows.sort_by(|a, b| b.speed.total_cmp(&a.speed));
    Ok(Paces { error, reference_error: doubt, stretch, rows, note: String::new() })
}
