//! Stills and animations of a scene (simulated in memory) or of a result folder (read back).

use std::path::Path;

use pliant_core::{Body, Fields, State};
use pliant_picture::{Animation, Colouring, FluidLook, Image, SceneRenderer, Show, Styling};
use pliant_record::{Listed, read_pvd, read_vtu};
use pliant_scalar::shown::seconds;
use pliant_scene::LoadedScene;
use pliant_scene::view::{ViewBackground, ViewColor, ViewFluid, ViewPart, ViewTable};
use pliant_time::Simulation;

use crate::folder::{names, read_summary};
use crate::runner::{Observer, RunFailure};

/// Size of stills, pixels.
pub const STILL: [usize; 2] = [1280, 720];
/// Size of animations, pixels.
pub const MOVING: [usize; 2] = [640, 360];
/// States that are used to place the camera before the first picture is taken.
const OBSERVED: usize = 150;
/// Largest frame rate of an animation, 1/s.
const ANIMATION_FPS: f64 = 30.0;
/// Default length of an animation, s.
pub const ANIMATION_SECONDS: f64 = 8.0;
/// Size of an animation's file, bytes: web pages refuse more.
pub const ANIMATION_BYTES: usize = 2_000_000;
/// A shorter action, s, is shown in slow motion,
const BLINK: f64 = 0.1;
/// so that it takes this long, s: fracture is too fast to be seen.
const SLOW_MOTION: f64 = 4.0;
/// Fewer frames than this are no animation.
const MIN_FRAMES: usize = 12;

/// A moment that can be drawn.
enum Shot {
    Memory(State, Fields),
    File(Listed),
}

impl Shot {
    fn time(&self) -> f64 {
        match self {
            Self::Memory(state, _) => state.time,
            Self::File(listed) => listed.time,
        }
    }
}

/// An action with everything needed to draw any of its moments.
pub struct Film {
    renderer: SceneRenderer,
    shots: Vec<Shot>,
    /// Notes about what is missing or left out, in plain language.
    pub notes: Vec<String>,
}

/// The wishes of a scene's `[view]`.
pub fn styling(view: &ViewTable) -> Styling {
    let shown = |part: ViewPart| view.show.as_ref().map(|parts| parts.contains(&part));
    Styling {
        colour: view.color.map(|color| match color {
            ViewColor::Plain => Colouring::Plain,
            ViewColor::Speed => Colouring::Speed,
            ViewColor::Height => Colouring::Height,
            ViewColor::Damage => Colouring::Damage,
            ViewColor::Activity => Colouring::Activity,
        }),
        show: Show {
            surface: shown(ViewPart::Surface),
            springs: shown(ViewPart::Springs),
            particles: shown(ViewPart::Particles),
            ground: shown(ViewPart::Ground),
        },
        fluid: match view.fluid {
            ViewFluid::Particles => FluidLook::Particles,
            ViewFluid::Surface => FluidLook::Surface,
        },
        eye: view.camera.map(|place| place.to_dvec3()),
        target: view.target.map(|place| place.to_dvec3()),
        fov: view.fov.map(|fov| fov.si()),
        dark: view.background == ViewBackground::Dark,
        flat: false,
    }
}

impl Film {
    /// Simulates a scene to its end. With `all` every frame of an animation is kept, otherwise only the last one.
    pub fn of_scene(
        scene: &LoadedScene,
        styling: Styling,
        all: bool,
        observer: &mut dyn Observer,
    ) -> Result<Self, RunFailure> {
        let built = scene.build()?;
        built.warnings.iter().for_each(|warning| observer.message(&format!("warning: {warning}")));
        let mut simulation = built.simulation;
        let (solids, notes) = pliant_scene::solids(scene);
        let mut renderer =
            SceneRenderer::new(simulation.system.bodies(), simulation.system.free(), styling).with_solids(solids);
        renderer.observe(simulation.state());
        let mut shots = vec![shot_of(&mut simulation)];
        let last = simulation.frames().last();
        let fps = simulation.frames().fps;
        let keep_every = (fps / (ANIMATION_FPS * slowdown(last as f64 / fps))).ceil().max(1.0) as u64;
        let observe_every = last.div_ceil(OBSERVED as u64).max(1);
        while !simulation.is_done() {
            let frame = simulation.progress_frame();
            let report = simulation.step().map_err(|error| {
                RunFailure::Failed(format!("{}: {error}; a shorter --time may still be drawn", scene.document.label()))
            })?;
            observer.step(&simulation, &report);
            if simulation.progress_frame() == frame {
                continue;
            }
            if frame % observe_every == 0 || frame == last {
                renderer.observe(simulation.state());
            }
            if frame == last || (all && frame % keep_every == 0) {
                shots.push(shot_of(&mut simulation));
            }
        }
        if !all {
            shots.drain(..shots.len() - 1);
        }
        Ok(Self { renderer, shots, notes })
    }

