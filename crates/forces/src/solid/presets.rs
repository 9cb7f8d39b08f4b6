//! Materials of solids by name: values to start from, not measurements of a particular piece. Soft matter of one name differs by factors of
//! three and more, with the sample, the strain and its rate. Liver is as others quote [Palmeri]; the other values and all ranges are
//! estimates: the sources named give their orders of magnitude, and their numbers are not checked.
//!
//! | | density, kg/m³ | Young's modulus (range) | source |
//! |---|---|---|---|
//! | rubber | 930 | 1.17 MPa (0.7-4) | natural rubber, lightly vulcanized: shear modulus 0.39 MPa, [Treloar] chapter 5; `E = 3 G` |
//! | silicone | 1070 | 69 kPa (50-130) | very soft casting silicone (Shore 00-30): stress at a strain of 1, 10 psi, as makers' data sheets quote it |
//! | foam | 30 | 28 kPa (10-100) | seat foam: `E = E_s (ρ/ρ_s)²`, `E_s` 45 MPa, `ρ_s` 1200 kg/m³, ν = 1/3, [GibsonAshby] chapter 5 |
//! | gelatine | 1020 | 10 kPa (2-100) | dessert jelly, about 5 % by weight: an estimate; the modulus goes with the square of the concentration |
//! | liver | 1060 | 5.4 kPa (3-9) | healthy, in the living: shear modulus 1.8 kPa, [Palmeri]; `E = 3 G` |
//! | muscle | 1060 | 12 kPa (5-30) | relaxed, across the fibres: modulus an estimate; density [MendezKeys] |
//!
//! Rubber, gelatine and tissue hardly change their volume, ν = 0.499 and above. Linear tetrahedra lock there: they are given 0.45 to 0.48,
//! which keeps the change of volume small beside that of shape. `E = 3 G` is meant for the incompressible material; the shear modulus
//! at ν = 0.45 comes out 3 % larger.

use super::material::SolidMaterial;

/// A solid's material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stuff {
    /// Its name.
    pub name: &'static str,
    /// kg/m³
    pub density: f64,
    /// Young's modulus, Pa.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Where the numbers come from, in a few words.
    pub source: &'static str,
}

impl Stuff {
    /// Its elasticity, without damping; `None` for none of [`STUFFS`].
    pub fn material(&self) -> Option<SolidMaterial> {
        SolidMaterial::new(self.young, self.poisson)
    }
}

/// All of them.
pub const STUFFS: &[Stuff] = &[
    Stuff { name: "rubber", density: 930.0, young: 1.17e6, poisson: 0.48, source: "Treloar, natural rubber" },
    Stuff { name: "silicone", density: 1070.0, young: 6.9e4, poisson: 0.47, source: "data sheets, Shore 00-30" },
    Stuff { name: "foam", density: 30.0, young: 2.8e4, poisson: 0.33, source: "Gibson and Ashby, soft polyurethane" },
    Stuff { name: "gelatine", density: 1020.0, young: 1.0e4, poisson: 0.47, source: "estimate, 5 % by weight" },
    Stuff { name: "liver", density: 1060.0, young: 5.4e3, poisson: 0.45, source: "Palmeri and others, in the living" },
    Stuff { name: "muscle", density: 1060.0, young: 1.2e4, poisson: 0.45, source: "estimate, relaxed, across fibres" },
];

/// The material of a name.
pub fn find(name: &str) -> Option<&'static Stuff> {
    STUFFS.iter().find(|stuff| stuff.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_material_is_possible_and_has_a_name_of_its_own() {
        for (k, stuff) in STUFFS.iter().enumerate() {
            assert!(stuff.material().is_some_and(|m| m.is_possible()) && stuff.density > 0.0, "{}", stuff.name);
            assert_eq!(STUFFS.iter().position(|other| other.name == stuff.name), Some(k));
            assert!(!stuff.source.is_empty());
        }
        assert!(find("liver").is_some() && find("granite").is_none());
    }

    /// The numbers follow from the table in the head of the file.
    #[test]
    fn numbers_follow_from_their_sources() {
        let close = |value: f64, exact: f64| (value / exact - 1.0).abs() < 0.02;
        assert!(close(find("rubber").unwrap().young, 3.0 * 0.39e6));
        assert!(close(find("silicone").unwrap().young, 10.0 * 6894.76));
        assert!(close(find("liver").unwrap().young, 3.0 * 1.8e3));
        assert!(close(find("foam").unwrap().young, 45e6 * (30.0_f64 / 1200.0).powi(2)));
    }
}
