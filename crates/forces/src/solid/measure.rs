//! Interface of a strain measure; [`super::element`] implements the element with it.

use glam::DMat3;
use pliant_core::{JacobianKind, View};

use super::element::SolidTetrahedron;
use super::material::Lame;
use super::tetrahedron::{RestTetrahedron, TetraBlock};

/// A measure of strain with its energy.
pub trait Measure: Clone + Copy + std::fmt::Debug + PartialEq + Send + Sync + 'static {
    /// Name of the model in the catalog.
    const NAME: &'static str;
    /// Its name among the measures, as in scenes.
    const MEASURE: &'static str;
    /// Whether its forces exert no net torque.
    const TURNS_NOTHING: bool = true;
    /// Whether the force is the gradient of an energy. Where not, [`Measure::energy_density`] is the energy of the strain with its frame fixed.
    const CONSERVATIVE: bool = true;
    /// Whether the stress needs the polar rotation, which is found faster for eight elements at once.
    const ROTATED: bool = false;
    /// Whether [`Measure::exact_blocks`] are symmetric.
    const SYMMETRIC: bool = true;
    /// Whether the stress is affine in F.
    const LINEAR: bool = false;

    /// Energy, J/m³ at rest.
    fn energy_density(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> f64;

    /// First Piola stress, Pa.
    fn stress(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> DMat3;

    /// The same for measures with [`Measure::ROTATED`], which need the rotation in F and are given it.
    #[inline]
    fn rotated_stress(lame: Lame, rest: &RestTetrahedron, f: &DMat3, _rotation: &DMat3) -> DMat3 {
        Self::stress(lame, rest, f)
    }

    /// `∂f/∂x`.
    fn exact_blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock;

    /// Its symmetric part.
    fn symmetric_blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock {
        Self::exact_blocks(lame, rest, f)
    }

    /// The same without the indefinite part of `-∂f/∂x`; the same bits where there is none.
    fn psd_blocks(lame: Lame, rest: &RestTetrahedron, f: &DMat3) -> TetraBlock;

    /// Positive semi-definite `∂f/∂x + c ∂f/∂v` of many elements, for measures with a batched implementation; it may limit more than the single one.
    fn write_psd(elements: &[SolidTetrahedron<Self>], view: &View, c: f64, out: &mut [TetraBlock]) {
        for (element, out) in elements.iter().zip(out) {
            *out = element.merged(view, JacobianKind::Psd, c);
        }
    }
}
