//! A scene in the viewer: the simulation, the changes made to it, and the pull on a grabbed particle.

use glam::DVec3;
use pliant::core::{Solid, State, StepReport};
use pliant::display::Display;
use pliant::forces::{Grip, Hand, Pull};
use pliant::scene::{LoadedScene, SceneError, Setting, parameters};
use pliant::shown::seconds;
use pliant::time::{RunError, Simulation};

use crate::edits::{self, Edits};
use crate::protocol::Event;

/// A running scene.
pub struct Session {
    /// As it was loaded, changes of the command line included.
    base: LoadedScene,
    /// As it runs.
    scene: LoadedScene,
    edits: Edits,
    simulation: Simulation,
    /// Its colliders.
    solids: Vec<Solid>,
    /// Present once a particle has been grabbed since the start. A pull makes forces depend on velocity, which changes how some schemes
    /// work, so an untouched run is without it: its states are those of `pliant run`, bit for bit.
    hand: Option<Hand>,
    /// Why the run failed.
    pub error: Option<String>,
    /// Warnings about legal but probably unintended input.
    pub warnings: Vec<String>,
}

/// A live run does not end; frames continue at the same rate beyond the scene's end.
const FOREVER: f64 = 1e9;

/// A scene's errors without the name of the file, which the page knows.
fn words(error: &SceneError) -> String {
    match error {
        SceneError::Unreadable(message) => message.clone(),
        SceneError::Wrong(all) => {
            let line = |error: &pliant::scene::Located| format!("{}: {}", error.path, error.message);
            all.iter().map(line).collect::<Vec<_>>().join("; ")
        }
    }
}

fn build(scene: &LoadedScene, hand: Option<&Hand>) -> Result<(Simulation, Vec<String>), String> {
    let mut endless = scene.clone();
    endless.scene.time.until = FOREVER.into();
    let built = endless.build_with(|system| {
        if let Some(hand) = hand {
            system.add_model(Box::new(Pull::new(hand.clone())));
        }
    });
    let mut built = built.map_err(|error| words(&error))?;
    // without an end there is no forecast of steps
    built.simulation.limit_steps(None);
    Ok((built.simulation, built.warnings))
}

impl Session {
    /// At the start of a scene.
    pub fn new(base: LoadedScene) -> Result<Self, String> {
        let (simulation, warnings) = build(&base, None)?;
        let scene = base.clone();
        let solids = pliant::scene::solids(&scene).0;
        Ok(Self { base, scene, edits: Edits::default(), simulation, solids, hand: None, error: None, warnings })
    }

    /// The scene as it runs.
    pub fn scene(&self) -> &LoadedScene {
        &self.scene
    }

    /// The simulation.
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Its state.
    pub fn state(&self) -> &State {
        self.simulation.state()
    }

    /// End of the scene, s.
    pub fn until(&self) -> f64 {
        self.scene.scene.time.until.si()
    }

    /// The error allowed per step, m; NaN where the controller has none.
    pub fn tolerance(&self) -> f64 {
        let control = &self.scene.checked.control;
        if control.kind.judges_errors() { control.tolerance } else { f64::NAN }
    }

    /// For the page.
    pub fn parameters(&self) -> Event {
        let (edits, left_out) = self.edits.listed();
        Event::Parameters { parameters: parameters(&self.scene), edits, left_out, command: edits::command(&self.scene) }
    }

    /// One step. An error is kept; the state stays the last good one.
    pub fn step(&mut self) -> Option<StepReport> {
        match self.simulation.step() {
            Ok(report) => Some(report),
            Err(RunError { time, steps, why }) => {
                let time = seconds(time);
                self.error = Some(format!("The run cannot go on from t = {time} (after {steps} steps): {why}."));
                None
            }
        }
    }

    /// Back to the start, with the changes or without.
    pub fn restart(&mut self, keep_edits: bool) -> Result<(), String> {
        let scene = if keep_edits { self.scene.clone() } else { self.base.clone() };
        (self.simulation, self.warnings) = build(&scene, None)?;
        self.edits = if keep_edits { self.edits.restarted() } else { Edits::default() };
        (self.scene, self.hand, self.error) = (scene, None, None);
        self.solids = pliant::scene::solids(&self.scene).0;
        Ok(())
    }