    /// Reads a result folder, as much of it as there is. `adjust` may change the wishes of its scene.
    pub fn of_result(folder: &Path, adjust: impl Fn(&mut Styling)) -> Result<Self, RunFailure> {
        let input = |why: String| RunFailure::input(why);
        let listed = read_pvd(&folder.join(names::PVD)).map_err(|error| input(error.to_string()))?;
        let mut notes = Vec::new();
        if !read_summary(folder).is_some_and(|summary| summary.finished) {
            notes.push(format!("{}: the run has not come to its end", folder.display()));
        }
        let total = listed.len();
        let (there, gone): (Vec<Listed>, Vec<Listed>) = listed.into_iter().partition(|entry| entry.path.exists());
        if let Some(first) = gone.first() {
            notes.push(format!("{} of {total} frames are missing, such as {}", gone.len(), first.path.display()));
        }
        let step = there.len().div_ceil(OBSERVED).max(1);
        let scene = pliant_scene::load(&folder.join(names::SCENE).to_string_lossy(), &[]);
        let mut solids = Vec::new();
        let (scene, mut wishes) = match scene {
            Ok(scene) => {
                let (found, missing) = pliant_scene::solids(&scene);
                solids = found;
                notes.extend(missing);
                (scene.build().ok(), styling(&scene.scene.view))
            }
            Err(error) => {
                notes.push(format!("{error}; drawing with the default look"));
                (None, Styling::default())
            }
        };
        adjust(&mut wishes);
        let mut renderer: Option<(SceneRenderer, usize)> = None;
        let mut unreadable = Vec::new();
        for (k, entry) in there.iter().enumerate().filter(|(k, _)| k % step == 0 || k + 1 == there.len()) {
            match read_vtu(&entry.path) {
                Ok(frame) => {
                    let (renderer, _) = renderer.get_or_insert_with(|| {
                        let known = scene.as_ref().map(|built| built.simulation.system.bodies());
                        let fits = |bodies: &&[Body]| is_same(bodies, &frame.bodies);
                        let bodies = known.filter(fits).unwrap_or(&frame.bodies);
                        let renderer =
                            SceneRenderer::new(bodies, &frame.free, wishes).with_solids(std::mem::take(&mut solids));
                        (renderer, frame.state.len())
                    });
                    renderer.observe(&frame.state);
                }
                Err(error) => unreadable.push((k, error.to_string())),
            }
        }
        notes.extend(unreadable.iter().take(3).map(|(_, why)| why.clone()));
        let Some((renderer, _)) = renderer else {
            let why = notes.join("\n");
            return Err(input(format!("{}: there is no frame to draw\n{why}", folder.display())));
        };
        let bad: Vec<usize> = unreadable.into_iter().map(|(k, _)| k).collect();
        let good = there.into_iter().enumerate().filter(|(k, _)| !bad.contains(k));
        Ok(Self { renderer, shots: good.map(|(_, entry)| Shot::File(entry)).collect(), notes })
    }

    /// Times of all moments, s.
    pub fn times(&self) -> Vec<f64> {
        self.shots.iter().map(Shot::time).collect()
    }

    /// A picture of the moment nearest to `time`; without one of the last.
    pub fn still(&mut self, time: Option<f64>, size: [usize; 2]) -> Result<Image, RunFailure> {
        let wanted = time.unwrap_or_else(|| self.shots.last().map_or(0.0, Shot::time));
        let distance = |shot: &Shot| (shot.time() - wanted).abs();
        let nearest = (0..self.shots.len()).min_by(|a, b| {
            let [a, b] = [a, b].map(|k| distance(&self.shots[*k]));
            a.total_cmp(&b)
        });
        let nearest = nearest.ok_or_else(|| RunFailure::input("there is no frame to draw"))?;
        self.picture(nearest, size)
    }

