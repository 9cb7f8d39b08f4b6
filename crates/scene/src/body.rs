//! Kinds of bodies, each in a folder of its own: the keys of its tables (`schema`), their checks (`check`), and the particles and
//! forces that they become (`assemble`). A new kind is its folder, its `mod` and one row of [`with_body_kinds`]: the row makes the list of the scene,
//! its place in the JSON Schema, and its entry in [`KINDS`], over which everything else loops. Keys that several kinds have are in `shared_keys`.

pub mod cloth;
pub mod fluid;
pub mod pendulum;
pub mod peridynamic;
pub mod rope;
pub(crate) mod shared_keys;
pub mod solid;
pub mod springs;
pub mod suture;

use glam::DVec3;
use pliant_forces::contact::Collider;
use pliant_time::catalog::Entry;

use self::shared_keys::SharedKeys;
use crate::assemble::Parts;
use crate::load::LoadedScene;
use crate::locate::{Document, Located};
use crate::parameters::Declares;
use crate::schema::Scene;
use crate::validate::Complaints;

/// Calls a macro with all kinds: what the JSON Schema says of its list, its key, and the type of its tables.
macro_rules! with_body_kinds {
    ($then:ident) => {
        $then! {
            /// Particles joined by springs.
            springs: SpringsBody,
            /// Pendulums in their angle.
            pendulum: PendulumBody,
            /// Sheets of fabric.
            cloth: ClothBody,
            /// Soft bodies of tetrahedra.
            solid: SolidBody,
            /// Ropes, cables, cords and threads.
            rope: RopeBody,
            /// Threads that are sewn through soft bodies.
            suture: SutureTable,
            /// Water and what flows like it.
            fluid: FluidBody,
            /// Brittle bodies.
            peridynamic: PeridynamicBody,
        }
    };
}
pub(crate) use with_body_kinds;

macro_rules! list {
    ($($(#[$text:meta])* $key:ident: $table:ident,)*) => {
        /// The tables of all kinds.
        pub mod tables {
            $(
                pub use super::$key::schema::{self as $key, *};
            )*
        }

        /// All kinds.
        pub(crate) static KINDS: &[Kind] = &[$(Kind {
            key: stringify!($key),
            properties: &<tables::$table as BodyKind>::PROPERTIES,
            tables: |scene| scene.$key.iter().map(|table| table as &dyn BodyTable).collect(),
            defaults: <tables::$table as BodyKind>::defaults,
            check: <tables::$table as BodyKind>::check,
            assemble: <tables::$table as BodyKind>::assemble,
        }),*];
    };
}

with_body_kinds!(list);

/// Order of assembly: particles and forces are numbered in this order, and later kinds may refer to earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Bodies with surfaces that others have contact with.
    Surfaces,
    /// Kinds that join bodies.
    Joints,
    /// Grains that have contact with surfaces.
    Grains,
    /// Fluids that are bounded by surfaces.
    Fluids,
    /// Kinds without a position in space.
    Coordinates,
}

impl Phase {
    /// In their order.
    pub(crate) const ALL: [Phase; 5] = [Self::Surfaces, Self::Joints, Self::Grains, Self::Fluids, Self::Coordinates];
}

/// Properties that a kind declares.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Properties {
    /// Its singular, for messages.
    pub noun: &'static str,
    /// When it is assembled.
    pub phase: Phase,
    /// Whether it resists changes of length, which `stretch-limit` bounds.
    pub has_lengths: bool,
    /// Whether the coordinates of its particles are positions, m.
    pub in_space: bool,
    /// Whether `[air]` acts on it.
    pub feels_air: bool,
    /// Whether `separate = true` moves overlapping ones apart before the start.
    pub separates: bool,
    /// Whether the format "surface" includes it.
    pub has_surface: bool,
    /// Whether it breaks, so that the format "fragments" includes it.
    pub breaks: bool,
    /// Under restraint: default decay time of momenta, s.
    pub damping_time: f64,
    /// Under restraint: default part of a body that must be at rest before it is restrained.
    pub rest_fraction: f64,
}

impl Properties {
    /// Properties of most kinds.
    pub(crate) const fn usual(noun: &'static str) -> Self {
        Self {
            noun,
            phase: Phase::Surfaces,
            has_lengths: true,
            in_space: true,
            feels_air: false,
            separates: false,
            has_surface: false,
            breaks: false,
            damping_time: DAMPING_TIME,
            rest_fraction: REST_FRACTION,
        }
    }
}

/// Decay time, s: no body is ever exactly in balance, and a restrained particle that keeps gathering momentum is released repeatedly.
const DAMPING_TIME: f64 = 0.1;
/// Part of a body that must be at rest before it is restrained: moving particles pull all of a stiff sheet along, so that little is gained before.
const REST_FRACTION: f64 = 0.9;

/// One table of a kind.
pub(crate) trait BodyTable: Declares + SharedKeys {
    /// Keys that name mesh files, and the files.
    fn mesh_files(&self) -> Vec<(&'static str, &str)> {
        Vec::new()
    }

    /// Corners of a container that is drawn about it.
    fn container(&self) -> Option<[DVec3; 2]> {
        None
    }
}

/// A kind of body, by the type of its tables. It adds only particles, forces and errors: the rest of the engine knows no kinds.
pub(crate) trait BodyKind: BodyTable + Sized {
    /// The properties that it declares.
    const PROPERTIES: Properties;

    /// Sets its defaults where the scene gives no value.
    fn defaults(_scene: &mut Scene, _document: &Document) {}

    /// Checks all tables of this kind.
    fn check(scene: &Scene, integrator: Option<&Entry>, c: &mut Complaints);

    /// Adds the particles and forces of all tables of this kind.
    fn assemble(loaded: &LoadedScene, colliders: &[Collider], parts: &mut Parts) -> Result<(), Located>;
}

/// A kind of the list.
pub(crate) struct Kind {
    /// Its key in a scene.
    pub key: &'static str,
    /// The properties that it declares.
    pub properties: &'static Properties,
    tables: for<'a> fn(&'a Scene) -> Vec<&'a dyn BodyTable>,
    /// [`BodyKind::defaults`].
    pub defaults: fn(&mut Scene, &Document),
    /// [`BodyKind::check`].
    pub check: fn(&Scene, Option<&Entry>, &mut Complaints),
    /// [`BodyKind::assemble`].
    pub assemble: fn(&LoadedScene, &[Collider], &mut Parts) -> Result<(), Located>,
}

/// A table with its kind.
pub(crate) struct Found<'a> {
    /// Its kind.
    pub kind: &'static Kind,
    /// Its path: `cloth[0]`.
    pub path: String,
    /// Its contents.
    pub table: &'a dyn BodyTable,
}

/// All tables of all kinds.
pub(crate) fn tables_of(scene: &Scene) -> impl Iterator<Item = Found<'_>> {
    KINDS.iter().flat_map(move |kind| {
        let tables = (kind.tables)(scene).into_iter().enumerate();
        tables.map(move |(k, table)| Found { kind, path: format!("{}[{k}]", kind.key), table })
    })
}

/// All bodies: tables with a name.
pub(crate) fn bodies(scene: &Scene) -> impl Iterator<Item = (Found<'_>, &str)> {
    tables_of(scene).filter_map(|found| found.table.name().map(|name| (found, name)))
}

/// Whether a document has a key, such as `time.control.kind`.
pub(crate) fn says(document: &Document, path: &str) -> bool {
    path.split('.').try_fold(document.value(), |value, key| value.get(key)).is_some()
}
