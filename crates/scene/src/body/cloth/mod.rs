//! `[[cloth]]`: sheets of fabric.

mod assemble;
mod check;
pub mod schema;

use pliant_forces::contact::Collider;
use pliant_time::catalog::Entry;

use self::schema::ClothBody;
use super::{BodyKind, BodyTable, Properties};
use crate::assemble::Parts;
use crate::load::LoadedScene;
use crate::locate::Located;
use crate::parameters::{Declaration, Declares};
use crate::schema::Scene;
use crate::validate::Complaints;

impl BodyKind for ClothBody {
    const PROPERTIES: Properties = Properties { feels_air: true, ..Properties::usual("cloth") };

    fn check(scene: &Scene, _integrator: Option<&Entry>, c: &mut Complaints) {
        check::check(scene, c);
    }

    fn assemble(loaded: &LoadedScene, _colliders: &[Collider], parts: &mut Parts) -> Result<(), Located> {
        let mut bodies = loaded.scene.cloth.iter().enumerate();
        bodies.try_for_each(|(k, body)| assemble::add(loaded, body, &format!("cloth[{k}]"), parts))
    }
}

impl BodyTable for ClothBody {
    fn mesh_files(&self) -> Vec<(&'static str, &str)> {
        let file = self.mesh.as_ref().and_then(|mesh| mesh.file.as_deref());
        file.map(|file| ("mesh.file", file)).into_iter().collect()
    }
}

impl Declares for ClothBody {
    fn declare(&self, to: &mut Declaration) {
        to.quantity("damping", "damping", self.damping, 1e-3);
        to.part("friction", "friction", self.friction);
        if let Some(gas) = &self.inflate {
            to.quantity("inflate.pressure", "pressure inside", gas.pressure, 300.0);
        }
    }
}
