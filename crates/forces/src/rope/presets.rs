//! Ropes by name: estimates to start from, not measurements of a particular piece. The sources named give the orders of magnitude; their
//! numbers are not checked. Young's modulus and density are those of the full round section, gaps between fibres included. Fibres and wires that
//! slide on each other bend and twist far more easily than a solid rod: those stiffnesses are given as parts of the rod's.
//!
//! | | density, kg/m³ | Young's modulus | of a rod's EI, GJ | source |
//! |---|---|---|---|---|
//! | nylon-rope | 800 | 0.3 GPa | 1 % | nylon at 70 % of the section; braided ropes stretch by some 10 % at a tenth of 0.3 GPa: makers' data sheets |
//! | steel-cable | 4300 | 55 GPa | 2 % | wires at 55 % of the section, 100 GPa of their own for stranded cables: [Feyrer] |
//! | suture | 910 | 2.5 GPa | all | polypropylene monofilament, 1 to 4 GPa: makers' data sheets |
//! | rubber-cord | 930 | 1.17 MPa | all | natural rubber, lightly vulcanized, [Treloar] chapter 5 |
//! | spaghetti | 1500 | 3.8 GPa | all | dry, [Spaghetti] |

use super::RopeMaterial;

/// A kind of rope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RopeKind {
    /// Its name.
    pub name: &'static str,
    /// kg/m³ of the full section.
    pub density: f64,
    /// Young's modulus of the full section, Pa.
    pub young: f64,
    /// Poisson's ratio, for GJ.
    pub poisson: f64,
    /// Part of a solid rod's EI and GJ.
    pub flexible: f64,
    /// How many strands it is drawn with; 1: smooth.
    pub strands: usize,
    /// Where the numbers come from, in a few words.
    pub source: &'static str,
}

impl RopeKind {
    /// A rope of this kind with a radius, m; without damping.
    pub fn material(&self, radius: f64) -> RopeMaterial {
        let rod = RopeMaterial::solid(self.young, self.poisson, self.density, radius);
        RopeMaterial { bend: rod.bend * self.flexible, twist: rod.twist * self.flexible, ..rod }
    }
}

/// All of them.
pub const ROPES: &[RopeKind] = &[
    kind("nylon-rope", 800.0, 0.3e9, 0.4, 0.01, 3, "data sheets, braided"),
    kind("steel-cable", 4300.0, 55e9, 0.3, 0.02, 6, "Feyrer, stranded"),
    kind("suture", 910.0, 2.5e9, 0.42, 1.0, 1, "data sheets, polypropylene monofilament"),
    kind("rubber-cord", 930.0, 1.17e6, 0.48, 1.0, 1, "Treloar, natural rubber"),
    kind("spaghetti", 1500.0, 3.8e9, 0.3, 1.0, 1, "Audoly and Neukirch, dry"),
];

const fn kind(
    name: &'static str,
    density: f64,
    young: f64,
    poisson: f64,
    flexible: f64,
    strands: usize,
    source: &'static str,
) -> RopeKind {
    RopeKind { name, density, young, poisson, flexible, strands, source }
}

/// The kind of a name.
pub fn find(name: &str) -> Option<&'static RopeKind> {
    ROPES.iter().find(|kind| kind.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn every_kind_is_possible_and_has_a_name_of_its_own() {
        for (k, kind) in ROPES.iter().enumerate() {
            assert!(kind.material(3e-3).check().is_ok(), "{}", kind.name);
            assert_eq!(ROPES.iter().position(|other| other.name == kind.name), Some(k));
            assert!(!kind.source.is_empty() && kind.strands > 0);
        }
        assert!(find("suture").is_some() && find("string").is_none());
    }

    /// A 10 mm steel cable weighs a third of a kilogram a metre and stretches by a thousandth under some 4 kN.
    #[test]
    fn numbers_are_those_of_the_full_section() {
        let cable = find("steel-cable").unwrap().material(5e-3);
        let area = PI * 25e-6;
        assert!((cable.stretch / (55e9 * area) - 1.0).abs() < 1e-12);
        assert!((cable.mass_per_length / (4300.0 * area) - 1.0).abs() < 1e-12);
        assert!((cable.bend / (0.02 * 55e9 * area * 25e-6 / 4.0) - 1.0).abs() < 1e-12);
        assert!((cable.twist / cable.bend - 1.0 / 1.3).abs() < 1e-12);
    }
}
