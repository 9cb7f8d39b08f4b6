//! `[[pendulum]]`: pendulums in their angle.

mod assemble;
mod check;
pub mod schema;

use pliant_forces::contact::Collider;
use pliant_time::catalog::Entry;

use self::schema::PendulumBody;
use super::{BodyKind, BodyTable, Phase, Properties};
use crate::assemble::Parts;
use crate::load::LoadedScene;
use crate::locate::Located;
use crate::parameters::{Declaration, Declares};
use crate::schema::Scene;
use crate::validate::Complaints;

impl BodyKind for PendulumBody {
    const PROPERTIES: Properties = Properties {
        phase: Phase::Coordinates,
        has_lengths: false,
        in_space: false,
        ..Properties::usual("a pendulum")
    };

    fn check(scene: &Scene, _integrator: Option<&Entry>, c: &mut Complaints) {
        check::check(scene, c);
    }

    fn assemble(loaded: &LoadedScene, _colliders: &[Collider], parts: &mut Parts) -> Result<(), Located> {
        assemble::add_all(&loaded.scene, parts);
        Ok(())
    }
}

impl BodyTable for PendulumBody {}

impl Declares for PendulumBody {
    fn declare(&self, to: &mut Declaration) {
        to.quantity("length", "length", self.length, 1.0);
    }
}
