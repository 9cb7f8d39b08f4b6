//! Runs with equal steps, and the search for the longest that is stable.

use std::time::Instant;

use pliant::core::Point;
use pliant::time::catalog::{Entry, find};
use pliant::time::control::{ControlKind, ControlSpec, StepBounds};
use pliant::time::{Frames, Progress, RunError, Simulation, Stability};

use super::subject::Subject;
use super::{EXPLODED, GREW, MIN_STEPS, Options, STRETCHED};

/// The search goes up and down by this factor,
const FACTOR: f64 = 1.5;
/// and stops where a run would take this many times as many steps as the reference.
const MAX_STEPS: f64 = 100.0;
/// Radians of the fastest motion in the longest step.
const LONGEST: f64 = 4.0;
/// The reference is RK4 with this part of its limit.
pub(super) const FINE: f64 = 0.25;
/// Largest number of particles that may come to rest by chance.
const FEW: usize = 10;
/// Without moving pins, energy is evaluated only at this interval of steps: it costs as much as a force.
const LOOK: u64 = 16;
/// Contact may shorten a step to this part before it counts as failed,
const CLIPPED: f64 = 1.0 / 16.0;
/// and more than this many steps for each requested one are too many.
const MAX_CLIPPED: u64 = 2;

/// A scene, and what its runs are measured against.
pub(super) struct Bench<'a> {
    pub subject: &'a dyn Subject,
    pub options: &'a Options,
    pub pool: rayon::ThreadPool,
    pub stretch: f64,
    pub scale: f64,
    /// The largest relative error of lengths and volumes in the reference; 0 where there are no lengths.
    pub strain: f64,
    pub frequency: f64,
    pub shortest: f64,
    longest: f64,
    pub damped: bool,
    driven: bool,
    few: bool,
    touches: bool,
}

/// How a trial run ended.
enum Trial {
    Stable,
    /// Why it is not.
    Unstable(String),
}

/// What the search found: the largest stable step (0: none), and why a longer one is not, if one was tried.
pub(super) struct Found {
    pub max_dt: f64,
    pub beyond: Option<String>,
}

impl<'a> Bench<'a> {
    pub fn new(subject: &'a dyn Subject, options: &'a Options) -> Result<Self, String> {
        let mut start = subject.start(rk4(), &ControlSpec::default(), subject.frames())?;
        let state = start.state().clone();
        if state.time >= subject.frames().until {
            return Err(format!("{}: nothing is left of the run", subject.name()));
        }
        let frequency = start.system.bounds().frequency_bound(&state.view());
        let frame = 1.0 / subject.frames().fps;
        let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build();
        let mut bench = Self {
            subject,
            options,
            pool: pool.map_err(|error| format!("cannot start {} threads: {error}", options.threads))?,
            stretch: 0.0,
            scale: 0.0,
            strain: 0.0,
            frequency,
            shortest: 0.0,
            longest: if frequency > 0.0 { frame.max(LONGEST / frequency) } else { frame },
            damped: start.system.depends_on_velocity(),
            driven: start.system.has_moving_pins(),
            few: start.system.len() <= FEW,
            touches: start.system.has_contact(),
        };
        bench.run_reference()?;
        Ok(bench)
    }

    /// Sets the stretch, the energy scale and the shortest step from a fine run, as far as it gets.
    fn run_reference(&mut self) -> Result<(), String> {
        let mut simulation = self.subject.start(self.reference(), &self.fine(FINE), self.subject.frames())?;
        let mut strain = 0.0_f64;
        let energy = simulation.account().energy;
        let (mut kinetic, mut elastic, mut gravity) = (energy.kinetic, [energy.elastic; 2], [energy.gravity; 2]);
        let (seconds, begun) = (self.options.reference_seconds, Instant::now());
        let run = self.pool.install(|| {
            while !simulation.is_done() && begun.elapsed().as_secs_f64() < seconds {
                simulation.step()?;
                let energy = simulation.account().energy;
                kinetic = kinetic.max(energy.kinetic);
                elastic = [elastic[0].min(energy.elastic), elastic[1].max(energy.elastic)];
                gravity = [gravity[0].min(energy.gravity), gravity[1].max(energy.gravity)];
                if simulation.tally().steps % LOOK == 0 {
                    let view = simulation.state().view();
                    strain = strain.max(simulation.system.constraints().error(&view).unwrap_or(0.0));
                }
            }
            Ok(())
        });
        run.map_err(|error: RunError| format!("{}: the reference run ends early: {error}", self.subject.name()))?;
        self.strain = strain;
        self.scale = kinetic.max(elastic[1] - elastic[0]).max(gravity[1] - gravity[0]);
        if !(self.scale.is_finite() && self.scale > 0.0) {
            return Err(format!(
                "{}: nothing moves in this scene, so there is nothing to measure",
                self.subject.name()
            ));
        }
        self.stretch = simulation.state().time - self.subject.begins();
        self.shortest = self.stretch / (MAX_STEPS * simulation.tally().steps as f64);
        Ok(())
    }

