//! Runs of scenes with equal steps, with one observed particle.

use std::time::Instant;

use pliant::core::{State, Work};
use pliant::parallel::on_one_thread;
use pliant::prelude::DVec3;
use pliant::scene::builtin::find;
use pliant::scene::load::from_text;
use pliant::scene::{LoadedScene, load};

/// A run.
pub struct Play {
    /// As tables and plots call it.
    pub name: &'static str,
    /// Time, s, and where the particle is.
    pub track: Vec<(f64, DVec3)>,
    /// Its cost.
    pub work: Work,
    /// Accepted steps.
    pub steps: u64,
    /// Wall time of the steps, s.
    pub seconds: f64,
    /// Why it ended early.
    pub failure: Option<String>,
}

/// A built-in scene with changes.
///
/// # Panics
/// If it does not take them.
pub fn scene(name: &str, changes: &[String]) -> LoadedScene {
    load(name, changes).unwrap_or_else(|error| panic!("{error}"))
}

/// The same without a conflicting key.
///
/// # Panics
/// Likewise.
pub fn scene_without(name: &str, key: &str, changes: &[String]) -> LoadedScene {
    let text = find(name).unwrap_or_else(|| panic!("there is no scene {name}"));
    let kept: String = text.lines().filter(|line| !line.starts_with(key)).map(|line| format!("{line}\n")).collect();
    from_text(name, name, &kept, changes).unwrap_or_else(|error| panic!("{error}"))
}

/// Runs a scene on one thread and observes the particle that is nearest to a place at the start.
pub fn play(name: &'static str, scene: &LoadedScene, place: DVec3) -> Play {
    on_one_thread(|| {
        let mut simulation = scene.build().unwrap_or_else(|error| panic!("{error}")).simulation;
        simulation.track_energy(false);
        let watched = nearest(simulation.state(), place);
        let mut track = vec![(0.0, simulation.state().x[watched])];
        let (mut seconds, mut failure) = (0.0, None);
        while !simulation.is_done() && failure.is_none() {
            let begun = Instant::now();
            failure = simulation.step().err().map(|error| error.to_string());
            seconds += begun.elapsed().as_secs_f64();
            track.push((simulation.state().time, simulation.state().x[watched]));
        }
        let tally = simulation.tally();
        Play { name, track, work: tally.work, steps: tally.steps, seconds, failure }
    })
}

/// The particle that is nearest to a place.
pub fn nearest(state: &State, place: DVec3) -> usize {
    let mut all = 0..state.len();
    let first = all.next().unwrap_or_default();
    all.fold(first, |best, n| if state.x[n].distance(place) < state.x[best].distance(place) { n } else { best })
}

impl Play {
    /// Distance from the particle of another run at the same moments, over how far that one is from where a rigid body would have it.
    /// Moments that are not in both are left out.
    pub fn error_against(&self, other: &Play, rigid: impl Fn(f64) -> DVec3) -> Vec<(f64, f64)> {
        let mut errors = Vec::new();
        for (t, a) in &self.track[1..] {
            let at = other.track.partition_point(|(time, _)| *time < t - 1e-9);
            if let Some((_, b)) = other.track.get(at).filter(|(time, _)| (time - t).abs() < 1e-9) {
                errors.push((*t, a.distance(*b) / b.distance(rigid(*t))));
            }
        }
        errors
    }
}
