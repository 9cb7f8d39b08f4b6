//! A tetrahedron of a solid: any [`Measure`] with the damping of [`super::damping`].

use std::marker::PhantomData;

use glam::{DMat3, DVec3};
use pliant_core::element::gather;
use pliant_core::{Element, Elements, JacobianKind, Merged, Rates, View};
use pliant_scalar::wide::widest;

use super::damping;
use super::material::{Lame, SolidMaterial, Viscosity};
use super::measure::Measure;
use super::polar::{LANES, Lanes, write_rotations};
use super::tetrahedron::{
    RestTetrahedron, TetraBlock, TetraForce, edge_stretch, rates, row_rates, tetrahedron_methods,
};

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

    /// The forces of an elastic stress and of damping.
    #[inline]
    fn total_force(&self, f: &DMat3, elastic: DMat3, v: [DVec3; 4]) -> TetraForce {
        if self.viscosity.is_zero() {
            return self.rest.forces(&elastic);
        }
        self.rest.forces(&(elastic + damping::stress(self.viscosity, f, &self.rest.gradient(v))))
    }

    /// `∂f/∂x + c ∂f/∂v`.
    pub(super) fn merged(&self, view: &View, kind: JacobianKind, c: f64) -> TetraBlock {
        let (stiffness, damping) = self.jacobian(self.corners(view.x), self.corners(view.v), kind);
        stiffness.plus(&damping.times(c))
    }

    /// Entries of its corners.
    #[inline]
    pub(super) fn corners(&self, values: &[DVec3]) -> [DVec3; 4] {
        gather(self.nodes, values)
    }

    #[inline]
    pub(super) fn lame(&self) -> Lame {
        self.lame
    }

    #[inline]
    pub(super) fn viscosity(&self) -> Viscosity {
        self.viscosity
    }

    /// Its rest shape.
    #[inline]
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
    const MERGES: bool = true;

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
        self.total_force(&f, M::stress(self.lame, &self.rest, &f), v)
    }

    fn write_forces(elements: &[Self], view: &View, out: &mut [TetraForce]) {
        if !M::ROTATED {
            for (element, force) in elements.iter().zip(out) {
                *force = element.force(gather(element.nodes, view.x), gather(element.nodes, view.v));
            }
            return;
        }
        widest(
            #[inline(always)]
            || write_rotated_forces(elements, view, out),
        );
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

    fn write_merged(elements: &[Self], view: &View, kind: JacobianKind, at: Merged, out: &mut [TetraBlock]) {
        let c = at.rate;
        if kind == JacobianKind::Psd {
            return M::write_psd(elements, view, c, out);
        }
        for (element, out) in elements.iter().zip(out) {
            *out = element.merged(view, kind, c);
        }
    }

    tetrahedron_methods!();

    fn is_symmetric(&self) -> bool {
        M::SYMMETRIC && !self.is_damped()
    }

    fn is_linear(&self) -> bool {
        M::LINEAR && !self.is_damped()
    }
}

#[inline(always)]
fn write_rotated_forces<M: Measure>(elements: &[SolidTetrahedron<M>], view: &View, out: &mut [TetraForce]) {
    let mut rotations: Lanes = [[0.0; LANES]; 9];
    for (elements, out) in elements.chunks(LANES).zip(out.chunks_mut(LANES)) {
        let mut gradients = [DMat3::IDENTITY; LANES];
        for (f, element) in gradients.iter_mut().zip(elements) {
            *f = element.rest.gradient(gather(element.nodes, view.x));
        }
        let columns = gradients.map(|f| f.to_cols_array());
        write_rotations(&std::array::from_fn(|k| columns.map(|f| f[k])), &mut rotations);
        for (lane, (element, force)) in elements.iter().zip(out).enumerate() {
            let (f, r) = (&gradients[lane], DMat3::from_cols_array(&rotations.map(|entry| entry[lane])));
            let stress = M::rotated_stress(element.lame, &element.rest, f, &r);
            *force = element.total_force(f, stress, gather(element.nodes, view.v));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solid::corotational::Corotational;
    use crate::solid::hybrid::Hybrid;
    use crate::solid::samples::Numbers;

    /// Eleven elements, the last three in a batch that is not full.
    fn check<M: Measure>() {
        let mut numbers = Numbers(4);
        let x: Vec<DVec3> = (0..12).map(|_| numbers.vector()).collect();
        let v: Vec<DVec3> = x.iter().map(|_| numbers.vector()).collect();
        let rest = RestTetrahedron::new([DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z]).unwrap();
        let material = SolidMaterial::new(1e3, 0.4).unwrap().damped(0.1);
        let nodes = |k: u32| [k, (k + 1) % 12, (k + 5) % 12, (k + 7) % 12];
        let elements: Vec<_> =
            (0..11).map(|k| SolidTetrahedron::<M>::new(nodes(k), rest, &material).unwrap()).collect();
        let view = View { time: 0.0, x: &x, v: &v };
        let mut together = vec![TetraForce::default(); 11];
        SolidTetrahedron::write_forces(&elements, &view, &mut together);
        for (element, force) in elements.iter().zip(&together) {
            let alone = element.force(gather(element.nodes, &x), gather(element.nodes, &v));
            assert_eq!(alone.0, force.0, "{}", M::NAME);
        }
    }

    #[test]
    fn forces_in_batches_have_the_bits_of_single_ones() {
        check::<Corotational>();
        check::<Hybrid>();
    }
}
