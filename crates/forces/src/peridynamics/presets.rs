//! Brittle materials by name: values to start from. Strength differs from piece to piece by factors; moduli and densities by a few per cent.
//! All are estimates after the sources named, whose numbers are not checked. The energy release rate follows from the fracture toughness, `G₀ = K²(1 - ν²)/E`, rounded.
//!
//! | | density, kg/m³ | Young's modulus | toughness, MPa √m | G₀, J/m² | source |
//! |---|---|---|---|---|---|
//! | glass | 2500 | 70 GPa | 0.75 | 7.5 | soda-lime, [Lawn] |
//! | ceramic | 3900 | 380 GPa | 3.9 | 37 | dense alumina, [Lawn] |
//! | plaster | 1100 | 4.5 GPa | 0.14 | 4 | set gypsum of half density, estimate after [GibsonAshby] |
//! | ice | 917 | 9.3 GPa | 0.1 | 1 | of fresh water near -10 °C, [SchulsonDuval] |
//! | maraging-steel | 8000 | 190 GPa | 68 | 22200 | X2 NiCoMo 18 9 5 as in the experiments of [Kalthoff] |
//!
//! Bodies of bonds have Poisson's ratio 1/4 (1/3 in plane stress), whatever the material has: glass 0.22, alumina 0.23, ice 0.33, steel 0.3.

/// A brittle material.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BrittlePreset {
    /// Its name.
    pub name: &'static str,
    /// kg/m³
    pub density: f64,
    /// Young's modulus, Pa.
    pub young: f64,
    /// Its own Poisson's ratio, for state-based bodies.
    pub poisson: f64,
    /// Energy release rate, J/m².
    pub release: f64,
    /// Where the numbers come from, in a few words.
    pub source: &'static str,
}

/// All of them.
pub const BRITTLE: &[BrittlePreset] = &[
    BrittlePreset {
        name: "glass",
        density: 2500.0,
        young: 70e9,
        poisson: 0.22,
        release: 7.5,
        source: "Lawn, soda-lime",
    },
    BrittlePreset {
        name: "ceramic",
        density: 3900.0,
        young: 380e9,
        poisson: 0.23,
        release: 37.0,
        source: "Lawn, alumina",
    },
    BrittlePreset {
        name: "plaster",
        density: 1100.0,
        young: 4.5e9,
        poisson: 0.25,
        release: 4.0,
        source: "estimate, gypsum",
    },
    BrittlePreset {
        name: "ice",
        density: 917.0,
        young: 9.3e9,
        poisson: 0.33,
        release: 1.0,
        source: "Schulson and Duval",
    },
    BrittlePreset {
        name: "maraging-steel",
        density: 8000.0,
        young: 190e9,
        poisson: 0.3,
        release: 22.2e3,
        source: "Kalthoff, X2 NiCoMo 18 9 5",
    },
];

/// The material of a name.
pub fn find(name: &str) -> Option<&'static BrittlePreset> {
    BRITTLE.iter().find(|stuff| stuff.name == name)
}
