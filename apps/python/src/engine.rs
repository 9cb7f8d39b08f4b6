//! The state behind a `Simulation` of Python: the engine, the scene and its edits, and the views of the engine's arrays. Every
//! change of the engine goes through [`Engine::change`], which first settles the views.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use glam::DVec3;
use pliant::checkpoint;
use pliant::core::{Body, Fields, StepReport};
use pliant::record::Checkpoint;
use pliant::scene::{LoadedScene, SceneError, parameters};
use pliant::summary::Summary;
use pliant::time::Simulation;
use pliant::time::simulation::live::BadState;
use pyo3::prelude::*;

use crate::convert::key;
use crate::errors::{self, Failure};
use crate::threads::guarded;
use crate::views::{Loan, Rows};

/// A live run does not end; frames continue at the same rate beyond the scene's end.
const FOREVER: f64 = 1e9;

/// Where a slice of a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Came {
    /// At the requested time.
    There,
    /// At a frame.
    ToAFrame,
    /// At its time limit.
    SomeWay,
}

/// A running scene.
pub struct Engine {
    /// As it was given.
    base: LoadedScene,
    /// As it runs.
    pub scene: LoadedScene,
    /// Times of edits, s, and the edits, as `--set` takes them.
    pub edits: Vec<(f64, String)>,
    simulation: Simulation,
    positions: Loan,
    velocities: Loan,
    /// The last step; its error is NaN before the first.
    pub last: StepReport,
    /// Wall-clock time, s.
    pub seconds: f64,
    /// Why it failed.
    failure: Option<Failure>,
    /// Warnings about legal but probably unintended input.
    pub warnings: Vec<String>,
}

fn build(scene: &LoadedScene) -> Result<(Simulation, Vec<String>), PyErr> {
    let built = guarded(|| scene.build())?.map_err(|error| errors::scene(&error))?;
    Ok((built.simulation, built.warnings))
}

fn before_the_first() -> StepReport {
    StepReport { error: f64::NAN, ..StepReport::default() }
}

impl Engine {
    /// At the start of a scene.
    pub fn new(scene: LoadedScene) -> Result<Self, PyErr> {
        let (simulation, warnings) = build(&scene)?;
        Ok(Self {
            base: scene.clone(),
            scene,
            edits: Vec::new(),
            simulation,
            positions: Loan::default(),
            velocities: Loan::default(),
            last: before_the_first(),
            seconds: 0.0,
            failure: None,
            warnings,
        })
    }

    /// Read access.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Named groups of particles.
    pub fn bodies(&self) -> &[Body] {
        self.simulation.system.bodies()
    }

