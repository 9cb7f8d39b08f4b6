//! A tetrahedron of a solid: any [`Measure`] with the damping of [`super::damping`].

use std::marker::PhantomData;

use glam::{DMat3, DVec3};
use pliant_core::{Element, Elements, JacobianKind, Rates};

use super::damping;
use super::material::{Lame, SolidMaterial, Viscosity};
use super::measure::Measure;
use super::tetrahedron::{RestTetrahedron, TetraBlock, TetraForce, edge_stretch, row_rates};

/// One tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidTetrahedron<M> {
    nodes: [u32; 4],
    rest: RestTetrahedron,
    lame: Lame,
    viscosity: Viscosity,
    measure: PhantomData<M>,
}

/// All tetrahedra of a solid.
pub type SolidElements<M> = Elements<SolidTetrahedron<M>, 4>;

impl<M: Measure> SolidTetrahedron<M> {
    /// A tetrahedron of a material; `None` where [`SolidMaterial::is_possible`] says no.
    pub fn new(nodes: [u32; 4], rest: RestTetrahedron, material: &SolidMaterial) -> Option<Self> {
        let SolidMaterial { lame, viscosity } = *material;
        material.is_possible().then_some(Self { nodes, rest, lame, viscosity, measure: PhantomData })
    }

    /// Its rest shape.
    pub fn rest(&self) -> &RestTetrahedron {
        &self.rest
    }
}

impl<M: Measure> Element<4> for SolidTetrahedron<M> {
    type Force = TetraForce;
    type Block = TetraBlock;

    const NAME: &'static str = M::NAME;
    const INTERNAL: bool = M::TURNS_NOTHING;
    const CONSERVATIVE: bool = M::CONSERVATIVE;

    fn nodes(&self) -> [u32; 4] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 4]) -> f64 {
        M::energy_density(self.lame, &self.rest, &self.rest.gradient(x)) * self.rest.volume
    }

    fn viscous_power(&self, x: [DVec3; 4], v: [DVec3; 4]) -> f64 {
        damping::power_density(self.viscosity, &self.rest.gradient(x), &self.rest.gradient(v)) * self.rest.volume
    }

    #[inline]
    fn force(&self, x: [DVec3; 4], v: [DVec3; 4]) -> TetraForce {
        let f = self.rest.gradient(x);
        let mut stress = M::stress(self.lame, &self.rest, &f);
        if self.is_damped() {
            stress += damping::stress(self.viscosity, &f, &self.rest.gradient(v));
        }
        self.rest.forces(&stress)
    }

    #[inline]
    fn force_on(force: &TetraForce, a: usize) -> DVec3 {
        force.on(a)
    }

    fn jacobian(&self, x: [DVec3; 4], v: [DVec3; 4], kind: JacobianKind) -> (TetraBlock, TetraBlock) {
        let f = self.rest.gradient(x);
        let elastic = match kind {
            JacobianKind::Exact => M::exact_blocks(self.lame, &self.rest, &f),
            JacobianKind::Symmetric => M::symmetric_blocks(self.lame, &self.rest, &f),
            JacobianKind::Psd => M::psd_blocks(self.lame, &self.rest, &f),
        };
        if !self.is_damped() {
            return (elastic, TetraBlock::default());
        }
        let damping = damping::velocity_blocks(self.viscosity, &self.rest, &f);
        let viscous = || damping::position_blocks(self.viscosity, &self.rest, &f, &self.rest.gradient(v));
        let stiffness = match kind {
            JacobianKind::Exact => elastic.plus(&viscous()),
            JacobianKind::Symmetric => elastic.plus(&viscous().symmetric()),
            JacobianKind::Psd => elastic,
        };
        (stiffness, damping)
    }

    #[inline]
    fn block(blocks: &TetraBlock, a: usize, b: usize) -> DMat3 {
        blocks.at(a, b)
    }

    #[inline]
    fn row(blocks: &TetraBlock, a: usize) -> [DMat3; 4] {
        blocks.row(a)
    }

    fn rates(&self, x: [DVec3; 4], v: [DVec3; 4]) -> Rates {
        let rates = self.row_rates(x, v, [true; 4]);
        let largest = |of: fn(&Rates) -> f64| rates.iter().map(of).fold(0.0, f64::max) / 4.0;
        Rates { stiffness: largest(|r| r.stiffness), damping: largest(|r| r.damping) }
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
        M::SYMMETRIC && !self.is_damped()
    }
}
