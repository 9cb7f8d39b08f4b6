//! A tetrahedron with Cauchy's strain in a frame that it is given. Damping is that of [`super::super::damping`] with R for F, so that it is
//! constant as well; a stretched body that turns is braked a little.

use glam::{DMat3, DVec3};
use pliant_core::{Element, JacobianKind, Rates};

use super::Turned;
use crate::cloth::algebra::symmetric_part;
use crate::solid::cauchy::{hooke, quadratic_energy, turned_blocks};
use crate::solid::damping;
use crate::solid::material::{Lame, SolidMaterial, Viscosity};
use crate::solid::tetrahedron::{RestTetrahedron, TetraBlock, TetraForce, edge_stretch, rates, row_rates};

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

    #[inline]
    fn block(blocks: &TetraBlock, a: usize, b: usize) -> DMat3 {
        blocks.at(a, b)
    }

    #[inline]
    fn add_row(blocks: &TetraBlock, a: usize, places: [usize; 4], values: &mut [DMat3]) {
        blocks.add_row(a, places, values);
    }

    fn rates(&self, x: [DVec3; 4], v: [DVec3; 4]) -> Rates {
        rates(self.row_rates(x, v, [true; 4]))
    }

    fn row_rates(&self, x: [DVec3; 4], v: [DVec3; 4], free: [bool; 4]) -> [Rates; 4] {
        row_rates(&self.jacobian(x, v, JacobianKind::Psd), free)
    }

    fn stretch(&self, from: [DVec3; 4], to: [DVec3; 4]) -> Option<f64> {
        Some(edge_stretch(from, to))
    }

    fn is_damped(&self) -> bool {
        !self.viscosity.is_zero()
    }

    fn is_symmetric(&self) -> bool {
        true
    }

    fn is_linear(&self) -> bool {
        true
    }
}
