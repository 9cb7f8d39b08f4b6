//! `[[suture]]`: a thread that is sewn through soft bodies. It has no particles of its own.

mod assemble;
mod check;
pub mod schema;

use pliant_forces::contact::Collider;
use pliant_time::catalog::Entry;

use self::schema::SutureTable;
use super::shared_keys::SharedKeys;
use super::{BodyKind, BodyTable, Phase, Properties};
use crate::assemble::Parts;
use crate::load::LoadedScene;
use crate::locate::Located;
use crate::parameters::{Declaration, Declares};
use crate::schema::Scene;
use crate::validate::Complaints;

impl BodyKind for SutureTable {
    const PROPERTIES: Properties =
        Properties { phase: Phase::Joints, has_lengths: false, ..Properties::usual("a suture") };

    fn check(scene: &Scene, _integrator: Option<&Entry>, c: &mut Complaints) {
        check::check(scene, c);
    }

    fn assemble(loaded: &LoadedScene, _colliders: &[Collider], parts: &mut Parts) -> Result<(), Located> {
        assemble::add_all(loaded, parts)
    }
}

impl BodyTable for SutureTable {}

impl SharedKeys for SutureTable {}

impl Declares for SutureTable {
    fn declare(&self, _to: &mut Declaration) {}
}
