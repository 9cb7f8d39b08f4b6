//! The simulation's thread: takes commands, steps at the requested pace, posts frames. It never blocks on a page; a page that is slow or
//! closed does not affect what is computed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use glam::DVec3;
use pliant::scene::{LoadedScene, builtin, load};

use crate::frame::{self, Head, Sample};
use crate::hub::Hub;
use crate::pace::{DISPLAY, Pace};
use crate::protocol::{AtEnd, Choice, Command, Event, Palette, SceneInfo, Status};
use crate::scenery::Scenery;
use crate::server::Options;
use crate::session::Session;
use crate::topology;

/// Messages to the engine.
#[derive(Debug)]
pub enum Input {
    /// A page was opened.
    Joined(u64),
    /// It was closed.
    Left(u64),
    /// A command of a page.
    Asks(u64, Command),
    /// Stop.
    Stop,
}

/// How long a run continues when no page is open; it continues with the next page.
const UNWATCHED: Duration = Duration::from_secs(10);
/// Smallest and largest pace.
const SPEEDS: std::ops::RangeInclusive<f64> = 1e-3..=1e3;

/// The thread's state.
pub struct Engine {
    hub: Arc<Hub>,
    /// The scene of the command line, which need not be a built-in one.
    given: LoadedScene,
    session: Session,
    scenery: Scenery,
    most_shown: usize,
    /// Takes a line for each change of the run, with its time.
    tell: Option<fn(&str)>,
    generation: u32,
    sequence: u32,
    playing: bool,
    at_end: AtEnd,
    passed_end: bool,
    pace: Pace,
    /// Steps since the last frame.
    samples: Vec<Sample>,
    last: Sample,
    posted: Instant,
    fresh: bool,
    holder: Option<u64>,
    told: Status,
    seen: Instant,
    /// Stop after this many steps; for measurements.
    step_limit: Option<u64>,
}

impl Engine {
    /// At the start of a scene, paused until a page is opened.
    pub fn new(hub: Arc<Hub>, given: LoadedScene, options: &Options) -> Result<Self, String> {
        let session = Session::new(given.clone())?;
        let now = Instant::now();
        let mut engine = Self {
            hub,
            given,
            session,
            scenery: Scenery::default(),
            most_shown: options.most_shown,
            tell: options.tell,
            generation: 0,
            sequence: 0,
            playing: true,
            at_end: AtEnd::default(),
            passed_end: false,
            pace: Pace::new(1.0, 0.0, now),
            samples: Vec::new(),
            last: Sample::default(),
            posted: now,
            fresh: true,
            holder: None,
            told: Status::default(),
            seen: now,
            step_limit: options.step_limit,
        };
        engine.post_scene();
        Ok(engine)
    }

    /// Runs until it is stopped; returns the session, for its state.
    pub fn run(mut self, inputs: &Receiver<Input>) -> Session {
        let mut watched = false;
        loop {
            let wait = self.wait(watched);
            let first = if wait.is_zero() { inputs.try_recv().ok() } else { receive(inputs, wait) };
            for input in first.into_iter().chain(inputs.try_iter()) {
                match input {
                    Input::Stop => return self.session,
                    Input::Joined(_) => {
                        (watched, self.fresh) = (true, true);
                        self.rebase();
                    }
                    Input::Left(id) => {
                        if self.holder == Some(id) {
                            self.session.release();
                            self.holder = None;
                        }
                    }
                    Input::Asks(id, command) => {
                        if let Err(message) = self.obey(id, command) {
                            self.hub.reply(id, &Event::Refused { message });
                        }
                    }
                }
            }
            let now = Instant::now();
            if self.hub.clients() > 0 {
                self.seen = now;
            }
            if self.moves(watched) && self.pace.wait(self.session.state().time, now).is_zero() {
                self.step();
            }
            self.tell_status();
            self.post_frame(Instant::now());
        }
    }

    fn moves(&self, watched: bool) -> bool {
        let held = self.session.error.is_some() || (self.passed_end && self.at_end == AtEnd::Stop);
        let done = self.step_limit.is_some_and(|limit| self.session.simulation().tally().steps >= limit);
        self.playing && !held && !done && watched && self.seen.elapsed() < UNWATCHED
    }

