//! The excess of Green's measure over the linear one on the coarse level of a refined solid: `θ [E_green(F) - E_cor(F; R)]`, F that of a coarse
//! tetrahedron and R its frame. Beside fine elements in the same frames, θ = 1 applies Green's measure to the coarse part of a motion and the linear
//! one to the details, the nearest to what [Corotational] 7.3 does with two runs; the paper does not say how the two are coupled. For study: bending
//! is correct, but where Green's measure softens, under some percent of compression, the sum is indefinite while either of the two alone is not.
//!
//! The derivative is indefinite everywhere; the positive semi-definite kind leaves it out.

use glam::{DMat3, DVec3};
use pliant_core::{Element, JacobianKind, Rates};

use super::Turned;
use crate::cloth::algebra::symmetric_part;
use crate::solid::cauchy::{hooke, inner, quadratic_energy, turned_blocks};
use crate::solid::green::{Green, green_strain};
use crate::solid::material::Lame;
use crate::solid::measure::Measure;
use crate::solid::tetrahedron::{RestTetrahedron, TetraBlock, TetraForce, edge_stretch, rates};

/// One coarse tetrahedron; its constants are those of the material times θ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoarseGreen {
    pub(super) nodes: [u32; 4],
    pub(super) rest: RestTetrahedron,
    pub(super) lame: Lame,
    pub(super) rotation: DMat3,
}

impl CoarseGreen {
    fn linear_strain(&self, f: &DMat3) -> DMat3 {
        symmetric_part(self.rotation.transpose() * *f) - DMat3::IDENTITY
    }
}

impl Turned for CoarseGreen {
    fn turn(&mut self, rotation: DMat3) {
        self.rotation = rotation;
    }
}

impl Element<4> for CoarseGreen {
    type Force = TetraForce;
    type Block = TetraBlock;

    const NAME: &'static str = "coarse-green";
    const INTERNAL: bool = false;

    fn nodes(&self) -> [u32; 4] {
        self.nodes
    }

    fn energy(&self, x: [DVec3; 4]) -> f64 {
        let f = self.rest.gradient(x);
        let of = |strain: &DMat3| quadratic_energy(self.lame, strain);
        (of(&green_strain(&f)) - of(&self.linear_strain(&f))) * self.rest.volume
    }

    fn viscous_power(&self, _x: [DVec3; 4], _v: [DVec3; 4]) -> f64 {
        0.0
    }

    fn force(&self, x: [DVec3; 4], _v: [DVec3; 4]) -> TetraForce {
        let f = self.rest.gradient(x);
        let linear = self.rotation * hooke(self.lame, &self.linear_strain(&f));
        self.rest.forces(&(Green::stress(self.lame, &self.rest, &f) - linear))
    }

    fn force_on(force: &TetraForce, a: usize) -> DVec3 {
        force.on(a)
    }

    fn jacobian(&self, x: [DVec3; 4], _v: [DVec3; 4], kind: JacobianKind) -> (TetraBlock, TetraBlock) {
        if kind == JacobianKind::Psd {
            return Default::default();
        }
        let green = Green::exact_blocks(self.lame, &self.rest, &self.rest.gradient(x));
        let linear = turned_blocks(self.lame, &self.rest, &self.rotation);
        (green.plus(&TetraBlock(linear.0.map(|block| -block))), TetraBlock::default())
    }

    fn block(blocks: &TetraBlock, a: usize, b: usize) -> DMat3 {
        blocks.at(a, b)
    }

    fn rates(&self, x: [DVec3; 4], v: [DVec3; 4]) -> Rates {
        rates(self.row_rates(x, v, [true; 4]))
    }

    fn row_rates(&self, x: [DVec3; 4], v: [DVec3; 4], free: [bool; 4]) -> [Rates; 4] {
        let (blocks, _) = self.jacobian(x, v, JacobianKind::Exact);
        std::array::from_fn(|a| {
            let felt = blocks.row(a).into_iter().zip(free).filter(|(_, free)| *free);
            Rates { stiffness: felt.map(|(block, _)| inner(&block, &block).sqrt()).sum(), damping: 0.0 }
        })
    }

    fn stretch(&self, from: [DVec3; 4], to: [DVec3; 4]) -> Option<f64> {
        Some(edge_stretch(from, to))
    }

    fn is_damped(&self) -> bool {
        false
    }

    fn is_symmetric(&self) -> bool {
        true
    }
}
