//! `[[rope]]`: ropes, cables, cords and threads.

mod assemble;
mod check;
mod curve;
pub mod schema;

use pliant_forces::contact::Collider;
use pliant_time::catalog::Entry;

use self::schema::RopeBody;
use super::{BodyKind, BodyTable, Properties};
use crate::assemble::Parts;
use crate::load::LoadedScene;
use crate::locate::Located;
use crate::parameters::{Declaration, Declares};
use crate::schema::Scene;
use crate::validate::Complaints;

impl BodyKind for RopeBody {
    const PROPERTIES: Properties = Properties { separates: true, ..Properties::usual("a rope") };

    fn check(scene: &Scene, _integrator: Option<&Entry>, c: &mut Complaints) {
        check::check(scene, c);
    }

    fn assemble(loaded: &LoadedScene, _colliders: &[Collider], parts: &mut Parts) -> Result<(), Located> {
        assemble::add_all(loaded, parts)
    }
}

impl BodyTable for RopeBody {
    fn mesh_files(&self) -> Vec<(&'static str, &str)> {
        self.file.iter().map(|file| ("file", file.as_str())).collect()
    }
}

impl Declares for RopeBody {
    fn declare(&self, to: &mut Declaration) {
        if let Some(stretch) = self.stretch_stiffness {
            to.quantity("stretch_stiffness", "stretch stiffness", stretch, 1e3);
        }
        if let Some(bend) = self.bend_stiffness {
            to.quantity("bend_stiffness", "bend stiffness", bend, 1e-3);
        }
        if let Some(twist) = self.twist_stiffness {
            to.quantity("twist_stiffness", "twist stiffness", twist, 1e-3);
        }
        if let Some(young) = self.youngs_modulus {
            to.quantity("youngs_modulus", "Young's modulus", young, 1e7);
        }
        to.quantity("damping", "damping", self.damping, 1e-3);
        to.part("friction", "friction", self.friction);
    }
}
