//! Linear elasticity in frames that stand still during a step: `e = sym(RᵀF) - I` with R as it was when the step began.
//!
//! Between two updates the force is linear in the positions, with a constant matrix: one solve a step, whatever the scheme. The price is
//! paid at the updates. The energy jumps there, angular momentum is only nearly kept, and a step that turns elements by more than some ten
//! degrees is a bad one. R is the polar rotation of the element's own deformation gradient or of that of a *coarse ancestor* whose corners
//! are particles too: then whole families turn together, and refinement adds detail without adding frames, as in section 7.3 of the paper on
//! corotational elements [Corotational].
//!
//! Damping is that of [`super::damping`] with R for F, so that it is constant as well; a stretched body that turns is braked a little.

use glam::{DMat3, DVec3};
use pliant_core::element::gather;
use pliant_core::{Element, Elements, ForceModel, JacobianKind, Rates};

use super::cauchy::{hooke, quadratic_energy, turned_blocks};
use super::damping;
use super::material::{Lame, SolidMaterial, Viscosity};
use super::model::{SolidError, rest_of};
use super::polar;
use super::tetrahedron::{RestTetrahedron, TetraBlock, TetraForce, edge_stretch, rates, row_rates};
use crate::cloth::algebra::symmetric_part;

/// A tetrahedron whose corners tell the rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Frame {
    nodes: [u32; 4],
    rest: RestTetrahedron,
}

/// One tetrahedron.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FramedTetrahedron {
    nodes: [u32; 4],
    rest: RestTetrahedron,
    lame: Lame,
    viscosity: Viscosity,
    frame: Frame,
    /// R of the last update.
    rotation: DMat3,
}

/// A solid whose frames are those of `coarse` tetrahedra: that of number `k` belongs to the elements `k n .. (k + 1) n`, where n is how
/// many elements there are for each. For frames of their own give the same tetrahedra twice.
pub fn framed(
    tetrahedra: &[[u32; 4]],
    coarse: &[[u32; 4]],
    rest: &[DVec3],
    material: &SolidMaterial,
) -> Result<Box<dyn ForceModel>, SolidError> {
    let family = tetrahedra.len() / coarse.len().max(1);
    if family == 0 || family * coarse.len() != tetrahedra.len() {
        return Err(SolidError::Families { elements: tetrahedra.len(), coarse: coarse.len() });
    }
    if !material.is_possible() {
        return Err(SolidError::BadMaterial);
    }
    let SolidMaterial { lame, viscosity } = *material;
    let element = |(t, nodes): (usize, &[u32; 4])| {
        let ancestor = t / family;
        let frame = Frame { nodes: coarse[ancestor], rest: rest_of((ancestor, &coarse[ancestor]), rest)? };
        let rest = rest_of((t, nodes), rest)?;
        Ok(FramedTetrahedron { nodes: *nodes, rest, lame, viscosity, frame, rotation: DMat3::IDENTITY })
    };
    let elements: Result<Vec<_>, _> = tetrahedra.iter().enumerate().map(element).collect();
    Ok(Box::new(Elements::new(elements?)))
}

impl FramedTetrahedron {
    fn strain(&self, x: [DVec3; 4]) -> DMat3 {
        symmetric_part(self.rotation.transpose() * self.rest.gradient(x)) - DMat3::IDENTITY
    }
}

impl Element<4> for FramedTetrahedron {
    type Force = TetraForce;
    type Block = TetraBlock;

    const NAME: &'static str = "framed-solid";
    const INTERNAL: bool = false;
    const REMEMBERS: bool = true;

    fn nodes(&self) -> [u32; 4] {
        self.nodes
    }

    fn begin_step(&mut self, x: &[DVec3]) {
        self.rotation = polar::rotation(&self.frame.rest.gradient(gather(self.frame.nodes, x)));
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
}
