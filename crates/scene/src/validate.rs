//! Everything that can be found wrong without building anything. Each complaint names its key; all are reported at once.

mod cloth;
mod fluid;
mod peridynamic;
mod restraint;
mod rope;
mod solid;
mod suture;

use pliant_core::shown::seconds;
use pliant_linalg::catalog::{PRECONDITIONERS, SOLVERS};
use pliant_time::catalog::{Entry, INTEGRATORS, SolverSpec};
use pliant_time::control::catalog::{CONTROLLERS, LAWS};
use pliant_time::control::{ControlKind, ControlSpec, Law, StepBounds};
use pliant_time::{Projection, Response, StageSpec};

pub(crate) use self::fluid::fastest as fastest_flow;
pub(crate) use self::restraint::Given;
use crate::extensions::Extensions;
use crate::locate::{Document, Located};
use crate::schema::{Keyframes, Oscillate, PinTable, Scene, SpringLaw, SpringsBody, TurnTable, VERSION};
use crate::suggest::nearest;
use crate::units::{Dimension, Quantity, Vec3Of, dimension};

/// Names looked up and numbers turned to SI.
#[derive(Clone)]
pub struct Checked {
    /// The integrator.
    pub integrator: &'static Entry,
    /// The controller.
    pub control: ControlSpec,
    /// The solver.
    pub solver: SolverSpec,
    /// What follows the integration in a step.
    pub stages: StageSpec,
}

impl std::fmt::Debug for Checked {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} under {:?}", self.integrator.properties.name, self.control)
    }
}

/// More particles than this in one body are surely a slip of the pen; so are more steps.
pub(crate) const MOST_PARTICLES: usize = 2_000_000;

/// Nor would anyone look at more frames than this.
const MOST_FRAMES: f64 = 1e7;
const MOST_STEPS: f64 = 1e13;
/// Sweeps of position-based projection in one step.
const MOST_SWEEPS: u32 = 1000;

/// Formats that are drawn from recorded frames when a run is over.
pub const PICTURES: [&str; 2] = ["png", "gif"];

/// Angles of view that still make a picture, rad: about 1 to 170 degrees.
const FOV: [f64; 2] = [0.017, 2.97];

struct Complaints<'a> {
    document: &'a Document,
    found: Vec<Located>,
}

impl Complaints<'_> {
    fn add(&mut self, path: &str, message: impl Into<String>) {
        self.found.push(self.document.at(path, message));
    }

    /// What is wrong with several keys together.
    fn add_pair(&mut self, paths: &[&str], message: impl Into<String>) {
        self.found.push(self.document.at_one_of(paths, message));
    }

    fn positive(&mut self, path: &str, value: f64) {
        if !(value.is_finite() && value > 0.0) {
            self.add(path, format!("must be positive and finite, got {value}"));
        }
    }

    fn not_negative(&mut self, path: &str, value: f64) {
        if !(value.is_finite() && value >= 0.0) {
            self.add(path, format!("must be zero or positive, and finite, got {value}"));
        }
    }

    fn part(&mut self, path: &str, value: f64) {
        if !(value > 0.0 && value <= 1.0) {
            self.add(path, format!("must be above 0 and at most 1, got {value}"));
        }
    }

    fn finite<D: Dimension>(&mut self, path: &str, vector: &Vec3Of<D>) {
        if !vector.to_dvec3().is_finite() {
            self.add(path, format!("must be three finite numbers, got {}", vector.to_dvec3()));
        }
    }

    fn option<D: Dimension>(&mut self, path: &str, value: Option<Quantity<D>>, check: fn(&mut Self, &str, f64)) {
        if let Some(value) = value {
            check(self, path, value.si());
        }
    }

    /// A mesh of a file, or of points and elements that the scene holds.
    fn mesh<const N: usize>(
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

    fn unknown<'b>(&mut self, path: &str, what: &str, name: &str, known: impl Iterator<Item = &'b str> + Clone) {
        let all = known.clone().collect::<Vec<_>>().join(", ");
        let hint = match nearest(name, known) {
            Some(near) => format!("did you mean \"{near}\"?"),
            None => format!("there are: {all}"),
        };
        self.add(path, format!("no {what} is called \"{name}\"; {hint}"));
    }
}