    /// Positions as they are now, m.
    pub fn view_positions<'py>(&mut self, py: Python<'py>) -> PyResult<Rows<'py, f64>> {
        self.positions.view(py, &self.simulation.state().x)
    }

    /// Velocities as they are now, m/s.
    pub fn view_velocities<'py>(&mut self, py: Python<'py>) -> PyResult<Rows<'py, f64>> {
        self.velocities.view(py, &self.simulation.state().v)
    }

    /// The only access for steps and edits.
    fn change(&mut self) -> &mut Simulation {
        let simulation = &mut self.simulation;
        self.positions.settle(|| simulation.part_with_positions());
        self.velocities.settle(|| simulation.part_with_velocities());
        simulation
    }

    /// End of the scene, s.
    pub fn until(&self) -> f64 {
        self.scene.scene.time.until.si()
    }

    /// Simulated time, s.
    pub fn time(&self) -> f64 {
        self.simulation.state().time
    }

    /// Steps end on frames and at the scene's end, as those of `pliant run` do; after it on frames only.
    fn end_with_the_scene(&mut self) {
        let end = if self.time() <= self.until() { self.until() } else { FOREVER };
        if self.simulation.frames().until != end {
            let simulation = self.change();
            simulation.set_until(end);
            if end == FOREVER {
                // without an end there is no forecast of steps
                simulation.limit_steps(None);
            }
        }
    }

    /// A time that was rounded or summed, as the exact one of the frame or end that it stands for.
    pub fn meant(&self, time: f64) -> f64 {
        if (time - self.until()).abs() <= 1e-12 * time.abs() {
            return self.until();
        }
        let fps = self.simulation.frames().fps;
        let frame = (time * fps).round();
        if (time * fps - frame).abs() <= 1e-9 * frame.max(1.0) { frame / fps } else { time }
    }

    /// One step.
    pub fn step(&mut self) -> Result<StepReport, Failure> {
        if let Some(failure) = &self.failure {
            return Err(failure.clone());
        }
        let begun = Instant::now();
        let simulation = self.change();
        if simulation.is_done() {
            simulation.set_until(FOREVER);
            simulation.limit_steps(None);
        }
        let stepped = guarded(|| simulation.step());
        self.seconds += begun.elapsed().as_secs_f64();
        let failure = match stepped {
            Ok(Ok(report)) => {
                self.last = report;
                return Ok(report);
            }
            Ok(Err(error)) => Failure::Run(error),
            Err(failure) => failure,
        };
        self.failure = Some(failure.clone());
        Err(failure)
    }

    /// Steps towards a time, at which a step ends exactly, but stops at the next frame or at its time limit.
    pub fn go(&mut self, until: f64, patience: Duration) -> Result<(Came, u64), Failure> {
        let begun = Instant::now();
        let mut steps = 0;
        if self.time() >= until {
            return Ok((Came::There, steps));
        }
        if self.simulation.frames().until != until {
            self.change().set_until(until);
        }
        let came = loop {
            let frame = self.simulation.progress_frame();
            if let Err(failure) = self.step() {
                break Err(failure);
            }
            steps += 1;
            if self.time() >= until {
                break Ok(Came::There);
            }
            if self.simulation.progress_frame() > frame {
                break Ok(Came::ToAFrame);
            }
            if begun.elapsed() >= patience {
                break Ok(Came::SomeWay);
            }
        };
        self.end_with_the_scene();
        came.map(|came| (came, steps))
    }

    /// Puts some particles elsewhere, or gives them other velocities.
    pub fn set(&mut self, particles: &[usize], x: Option<&[DVec3]>, v: Option<&[DVec3]>) -> Result<(), PyErr> {
        let state = self.simulation.state();
        let changed = |old: &[DVec3], new: Option<&[DVec3]>| {
            let mut all = old.to_vec();
            particles.iter().zip(new.unwrap_or_default()).for_each(|(particle, vector)| all[*particle] = *vector);
            all
        };
        let (x, v) = (changed(&state.x, x), changed(&state.v, v));
        let simulation = self.change();
        guarded(|| simulation.set_state(x, v))?.map_err(|bad| {
            errors::input(match bad {
                BadState::Count(count) => format!("there are {count} particles"),
                BadState::NonFinite(particle) => {
                    format!("particle {particle}: the force on it there is no finite number")
                }
                BadState::Inadmissible => "something lies where it may not: the energy there is infinite".into(),
            })
        })?;
        self.failure = None;
        Ok(())
    }

    /// Changes the scene while it runs; if any change is invalid, none is made.
    pub fn edit(&mut self, assignments: &[String]) -> Result<(), PyErr> {
        let known = parameters(&self.scene);
        for assignment in assignments {
            let path = key(assignment);
            if !known.iter().any(|parameter| parameter.path == path) {
                // an unknown key is reported as such
                self.scene
                    .with(std::slice::from_ref(assignment))
                    .map_err(|error| errors::changed(&error, &|_| "edit"))?;
                return Err(errors::input(format!("{path}: this cannot be changed while the scene runs")));
            }
        }
        let time = self.time();
        let added = assignments.iter().map(|assignment| (time, assignment.clone()));
        let edits: Vec<_> = self.edits.iter().cloned().chain(added).collect();
        let scene = self.edited(&edits).map_err(|error| errors::changed(&error, &|_| "edit"))?;
        let (mut simulation, warnings) = build(&scene)?;
        let (fresh, earlier) = (&mut simulation, &mut self.simulation);
        if !guarded(move || fresh.adopt(earlier))? {
            return Err(errors::input("this changes the number of particles; make a new Simulation"));
        }
        self.change();
        (self.scene, self.edits, self.simulation, self.warnings) = (scene, edits, simulation, warnings);
        self.failure = None;
        self.end_with_the_scene();
        Ok(())
    }

    /// The scene as given, with the last change of every key.
    fn edited(&self, edits: &[(f64, String)]) -> Result<LoadedScene, SceneError> {
        let last: BTreeMap<String, &String> = edits.iter().map(|(_, text)| (key(text), text)).collect();
        self.base.with(&last.into_values().cloned().collect::<Vec<_>>())
    }

    /// Back to the start of the scene as it was given.
    pub fn reset(&mut self) -> Result<(), PyErr> {
        let fresh = Self::new(self.base.clone())?;
        // the former engine settles its views when it is dropped
        *self = fresh;
        Ok(())
    }

    /// Everything that is needed to go on from here.
    pub fn checkpoint(&self) -> Checkpoint {
        let edits = self.edits.clone();
        Checkpoint { edits, ..checkpoint::of(&self.simulation, self.scene.fingerprint(), self.seconds) }
    }

    /// Resumes from a checkpoint of the same scene, with its edits; `path` is the file.
    pub fn restore(&mut self, saved: &Checkpoint, path: &Path) -> Result<(), PyErr> {
        let edited = saved.edits != self.edits;
        let scene = match edited {
            true => self.edited(&saved.edits).map_err(|error| errors::scene(&error))?,
            false => self.scene.clone(),
        };
        saved.must_be_of(scene.fingerprint(), path).map_err(|error| errors::record(&error))?;
        // An engine that failed may have failed half-way through a step.
        let mut fresh = if edited || self.failure.is_some() { Some(build(&scene)?) } else { None };
        let simulation = match &mut fresh {
            Some((simulation, _)) => simulation,
            None => self.change(),
        };
        let restored = guarded(|| checkpoint::restore(simulation, saved))?;
        let seconds = restored.ok_or_else(|| errors::misfit(path))?;
        if let Some((simulation, warnings)) = fresh {
            self.change();
            (self.simulation, self.warnings) = (simulation, warnings);
        }
        (self.scene, self.edits, self.seconds, self.failure) = (scene, saved.edits.clone(), seconds, None);
        self.last = StepReport { dt: self.simulation.progress().last_dt, ..before_the_first() };
        self.warnings.extend(checkpoint::warning(saved));
        self.end_with_the_scene();
        Ok(())
    }

    /// Per-particle quantities of the models.
    pub fn fields(&mut self) -> Result<Fields, Failure> {
        let mut fields = Fields::default();
        // changes nothing of the state, so views need not be settled
        let simulation = &mut self.simulation;
        guarded(|| simulation.write_fields(&mut fields))?;
        Ok(fields)
    }

    /// A run in figures.
    pub fn summary(&self) -> Summary {
        let finished = self.time() >= self.until();
        Summary { finished, ..Summary::of(&self.scene, &self.simulation, self.seconds) }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.change();
    }
}
