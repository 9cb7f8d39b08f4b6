//! Checks without assembly. Each error names its key; all are reported at once.

pub(crate) mod collider;
mod restraint;

use pliant_linalg::catalog::{PRECONDITIONERS, SOLVERS};
use pliant_record::formats::{self, Content};
use pliant_scalar::shown::seconds;
use pliant_time::catalog::{Entry, INTEGRATORS, SolverSpec};
use pliant_time::control::catalog::{self as controllers, CONTROLLERS, LAWS};
use pliant_time::control::{ControlSpec, Law, StepBounds};
use pliant_time::{PostStepSpec, Projection, Response};

pub(crate) use self::restraint::Given;
use crate::body::{KINDS, Kind, bodies, tables_of};
use crate::extensions::Extensions;
use crate::locate::{Document, Located};
use crate::schema::{Keyframes, Oscillate, PinTable, Quality, Scene, TurnTable, VERSION};
use crate::suggest::nearest;
use crate::units::{Dimension, Quantity, Vec3Of, dimension};

/// Resolved names, and numbers in SI units.
#[derive(Clone)]
pub struct Checked {
    /// The integrator.
    pub integrator: &'static Entry,
    /// The controller.
    pub control: ControlSpec,
    /// The solver.
    pub solver: SolverSpec,
    /// The corrections after the integration of a step.
    pub post_step: PostStepSpec,
}

impl std::fmt::Debug for Checked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} under {:?}", self.integrator.properties.name, self.control)
    }
}

/// Largest number of particles of one body, and of steps: more are a typing error.
pub(crate) const MAX_PARTICLES: usize = 2_000_000;

/// Largest number of frames.
const MAX_FRAMES: f64 = 1e7;
const MAX_STEPS: f64 = 1e13;
/// Sweeps of position-based projection in one step.
const MAX_SWEEPS: u32 = 1000;

/// Valid angles of view, rad: about 1 to 170 degrees.
const FOV: [f64; 2] = [0.017, 2.97];

/// The errors so far.
pub(crate) struct Complaints<'a> {
    pub document: &'a Document,
    pub found: Vec<Located>,
}

impl Complaints<'_> {
    pub fn add(&mut self, path: &str, message: impl Into<String>) {
        self.found.push(self.document.at(path, message));
    }

    /// Errors of several keys together.
    pub fn add_pair(&mut self, paths: &[&str], message: impl Into<String>) {
        self.found.push(self.document.at_one_of(paths, message));
    }

    pub fn positive(&mut self, path: &str, value: f64) {
        if !(value.is_finite() && value > 0.0) {
            self.add(path, format!("must be positive and finite, got {value}"));
        }
    }

    pub fn not_negative(&mut self, path: &str, value: f64) {
        if !(value.is_finite() && value >= 0.0) {
            self.add(path, format!("must be zero or positive, and finite, got {value}"));
        }
    }

    pub fn part(&mut self, path: &str, value: f64) {
        if !(value > 0.0 && value <= 1.0) {
            self.add(path, format!("must be above 0 and at most 1, got {value}"));
        }
    }

    pub fn finite<D: Dimension>(&mut self, path: &str, vector: &Vec3Of<D>) {
        if !vector.to_dvec3().is_finite() {
            self.add(path, format!("must be three finite numbers, got {}", vector.to_dvec3()));
        }
    }

    pub fn option<D: Dimension>(&mut self, path: &str, value: Option<Quantity<D>>, check: fn(&mut Self, &str, f64)) {
        if let Some(value) = value {
            check(self, path, value.si());
        }
    }

    /// A mesh of a file, or of points and elements that the scene holds.
    pub fn mesh<const N: usize>(
        &mut self,
        path: &str,
        (file, kinds): (Option<&str>, &str),
        points: &[Vec3Of<dimension::Length>],
        (key, elements): (&str, &[[u32; N]]),
    ) {
        match (file, points.is_empty(), elements.is_empty()) {
            (Some(""), true, true) => self.add(&format!("{path}.file"), format!("needs the name of {kinds}")),
            (Some(_), true, true) | (None, false, false) => {}
            (Some(_), ..) => self.add(path, format!("give either `file`, or `points` and `{key}`")),
            (None, ..) => self.add(path, format!("give `file` ({kinds}), or `points` and `{key}`")),
        }
        for (k, point) in points.iter().enumerate().filter(|(_, point)| !point.to_dvec3().is_finite()).take(1) {
            self.finite(&format!("{path}.points[{k}]"), point);
        }
        let outside = |corners: &[u32; N]| corners.iter().any(|corner| *corner as usize >= points.len());
        if let Some(k) = elements.iter().position(outside) {
            let message = format!("has a corner that is no point: there are points 0 to {}", points.len().max(1) - 1);
            self.add(&format!("{path}.{key}[{k}]"), message);
        }
    }

    pub fn unknown<'b>(&mut self, path: &str, what: &str, name: &str, known: impl Iterator<Item = &'b str> + Clone) {
        let all = known.clone().collect::<Vec<_>>().join(", ");
        let hint = match nearest(name, known) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("there are: {all}"),
        };
        self.add(path, format!("no {what} is called \"{name}\"; {hint}"));
    }
}