    /// How long the thread may sleep.
    fn wait(&mut self, watched: bool) -> Duration {
        let now = Instant::now();
        let frame = if self.fresh && self.hub.clients() > 0 {
            DISPLAY.saturating_sub(now.duration_since(self.posted))
        } else {
            Duration::from_secs(1)
        };
        if !self.moves(watched) {
            return frame;
        }
        frame.min(self.pace.wait(self.session.state().time, now))
    }

    fn rebase(&mut self) {
        self.pace = Pace::new(self.pace.speed, self.session.state().time, Instant::now());
    }

    fn step(&mut self) {
        let begun = Instant::now();
        let session = &mut self.session;
        // A panic is a bug, but the page should report it.
        let report = catch_unwind(AssertUnwindSafe(|| session.step())).unwrap_or_else(|_| {
            session.error = Some("The simulation panicked: this is a bug in Pliant.".into());
            None
        });
        let Some(report) = report else { return };
        self.last = Sample::new(&report, session.simulation().account().energy, begun.elapsed().as_secs_f64() * 1e3);
        self.fresh = true;
        if self.hub.clients() > 0 {
            self.samples.push(self.last);
        }
        if !self.passed_end && report.time >= self.session.until() {
            self.passed_end = true;
            if self.at_end == AtEnd::Repeat {
                let _ = self.restart(true);
            }
        }
    }

    fn obey(&mut self, id: u64, command: Command) -> Result<(), String> {
        match command {
            Command::Play {} => {
                if self.passed_end && self.at_end == AtEnd::Stop {
                    self.restart(true)?;
                }
                self.playing = true;
                self.rebase();
            }
            Command::Pause {} => self.playing = false,
            Command::Step {} => {
                self.playing = false;
                if self.session.error.is_none() {
                    self.step();
                }
            }
            Command::Restart {} => self.restart(true)?,
            Command::Reset {} => self.restart(false)?,
            Command::Speed { factor } => {
                if factor != 0.0 && !SPEEDS.contains(&factor) {
                    return Err(format!("a speed is between {} and {}, or 0", SPEEDS.start(), SPEEDS.end()));
                }
                self.pace.speed = factor;
                self.rebase();
            }
            Command::AtEnd { then } => self.at_end = then,
            Command::Scene { name } => self.choose(&name)?,
            Command::Set { path, value } => {
                let shown = self.session.shown();
                let assignment = self.session.set(&path, &value)?;
                self.say(&format!("t = {:.6} s: --set {assignment}", self.session.state().time));
                if self.session.shown() == shown {
                    self.hub.post_parameters(&self.session.parameters());
                } else {
                    // Fixed parts of a topology, such as the pivots of pendulums, have moved.
                    self.announce();
                }
            }
            Command::Grab { particle, target } => {
                let particle = particle.saturating_mul(self.stride());
                self.session.grab(particle, DVec3::from_array(target))?;
                self.holder = Some(id);
            }
            Command::Move { target } if self.holder == Some(id) => self.session.pull_to(DVec3::from_array(target)),
            Command::Release {} if self.holder == Some(id) => {
                self.session.release();
                self.holder = None;
            }
            Command::Move { .. } | Command::Release {} | Command::Ack { .. } => {}
        }
        Ok(())
    }

    fn restart(&mut self, keep_edits: bool) -> Result<(), String> {
        let shown = self.session.shown();
        self.session.restart(keep_edits)?;
        self.begin_again();
        self.say(if keep_edits {
            "t = 0 s: restarted, with all changes"
        } else {
            "t = 0 s: restarted without changes"
        });
        if self.session.shown() == shown {
            self.hub.post_parameters(&self.session.parameters());
        } else {
            self.announce();
        }
        Ok(())
    }

    fn begin_again(&mut self) {
        (self.passed_end, self.holder, self.fresh) = (false, None, true);
        self.samples.clear();
        self.hub.forget_samples();
        self.last = Sample { energy: self.session.simulation().account().energy, error: f64::NAN, ..Sample::default() };
        self.rebase();
    }

