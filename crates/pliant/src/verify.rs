//! `--error E`: a global error, verified. A controller's tolerance is an error *per step*; what it adds up to depends on the motion. So
//! the scene is run repeatedly with half the steps until two consecutive runs agree within E at every frame and particle.
//!
//! Agreement alone proves nothing if the second run hardly differs from the first. With r times as many steps, a scheme of order p has
//! r^p times less error, so the error of the finer run is about `difference / (r^p - 1)`; twice that is quoted and must be below E as well, because
//! steps are seldom short enough for the power law to hold exactly, and r must be at least 1.3. Steps as long as a frame are never
//! compared: there the frames would set the length, and both runs would be the same.
//!
//! p is what the scheme declares, or what three runs in a row show where that is less: stiff sheets and contacts take steps that are too long for the
//! declared order, and with it the quoted error would be several times too small. More than 1 is accepted only if the three runs before those
//! show it too: one good order may be chance. Where bodies can collide more than 1 is never accepted. So no error is quoted before the third run; the first has steps twice as long as it would need.
//!
//! Where a sheet buckles or something bounces, runs may never agree: when three in a row did not halve the smallest difference so far, no
//! further run is started.

use std::path::Path;

use pliant_record::{Checksum, RecordError, json, largest_difference, manifest, write_atomic};
use pliant_scalar::shown::metres;
use pliant_scene::LoadedScene;
use pliant_time::control::ControlSpec;
use pliant_time::control::parameter::{PARAMETERS, STEP};

use crate::drawing;
use crate::folder::{self, Contents, names};
use crate::integrity;
use crate::lengthen;
use crate::lock::FolderLock;
use crate::refusal::Remedy;
use crate::runner::{Observer, RunFailure, RunOptions, claim, finished, may_write, simulate};
use crate::summary::{Summary, Verified};

const MAX_RUNS: u32 = 16;
/// Below this ratio of step counts two runs are too similar to be compared.
const MORE_STEPS: f64 = 1.3;
const SAFETY: f64 = 2.0;
/// How many times as long the steps of the first run are as an error asks for.
const COARSE: f64 = 2.0;
/// A higher order is accepted only if the three runs before show it too.
const PROVEN: f64 = 1.0;
/// The largest order that is accepted where something can collide: an impact within a step is an error of first order, and higher orders are chance.
const IN_CONTACT: f64 = 1.0;
/// Search range of observed orders: from no convergence at all to more than any scheme has.
const ORDERS: std::ops::Range<f64> = 1e-3..16.0;
/// Largest number of consecutive runs that fail to halve the smallest difference so far.
const PATIENCE: u32 = 3;

/// Runs a scene until the error is below `error` metres. Folders, resuming and pictures work as in [`run`](crate::runner::run).
pub fn run_verified(
    scene: &LoadedScene,
    error: f64,
    options: &RunOptions,
    observer: &mut dyn Observer,
) -> Result<Summary, RunFailure> {
    let mut lock = FolderLock::look(&options.folder)?;
    let summary = verified(scene, error, options, &mut lock, observer)?;
    drawing::draw(scene, options, &mut lock, observer)?;
    Ok(summary)
}

