//! One throw from the start to the end, and its cost in each phase: the flight, the impact until nearly all bonds that will break are broken,
//! and the flight of the fragments.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, Sender};
use std::thread::Builder;

use pliant::core::{Body, Fields, Solid, State, Work};
use pliant::parallel::on_one_thread;
use pliant::prelude::{DVec3, Simulation, StepReport};
use pliant::scene::solids;

use super::pieces::Pieces;
use super::throw::{BALL, Method, Throw};
use crate::clock::now;

/// The impact is over when this part of all the energy of broken bonds is spent.
pub const OF_NOTE: f64 = 0.95;

/// Concurrent runs: times are CPU times of each thread, but more would wait for memory.
const AT_ONCE: usize = 2;

/// Names of the phases.
pub const PHASES: [&str; 3] = ["flight", "impact", "debris"];

/// After a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moment {
    /// s
    pub time: f64,
    /// Its length, s.
    pub dt: f64,
    /// Energy of broken bonds so far, J.
    pub released: f64,
    /// CPU time so far, s.
    pub seconds: f64,
    /// Rejected attempts before it.
    pub rejected: u64,
}

/// The data of a moment for pictures.
#[derive(Clone, Debug)]
pub struct Shot {
    /// Where everything is.
    pub state: State,
    /// What is known of particles.
    pub fields: Fields,
}

/// The data of the scene for pictures.
#[derive(Clone, Debug)]
pub struct Cast {
    /// What breaks.
    pub bodies: Vec<Body>,
    /// What it meets.
    pub solids: Vec<Solid>,
}

/// One throw, as far as it got.
#[derive(Clone, Debug)]
pub struct Run {
    /// What was thrown.
    pub throw: Throw,
    /// How its steps were made.
    pub method: Method,
    /// How many there are.
    pub particles: usize,
    /// After each step.
    pub trace: Vec<Moment>,
    /// When the ball was reached, s; `None`: never.
    pub contact: Option<f64>,
    /// Cost of all attempts.
    pub work: Work,
    /// How many steps the error of the force, the truncation, or something else limited.
    pub bound_by: [u64; 3],
    /// Bonds that broke.
    pub broken: u64,
    /// What there is in the end.
    pub pieces: Pieces,
    /// At the moments that were asked for, or soon after.
    pub shots: Vec<Shot>,
    /// For pictures; `None` without shots.
    pub cast: Option<Cast>,
    /// Why it did not come to its end.
    pub failure: Option<String>,
}

/// Options of a run.
#[derive(Clone, Debug, Default)]
pub struct Wishes {
    /// Moments to keep, s.
    pub shots: Vec<f64>,
    /// CPU time after which it is stopped, s.
    pub most_seconds: f64,
}

/// Runs a throw on one thread. Errors are in [`Run::failure`].
pub fn run(throw: Throw, method: Method, wishes: &Wishes) -> Run {
    let mut run = Run {
        throw,
        method,
        particles: 0,
        trace: Vec::new(),
        contact: None,
        work: Work::default(),
        bound_by: [0; 3],
        broken: 0,
        pieces: Pieces::default(),
        shots: Vec::new(),
        cast: None,
        failure: None,
    };
    run.failure = on_one_thread(|| run.play(wishes)).err();
    run
}

/// What is thrown, and how.
pub type Job = (Throw, Method);

/// Runs that do not depend on each other, on as many threads as there are processors, up to `AT_ONCE`, each run on one. In the order of `jobs`.
pub fn run_all(jobs: &[Job], wishes: &Wishes, progress: &mut dyn FnMut(&str)) -> Vec<Run> {
    let next = AtomicUsize::new(0);
    let (sender, done) = mpsc::channel();
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(AT_ONCE);
    let mut runs: Vec<Option<Run>> = jobs.iter().map(|_| None).collect();
    let work = |sender: Sender<Run>| {
        while let Some((throw, method)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            // sending fails only after the receiver is dropped
            let _ = sender.send(run(*throw, *method, wishes));
        }
    };
    std::thread::scope(|scope| {
        let start = |_: &usize| {
            let (sender, work) = (sender.clone(), &work);
            Builder::new().spawn_scoped(scope, move || work(sender)).is_ok()
        };
        if (0..threads).take_while(start).count() == 0 {
            work(sender);
        } else {
            drop(sender);
        }
        for (count, run) in (1..).zip(done) {
            progress(&format!("{:.2} mm: {count} of {} throws", 1e3 * run.throw.spacing, jobs.len()));
            let at = jobs.iter().zip(&runs).position(|(job, old)| old.is_none() && *job == (run.throw, run.method));
            if let Some(at) = at {
                runs[at] = Some(run);
            }
        }
    });
    runs.into_iter().flatten().collect()
}

