//! What may stand in a scene file. The JSON Schema (`pliant schema`) is made from these types, comments included.

pub mod collider;
pub mod restraint;

use glam::DVec3;
use pliant_time::control::catalog::{CONTROLLERS, LAWS};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use self::collider::{AirTable, ColliderTable, ContactTable, TurnTable};
pub use self::restraint::{RestrainedBody, RestraintCriterion, RestraintTable};
use crate::body::shared_keys::part_table;
pub use crate::body::tables::*;
use crate::body::with_body_kinds;
use crate::probes::Quantity;
use crate::units::{DragRate, Frequency, Length, Time, Vec3Of, dimension};
use crate::validate::either;

/// The version of the format that this program reads.
pub const VERSION: u32 = 1;

/// Makes the scene with a list of tables for each kind of body.
macro_rules! scene {
    ($($(#[$text:meta])* $key:ident: $table:ident,)*) => {
        /// A scene: a world, bodies in it, how time passes, and what is recorded.
        #[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct Scene {
            /// Version of this format: 1.
            pub version: u32,
            /// A short name for people.
            #[serde(default)]
            pub title: String,
            /// What it shows, in a sentence or two.
            #[serde(default)]
            pub description: String,
            /// accurate or preview.
            #[serde(default)]
            pub quality: Quality,
            /// What acts on everything.
            #[serde(default)]
            pub world: World,
            /// How time passes.
            pub time: TimeTable,
            /// How linear systems are solved.
            #[serde(default)]
            pub solver: Solver,
            $(
                $(#[$text])*
                #[serde(default)]
                pub $key: Vec<$table>,
            )*
            /// How breaking limits steps.
            #[serde(default)]
            pub fracture: FractureTable,
            /// Holds still whatever is slow; nothing is if this is left out.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub restraint: Option<RestraintTable>,
            /// Rigid bodies that others meet.
            #[serde(default)]
            pub collider: Vec<ColliderTable>,
            /// How things touch.
            #[serde(default)]
            pub contact: ContactTable,
            /// The air around cloth.
            #[serde(default)]
            pub air: AirTable,
            /// What is written to probes.csv.
            #[serde(default)]
            pub probe: Vec<ProbeTable>,
            /// What else is written.
            #[serde(default)]
            pub output: Output,
            /// How pictures look.
            #[serde(default)]
            pub view: crate::view::ViewTable,
        }
    };
}

with_body_kinds!(scene);

/// What a run is for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Quality {
    /// Steps are chosen from an error.
    #[default]
    Accurate,
    /// For looks: backward Euler with one step per frame (at most 1/30 s) and at most three solves per step. Nothing passes through anything, but
    /// friction and stiffness are not solved for to the end, and motion is damped. `time.integrator`, `time.control.kind`, `time.control.dt`, `solver.accuracy` and
    /// `solver.max_corrections` win where they are given.
    Preview,
}

/// What acts on everything.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct World {
    /// Gravity, m/s²; y is up.
    pub gravity: Vec3Of<dimension::Acceleration>,
    /// Drag against still air, 1/s: f = -drag · m · v.
    pub drag: DragRate,
}

impl Default for World {
    fn default() -> Self {
        Self { gravity: DVec3::new(0.0, -9.81, 0.0).into(), drag: 0.0.into() }
    }
}

/// How time passes.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TimeTable {
    /// End of the run, s.
    pub until: Time,
    /// Recorded frames a second of simulated time; frames hit their times exactly, whatever the step is.
    #[serde(default = "default_fps")]
    pub fps: f64,
    /// Name of the integrator (`pliant bench integrators` lists them); default: bdf2, with a fluid symplectic-euler.
    #[serde(default = "default_integrator")]
    pub integrator: String,
    /// How long the steps are.
    #[serde(default)]
    pub control: Control,
    /// Moves particles after every step until springs and volumes have their size at rest; not at all if left out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub projection: Option<ProjectionTable>,
    /// Stops what touches from approaching after every step; not at all if left out: contact is a force like others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response: Option<ResponseTable>,
}

/// Position-based projection.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectionTable {
    /// Sweeps over all springs and volumes a step, from 1 to 1000.
    pub iterations: u32,
    /// Part of each correction that is made, in (0, 1].
    pub part: f64,
}

impl Default for ProjectionTable {
    fn default() -> Self {
        Self { iterations: 5, part: 1.0 }
    }
}

/// Response to collisions.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ResponseTable {
    /// Whether the forces of the response also act through the next step.
    pub feedback: bool,
}

fn default_fps() -> f64 {
    60.0
}

fn default_integrator() -> String {
    "bdf2".into()
}

/// How long the steps are.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Control {
    /// Name of a controller.
    #[schemars(description = describe_controllers())]
    pub kind: String,
    /// For force-error: the name of a law.
    #[schemars(description = describe_laws())]
    pub law: String,
    /// Error allowed in one step, m (force-error, step-doubling).
    pub tolerance: Length,
    /// Part of the tolerance that force-error aims at, in (0, 1].
    pub alpha: f64,
    /// How far a particle may move in a step, m (speed-limit).
    pub distance: Length,
    /// How much a spring may change its length in a step, m (stretch-limit).
    pub stretch: Length,
    /// Part of the stability limit that is used, in (0, 1] (stable).
    pub safety: f64,
    /// fixed: the step, s (default 1 ms); force-error, step-doubling and stretch-limit: the first step (default: a hundredth of the
    /// fastest radian). speed-limit and stable know theirs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dt: Option<Time>,
    /// Smallest step, s; a run that needs a smaller one gives up.
    pub dt_min: Time,
    /// Largest step, s.
    pub dt_max: Time,
    /// Steps that a run may take: one that would need more at the pace of its last 256 steps stops with exit status 1 and names what keeps them short
    /// (`inf`: any number). Default: ten million, 100,000 per frame, or ten times the given steps, whichever is most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<f64>,
}

