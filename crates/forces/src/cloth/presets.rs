//! Materials of sheets by name. Fabrics of one name differ by factors of three and more from mill to mill: these are typical values to start
//! from, each with the range in which real ones lie, not measurements of a particular piece. The values of [Penava] are its table 1 as
//! others quote it; ranges without a source are rules of thumb and were not looked up piece by piece.
//!
//! How the numbers came about. The Kawabata instruments [Kawabata] pull a strip to 500 gf/cm (490 N/m) and report its strain there (EMT),
//! bend it (B, 1 gf cm²/cm = 9.8e-5 N m) and shear it (G, 1 gf/(cm °) = 56 N/m per radian). Young's modulus is the secant `490 N/m / EMT /
//! thickness`: cloth is softer below and stiffer above, which one modulus cannot say ([WangData], [ClydeWoven] fit curves; a limit of
//! strain in [`super::strain_limit`] comes nearer). Shear and bending are those of the same instruments, bending per direction; it is
//! not `E t³/12`, which would be a hundred times too stiff, because yarns slide.
//!
//! | | EMT warp, weft | B warp, weft, gf cm²/cm | G, gf/(cm °) | source |
//! |---|---|---|---|---|
//! | silk | 3, 5 % (2-8) | 0.05, 0.03 (0.01-0.1) | 0.35 (0.2-0.8) | typical of reports from these instruments on thin dress fabrics |
//! | cotton | 4, 8 % (2-15) | 0.08, 0.05 (0.03-0.3) | 1.3 (0.5-3) | the same on shirting; mass, thickness, Poisson's ratio: [Penava] |
//! | wool | 5, 8 % (3-15) | 0.12, 0.09 (0.05-0.3) | 0.8 (0.4-2) | the same on suiting; mass, thickness, Poisson's ratio: [Penava] |
//! | denim | 3, 5 % (2-10) | 1.0, 0.5 (0.3-3) | 4 (2-8) | estimated within the ranges of heavy cottons; six denims of cellulose blends measure 4.7-5.7 %, 0.14-0.23 and 1.5-3.4: [Denim] table 5 |
//! | leather | | | | garment leather, 5 to 50 MPa: an estimate, bent as a plate |
//! | paper | | | | 80 g/m² copy paper, moduli of machine and cross direction (5-8, 2-4 GPa) and `G = 0.387 √(E₁ E₂)` after [Baum], bent as a plate |

use super::stvk::Orthotropic;

/// A sheet's material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fabric {
    /// Its name.
    pub name: &'static str,
    /// kg/m²
    pub area_density: f64,
    /// m
    pub thickness: f64,
    /// Young's moduli along warp and weft, Pa.
    pub young: [f64; 2],
    /// Shear modulus, Pa.
    pub shear: f64,
    /// Contraction along the weft by a pull along the warp.
    pub poisson: f64,
    /// Bending stiffness where warp and weft are curved, N m.
    pub bending: [f64; 2],
    /// Where the numbers come from, in a few words.
    pub source: &'static str,
}

impl Fabric {
    /// Its elasticity as a membrane, without damping.
    pub fn membrane(&self) -> Orthotropic {
        let Self { young, poisson, shear, thickness, .. } = *self;
        Orthotropic { young, poisson, shear, thickness, damping_time: 0.0 }
    }
}