    /// A picture of moment k.
    pub fn picture(&mut self, k: usize, size: [usize; 2]) -> Result<Image, RunFailure> {
        let frame;
        let (state, fields) = match &self.shots[k] {
            Shot::Memory(state, fields) => (state, fields),
            Shot::File(listed) => {
                frame = read_vtu(&listed.path).map_err(|error| RunFailure::Failed(error.to_string()))?;
                (&frame.state, &frame.fields)
            }
        };
        let drawn = self.renderer.picture_with(state, fields, size);
        let image = drawn.map_err(|error| RunFailure::input(error.to_string()))?;
        for note in self.renderer.notes() {
            if !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
        Ok(image)
    }

    /// A GIF of the action up to a time (8 s without one), of at most [`ANIMATION_BYTES`]: frames are left out until it fits.
    /// `progress` is called with the number of frames drawn and their total, and may stop it.
    pub fn animation(
        &mut self,
        until: Option<f64>,
        size: [usize; 2],
        mut progress: impl FnMut(usize, usize) -> Result<(), RunFailure>,
    ) -> Result<Vec<u8>, RunFailure> {
        let end = until.unwrap_or(ANIMATION_SECONDS) + 1e-9;
        let last = self.shots.last().map_or(0.0, Shot::time);
        let slower = slowdown(end.min(last));
        let mut chosen: Vec<usize> = Vec::new();
        for (k, shot) in self.shots.iter().enumerate().filter(|(_, shot)| shot.time() <= end) {
            let soon = |last: &usize| slower * (shot.time() - self.shots[*last].time()) < 0.999 / ANIMATION_FPS;
            if !chosen.last().is_some_and(soon) {
                chosen.push(k);
            }
        }
        if slower > 1.0 {
            self.notes.push(format!("the animation is {slower:.0} times slower than what it shows"));
        }
        if until.is_none() && last > end {
            let whole = seconds(last);
            self.notes
                .push(format!("the animation shows the first {ANIMATION_SECONDS} s of {whole}; --time shows more"));
        }
        self.renderer.set_flat(true);
        let failed = |error: pliant_picture::PictureError| RunFailure::Failed(error.to_string());
        let mut animation = Animation::default();
        for (done, k) in chosen.iter().enumerate() {
            let (image, time) = (self.picture(*k, size)?, slower * self.shots[*k].time());
            animation.push(image, time).map_err(failed)?;
            progress(done + 1, chosen.len())?;
        }
        let mut bytes = animation.to_gif(0.6).map_err(failed)?;
        while bytes.len() > ANIMATION_BYTES && animation.len() >= 2 * MIN_FRAMES {
            animation.halve();
            bytes = animation.to_gif(0.6).map_err(failed)?;
        }
        if bytes.len() > ANIMATION_BYTES {
            let megabytes = bytes.len() as f64 / 1e6;
            self.notes.push(format!("the animation has {megabytes:.1} MB; a smaller --size makes it smaller"));
        }
        Ok(bytes)
    }
}

/// The slow-motion factor of an action of this length, s.
fn slowdown(length: f64) -> f64 {
    if length > 0.0 && length < BLINK { SLOW_MOTION / length } else { 1.0 }
}

/// The present moment of a simulation, with what pictures need to know about fracture and pins.
fn shot_of(simulation: &mut Simulation) -> Shot {
    let mut fields = Fields::default();
    let system = &simulation.system;
    if system.restraint().is_some() || system.bodies().iter().any(|body| body.rubble.is_some()) {
        simulation.write_fields(&mut fields);
    }
    Shot::Memory(simulation.state().clone(), fields)
}

/// Whether bodies of a scene are those of a frame, but for what a frame does not store.
fn is_same(scene: &[Body], frame: &[Body]) -> bool {
    scene.len() == frame.len()
        && scene.iter().zip(frame).all(|(a, b)| {
            a.particles == b.particles && a.edges.len() == b.edges.len() && a.triangles.len() == b.triangles.len()
        })
}