/// Checks a scene; returns all errors, or the resolved names.
pub fn validate(scene: &Scene, document: &Document, extensions: &Extensions) -> Result<Checked, Vec<Located>> {
    let mut c = Complaints { document, found: Vec::new() };
    if scene.version != VERSION {
        c.add("version", format!("this program reads version {VERSION}, got {}", scene.version));
    }
    if scene.quality == Quality::Preview && !scene.fluid.is_empty() {
        c.add("quality", "preview is for implicit steps, and fluids take explicit ones: leave it out");
    }
    c.finite("world.gravity", &scene.world.gravity);
    c.not_negative("world.drag", scene.world.drag.si());
    c.positive("time.until", scene.time.until.si());
    c.positive("time.fps", scene.time.fps);
    let frames = scene.time.fps * scene.time.until.si();
    if frames > MAX_FRAMES {
        c.add_pair(
            &["time.fps", "time.until"],
            format!("{frames:.1e} frames are more than the {MAX_FRAMES:.0e} that can be recorded"),
        );
    }
    let control = check_control(scene, &mut c);
    let solver = check_solver(scene, &mut c);
    let integrator = extensions.find(&scene.time.integrator);
    let post_step = check_post_step(scene, integrator, &mut c);
    match (integrator, &control) {
        (None, _) => {
            let names = INTEGRATORS.iter().map(|entry| entry.properties.name);
            c.unknown("time.integrator", "integrator", &scene.time.integrator, names);
        }
        (Some(entry), Some(control)) => {
            if let Err(why) = control.works_with(entry.properties) {
                c.add_pair(&["time.control.kind", "time.control.law", "time.integrator"], why.to_string());
            }
        }
        _ => {}
    }
    check_bodies(scene, integrator, control, &mut c);
    restraint::check(scene, integrator, &mut c);
    check_output(scene, &mut c);
    check_view(scene, &mut c);
    match (integrator, control, c.found.is_empty()) {
        (Some(integrator), Some(control), true) => Ok(Checked { integrator, control, solver, post_step }),
        _ => Err(c.found),
    }
}

fn check_post_step(scene: &Scene, integrator: Option<&Entry>, c: &mut Complaints) -> PostStepSpec {
    let projection = scene.time.projection.as_ref().map(|table| {
        if !(1..=MAX_SWEEPS).contains(&table.iterations) {
            let message = format!("must be from 1 to {MAX_SWEEPS}, got {}", table.iterations);
            c.add("time.projection.iterations", message);
        }
        c.part("time.projection.part", table.part);
        Projection { iterations: table.iterations, part: table.part }
    });
    let response = scene.time.response.as_ref().map(|table| Response { feedback: table.feedback });
    let post_step = PostStepSpec { projection, response };
    if let Some(Err(why)) = integrator.map(|entry| post_step.works_with(entry.properties)) {
        c.add_pair(&["time.integrator", "time.projection", "time.response"], why.to_string());
    }
    post_step
}