/// All of them.
pub const FABRICS: &[Fabric] = &[
    Fabric {
        name: "silk",
        area_density: 0.07,
        thickness: 0.15e-3,
        young: [1.1e8, 6.5e7],
        shear: 1.3e5,
        poisson: 0.2,
        bending: [4.9e-6, 2.9e-6],
        source: "typical of dress fabrics on the instruments of Kawabata",
    },
    Fabric {
        name: "cotton",
        area_density: 0.15,
        thickness: 0.318e-3,
        young: [3.9e7, 1.9e7],
        shear: 2.3e5,
        poisson: 0.24,
        bending: [7.8e-6, 4.9e-6],
        source: "typical of shirting on the instruments of Kawabata; mass, thickness, Poisson: Penava",
    },
    Fabric {
        name: "wool",
        area_density: 0.235,
        thickness: 0.568e-3,
        young: [1.7e7, 1.1e7],
        shear: 7.9e4,
        poisson: 0.28,
        bending: [1.2e-5, 8.8e-6],
        source: "typical of suiting on the instruments of Kawabata; mass, thickness, Poisson: Penava",
    },
    Fabric {
        name: "denim",
        area_density: 0.4,
        thickness: 0.8e-3,
        young: [2.0e7, 1.2e7],
        shear: 2.8e5,
        poisson: 0.2,
        bending: [9.8e-5, 4.9e-5],
        source: "estimate within the ranges of heavy cottons",
    },
    Fabric {
        name: "leather",
        area_density: 0.7,
        thickness: 1.0e-3,
        young: [2.0e7, 2.0e7],
        shear: 7.4e6,
        poisson: 0.35,
        bending: [1.9e-3, 1.9e-3],
        source: "estimate, garment leather, bent as a plate",
    },
    Fabric {
        name: "paper",
        area_density: 0.08,
        thickness: 0.1e-3,
        young: [6.0e9, 3.0e9],
        shear: 1.64e9,
        poisson: 0.3,
        bending: [5.2e-4, 2.6e-4],
        source: "copy paper; shear after Baum, bent as a plate",
    },
];

/// The fabric of a name.
pub fn find(name: &str) -> Option<&'static Fabric> {
    FABRICS.iter().find(|fabric| fabric.name == name)
}

#[cfg(test)]
mod tests {
    use super::super::bending::plate_stiffness;
    use super::*;

    #[test]
    fn every_fabric_has_a_positive_energy_and_a_name_of_its_own() {
        for (k, fabric) in FABRICS.iter().enumerate() {
            assert!(fabric.membrane().plane_stress().is_some(), "{}", fabric.name);
            assert!(fabric.area_density > 0.0 && fabric.bending.iter().all(|b| *b > 0.0), "{}", fabric.name);
            assert_eq!(FABRICS.iter().position(|other| other.name == fabric.name), Some(k));
            assert!(!fabric.source.is_empty());
        }
        assert!(find("denim").is_some() && find("granite").is_none());
    }

    /// The table and the head of the file say the same: secant moduli at 490 N/m, units of the instruments, plates where it says plates.
    #[test]
    fn numbers_follow_from_the_table() {
        // name, EMT, B, G
        let measured = [
            ("silk", [0.03, 0.05], [0.05, 0.03], 0.35),
            ("cotton", [0.04, 0.08], [0.08, 0.05], 1.3),
            ("wool", [0.05, 0.08], [0.12, 0.09], 0.8),
            ("denim", [0.03, 0.05], [1.0, 0.5], 4.0),
        ];
        // two digits are given: half a unit of the second
        let close = |value: f64, exact: f64| (value / exact - 1.0).abs() < 0.05;
        for (name, strain, bending, shear) in measured {
            let fabric = find(name).unwrap();
            for k in 0..2 {
                assert!(close(fabric.young[k], 490.0 / strain[k] / fabric.thickness), "{name}: {:?}", fabric.young);
                assert!(close(fabric.bending[k], 9.80665e-5 * bending[k]), "{name}: {:?}", fabric.bending);
            }
            assert!(close(fabric.shear, 56.19 * shear / fabric.thickness), "{name}: {}", fabric.shear);
        }
        for name in ["leather", "paper"] {
            let Fabric { young, thickness, poisson, bending, .. } = *find(name).unwrap();
            // ν² is ν12 ν21, the geometric mean's square
            let mean = poisson * (young[1] / young[0]).sqrt();
            (0..2).for_each(|k| assert!(close(bending[k], plate_stiffness(young[k], mean, thickness)), "{name}"));
        }
        assert!(close(find("paper").unwrap().shear, 0.387 * (6e9_f64 * 3e9).sqrt()));
    }
}
