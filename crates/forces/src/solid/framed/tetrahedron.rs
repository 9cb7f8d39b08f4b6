//! A tetrahedron with Cauchy's strain in a frame that it is given. Damping is that of [`super::super::damping`] with R for F, so that it is
//! constant as well; a stretched body that turns is braked a little.

use glam::{DMat3, DVec3};
use pliant_core::{Element, JacobianKind, Rates};

use super::Turned;
use crate::cloth::algebra::symmetric_part;
use crate::solid::cauchy::{hooke, quadratic_energy, turned_blocks};
use crate::solid::damping;
use crate::solid::material::{Lame, SolidMaterial, Viscosity};
use crate::solid::tetrahedron::{
    RestTetrahedron, TetraBlock, TetraForce, edge_stretch, rates, row_rates, tetrahedron_methods,
};

/// One tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FramedTetrahedron {
    nodes: [u32; 4],
    rest: RestTetrahedron,
    lame: Lame,
    viscosity: Viscosity,
    rotation: DMat3,
}

impl FramedTetrahedron {
    /// Not turned yet.
    pub fn new(nodes: [u32; 4], rest: RestTetrahedron, material: &SolidMaterial) -> Self {
        let SolidMaterial { lame, viscosity } = *material;
        Self { nodes, rest, lame, viscosity, rotation: DMat3::IDENTITY }
    }

    /// `∂f/∂x` in its own frame.
    pub fn own_blocks(&self) -> TetraBlock {
        turned_blocks(self.lame, &self.rest, &DMat3::IDENTITY)
    }

    fn strain(&self, x: [DVec3; 4]) -> DMat3 {
        symmetric_part(self.rotation.transpose() * self.rest.gradient(x)) - DMat3::IDENTITY
    }
}

impl Turned for FramedTetrahedron {
    fn turn(&mut self, rotation: DMat3) {
        self.rotation = rotation;
    }
}

impl Element<4> for FramedTetrahedron {
    type Force = TetraForce;
    type Block = TetraBlock;

    const NAME: &'static str = "framed-solid";
    const INTERNAL: bool = false;

    fn nodes(&self) -> [u32; 4] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 4]) -> f64 {
        quadratic_energy(self.lame, &self.strain(x)) * self.rest.volume
    }

    fn viscous_power(&self, _x: [DVec3; 4], v: [DVec3; 4]) -> f64 {
        damping::power_density(self.viscosity, &self.rotation, &self.rest.gradient(v)) * self.rest.volume
    }

    #[inline]
    fn force(&self, x: [DVec3; 4], v: [DVec3; 4]) -> TetraForce {
        let mut stress = self.rotation * hooke(self.lame, &self.strain(x));
        if self.is_damped() {
            stress += damping::stress(self.viscosity, &self.rotation, &self.rest.gradient(v));
        }
        self.rest.forces(&stress)
    }

    #[inline]
    fn force_on(force: &TetraForce, a: usize) -> DVec3 {
        force.on(a)
    }

    fn jacobian(&self, _x: [DVec3; 4], _v: [DVec3; 4], _kind: JacobianKind) -> (TetraBlock, TetraBlock) {
        let stiffness = turned_blocks(self.lame, &self.rest, &self.rotation);
        if !self.is_damped() {
            return (stiffness, TetraBlock::default());
        }
        (stiffness, damping::velocity_blocks(self.viscosity, &self.rest, &self.rotation))
    }

    tetrahedron_methods!();

    fn is_symmetric(&self) -> bool {
        true
    }

    fn is_linear(&self) -> bool {
        true
    }
}