fn describe_controllers() -> String {
    let names: Vec<&str> = CONTROLLERS.iter().map(|kind| kind.name).collect();
    format!("{}; default: force-error, with a fluid stable.", either(&names))
}

fn describe_laws() -> String {
    let names: Vec<&str> = LAWS.iter().map(|(name, ..)| *name).collect();
    format!("For force-error: {}.", either(&names))
}

impl Default for Control {
    fn default() -> Self {
        let spec = pliant_time::control::ControlSpec::default();
        Self {
            kind: "force-error".into(),
            law: "combined".into(),
            tolerance: spec.tolerance.into(),
            alpha: spec.alpha,
            distance: spec.distance.into(),
            stretch: spec.stretch.into(),
            safety: spec.safety,
            dt: None,
            dt_min: spec.bounds.min.into(),
            dt_max: spec.bounds.max.into(),
            max_steps: None,
        }
    }
}

/// How linear systems are solved.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Solver {
    /// auto, direct, adaptive, cg, bicgstab, cholesky or lu.
    pub kind: String,
    /// block-jacobi, block-ic, multigrid, strong-cholesky (for cloth), hierarchical (for bodies with `refine`) or none, for cg and bicgstab.
    pub preconditioner: String,
    /// Relative residual at which cg and bicgstab stop; sooner where `accuracy` asks for less.
    pub tolerance: f64,
    /// Converged schemes solve each step until corrections are below this, m. Default: a tenth of the tolerance of force-error and
    /// step-doubling, else as far as rounding allows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<Length>,
    /// Converged schemes make at most this many corrections after their predictor and accept what is left; default: as many as `accuracy` needs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_corrections: Option<usize>,
}

impl Default for Solver {
    fn default() -> Self {
        let spec = pliant_time::catalog::SolverSpec::default();
        let (kind, preconditioner) = (spec.kind, spec.preconditioner);
        Self { kind, preconditioner, tolerance: spec.tolerance, accuracy: None, max_corrections: None }
    }
}

pub(crate) fn zero_velocity() -> Vec3Of<dimension::Velocity> {
    DVec3::ZERO.into()
}

/// How a grid stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Plane {
    /// Columns along x, rows down along -y.
    #[default]
    Vertical,
    /// Columns along x, rows along z.
    Horizontal,
}

pub(crate) fn yes() -> bool {
    true
}

pub(crate) fn zero_length() -> Vec3Of<dimension::Length> {
    DVec3::ZERO.into()
}

/// A corner of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Corner {
    /// First column, first row.
    TopLeft,
    /// Last column, first row.
    TopRight,
    /// First column, last row.
    BottomLeft,
    /// Last column, last row.
    BottomRight,
}

/// A side of a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Side {
    /// First row.
    Top,
    /// Last row.
    Bottom,
    /// First column.
    Left,
    /// Last column.
    Right,
}

part_table! {
    /// Pins some particles: choose them by `particles`, `corners`, `side`, `box` or `attribute`; without a motion they are held in place.
    pub struct PinTable {
        /// Numbers of particles within the body, from 0.
        #[serde(default)]
        pub particles: Vec<usize>,
        /// Corners of a grid.
        #[serde(default)]
        pub corners: Vec<Corner>,
        /// One side of a grid.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub side: Option<Side>,
        /// All particles inside a box, m.
        #[serde(default, rename = "box", skip_serializing_if = "Option::is_none")]
        pub inside: Option<BoxTable>,
        shared oscillate,
        shared keyframes,
        shared turn,
        /// All particles of a mesh whose value of this vertex property is above one half.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pub attribute: Option<String>,
    }
}

/// An axis-aligned box.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxTable {
    /// Lowest corner, m.
    pub min: Vec3Of<dimension::Length>,
    /// Highest corner, m.
    pub max: Vec3Of<dimension::Length>,
}

/// Harmonic motion.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Oscillate {
    /// m
    pub amplitude: Vec3Of<dimension::Length>,
    /// Hz
    pub frequency: Frequency,
}

/// A smooth path.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Keyframes {
    /// Increasing times, s.
    pub times: Vec<Time>,
    /// Displacements at those times, m.
    pub offsets: Vec<Vec3Of<dimension::Length>>,
}

/// A column (or three) of probes.csv.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProbeTable {
    /// Name of the column.
    pub name: String,
    /// Body whose particle is meant; may be left out where there is only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Number of the particle within the body, from 0.
    #[serde(default)]
    pub particle: usize,
    /// What is written.
    pub quantity: Quantity,
}

/// What else is written.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Output {
    /// Formats of frames, by their names in [`pliant_record::formats::FORMATS`].
    #[schemars(description = describe_formats())]
    pub formats: Vec<String>,
    /// Write probes at every accepted step instead of every frame.
    pub every_step: bool,
}

/// The names, and what each format holds.
fn describe_formats() -> String {
    let names: Vec<String> = pliant_record::formats::names().map(|name| format!("\"{name}\"")).collect();
    format!(
        "Formats of frames: {}; several, or none. VTU and PLY hold density (kg/m³) and pressure (Pa) of fluids, damage and number of \
         fragment of what can break; \"surface\" holds closed meshes about fluids and about fragments (PLY, with normals and \
         velocities); \"fragments\" a table of them (CSV: mass, place, velocity). Pictures are drawn from VTU frames, so those are kept \
         too.",
        names.join(", ")
    )
}

impl Default for Output {
    fn default() -> Self {
        Self { formats: vec!["vtu".into()], every_step: false }
    }
}