fn check_control(scene: &Scene, c: &mut Complaints) -> Option<ControlSpec> {
    let table = &scene.time.control;
    let kind = controllers::find(&table.kind);
    if kind.is_none() {
        c.unknown("time.control.kind", "controller", &table.kind, CONTROLLERS.iter().map(|entry| entry.name));
    }
    let law = LAWS.iter().find(|(name, ..)| *name == table.law).map(|(_, law, _)| *law);
    if law.is_none() {
        c.unknown("time.control.law", "law", &table.law, LAWS.iter().map(|(name, ..)| *name));
    }
    c.positive("time.control.tolerance", table.tolerance.si());
    c.part("time.control.alpha", table.alpha);
    c.positive("time.control.distance", table.distance.si());
    c.positive("time.control.stretch", table.stretch.si());
    c.part("time.control.safety", table.safety);
    c.option("time.control.dt", table.dt, Complaints::positive);
    c.positive("time.control.dt_min", table.dt_min.si());
    c.positive("time.control.dt_max", table.dt_max.si());
    if let Some(steps) = table.max_steps.filter(|steps| steps.is_nan() || *steps < 1.0) {
        c.add("time.control.max_steps", format!("must be at least 1, got {steps}"));
    }
    if table.dt_min.si() > table.dt_max.si() {
        let message = format!("{} is more than dt_max = {}", seconds(table.dt_min.si()), seconds(table.dt_max.si()));
        c.add_pair(&["time.control.dt_min", "time.control.dt_max"], message);
    }
    let dt = table.dt.map(|dt| dt.si());
    let has_given_step = kind.is_some_and(|kind| kind.has_given_step());
    if !has_given_step && dt.is_some_and(|dt| dt < table.dt_min.si() || dt > table.dt_max.si()) {
        let bounds = format!("{} to dt_max = {}", seconds(table.dt_min.si()), seconds(table.dt_max.si()));
        let paths = ["time.control.dt", "time.control.dt_min", "time.control.dt_max", "time.control.kind"];
        c.add_pair(&paths, format!("the first step must lie in dt_min = {bounds}"));
    }
    let steps = scene.time.until.si() / dt.unwrap_or(1e-3);
    if has_given_step && steps > MAX_STEPS {
        c.add_pair(
            &["time.control.dt", "time.until", "time.control.kind"],
            format!("{steps:.1e} steps are more than the {MAX_STEPS:.0e} that can ever be taken"),
        );
    }
    let bounds = StepBounds { min: table.dt_min.si(), max: table.dt_max.si() };
    Some(ControlSpec {
        kind: kind?,
        law: law.unwrap_or(Law::Combined),
        tolerance: table.tolerance.si(),
        alpha: table.alpha,
        distance: table.distance.si(),
        stretch: table.stretch.si(),
        safety: table.safety,
        dt,
        bounds,
    })
}

