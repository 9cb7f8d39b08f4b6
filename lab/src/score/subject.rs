//! Subjects of measurements: a scene, or anything else that can be started repeatedly under an integrator and a controller.

use pliant::core::{Path, Pin, State, System};
use pliant::forces::{Gravity, RopeMaterial, RopeSpec, rope};
use pliant::geom::rope::{Curve, Frames as RopeFrames};
use pliant::prelude::DVec3;
use pliant::scene::LoadedScene;
use pliant::time::catalog::{Entry, SolverSpec};
use pliant::time::control::ControlSpec;
use pliant::time::{Frames, PostStepSpec, Simulation};

/// Something that moves.
pub trait Subject: Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// Frames of its own run.
    fn frames(&self) -> Frames;

    /// When it starts, s.
    fn begins(&self) -> f64 {
        0.0
    }

    /// At its start, with these frames, or why not.
    fn start(&self, integrator: &'static Entry, control: &ControlSpec, frames: Frames) -> Result<Simulation, String>;
}

impl Subject for LoadedScene {
    fn name(&self) -> &str {
        &self.name
    }

    fn frames(&self) -> Frames {
        Frames { fps: self.scene.time.fps, until: self.scene.time.until.si() }
    }

    /// Projection and response to collisions stay with the schemes that support them.
    fn start(&self, integrator: &'static Entry, control: &ControlSpec, frames: Frames) -> Result<Simulation, String> {
        let mut scene = self.clone();
        scene.checked.integrator = integrator;
        scene.checked.control = *control;
        if scene.checked.post_step.works_with(integrator.properties).is_err() {
            scene.checked.post_step = PostStepSpec::default();
        }
        scene.scene.time.fps = frames.fps;
        scene.scene.time.until = frames.until.into();
        Ok(scene.build().map_err(|error| error.to_string())?.simulation)
    }
}

/// A scene from a later moment on, with contacts established and threads in their holes. The measured scene may have other parameters than what
/// led there.
pub struct UnderWay {
    measured: LoadedScene,
    name: String,
    state: State,
    memory: Vec<f64>,
}

impl UnderWay {
    /// Runs a scene as it says to the frame at or after a moment, s; from there on `measured`, of the same particles, is started.
    pub fn new(scene: &LoadedScene, measured: LoadedScene, moment: f64) -> Result<Self, String> {
        let mut simulation = scene.build().map_err(|error| error.to_string())?.simulation;
        while simulation.state().time < moment && !simulation.is_done() {
            simulation.advance_frame(|_, _| ()).map_err(|error| error.to_string())?;
        }
        let state = simulation.state().clone();
        let name = format!("{} from {:.1} s", scene.name, state.time);
        Ok(Self { name, memory: simulation.system.memory(), state, measured })
    }
}

impl Subject for UnderWay {
    fn name(&self) -> &str {
        &self.name
    }

    fn frames(&self) -> Frames {
        self.measured.frames()
    }

    fn begins(&self) -> f64 {
        self.state.time
    }

    fn start(&self, integrator: &'static Entry, control: &ControlSpec, frames: Frames) -> Result<Simulation, String> {
        let mut simulation = self.measured.start(integrator, control, frames)?;
        let same = simulation.start_from(self.state.clone(), &self.memory);
        same.then_some(simulation).ok_or_else(|| "the scene has other particles than before".to_owned())
    }
}

/// Relaxation time of the swinging rope, s: τω is about ½ for its fastest motion.
pub const ROPE_DAMPING: f64 = 6.5e-5;

/// A thread of 40 cm that is held at one end and swings down: stiff along, soft across, damped so that explicit Euler has about a third of
/// the step of symplectic Euler, as in the paper.
#[derive(Clone, Copy, Debug)]
pub struct SwingingRope {
    /// How many segments it has.
    pub segments: usize,
    /// Length of the run, s.
    pub until: f64,
}

impl Default for SwingingRope {
    fn default() -> Self {
        Self { segments: 40, until: 0.5 }
    }
}

impl Subject for SwingingRope {
    fn name(&self) -> &'static str {
        "swinging rope"
    }

    fn frames(&self) -> Frames {
        Frames { fps: 60.0, until: self.until }
    }

    fn start(&self, integrator: &'static Entry, control: &ControlSpec, frames: Frames) -> Result<Simulation, String> {
        let radius = 4e-3;
        let line = Curve::Line { from: DVec3::ZERO, to: DVec3::X * 0.4 }.centreline(self.segments);
        let line = line.map_err(|error| error.to_string())?;
        let material = RopeMaterial::solid(5e5, 0.3, 1000.0, radius).damped(ROPE_DAMPING);
        let rope = rope(&line, &RopeFrames::new(&line, 0.0), &RopeSpec::new(material, radius), 0);
        let rope = rope.map_err(|error| error.to_string())?;
        let mut models = rope.models();
        let all = std::iter::once(0..rope.x.len()).collect();
        models.push(Box::new(Gravity::new(DVec3::NEG_Y * 9.81, rope.masses.clone(), all)));
        let pins = vec![Pin { particle: 0, path: Path::Fixed(rope.x[0]) }];
        let system = System::new(rope.masses, pins, models, Vec::new()).map_err(|error| error.to_string())?;
        Simulation::new(system, State::at_rest(rope.x), integrator, &SolverSpec::default(), control, frames)
            .map_err(|error| error.to_string())
    }
}