/// Checks a scene; all complaints, or the names looked up.
pub fn validate(scene: &Scene, document: &Document, extensions: &Extensions) -> Result<Checked, Vec<Located>> {
    let mut c = Complaints { document, found: Vec::new() };
    if scene.version != VERSION {
        c.add("version", format!("this program reads version {VERSION}, got {}", scene.version));
    }
    c.finite("world.gravity", &scene.world.gravity);
    c.not_negative("world.drag", scene.world.drag.si());
    c.positive("time.until", scene.time.until.si());
    c.positive("time.fps", scene.time.fps);
    let frames = scene.time.fps * scene.time.until.si();
    if frames > MOST_FRAMES {
        c.add_pair(
            &["time.fps", "time.until"],
            format!("{frames:.1e} frames are more than the {MOST_FRAMES:.0e} that can be recorded"),
        );
    }
    let control = check_control(scene, &mut c);
    let solver = check_solver(scene, &mut c);
    let integrator = extensions.find(&scene.time.integrator);
    let stages = check_stages(scene, integrator, &mut c);
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
    check_bodies(scene, control, &mut c);
    fluid::check(scene, integrator, &mut c);
    peridynamic::check(scene, integrator, &mut c);
    restraint::check(scene, integrator, &mut c);
    check_output(scene, &mut c);
    check_view(scene, &mut c);
    match (integrator, control, c.found.is_empty()) {
        (Some(integrator), Some(control), true) => Ok(Checked { integrator, control, solver, stages }),
        _ => Err(c.found),
    }
}

fn check_stages(scene: &Scene, integrator: Option<&Entry>, c: &mut Complaints) -> StageSpec {
    let projection = scene.time.projection.as_ref().map(|table| {
        if !(1..=MOST_SWEEPS).contains(&table.iterations) {
            let message = format!("must be from 1 to {MOST_SWEEPS}, got {}", table.iterations);
            c.add("time.projection.iterations", message);
        }
        c.part("time.projection.part", table.part);
        Projection { iterations: table.iterations, part: table.part }
    });
    let response = scene.time.response.as_ref().map(|table| Response { feedback: table.feedback });
    let stages = StageSpec { projection, response };
    if let Some(Err(why)) = integrator.map(|entry| stages.works_with(entry.properties)) {
        c.add_pair(&["time.integrator", "time.projection", "time.response"], why.to_string());
    }
    stages
}