fn verified(
    scene: &LoadedScene,
    error: f64,
    options: &RunOptions,
    lock: &mut FolderLock,
    observer: &mut dyn Observer,
) -> Result<Summary, RunFailure> {
    let folder = &options.folder;
    let contents = folder::contents(folder);
    if contents == Contents::Finished && options.resume {
        return already_verified(scene, error, options, observer);
    }
    may_write(folder, contents, options)?;
    if contents == Contents::Unfinished && options.resume {
        let what = format!("{} holds an unfinished run without a verified error", folder.display());
        return Err(RunFailure::refused(what, &[Remedy::LeaveError]));
    }
    let properties = scene.checked.integrator.properties;
    if let Some(study) = properties.study {
        return Err(RunFailure::input(format!("{} cannot reach any verified error: {study}", properties.name)));
    }
    let simulation = scene.build()?.simulation;
    if let Some(warning) = scene.too_coarse("the error that is asked for", error, simulation.state()) {
        observer.message(&format!("warning: {warning}"));
    }
    let (damped, has_contact) = (simulation.system.depends_on_velocity(), simulation.system.has_contact());
    drop(simulation);
    let order = if damped { properties.order_damped } else { properties.order };
    let accepted = if has_contact { IN_CONTACT.min(f64::from(order)) } else { f64::from(order) };
    claim(folder, contents, lock)?;
    if contents != Contents::Nothing && !options.resume {
        folder::clear(folder).map_err(|error| RunFailure::input(error.to_string()))?;
    }
    let io = |error: RecordError| RunFailure::Failed(error.to_string());
    let place = |k: u32| folder.join(names::TRIES).join(format!("{k:02}"));
    let first = first_control(scene, error);
    let mut verified = Verified {
        asked: error,
        difference: f64::NAN,
        estimate: f64::NAN,
        order: accepted,
        declared_order: order,
        observed_order: None,
        runs: 0,
        steps: 0,
        solves: 0,
        wall_seconds: 0.0,
    };
    let (mut older_steps, mut smallest, mut stuck) = (0, f64::NAN, 0);
    // of the two runs before
    let mut before: Option<Compared> = None;
    let mut older_order: Option<f64> = None;
    for k in 1..=MAX_RUNS {
        let control = within_frames(scene, first.with_steps_of(COARSE * 0.5_f64.powi(k as i32 - 1), properties));
        let tried = scene.with(&assignments(&control))?;
        observer.message(&describe(k, &control));
        let here = RunOptions {
            folder: place(k),
            resume: place(k).exists(),
            force: false,
            keep_positions: true,
            ..options.clone()
        };
        let summary = simulate(&tried, &here, &mut FolderLock::look(&here.folder)?, observer)?;
        verified.runs = k;
        verified.steps += summary.steps;
        verified.solves += summary.solves;
        verified.wall_seconds += summary.wall_seconds;
        let ratio = summary.steps as f64 / older_steps as f64;
        if k > 1 && ratio >= MORE_STEPS {
            let (older, newer) = (place(k - 1).join(names::POSITIONS), place(k).join(names::POSITIONS));
            let difference = largest_difference(&older, &newer).map_err(io)?.map_or(0.0, |d| d.metres);
            let compared = Compared { difference, ratio };
            // no order can be observed where both are the same
            let newest = before.and_then(|before| observed_order(before, compared));
            let proven = older_order.map_or(PROVEN, |older| older.max(PROVEN));
            verified.observed_order = newest;
            verified.order = newest.map_or(f64::INFINITY, |newest| newest.min(proven)).min(accepted);
            older_order = newest;
            let is_known = newest.is_some() || difference == 0.0;
            verified.estimate = if is_known { SAFETY * compared.error(verified.order) } else { f64::NAN };
            let says = if is_known {
                format!("the finer one errs by {} at most, {}", metres(verified.estimate), verified.by_order())
            } else {
                "a third one is to show how fast errors fall".to_owned()
            };
            observer.message(&format!(
                "runs {} and {k} differ by {} at most; {says}{}",
                k - 1,
                metres(difference),
                forecast(verified.difference, difference, error, MAX_RUNS - k, &summary)
            ));
            if difference <= error && verified.estimate <= error {
                verified = Verified { difference, ..verified };
                let fingerprint = format!("{:016x}", scene.fingerprint());
                let summary = Summary { verified: Some(verified), fingerprint, ..summary };
                return keep(folder, &place(k), summary, options.keep_positions).map_err(io);
            }
            before = Some(compared);
            // NaN at first: the first comparison never counts as stuck.
            stuck = if difference > 0.5 * smallest { stuck + 1 } else { 0 };
            if stuck == 0 {
                smallest = difference;
            }
            verified.difference = difference;
            if stuck >= PATIENCE {
                let why = format!(
                    "twice as many steps no longer bring the runs together ({} after {k} runs, {} asked): the \
                     motion is chaotic (sheets that buckle are), or {} does not converge on it; they may agree until an \
                     earlier time; the runs are kept in {}, the last is the finest",
                    metres(difference),
                    metres(error),
                    properties.name,
                    folder.join(names::TRIES).display()
                );
                return Err(RunFailure::Failed(why));
            }
        }
        if k > 1 && ratio < MORE_STEPS {
            (before, older_order) = (None, None);
        }
        older_steps = summary.steps;
    }
    Err(RunFailure::Failed(format!(
        "{MAX_RUNS} runs did not agree within {}; the runs are kept in {}",
        metres(error),
        folder.join(names::TRIES).display()
    )))
}

/// A run and one with more steps.
#[derive(Clone, Copy)]
struct Compared {
    /// The largest between them, m.
    difference: f64,
    /// Steps of the second over steps of the first.
    ratio: f64,
}

impl Compared {
    /// The error of the finer one at an order, m.
    fn error(&self, order: f64) -> f64 {
        self.difference / (self.ratio.powf(order) - 1.0)
    }
}

/// The order p at which errors `C n^-p` of three runs with n steps differ as these do: from `d₁/d₂ = r₂^p (r₁^p - 1)/(r₂^p - 1)`, which grows with p.
/// None if one of the differences is zero.
fn observed_order(older: Compared, newer: Compared) -> Option<f64> {
    if !(older.difference > 0.0 && newer.difference > 0.0) {
        return None;
    }
    let shrinks = |p: f64| newer.ratio.powf(p) * (older.ratio.powf(p) - 1.0) / (newer.ratio.powf(p) - 1.0);
    let (mut low, mut high) = (ORDERS.start, ORDERS.end);
    for _ in 0..60 {
        let p = 0.5 * (low + high);
        *(if shrinks(p) < older.difference / newer.difference { &mut low } else { &mut high }) = p;
    }
    Some(0.5 * (low + high))
}

