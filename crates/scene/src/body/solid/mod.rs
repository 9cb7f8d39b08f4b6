//! `[[solid]]`: soft bodies of tetrahedra.

mod assemble;
mod check;
pub mod schema;

use pliant_forces::contact::Collider;
use pliant_time::catalog::Entry;

use self::schema::SolidBody;
use super::{BodyKind, BodyTable, Properties};
use crate::assemble::Parts;
use crate::load::LoadedScene;
use crate::locate::Located;
use crate::parameters::{Declaration, Declares};
use crate::schema::Scene;
use crate::validate::Complaints;

impl BodyKind for SolidBody {
    const PROPERTIES: Properties = Properties::usual("a solid");

    fn check(scene: &Scene, _integrator: Option<&Entry>, c: &mut Complaints) {
        check::check(scene, c);
    }

    fn assemble(loaded: &LoadedScene, _colliders: &[Collider], parts: &mut Parts) -> Result<(), Located> {
        let mut bodies = loaded.scene.solid.iter().enumerate();
        bodies.try_for_each(|(k, body)| assemble::add(loaded, body, &format!("solid[{k}]"), parts))
    }
}

impl BodyTable for SolidBody {
    fn mesh_files(&self) -> Vec<(&'static str, &str)> {
        let mesh = self.mesh.as_ref().and_then(|mesh| mesh.file.as_deref()).map(|file| ("mesh.file", file));
        let surface = self.surface.as_ref().and_then(|surface| surface.file.as_deref());
        mesh.into_iter().chain(surface.map(|file| ("surface.file", file))).collect()
    }
}

impl Declares for SolidBody {
    fn declare(&self, to: &mut Declaration) {
        if let Some(young) = self.youngs_modulus {
            to.quantity("youngs_modulus", "Young's modulus", young, 1e4);
        }
        to.quantity("damping", "damping", self.damping, 1e-3);
        to.part("friction", "friction", self.friction);
    }
}