    /// The integrator of the reference.
    pub fn reference(&self) -> &'static Entry {
        rk4()
    }

    /// Its steps: a part of its limit.
    pub fn fine(&self, part: f64) -> ControlSpec {
        let kind = if self.frequency > 0.0 { ControlKind::STABLE } else { ControlKind::FIXED };
        ControlSpec { kind, safety: part, dt: Some(1e-3 * part / FINE), ..ControlSpec::default() }
    }

    /// Equal steps that are never shortened, but by contact: a step that fails ends the run.
    fn fixed(&self, entry: &'static Entry, dt: f64) -> Result<Simulation, String> {
        // a little above dt, so that no step that rounding has lengthened is tried again
        let min = if self.touches { CLIPPED * dt } else { 1.01 * dt };
        let bounds = StepBounds { min, max: 1.01 * dt };
        let control = ControlSpec { kind: ControlKind::FIXED, dt: Some(dt), bounds, ..ControlSpec::default() };
        self.subject.start(entry, &control, Frames { fps: 1.0 / dt, until: f64::MAX })
    }

    fn trial(&self, entry: &'static Entry, dt: f64) -> Result<Trial, String> {
        let mut simulation = self.fixed(entry, dt)?;
        let steps = ((self.stretch / dt).ceil() as u64).max(MIN_STEPS);
        let look = if self.driven { 1 } else { LOOK.min(steps / MIN_STEPS) };
        let (mut early, mut late) = (0.0_f64, 0.0_f64);
        for step in 0..steps {
            let looks = step % look == 0;
            simulation.track_energy(looks);
            // one step, unless contact makes several of it
            if let Err(error) = simulation.advance_frame(|_, _| ()) {
                return Ok(Trial::Unstable(brief(&error)));
            }
            if simulation.tally().steps > MAX_CLIPPED * (step + MIN_STEPS) {
                return Ok(Trial::Unstable("contact shortens most steps".into()));
            }
            if looks {
                let books = simulation.ledger();
                let excess = (simulation.account().energy.total() - books.start - books.pins) / self.scale;
                if excess.is_nan() || excess > EXPLODED {
                    return Ok(Trial::Unstable("it explodes".into()));
                }
                let strain = simulation.system.constraints().error(&simulation.state().view()).unwrap_or(0.0);
                if strain.is_nan() || strain > self.strain + STRETCHED {
                    return Ok(Trial::Unstable("lengths are lost".into()));
                }
                let largest = if 10 * step < steps { &mut early } else { &mut late };
                *largest = largest.max(excess);
                if late > GREW.max(1.25 * early) {
                    return Ok(Trial::Unstable("energy grows".into()));
                }
            }
        }
        Ok(Trial::Stable)
    }

    /// The largest stable step.
    pub fn search(&self, entry: &'static Entry, progress: &mut dyn FnMut(&str)) -> Result<Found, String> {
        let properties = entry.properties;
        let mut beyond = None;
        let mut is_stable = |dt: f64| {
            progress(&format!("{}: {}, dt = {dt:.2e} s", self.subject.name(), properties.name));
            Ok::<bool, String>(match self.pool.install(|| self.trial(entry, dt))? {
                Trial::Stable => true,
                Trial::Unstable(why) => {
                    beyond = Some(why);
                    false
                }
            })
        };
        let (mut low, mut high) = match properties.stability {
            Stability::UpTo(limit) if self.frequency > 0.0 => {
                self.bracket_from_below((0.5 * limit / self.frequency).min(self.longest), &mut is_stable)?
            }
            Stability::Never(_) if self.few => self.bracket_from_above(3, &mut is_stable)?,
            _ => self.bracket_from_above(1, &mut is_stable)?,
        };
        let precision = match properties.is_implicit() {
            true => self.options.precision_implicit,
            false => self.options.precision,
        };
        while low > 0.0 && high.is_finite() && high > low * (1.0 + precision) {
            let middle = (low * high).sqrt();
            *(if is_stable(middle)? { &mut low } else { &mut high }) = middle;
        }
        Ok(Found { max_dt: low, beyond })
    }

    /// A stable step (0: none) and a longer one that is not (infinite: none), the first on the way up.
    fn bracket_from_below(
        &self,
        start: f64,
        is_stable: &mut dyn FnMut(f64) -> Result<bool, String>,
    ) -> Result<(f64, f64), String> {
        let (mut low, mut high) = (start, f64::INFINITY);
        while !is_stable(low)? {
            high = low;
            low /= FACTOR;
            if low < self.shortest {
                return Ok((0.0, high));
            }
        }
        while high.is_infinite() && low < self.longest {
            let next = (FACTOR * low).min(self.longest);
            *(if is_stable(next)? { &mut low } else { &mut high }) = next;
        }
        Ok((low, high))
    }

    /// The same downwards, ended by this many stable steps in a row.
    fn bracket_from_above(
        &self,
        needed: u32,
        is_stable: &mut dyn FnMut(f64) -> Result<bool, String>,
    ) -> Result<(f64, f64), String> {
        let (mut low, mut high) = (0.0, f64::INFINITY);
        let mut in_a_row = 0;
        let mut dt = self.longest;
        while in_a_row < needed && dt >= self.shortest {
            if is_stable(dt)? {
                in_a_row += 1;
                low = if in_a_row == 1 { dt } else { low };
            } else {
                (low, high, in_a_row) = (0.0, dt, 0);
            }
            dt /= FACTOR;
        }
        Ok((low, high))
    }

    /// Prepares to time steps of a length.
    pub fn timer(&self, entry: &'static Entry, dt: f64) -> Result<Timer, String> {
        let mut simulation = self.fixed(entry, dt)?;
        simulation.track_energy(false);
        let most = ((self.stretch / dt) as u64).clamp(20, 2000);
        let warm_up = || {
            (0..most / 4).try_for_each(|_| simulation.advance_frame(|_, _| ()))?;
            Ok((simulation.point().clone(), simulation.progress()))
        };
        let failed = |error: RunError| format!("{}: {error}", entry.properties.name);
        let (point, progress) = self.pool.install(warm_up).map_err(failed)?;
        Ok(Timer { name: entry.properties.name, simulation, point, progress, steps: most / 2, best: f64::INFINITY })
    }

    /// Times some blocks of steps; the first one says how many steps a block has.
    pub fn time(&self, timer: &mut Timer) -> Result<(), String> {
        let Options { blocks, block_seconds, .. } = *self.options;
        let is_first = timer.best.is_infinite();
        let run = self.pool.install(|| {
            for block in 0..=blocks {
                timer.simulation.restore(timer.point.clone(), timer.progress.clone());
                let (mut taken, begun) = (0, Instant::now());
                let sizing = is_first && block == 0;
                while taken < timer.steps && !(sizing && begun.elapsed().as_secs_f64() > block_seconds) {
                    timer.simulation.advance_frame(|_, _| ())?;
                    taken += 1;
                }
                let seconds = begun.elapsed().as_secs_f64();
                timer.steps = taken;
                timer.best = timer.best.min(seconds / taken as f64);
            }
            Ok(())
        });
        run.map_err(|error: RunError| format!("{}: {error}", timer.name))
    }
}

/// Steps that are taken repeatedly, and the best time of all.
pub(super) struct Timer {
    name: &'static str,
    simulation: Simulation,
    point: Point,
    progress: Progress,
    steps: u64,
    /// Seconds per step.
    pub best: f64,
}

fn rk4() -> &'static Entry {
    find("rk4").expect("rk4 is in the catalog")
}

/// The error of a step, without the controller's reaction.
fn brief(error: &RunError) -> String {
    let why = error.why.split(", and no step").next().unwrap_or_default();
    why.split([';', ':', '(']).next().unwrap_or_default().split(" in ").next().unwrap_or_default().trim().to_owned()
}