/// How many runs are still expected if differences keep shrinking at the last rate, and how long they take: each has twice the steps
/// of the one before.
fn forecast(before: f64, now: f64, error: f64, left: u32, last: &Summary) -> String {
    let shrinks = now / before;
    // NaN when there was none before
    if now <= error || shrinks.is_nan() || shrinks > 0.95 {
        return String::new();
    }
    let runs = ((error / now).ln() / shrinks.ln()).ceil().max(1.0);
    if runs > f64::from(left) {
        return "; at this rate it will not get there".into();
    }
    let minutes = last.wall_seconds * 2.0 * (2_f64.powf(runs) - 1.0) / 60.0;
    let long = if minutes < 1.0 { "less than a minute".to_owned() } else { format!("about {minutes:.0} min") };
    format!("; {runs:.0} more at this rate, {long}")
}

/// The first controller: at most one step per frame, and a tolerance of a tenth of the error, because errors of steps add up.
fn first_control(scene: &LoadedScene, error: f64) -> ControlSpec {
    let mut control = scene.checked.control;
    control.tolerance = control.tolerance.min(0.1 * error);
    control.dt = control.dt.or(control.kind.has_given_step().then_some((STEP.value)(&control)));
    within_frames(scene, control)
}

/// No step is longer than a frame.
fn within_frames(scene: &LoadedScene, mut control: ControlSpec) -> ControlSpec {
    let frame = (1.0 / scene.scene.time.fps).min(scene.scene.time.until.si());
    control.bounds.max = control.bounds.max.min(frame);
    control.bounds.min = control.bounds.min.min(control.bounds.max);
    control.dt = control.dt.map(|dt| dt.min(frame));
    control
}

/// A controller as changes of a scene, so that the scene beside the result is the one that ran.
fn assignments(control: &ControlSpec) -> Vec<String> {
    let numbers = PARAMETERS.iter().filter(|parameter| **parameter != &STEP);
    let mut all: Vec<_> = numbers.map(|parameter| (parameter.key, (parameter.value)(control))).collect();
    all.extend([("dt_min", control.bounds.min), ("dt_max", control.bounds.max)]);
    // a first step outside the bounds would be refused
    let dt = control.dt.map(|dt| if control.kind.has_given_step() { dt } else { control.bounds.clamp(dt) });
    all.extend(dt.map(|dt| ("dt", dt)));
    all.into_iter().map(|(key, value)| format!("time.control.{key}={value:?}")).collect()
}

fn describe(k: u32, control: &ControlSpec) -> String {
    let how = (control.kind.parameter.shown)(control);
    format!("run {k} of at most {MAX_RUNS}: {how}")
}

/// A finished result, if its error was verified to be small enough.
fn already_verified(
    scene: &LoadedScene,
    error: f64,
    options: &RunOptions,
    observer: &mut dyn Observer,
) -> Result<Summary, RunFailure> {
    integrity::check_finished(&options.folder)?;
    // a result with another end is one of this scene, but was not verified
    if !lengthen::is_wanted(scene, &options.folder)? {
        let summary = finished(scene, options, observer)?;
        if summary.verified.is_some_and(|verified| verified.asked <= error) {
            return Ok(summary);
        }
    }
    let shown = options.folder.display();
    let what = format!("{shown} holds a finished result that was not verified to {}", metres(error));
    Err(RunFailure::refused(what, &[Remedy::Replace, Remedy::Elsewhere]))
}

/// Moves the better run up into the folder and removes the others.
fn keep(folder: &Path, best: &Path, summary: Summary, keep_positions: bool) -> Result<Summary, RecordError> {
    let positions = keep_positions.then_some(names::POSITIONS);
    for name in folder::frame_names().chain([names::PROBES, names::SCENE, names::CHECKPOINT]).chain(positions) {
        let from = best.join(name);
        if from.exists() {
            std::fs::rename(&from, folder.join(name)).map_err(RecordError::io("move", &from))?;
        }
    }
    let path = folder.join(names::STATS);
    let text = json(&path, &summary)?;
    if let Some(mut files) = manifest::read(best)? {
        files.retain(|written| written.name != names::STATS && (keep_positions || written.name != names::POSITIONS));
        files.push(Checksum::of(&text).named(names::STATS));
        manifest::replace(folder, &files)?;
    }
    write_atomic(&path, |out| out.write_all(&text))?;
    let tries = folder.join(names::TRIES);
    std::fs::remove_dir_all(&tries).map_err(RecordError::io("remove", &tries))?;
    Ok(summary)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders_are_seen() {
        for p in [0.3, 1.0, 1.7, 3.0_f64] {
            // with steps n, 1.4 n, 3 n
            let error = |n: f64| 5.0 * n.powf(-p);
            let older = Compared { difference: error(1.0) - error(1.4), ratio: 1.4 };
            let newer = Compared { difference: error(1.4) - error(3.0), ratio: 3.0 / 1.4 };
            let found = observed_order(older, newer).unwrap();
            assert!((found - p).abs() < 1e-9, "{found} {p}");
            assert!((newer.error(found) / error(3.0) - 1.0).abs() < 1e-8);
        }
        // errors that do not fall say so: what they lead to is far more than the difference
        let stuck = Compared { difference: 1.0, ratio: 2.0 };
        assert!(stuck.error(observed_order(stuck, stuck).unwrap()) > 100.0);
        assert!(observed_order(stuck, Compared { difference: 0.0, ratio: 2.0 }).is_none());
    }
}