impl Run {
    fn play(&mut self, wishes: &Wishes) -> Result<(), String> {
        let scene = self.throw.scene(self.method)?;
        let mut simulation = scene.build().map_err(|error| error.to_string())?.simulation;
        // the energy of broken bonds is read from the energy budget
        simulation.track_energy(true);
        self.particles = simulation.state().len();
        if !wishes.shots.is_empty() {
            self.cast = Some(Cast { bodies: simulation.system.bodies().to_vec(), solids: solids(&scene).0 });
        }
        let mut result = Ok(());
        let mut seconds = 0.0;
        while !simulation.is_done() && result.is_ok() {
            let begun = now();
            let step = simulation.step();
            seconds += now() - begun;
            match step {
                Ok(report) => self.look(&simulation, &report, seconds),
                Err(error) => result = Err(error.to_string()),
            }
            if wishes.shots.get(self.shots.len()).is_some_and(|time| simulation.state().time >= *time) {
                self.shots.push(shot(&mut simulation));
            }
            if seconds > wishes.most_seconds {
                result = Err(format!("given up at {:.3} ms, after {seconds:.0} s", 1e3 * simulation.state().time));
            }
        }
        let end = shot(&mut simulation);
        self.pieces = Pieces::from_numbers(end.fields.find(Fields::FRAGMENT).unwrap_or_default());
        (self.work, self.bound_by) = (simulation.tally().work, simulation.tally().bound_by);
        // the energy of broken bonds, and then their number
        let memory = simulation.system.models()[0].as_stateful().map_or(Vec::new(), |model| model.memory());
        self.broken = memory.get(1).map_or(0, |count| *count as u64);
        result
    }

    fn look(&mut self, simulation: &Simulation, report: &StepReport, seconds: f64) {
        let (time, dt, rejected) = (report.time, report.dt, report.rejected);
        self.trace.push(Moment { time, dt, released: -simulation.ledger().fracture, seconds, rejected });
        if self.contact.is_none() {
            let (centre, near) = (DVec3::from(self.throw.ball()), BALL + 0.5 * self.throw.spacing);
            let touches = simulation.state().x.iter().any(|x| x.distance(centre) < near);
            self.contact = touches.then_some(time);
        }
    }

    /// Energy of all broken bonds, J.
    pub fn energy(&self) -> f64 {
        self.trace.last().map_or(0.0, |moment| moment.released)
    }

    /// CPU time, s.
    pub fn seconds(&self) -> f64 {
        self.trace.last().map_or(0.0, |moment| moment.seconds)
    }

    /// How many steps belong to the flight and how many to it and the impact.
    fn bounds(&self) -> [usize; 2] {
        let Some(contact) = self.contact else { return [self.trace.len(); 2] };
        let flight = self.trace.iter().take_while(|moment| moment.time < contact).count();
        let most = OF_NOTE * self.energy();
        let broken = self.trace.iter().take_while(|moment| moment.released < most).count();
        // the step in which it breaks belongs to the impact
        let until = if most > 0.0 { (broken + 1).min(self.trace.len()) } else { flight };
        [flight, until.max(flight)]
    }

    /// When the impact is over, s.
    pub fn spent(&self) -> Option<f64> {
        self.trace.get(self.bounds()[1].max(1) - 1).map(|moment| moment.time).filter(|_| self.energy() > 0.0)
    }

    /// Of each phase.
    fn by_phase(&self, sum: impl Fn(&[Moment]) -> f64) -> [f64; 3] {
        let [flight, impact] = self.bounds();
        [sum(&self.trace[..flight]), sum(&self.trace[flight..impact]), sum(&self.trace[impact..])]
    }

    /// CPU time in each phase, s.
    pub fn phases(&self) -> [f64; 3] {
        let ends = self.bounds().map(|end| if end == 0 { 0.0 } else { self.trace[end - 1].seconds });
        [ends[0], ends[1] - ends[0], self.seconds() - ends[1]]
    }

    /// Steps in each phase.
    pub fn phase_steps(&self) -> [f64; 3] {
        self.by_phase(|moments| moments.len() as f64)
    }

    /// Simulated seconds of each phase.
    pub fn phase_times(&self) -> [f64; 3] {
        self.by_phase(|moments| moments.iter().map(|moment| moment.dt).sum())
    }

    /// Rejected attempts.
    pub fn rejected(&self) -> u64 {
        self.trace.iter().map(|moment| moment.rejected).sum()
    }

    /// The shortest, mean and longest step, s.
    pub fn steps(&self) -> [f64; 3] {
        let all = || self.trace.iter().map(|moment| moment.dt);
        let mean = all().sum::<f64>() / self.trace.len().max(1) as f64;
        [all().fold(f64::INFINITY, f64::min), mean, all().fold(0.0, f64::max)]
    }
}

fn shot(simulation: &mut Simulation) -> Shot {
    let mut fields = Fields::default();
    simulation.write_fields(&mut fields);
    Shot { state: simulation.state().clone(), fields }
}
