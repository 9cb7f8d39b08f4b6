//! `[[springs]]`: particles joined by springs.

mod assemble;
mod check;
pub mod schema;

use pliant_forces::contact::Collider;
use pliant_time::catalog::Entry;

use self::schema::{SpringLaw, SpringsBody};
use super::{BodyKind, BodyTable, Properties};
use crate::assemble::Parts;
use crate::load::LoadedScene;
use crate::locate::Located;
use crate::parameters::{Declaration, Declares};
use crate::schema::Scene;
use crate::validate::Complaints;

impl BodyKind for SpringsBody {
    const PROPERTIES: Properties = Properties::usual("springs");

    fn check(scene: &Scene, _integrator: Option<&Entry>, c: &mut Complaints) {
        for (k, body) in scene.springs.iter().enumerate() {
            check::check(body, &format!("springs[{k}]"), c);
        }
    }

    fn assemble(loaded: &LoadedScene, _colliders: &[Collider], parts: &mut Parts) -> Result<(), Located> {
        let mut bodies = loaded.scene.springs.iter().enumerate();
        bodies.try_for_each(|(k, body)| assemble::add(body, &format!("springs[{k}]"), &loaded.document, parts))
    }
}

impl BodyTable for SpringsBody {}

impl Declares for SpringsBody {
    fn declare(&self, to: &mut Declaration) {
        to.quantity("stiffness", "stiffness", self.stiffness, 100.0);
        if self.grid.is_some() && self.law == SpringLaw::Linear {
            to.quantity("shear_stiffness", "shear stiffness", self.shear_stiffness.unwrap_or(self.stiffness), 100.0);
            to.quantity("bend_stiffness", "bend stiffness", self.bend_stiffness.unwrap_or(self.stiffness), 100.0);
        }
        to.quantity("damping", "damping", self.damping, 0.1);
        match (self.mass, self.total_mass) {
            (Some(mass), _) => to.quantity("mass", "mass of a particle", mass, 1.0),
            (_, Some(mass)) => to.quantity("total_mass", "mass", mass, 1.0),
            _ => {}
        }
    }
}