    fn choose(&mut self, name: &str) -> Result<(), String> {
        let scene = if name == self.given.name {
            self.given.clone()
        } else if builtin::find(name).is_some() {
            load(name, &[]).map_err(|error| error.to_string())?
        } else {
            return Err(format!("there is no scene {name:?}"));
        };
        self.session = Session::new(scene)?;
        self.say(&format!("t = 0 s: scene {name}"));
        self.playing = true;
        self.post_scene();
        Ok(())
    }

    fn stride(&self) -> usize {
        topology::stride(self.session.state().len(), self.most_shown)
    }

    fn say(&self, line: &str) {
        if let Some(tell) = self.tell {
            tell(line);
        }
    }

    fn post_scene(&mut self) {
        self.begin_again();
        self.announce();
    }

    /// Sends the topology to all pages.
    fn announce(&mut self) {
        self.generation += 1;
        self.fresh = true;
        let scene = self.session.scene();
        let particles = self.session.state().len();
        self.scenery = Scenery::new(self.session.solids(), &self.session.state().x);
        let system = &self.session.simulation().system;
        let (message, mut notes) = topology::encode(self.generation, system, &self.scenery, self.most_shown);
        notes.extend(self.session.warnings.iter().cloned());
        let title_of = |name: &str, title: &str| if title.is_empty() { name.to_owned() } else { title.to_owned() };
        let info = SceneInfo {
            generation: self.generation,
            name: scene.name.clone(),
            title: title_of(&scene.name, &scene.scene.title),
            description: scene.scene.description.clone(),
            particles,
            shown: particles.div_ceil(self.stride()),
            until: self.session.until(),
            notes,
            palette: Palette::default(),
            scenes: self.choices(),
        };
        self.hub.post_scene(&Event::Scene(info), message, &self.session.parameters());
    }

    fn choices(&self) -> Vec<Choice> {
        let mut list: Vec<Choice> = builtin::SCENES
            .iter()
            .filter(|(name, _)| *name != self.given.name)
            .filter_map(|(name, _)| Some((name, load(name, &[]).ok()?)))
            .map(|(name, scene)| Choice { name: (*name).to_owned(), title: scene.scene.title })
            .collect();
        list.push(Choice { name: self.given.name.clone(), title: self.given.scene.title.clone() });
        list.sort_by(|a, b| a.name.cmp(&b.name));
        list
    }

    fn tell_status(&mut self) {
        let status = Status {
            playing: self.playing && self.session.error.is_none(),
            speed: self.pace.speed,
            at_end: self.at_end,
            ended: self.passed_end && self.at_end == AtEnd::Stop,
            error: self.session.error.clone(),
            clients: self.hub.clients(),
        };
        if status != self.told {
            self.hub.post_status(&Event::Status(status.clone()));
            self.told = status;
        }
    }

    fn post_frame(&mut self, now: Instant) {
        if !self.fresh || self.hub.clients() == 0 || now.duration_since(self.posted) < DISPLAY {
            return;
        }
        self.sequence = self.sequence.wrapping_add(1);
        let tally = self.session.simulation().tally();
        let head = Head {
            generation: self.generation,
            sequence: self.sequence,
            last: self.last,
            tolerance: self.session.tolerance(),
            steps: tally.steps,
            rejected: tally.rejected,
        };
        let shown = self.session.display().show(self.session.state());
        let frame = frame::encode(&head, &shown, self.stride(), &self.scenery.poses(shown.time));
        self.hub.post_frame(frame, frame::thinned(&self.samples));
        self.samples.clear();
        // A late frame does not delay the ones after it.
        self.posted = if now.duration_since(self.posted) < 2 * DISPLAY { self.posted + DISPLAY } else { now };
        self.fresh = false;
    }
}

fn receive(inputs: &Receiver<Input>, wait: Duration) -> Option<Input> {
    match inputs.recv_timeout(wait) {
        Ok(input) => Some(input),
        Err(RecvTimeoutError::Timeout) => None,
        Err(RecvTimeoutError::Disconnected) => Some(Input::Stop),
    }
}
