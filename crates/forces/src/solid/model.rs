//! A solid from a mesh: the force model of a measure chosen by name, and its masses.

use glam::DVec3;
use pliant_core::ForceModel;
use thiserror::Error;

use super::cauchy::Cauchy;
use super::corotational::Corotational;
use super::element::{SolidElements, SolidTetrahedron};
use super::green::Green;
use super::hybrid::Hybrid;
use super::material::SolidMaterial;
use super::measure::Measure;
use super::neo_hookean::NeoHookean;
use super::tetrahedron::RestTetrahedron;
use super::warped::Warped;

/// A measure of strain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasureKind {
    /// [`Cauchy`]
    Cauchy,
    /// [`Green`]
    Green,
    /// [`Corotational`]
    Corotational,
    /// [`Warped`]
    Warped,
    /// [`Hybrid`]
    Hybrid,
    /// [`NeoHookean`]
    NeoHookean,
}

/// All measures by name.
pub const MEASURES: &[(&str, MeasureKind)] = &[
    (Cauchy::MEASURE, MeasureKind::Cauchy),
    (Green::MEASURE, MeasureKind::Green),
    (Corotational::MEASURE, MeasureKind::Corotational),
    (Warped::MEASURE, MeasureKind::Warped),
    (Hybrid::MEASURE, MeasureKind::Hybrid),
    (NeoHookean::MEASURE, MeasureKind::NeoHookean),
];

impl MeasureKind {
    /// The measure of a name.
    pub fn find(name: &str) -> Option<Self> {
        MEASURES.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }
}

/// Errors of solids.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum SolidError {
    /// A corner does not exist.
    #[error("tetrahedron {0} has a corner that is not there")]
    OutOfRange(usize),
    /// A tetrahedron has no volume, or a corner twice.
    #[error("tetrahedron {0} has no volume")]
    Flat(usize),
    /// Impossible material constants.
    #[error("the material's energy would not be positive, or its damping would bring energy")]
    BadMaterial,
    /// Invalid update interval of frames.
    #[error("the time between two updates of frames must be finite and not negative")]
    BadInterval,
    /// The number of elements is not a multiple of that of frames.
    #[error("{coarse} coarse tetrahedra cannot be the ancestors of {elements}, each of equally many")]
    Families {
        /// Number of elements.
        elements: usize,
        /// Number of coarse elements.
        coarse: usize,
    },
}

pub(super) fn rest_of(tetrahedron: (usize, &[u32; 4]), x: &[DVec3]) -> Result<RestTetrahedron, SolidError> {
    let (t, nodes) = tetrahedron;
    if nodes.iter().any(|n| *n as usize >= x.len()) {
        return Err(SolidError::OutOfRange(t));
    }
    RestTetrahedron::new(nodes.map(|n| x[n as usize])).ok_or(SolidError::Flat(t))
}

fn elements<M: Measure>(
    tetrahedra: &[[u32; 4]],
    rest: &[DVec3],
    material: &SolidMaterial,
) -> Result<Box<dyn ForceModel>, SolidError> {
    let element = |(t, nodes): (usize, &[u32; 4])| {
        let rest = rest_of((t, nodes), rest)?;
        SolidTetrahedron::<M>::new(*nodes, rest, material).ok_or(SolidError::BadMaterial)
    };
    let elements: Result<Vec<_>, _> = tetrahedra.iter().enumerate().map(element).collect();
    Ok(Box::new(SolidElements::new(elements?)))
}

/// The force model of tetrahedra, given by their corners in either orientation, with rest positions `rest`.
pub fn model(
    measure: MeasureKind,
    tetrahedra: &[[u32; 4]],
    rest: &[DVec3],
    material: &SolidMaterial,
) -> Result<Box<dyn ForceModel>, SolidError> {
    let make = match measure {
        MeasureKind::Cauchy => elements::<Cauchy>,
        MeasureKind::Green => elements::<Green>,
        MeasureKind::Corotational => elements::<Corotational>,
        MeasureKind::Warped => elements::<Warped>,
        MeasureKind::Hybrid => elements::<Hybrid>,
        MeasureKind::NeoHookean => elements::<NeoHookean>,
    };
    make(tetrahedra, rest, material)
}

/// Adds a quarter of every tetrahedron's mass to each of its corners, kg; density in kg/m³.
pub fn add_masses(tetrahedra: &[[u32; 4]], rest: &[DVec3], density: f64, masses: &mut [f64]) -> Result<(), SolidError> {
    for (t, nodes) in tetrahedra.iter().enumerate() {
        let quarter = 0.25 * density * rest_of((t, nodes), rest)?.volume;
        for n in nodes {
            *masses.get_mut(*n as usize).ok_or(SolidError::OutOfRange(t))? += quarter;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_measure_is_found_and_built_and_bad_input_is_named() {
        let x = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::new(0.5, 0.5, 0.0)];
        let material = SolidMaterial::new(1e4, 0.4).unwrap();
        for (name, kind) in MEASURES {
            assert_eq!(MeasureKind::find(name), Some(*kind));
            let solid = model(*kind, &[[0, 1, 2, 3]], &x, &material).unwrap();
            assert_eq!(solid.name(), format!("{name}-solid"));
            let error = |tetrahedra: &[[u32; 4]]| model(*kind, tetrahedra, &x, &material).err();
            assert_eq!(error(&[[0, 1, 2, 3], [0, 1, 2, 9]]), Some(SolidError::OutOfRange(1)));
            assert_eq!(error(&[[0, 1, 2, 4]]), Some(SolidError::Flat(0)));
            assert_eq!(error(&[[0, 1, 1, 3]]), Some(SolidError::Flat(0)));
        }
        let driven = material.damped(-1.0);
        assert_eq!(model(MeasureKind::Green, &[[0, 1, 2, 3]], &x, &driven).err(), Some(SolidError::BadMaterial));
        assert_eq!(MeasureKind::find("logarithmic"), None);
    }

    #[test]
    fn masses_are_quarters() {
        let x = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z, DVec3::ONE];
        let mut masses = [0.0; 5];
        add_masses(&[[0, 1, 2, 3], [1, 3, 2, 4]], &x, 12.0, &mut masses).unwrap();
        assert!((masses.iter().sum::<f64>() - 12.0 * (1.0 / 6.0 + 1.0 / 3.0)).abs() < 1e-14);
        assert!((masses[0] - 0.5).abs() < 1e-15 && (masses[4] - 1.0).abs() < 1e-15);
        assert_eq!(add_masses(&[[0, 1, 2, 3]], &x, 1.0, &mut [0.0; 2]), Err(SolidError::OutOfRange(0)));
    }
}