fn check_control(scene: &Scene, c: &mut Complaints) -> Option<ControlSpec> {
    let table = &scene.time.control;
    let kind = CONTROLLERS.iter().find(|(name, ..)| *name == table.kind).map(|(_, kind, _)| *kind);
    if kind.is_none() {
        c.unknown("time.control.kind", "controller", &table.kind, CONTROLLERS.iter().map(|(name, ..)| *name));
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
    if table.dt_min.si() > table.dt_max.si() {
        let message = format!("{} is more than dt_max = {}", seconds(table.dt_min.si()), seconds(table.dt_max.si()));
        c.add_pair(&["time.control.dt_min", "time.control.dt_max"], message);
    }
    let dt = table.dt.map(|dt| dt.si());
    if kind != Some(ControlKind::Fixed) && dt.is_some_and(|dt| dt < table.dt_min.si() || dt > table.dt_max.si()) {
        let bounds = format!("{} to dt_max = {}", seconds(table.dt_min.si()), seconds(table.dt_max.si()));
        let paths = ["time.control.dt", "time.control.dt_min", "time.control.dt_max", "time.control.kind"];
        c.add_pair(&paths, format!("the first step must lie in dt_min = {bounds}"));
    }
    let steps = scene.time.until.si() / dt.unwrap_or(1e-3);
    if kind == Some(ControlKind::Fixed) && steps > MOST_STEPS {
        c.add_pair(
            &["time.control.dt", "time.until", "time.control.kind"],
            format!("{steps:.1e} steps are more than the {MOST_STEPS:.0e} that can ever be taken"),
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
    let (kind, preconditioner) = (table.kind.clone(), table.preconditioner.clone());
    SolverSpec { kind, preconditioner, tolerance: table.tolerance, accuracy }
}

fn check_bodies(scene: &Scene, control: Option<ControlSpec>, c: &mut Complaints) {
    let elastic = !scene.springs.is_empty() || !scene.cloth.is_empty() || !scene.solid.is_empty();
    let elastic = elastic || !scene.rope.is_empty() || !scene.peridynamic.is_empty();
    if !elastic && scene.pendulum.is_empty() && scene.fluid.is_empty() {
        let cloth = c.document.header("cloth");
        c.add("", format!("the scene is empty: add a body, for example {cloth}"));
    }
    let names: Vec<(String, &str)> = (scene.springs.iter().enumerate())
        .map(|(k, body)| (format!("springs[{k}].name"), body.name.as_str()))
        .chain(scene.pendulum.iter().enumerate().map(|(k, body)| (format!("pendulum[{k}].name"), body.name.as_str())))
        .chain(scene.cloth.iter().enumerate().map(|(k, body)| (format!("cloth[{k}].name"), body.name.as_str())))
        .chain(scene.solid.iter().enumerate().map(|(k, body)| (format!("solid[{k}].name"), body.name.as_str())))
        .chain(scene.rope.iter().enumerate().map(|(k, body)| (format!("rope[{k}].name"), body.name.as_str())))
        .chain(scene.fluid.iter().enumerate().map(|(k, body)| (format!("fluid[{k}].name"), body.name.as_str())))
        .chain((0..).zip(&scene.peridynamic).map(|(k, body)| (format!("peridynamic[{k}].name"), body.name.as_str())))
        .collect();
    for (k, (path, name)) in names.iter().enumerate() {
        if name.is_empty() {
            c.add(path, "a body needs a name");
        } else if names[..k].iter().any(|(_, earlier)| earlier == name) {
            c.add(path, format!("two bodies are called \"{name}\""));
        }
    }
    for (k, body) in scene.springs.iter().enumerate() {
        check_springs(body, &format!("springs[{k}]"), c);
    }
    cloth::check(scene, c);
    solid::check(scene, c);
    rope::check(scene, c);
    suture::check(scene, c);
    for (k, body) in scene.pendulum.iter().enumerate() {
        let path = format!("pendulum[{k}]");
        c.positive(&format!("{path}.length"), body.length.si());
        c.positive(&format!("{path}.mass"), body.mass.si());
        for (key, value) in [("angle", body.angle.si()), ("angular_velocity", body.angular_velocity.si())] {
            if !value.is_finite() {
                c.add(&format!("{path}.{key}"), format!("must be finite, got {value}"));
            }
        }
        if scene.world.gravity.to_dvec3().length() == 0.0 {
            c.add(&path, "a pendulum needs gravity, but world.gravity is zero");
        }
    }
    if control.is_some_and(|spec| spec.kind == ControlKind::StretchLimit) && !elastic {
        c.add(
            "time.control.kind",
            "stretch-limit needs springs, cloth, a solid, a rope or a brittle body: nothing in this scene has a length",
        );
    }
}

fn check_springs(body: &SpringsBody, path: &str, c: &mut Complaints) {
    let key = |name: &str| format!("{path}.{name}");
    let shapes = [body.points.is_some(), body.grid.is_some(), body.chain.is_some()].iter().filter(|s| **s).count();
    if shapes != 1 {
        c.add(path, format!("give exactly one of `points`, `grid` and `chain`; here are {shapes}"));
    }
    match (body.mass, body.total_mass) {
        (Some(mass), None) => c.positive(&key("mass"), mass.si()),
        (None, Some(mass)) => c.positive(&key("total_mass"), mass.si()),
        (None, None) => c.add(path, "give `mass` (of each particle) or `total_mass`"),
        (Some(_), Some(_)) => c.add(&key("total_mass"), "give either `mass` or `total_mass`, not both"),
    }
    c.not_negative(&key("stiffness"), body.stiffness.si());
    c.option(&key("shear_stiffness"), body.shear_stiffness, Complaints::not_negative);
    c.option(&key("bend_stiffness"), body.bend_stiffness, Complaints::not_negative);
    c.not_negative(&key("damping"), body.damping.si());
    c.option(&key("rest_length"), body.rest_length, Complaints::not_negative);
    c.finite(&key("velocity"), &body.velocity);
    if body.law == SpringLaw::Cubic {
        match &body.anchor {
            None => c.add(path, "cubic springs need an `anchor`, such as anchor = [0, 0, 0]"),
            Some(anchor) => c.finite(&key("anchor"), anchor),
        }
        if body.edges.is_some() || body.rest_length.is_some() {
            c.add(path, "cubic springs tie each particle to the anchor: `edges` and `rest_length` mean nothing here");
        }
    } else if body.anchor.is_some() {
        c.add(&key("anchor"), "only law = \"cubic\" has an anchor");
    }
    let mut count = None;
    if let Some(points) = &body.points {
        count = Some(points.len());
        if points.is_empty() {
            c.add(&key("points"), "there must be at least one point");
        }
        for (k, point) in points.iter().enumerate() {
            c.finite(&format!("{path}.points[{k}]"), point);
        }
        for (k, edge) in body.edges.iter().flatten().enumerate() {
            let place = format!("{path}.edges[{k}]");
            if let Some(out) = edge.iter().find(|i| **i >= points.len()) {
                c.add(&place, format!("there is no point {out}; points are numbered 0 to {}", points.len().max(1) - 1));
            } else if edge[0] == edge[1] {
                c.add(&place, "a spring needs two different points");
            }
        }
    } else if body.edges.is_some() {
        c.add(&key("edges"), "`edges` go with `points`; a grid or chain has its own");
    }
    if let Some(grid) = &body.grid {
        count = grid.columns.checked_mul(grid.rows);
        if grid.columns < 2 || grid.rows < 2 {
            c.add(&key("grid"), format!("needs at least 2 columns and 2 rows, got {} x {}", grid.columns, grid.rows));
        }
        c.positive(&format!("{path}.grid.width"), grid.width.si());
        c.positive(&format!("{path}.grid.height"), grid.height.si());
        c.finite(&format!("{path}.grid.origin"), &grid.origin);
    }
    if let Some(chain) = &body.chain {
        count = Some(chain.count);
        if chain.count < 2 {
            c.add(&format!("{path}.chain.count"), format!("a chain needs at least 2 particles, got {}", chain.count));
        }
        c.finite(&format!("{path}.chain.from"), &chain.from);
        c.finite(&format!("{path}.chain.to"), &chain.to);
    }
    if shapes == 1 && count.is_none_or(|count| count > MOST_PARTICLES) {
        let paths = ["grid.columns", "grid.rows", "chain.count"].map(key);
        let paths = [path, &paths[0], &paths[1], &paths[2]];
        c.add_pair(&paths, format!("at most {MOST_PARTICLES} particles are allowed"));
    }
    for (k, pin) in body.pins.iter().enumerate() {
        check_pin(pin, body.grid.is_some(), Some(count.unwrap_or(0)), &format!("{path}.pins[{k}]"), c);
    }
}

fn check_pin(pin: &PinTable, has_corners: bool, count: Option<usize>, path: &str, c: &mut Complaints) {
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

fn check_motion(
    oscillate: Option<&Oscillate>,
    keyframes: Option<&Keyframes>,
    turn: Option<&TurnTable>,
    path: &str,
    c: &mut Complaints,
) {
    if let Some(motion) = oscillate {
        cloth::check_oscillation(motion, &format!("{path}.oscillate"), c);
    }
    if oscillate.is_some() && keyframes.is_some() {
        c.add(path, "give either `oscillate` or `keyframes`, not both");
    }
    if let Some(frames) = keyframes {
        check_keyframes(frames, &format!("{path}.keyframes"), c);
    }
    if let Some(turn) = turn {
        cloth::check_turn(turn, &format!("{path}.turn"), c);
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
        let known = || pliant_record::formats::names().chain(PICTURES);
        if !known().any(|name| name == format) {
            c.unknown(&format!("output.formats[{k}]"), "format", format, known());
        }
        if format == "surface" && scene.fluid.is_empty() && scene.peridynamic.is_empty() {
            let [fluid, brittle] = ["fluid", "peridynamic"].map(|key| c.document.header(key));
            let what = "\"surface\" holds the surfaces of fluids and of fragments";
            c.add(&format!("output.formats[{k}]"), format!("{what}, but there is no {fluid} and no {brittle}"));
        }
        if format == "fragments" && scene.peridynamic.is_empty() {
            let brittle = c.document.header("peridynamic");
            c.add(&format!("output.formats[{k}]"), format!("\"fragments\" go with {brittle}: nothing else breaks"));
        }
        if scene.output.formats[..k].contains(format) {
            c.add(&format!("output.formats[{k}]"), format!("\"{format}\" is asked for twice"));
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