fn check_solver(scene: &Scene, c: &mut Complaints) -> SolverSpec {
    let table = &scene.solver;
    let kinds = ["auto", "direct"].into_iter().chain(SOLVERS.iter().map(|entry| entry.name));
    if !kinds.clone().any(|name| name == table.kind) {
        c.unknown("solver.kind", "solver", &table.kind, kinds);
    }
    let preconditioners = PRECONDITIONERS.iter().map(|entry| entry.name);
    if !preconditioners.clone().any(|name| name == table.preconditioner) {
        c.unknown("solver.preconditioner", "preconditioner", &table.preconditioner, preconditioners);
    }
    if !(table.tolerance > 0.0 && table.tolerance < 1.0) {
        c.add("solver.tolerance", format!("must be above 0 and below 1, got {}", table.tolerance));
    }
    let accuracy = table.accuracy.map(|accuracy| accuracy.si());
    if let Some(accuracy) = accuracy {
        c.positive("solver.accuracy", accuracy);
    }
    if table.max_corrections == Some(0) {
        c.add("solver.max_corrections", "must be at least 1; linearized-backward-euler makes none");
    }
    let (kind, preconditioner) = (table.kind.clone(), table.preconditioner.clone());
    SolverSpec { kind, preconditioner, tolerance: table.tolerance, accuracy, max_corrections: table.max_corrections }
}

fn check_bodies(scene: &Scene, integrator: Option<&Entry>, control: Option<ControlSpec>, c: &mut Complaints) {
    let names: Vec<(String, &str)> =
        bodies(scene).map(|(found, name)| (format!("{}.name", found.path), name)).collect();
    if names.is_empty() {
        let cloth = c.document.header("cloth");
        c.add("", format!("the scene is empty: add a body, for example {cloth}"));
    }
    for (k, (path, name)) in names.iter().enumerate() {
        if name.is_empty() {
            c.add(path, "a body needs a name");
        } else if names[..k].iter().any(|(_, earlier)| earlier == name) {
            c.add(path, format!("two bodies are called \"{name}\""));
        }
    }
    tables_of(scene).for_each(|found| found.table.check_shared(&found.path, c));
    KINDS.iter().for_each(|kind| (kind.check)(scene, integrator, c));
    collider::check(scene, c);
    let has_lengths = bodies(scene).any(|(found, _)| found.kind.properties.has_lengths);
    if let Some(spec) = control.filter(|spec| spec.kind.needs_lengths && !has_lengths) {
        let known = KINDS.iter().filter(|kind| kind.properties.has_lengths).map(|kind| kind.properties.noun);
        let known = either(&known.collect::<Vec<_>>());
        c.add("time.control.kind", format!("{} needs {known}: nothing in this scene has a length", spec.kind.name));
    }
}

