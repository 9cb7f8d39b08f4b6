//! `[[peridynamic]]` and `[fracture]`: brittle bodies.

mod assemble;
mod check;
pub mod schema;

use pliant_forces::contact::Collider;
use pliant_time::catalog::Entry;

use self::assemble::usual_tolerance;
use self::schema::{BrittleLaw, PeridynamicBody};
use super::{BodyKind, BodyTable, Phase, Properties, says};
use crate::assemble::Parts;
use crate::load::LoadedScene;
use crate::locate::{Document, Located};
use crate::parameters::{Declaration, Declares};
use crate::schema::Scene;
use crate::validate::Complaints;

impl BodyKind for PeridynamicBody {
    const PROPERTIES: Properties =
        Properties { phase: Phase::Grains, has_surface: true, breaks: true, ..Properties::usual("a brittle body") };

    /// Brittle bodies crack at strains far below the usual tolerance, and ring long after; their bonds make matrices that are too dense to
    /// be factored: this sets suitable defaults.
    fn defaults(scene: &mut Scene, document: &Document) {
        if scene.peridynamic.is_empty() || !scene.fluid.is_empty() {
            return;
        }
        let has_states = scene.peridynamic.iter().any(|body| body.law == BrittleLaw::StateBased);
        if !says(document, "time.integrator") {
            scene.time.integrator = if has_states { "velocity-verlet" } else { "newmark" }.into();
        }
        if has_states && !says(document, "time.control.kind") {
            scene.time.control.kind = "stable".into();
        }
        if let Some(tolerance) = usual_tolerance(scene).filter(|_| !says(document, "time.control.tolerance")) {
            scene.time.control.tolerance = tolerance.into();
        }
        if !says(document, "solver.kind") {
            scene.solver.kind = "cg".into();
        }
    }

    fn check(scene: &Scene, integrator: Option<&Entry>, c: &mut Complaints) {
        check::check(scene, integrator, c);
    }

    fn assemble(loaded: &LoadedScene, colliders: &[Collider], parts: &mut Parts) -> Result<(), Located> {
        assemble::add_all(loaded, colliders, parts)
    }
}

impl BodyTable for PeridynamicBody {
    fn mesh_files(&self) -> Vec<(&'static str, &str)> {
        let file = self.surface.as_ref().and_then(|surface| surface.file.as_deref());
        file.map(|file| ("surface.file", file)).into_iter().collect()
    }
}

impl Declares for PeridynamicBody {
    fn declare(&self, to: &mut Declaration) {
        to.part("friction", "friction", self.friction);
        to.part("toughening", "toughening", self.toughening);
    }
}
