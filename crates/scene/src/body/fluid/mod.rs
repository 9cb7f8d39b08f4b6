//! `[[fluid]]`: water and other fluids.

mod assemble;
mod check;
pub mod schema;

use glam::DVec3;
use pliant_forces::contact::Collider;
use pliant_time::catalog::Entry;

use self::schema::FluidBody;
use super::{BodyKind, BodyTable, Phase, Properties, says};
use crate::assemble::Parts;
use crate::load::LoadedScene;
use crate::locate::{Document, Located};
use crate::parameters::{Declaration, Declares};
use crate::schema::Scene;
use crate::validate::Complaints;

/// Decay time, s: pressures fluctuate, so that momenta without decay release all particles repeatedly.
const DAMPING_TIME: f64 = 0.02;
/// Part of a body that must be at rest before it is restrained: a moving particle affects the neighbours of its neighbours, so that nothing is gained
/// before, and restrained particles lag behind.
const REST_FRACTION: f64 = 0.5;

impl BodyKind for FluidBody {
    const PROPERTIES: Properties = Properties {
        phase: Phase::Fluids,
        has_lengths: false,
        has_surface: true,
        damping_time: DAMPING_TIME,
        rest_fraction: REST_FRACTION,
        ..Properties::usual("a fluid")
    };

    /// Implicit schemes do not support fluids, for which sound limits the step anyway: other schemes are the default.
    fn defaults(scene: &mut Scene, document: &Document) {
        if scene.fluid.is_empty() {
            return;
        }
        if !says(document, "time.integrator") {
            scene.time.integrator = "symplectic-euler".into();
        }
        if !says(document, "time.control.kind") {
            scene.time.control.kind = "stable".into();
        }
        // Sheets are so light that bulk viscosity against them would shorten steps by a factor of ten.
        if !scene.cloth.is_empty() {
            for fluid in scene.fluid.iter_mut() {
                fluid.bulk_viscosity.get_or_insert(0.0);
            }
        }
    }

    fn check(scene: &Scene, integrator: Option<&Entry>, c: &mut Complaints) {
        check::check(scene, integrator, c);
    }

    fn assemble(loaded: &LoadedScene, colliders: &[Collider], parts: &mut Parts) -> Result<(), Located> {
        assemble::add_all(loaded, colliders, parts)
    }
}

impl BodyTable for FluidBody {
    fn container(&self) -> Option<[DVec3; 2]> {
        let inside = &self.container.as_ref()?.inside;
        Some([inside.min.to_dvec3(), inside.max.to_dvec3()])
    }
}

impl Declares for FluidBody {
    fn declare(&self, to: &mut Declaration) {
        to.part("artificial_viscosity", "artificial viscosity", self.artificial_viscosity);
        to.quantity("viscosity", "kinematic viscosity", self.viscosity, 1e-3);
    }
}