/// `a, b or c`.
pub(crate) fn either(all: &[&str]) -> String {
    match all {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

pub(crate) fn check_pin(pin: &PinTable, has_corners: bool, count: Option<usize>, path: &str, c: &mut Complaints) {
    if let Some(out) = pin.particles.iter().find(|i| count.is_some_and(|count| **i >= count)) {
        let last = count.unwrap_or(0).max(1) - 1;
        c.add(&format!("{path}.particles"), format!("there is no particle {out}; they are numbered 0 to {last}"));
    }
    if !has_corners && (!pin.corners.is_empty() || pin.side.is_some()) {
        c.add(path, "only a grid has corners and sides; use `particles` or `box`");
    }
    let given = [!pin.particles.is_empty(), !pin.corners.is_empty(), pin.side.is_some(), pin.inside.is_some()];
    if !given.contains(&true) && pin.attribute.is_none() {
        c.add(path, "pins nothing: give `particles`, `corners`, `side`, `box` or `attribute`");
    }
    if let Some(inside) = &pin.inside {
        c.finite(&format!("{path}.box.min"), &inside.min);
        c.finite(&format!("{path}.box.max"), &inside.max);
    }
    check_motion(pin.oscillate.as_ref(), pin.keyframes.as_ref(), pin.turn.as_ref(), path, c);
}

pub(crate) fn check_motion(
    oscillate: Option<&Oscillate>,
    keyframes: Option<&Keyframes>,
    turn: Option<&TurnTable>,
    path: &str,
    c: &mut Complaints,
) {
    if let Some(motion) = oscillate {
        collider::check_oscillation(motion, &format!("{path}.oscillate"), c);
    }
    if oscillate.is_some() && keyframes.is_some() {
        c.add(path, "give either `oscillate` or `keyframes`, not both");
    }
    if let Some(frames) = keyframes {
        check_keyframes(frames, &format!("{path}.keyframes"), c);
    }
    if let Some(turn) = turn {
        collider::check_turn(turn, &format!("{path}.turn"), c);
    }
}

fn check_keyframes(frames: &Keyframes, path: &str, c: &mut Complaints) {
    if frames.times.len() != frames.offsets.len() || frames.times.is_empty() {
        let (times, offsets) = (frames.times.len(), frames.offsets.len());
        c.add(path, format!("needs as many offsets as times, at least one; got {times} times and {offsets} offsets"));
    }
    let ordered = frames.times.windows(2).all(|pair| pair[0].si() < pair[1].si());
    if !ordered || frames.times.iter().any(|time| !time.si().is_finite()) {
        c.add(&format!("{path}.times"), "must be finite and increasing");
    }
    for (k, offset) in frames.offsets.iter().enumerate() {
        c.finite(&format!("{path}.offsets[{k}]"), offset);
    }
}

fn check_output(scene: &Scene, c: &mut Complaints) {
    for (k, format) in scene.output.formats.iter().enumerate() {
        let path = format!("output.formats[{k}]");
        let known = formats::find(format);
        if known.is_none() {
            c.unknown(&path, "format", format, formats::names());
        }
        if let Some(content) = known.and_then(|format| format.needs) {
            check_content(scene, content, format, &path, c);
        }
        if scene.output.formats[..k].contains(format) {
            c.add(&path, format!("\"{format}\" is asked for twice"));
        }
    }
    for (k, probe) in scene.probe.iter().enumerate() {
        if probe.name.is_empty() || probe.name == "time" || probe.name.contains(['\n', '\r']) {
            c.add(&format!("probe[{k}].name"), "a probe needs a name of one line other than \"time\"");
        }
        if scene.probe[..k].iter().any(|earlier| earlier.name == probe.name) {
            c.add(&format!("probe[{k}].name"), format!("two probes are called \"{}\"", probe.name));
        }
    }
}

/// A format that only some kinds of bodies support.
fn check_content(scene: &Scene, content: Content, format: &str, path: &str, c: &mut Complaints) {
    let has = |kind: &Kind| match content {
        Content::Surfaces => kind.properties.has_surface,
        Content::Fragments => kind.properties.breaks,
    };
    if bodies(scene).any(|(found, _)| has(found.kind)) {
        return;
    }
    let headers: Vec<String> = KINDS.iter().filter(|kind| has(kind)).map(|kind| c.document.header(kind.key)).collect();
    let message = match content {
        Content::Surfaces => {
            let none = headers.join(" and no ");
            format!("\"{format}\" holds the surfaces of fluids and of fragments, but there is no {none}")
        }
        Content::Fragments => format!("\"{format}\" go with {}: nothing else breaks", headers.join(" and ")),
    };
    c.add(path, message);
}

fn check_view(scene: &Scene, c: &mut Complaints) {
    let view = &scene.view;
    for (path, place) in [("view.camera", &view.camera), ("view.target", &view.target)] {
        if let Some(place) = place {
            c.finite(path, place);
        }
    }
    if let Some(fov) = view.fov.map(|fov| fov.si()).filter(|fov| !(*fov >= FOV[0] && *fov <= FOV[1])) {
        c.add("view.fov", format!("must lie between {} and {} rad (1 and 170 deg), got {fov}", FOV[0], FOV[1]));
    }
    c.option("view.still", view.still, Complaints::not_negative);
    let together = view.camera.zip(view.target).is_some_and(|(a, b)| a.to_dvec3() == b.to_dvec3());
    if together {
        c.add("view.camera", "the camera cannot stand at the very point that it looks at");
    }
    if view.show.as_ref().is_some_and(Vec::is_empty) {
        c.add("view.show", "nothing would be shown: name one of surface, springs, particles, ground, or leave it out");
    }
}