    /// Changes a parameter: the scene is read again with it and continues from the present state. Only listed parameters may be
    /// changed. If the change is invalid, nothing changes. Returns the change, as `--set` takes it.
    pub fn set(&mut self, path: &str, value: &Setting) -> Result<String, String> {
        if !parameters(&self.scene).iter().any(|parameter| parameter.path == path) {
            return Err(format!("{path}: this cannot be changed while the scene runs"));
        }
        let assignment = value.assignment(path);
        let edits = self.edits.with(path, self.state().time, assignment.clone());
        let scene = self.base.with(&edits.assignments()).map_err(|error| words(&error))?;
        let (mut simulation, warnings) = build(&scene, self.hand.as_ref())?;
        if !simulation.adopt(&self.simulation) {
            return Err(format!("{path}: this changes the number of particles; load the scene again"));
        }
        // A run that had failed is tried again.
        (self.scene, self.edits, self.simulation, self.warnings) = (scene, edits, simulation, warnings);
        self.error = None;
        self.solids = pliant::scene::solids(&self.scene).0;
        Ok(assignment)
    }

    /// What is drawn of its colliders.
    pub fn solids(&self) -> &[Solid] {
        &self.solids
    }

    /// Everything that is sent to a page once: it is sent again when this changes.
    pub fn shown(&self) -> (Display, Vec<Solid>) {
        (self.display(), self.solids.clone())
    }

    /// Displayed positions of particles.
    pub fn display(&self) -> Display {
        Display::new(self.simulation.system.bodies())
    }

    /// Grabs a particle and pulls it to where it would be shown at `target`, or as near to it as possible.
    pub fn grab(&mut self, particle: usize, target: DVec3) -> Result<(), String> {
        if particle >= self.state().len() {
            return Err(format!("there is no particle {particle}"));
        }
        if !target.is_finite() {
            return Err(format!("particle {particle} cannot be pulled to {target}: this is no place"));
        }
        if !self.simulation.system.free()[particle] {
            return Err(format!("particle {particle} is pinned and cannot be pulled"));
        }
        if self.hand.is_none() {
            let hand = Hand::default();
            let (mut simulation, warnings) = build(&self.scene, Some(&hand))?;
            if simulation.adopt(&self.simulation) {
                (self.simulation, self.warnings, self.hand) = (simulation, warnings, Some(hand));
            }
        }
        let (stiffness, damping) = self.strength(particle);
        let target = self.display().coordinates(particle, target, self.state().x[particle]);
        self.hold(Some(Grip { particle, target, stiffness, damping }));
        Ok(())
    }

    /// Moves the target of the grabbed particle.
    pub fn pull_to(&mut self, target: DVec3) {
        if let Some(grip) = self.grip().filter(|_| target.is_finite()) {
            let target = self.display().coordinates(grip.particle, target, self.state().x[grip.particle]);
            self.hold(Some(Grip { target, ..grip }));
        }
    }

    /// Releases the particle.
    pub fn release(&mut self) {
        if self.grip().is_some() {
            self.hold(None);
        }
    }

    /// The grabbed particle.
    pub fn grip(&self) -> Option<Grip> {
        self.hand.as_ref().and_then(Hand::grip)
    }

    fn hold(&mut self, grip: Option<Grip>) {
        if let Some(hand) = &self.hand {
            hand.set(grip);
            self.simulation.forces_changed();
        }
    }

    /// N/m and N s/m: at a distance of a tenth of the body the pull is four times the body's weight, but never so stiff that it would
    /// shorten stable steps; damped critically for the particle alone. A pendulum has one slow motion and steps far below its limit:
    /// there the pull may be four times as strong as gravity.
    fn strength(&mut self, particle: usize) -> (f64, f64) {
        let Simulation { system, .. } = &mut self.simulation;
        let body = system.bodies().iter().find(|body| body.particles.contains(&particle));
        let range = body.map_or(0..system.len(), |body| body.particles.clone());
        let mass: f64 = system.masses()[range.clone()].iter().sum();
        let own = system.masses()[particle];
        let state = self.simulation.state().clone();
        let corners = |pick: fn(DVec3, DVec3) -> DVec3| state.x[range.clone()].iter().copied().reduce(pick);
        let extent = match (corners(DVec3::min), corners(DVec3::max)) {
            (Some(low), Some(high)) => (high - low).length(),
            _ => 0.0,
        };
        let wanted = 40.0 * mass * 9.81 / if extent > 0.0 { extent } else { 1.0 };
        let omega = self.simulation.system.bounds().frequency_bound(&state.view());
        let part = if self.display().bobs().iter().any(|bob| bob.particle == particle) { 4.0 } else { 0.25 };
        let limit = if omega > 0.0 { part * omega * omega * own } else { f64::INFINITY };
        let stiffness = wanted.min(limit);
        (stiffness, 2.0 * (stiffness * own).sqrt())
    }
}
