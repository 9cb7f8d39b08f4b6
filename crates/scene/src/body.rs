//! Kinds of bodies, each in a folder of its own: what stands in its tables (`schema`), what can be wrong with them (`check`), and the particles and
//! forces that they become (`assemble`). A new kind is its folder, its `mod` and one row of [`with_body_kinds`]: the row makes the list of the scene,
//! its place in the JSON Schema, and its entry in [`KINDS`], over which everything else loops.

pub mod cloth;
pub mod fluid;
pub mod pendulum;
pub mod peridynamic;
pub mod rope;
pub mod solid;
pub mod springs;
pub mod suture;

use glam::DVec3;
use pliant_forces::contact::Collider;
use pliant_time::catalog::Entry;

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

/// When a kind is assembled: particles and forces are numbered in this order, and what comes later may refer to what came before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// Bodies by themselves, with surfaces that others touch.
    Surfaces,
    /// What joins bodies.
    Joints,
    /// Grains that touch surfaces.
    Grains,
    /// Fluids that are bounded by surfaces.
    Fluids,
    /// What has no place in space.
    Coordinates,
}

impl Phase {
    /// In their order.
    pub(crate) const ALL: [Phase; 5] = [Self::Surfaces, Self::Joints, Self::Grains, Self::Fluids, Self::Coordinates];
}

/// What a kind declares of itself.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Properties {
    /// One of it, in messages.
    pub noun: &'static str,
    /// When it is assembled.
    pub phase: Phase,
    /// Whether it resists changes of length, which `stretch-limit` goes by.
    pub has_lengths: bool,
    /// Whether the coordinates of its particles are places, m.
    pub in_space: bool,
    /// Whether `[air]` acts on it.
    pub feels_air: bool,
    /// Whether `separate = true` moves overlapping ones apart before the start.
    pub separates: bool,
    /// Whether the format "surface" has a surface of it.
    pub has_surface: bool,
    /// Whether it breaks, so that the format "fragments" has fragments of it.
    pub breaks: bool,
    /// Under restraint: fading of momenta where none is given, s.
    pub fading: f64,
    /// Under restraint: the part that stands still before a body is restrained, where none is given.
    pub share: f64,
}

impl Properties {
    /// Those of most kinds.
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
            fading: USUAL_FADING,
            share: USUAL_SHARE,
        }
    }
}

/// Fading, s: nothing is ever quite in balance, and what goes on gathering momentum comes back to life again and again.
const USUAL_FADING: f64 = 0.1;
/// Of a body, the part that stands still before it is restrained: what moves pulls all of a stiff sheet along, so that little is gained before.
const USUAL_SHARE: f64 = 0.9;

/// One table of a kind.
pub(crate) trait BodyTable: Declares {
    /// The name of the body; `None` for what only joins bodies.
    fn name(&self) -> Option<&str>;

    /// Keys that name mesh files, and the files.
    fn mesh_files(&self) -> Vec<(&'static str, &str)> {
        Vec::new()
    }

    /// Corners of a container that is drawn about it.
    fn container(&self) -> Option<[DVec3; 2]> {
        None
    }
}

/// A kind of body, by the type of its tables. Only particles, forces and complaints come of it: the rest of the engine knows no kinds.
pub(crate) trait BodyKind: BodyTable + Sized {
    /// What it declares of itself.
    const PROPERTIES: Properties;

    /// Chooses what suits it where the scene says nothing.
    fn defaults(_scene: &mut Scene, _document: &Document) {}

    /// Finds what is wrong with all tables of this kind.
    fn check(scene: &Scene, integrator: Option<&Entry>, c: &mut Complaints);

    /// Adds the particles and forces of all tables of this kind.
    fn assemble(loaded: &LoadedScene, colliders: &[Collider], parts: &mut Parts) -> Result<(), Located>;
}

/// A kind of the list.
pub(crate) struct Kind {
    /// Its key in a scene.
    pub key: &'static str,
    /// What it declares of itself.
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
    /// Where it stands: `cloth[0]`.
    pub path: String,
    /// What stands there.
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
