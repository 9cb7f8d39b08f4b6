//! From EA, EI and GJ to the constants of the cell's elements, so that a rope of any segment length L and section radius ρ has exactly these
//! stiffnesses against uniform stretch, bending and twist.
//!
//! Uniform states are known in closed form. In coordinates along (x) and across (y, z) the displacement of a strain ε, a curvature κ and
//! a twist τ is `(ε x - κ x y, κ x²/2, 0) + τ x (0, -z, y)` plus a change of the section that is the same everywhere. A spring from (x₁, y₁, z₁)
//! to (x₂, y₂, z₂) is stretched by `[(ε - κ ȳ) Δx² + Δy δy + Δz δz]/l`, ȳ the mean and δ the change of the section between its ends; so
//!
//! - springs along the rope at radius ρ of stiffness k_l each: `EA = 3 k_l L`, `EI = 3/2 k_l L ρ²`, GJ = 0;
//! - the ties of stiffness k_d and length `D² = L² + ρ²`, `K = 2 k_d/D²` for the two of a wing in a segment, whose wing moves by w along its
//!   spoke: `½ K ((ε - κ y/2) L² + ρ w)² + ½ k w²`, least at `½ κ_K(k) ((ε - κ y/2) L²)²` with `κ_K(k) = K k/(k + K ρ²)`.
//!   Stretch moves all three wings and strains spokes and edges, `k = k_s + 3 k_e`: `EA = 3 L³ κ_K(k_s + 3 k_e)`. Bending lets edges keep their
//!   lengths, `k = k_s`: `EI = 3/8 ρ² L³ κ_K(k_s)`. Twist turns ties across their length: GJ = 0;
//! - angles k_a at points: `EI = k_a L`; three torsions k_t about a segment: `GJ = 3 k_t`; the centreline's spring k_c: `EA = k_c L`.
//!
//! **Shear.** Springs along the wings bend a rope by how its sections turn, and something must keep these at right angles to the segments. Where
//! both sections of a segment are tilted by φ against it, the ties have `½ (3/2) K ρ² L² φ²` and a pair of diagonals k_φ for each wing
//! ([`crate::constraint::shear`]) `½ 6 k_φ ρ² φ²`. A beam of length L whose ends are turned alike by φ has `½ (12 EI/L) φ²`: with that
//! the segment is the exact one of a beam between points, `k_φ = 2 EI/(L ρ²) - K L²/4`. (The ties alone are softer against shear than
//! that by `3/s` for a share s of EI.) Ropes that are straight at rest bend by angles of their centreline, whatever the tilt.
//!
//! **Clamps.** A section that is held keeps its spokes, w = 0, and takes part in half of a segment on either side. There
//! - the ties to it are weaker by `κ_K(k_s)/K`, which is what w would have made of them in bending; the centreline's spring makes up for what that
//!   leaves in stretch, `3 L³ (κ_K(k_s + 3 k_e) - κ_K(k_s))` of EA;
//! - a segment that is turned by θ against it bends half of itself, `½ EI (2θ/L)² L/2`: an angle between section and segment of stiffness `2 k_a`.
//!
//! Mixed terms of ε, κ and τ vanish because ties come in pairs, forward and back, and wings in threes. The ties are springs in Green's strain,
//! because `l² = D² - L² κ y` holds in sharp bends too, so that three wings are isotropic there. They take a share of EI, and angles, torsions
//! and the centreline's spring the rest, so that every set of three positive numbers is reached by ropes that are straight at rest. Curved
//! ones need `EA ≥ 2 EI/ρ²` and what their ties take of it: the three points at ρ alone know which way the rope is bent at rest.

use super::{RestShape, RopeError, RopeMaterial};

/// Largest share of EI that the ties carry, for ropes that are straight and for ropes that are curved at rest. They keep sections at right angles to
/// the rope: where it is twisted by τL and bent by θ in a segment, sections tilt by about `GJ τL θ/8 s EI` for a share s, and yield to the twist by
/// that much. The rest is carried by the angles, which no fold can pass; curved ropes have springs along their wings instead, and need EA for those.
const TIE_SHARE: [f64; 2] = [0.3, 0.1];
/// Largest share of EA that the ties carry.
const TIE_STRETCH: f64 = 0.75;
/// Stiffness of spokes and edges over EA/L. The highest frequency of a rope is then √3 times that of a chain of its whole mass, for L from 2ρ;
/// the centreline's spring alone, with half of the mass on the wings, makes √2 of it.
const SECTION: f64 = 0.5;

/// Constants of the elements of one segment.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CellConstants {
    /// Spring along the centreline, N/m.
    pub centre: f64,
    /// Each spring along the wings, N/m; none for ropes that are straight at rest.
    pub along: f64,
    /// Each tie, N/m.
    pub tie: f64,
    /// Each spoke and each edge of a section, N/m.
    pub section: f64,
    /// Angle at a point, J; none for ropes that are curved at rest.
    pub angle: f64,
    /// Each torsion, N m².
    pub torsion: f64,
    /// Each pair of diagonals against shear, N/m; none for ropes that are straight at rest.
    pub shear: f64,
    /// Share of EI that the ties carry.
    pub tie_share: f64,
    /// Each tie to a clamped section, N/m.
    pub clamped_tie: f64,
    /// Increase of the spring along the centreline for each clamped end, N/m.
    pub clamped_centre: f64,
}

/// Constants for segments of a length and sections of a radius, m.
pub fn calibrate(
    material: &RopeMaterial,
    length: f64,
    radius: f64,
    rest: RestShape,
) -> Result<CellConstants, RopeError> {
    material.check()?;
    for (what, value) in [("length of a segment", length), ("radius of the section", radius)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(RopeError::NotPositive { what, value });
        }
    }
    let constants = balance(material, length, radius, rest);
    if constants.centre >= 0.0 {
        return Ok(constants);
    }
    // the wings' share of EA decreases with their radius, so that there is a least radius that leaves a positive rest
    let fits = |radius: f64| balance(material, length, radius, rest).centre >= 0.0;
    let (mut low, mut high) = (radius, 2.0 * radius);
    while !fits(high) && high < 1e9 * radius {
        (low, high) = (high, 2.0 * high);
    }
    while high - low > 1e-6 * high {
        let middle = 0.5 * (low + high);
        *if fits(middle) { &mut high } else { &mut low } = middle;
    }
    Err(RopeError::Unattainable { bend: material.bend, stretch: material.stretch, radius, least: high })
}

/// The constants, with a negative spring along the centreline where the wings need more than all of EA.
fn balance(material: &RopeMaterial, length: f64, radius: f64, rest: RestShape) -> CellConstants {
    let (ea, ei) = (material.stretch, material.bend);
    let (l3, r2) = (length.powi(3), radius * radius);
    let section = SECTION * ea / length;
    let share = TIE_SHARE[usize::from(rest == RestShape::Curve)];
    // κ_K(k_s) by its share of EI, and by that of EA: 3 L³ K is more than what the ties take of it
    let most = TIE_STRETCH * ea / (3.0 * l3);
    let effective = (share * ei * 8.0 / (3.0 * l3 * r2)).min(most / (1.0 + most * r2 / section));
    let pair = effective / (1.0 - effective * r2 / section);
    let tie = 0.5 * pair * (length * length + r2);
    let stretched = 4.0 * section;
    let tie_stretch = 3.0 * l3 * pair * stretched / (stretched + pair * r2);
    let tie_bend = 0.375 * r2 * l3 * effective;
    let bend_left = ei - tie_bend;
    let (along, angle) = match rest {
        RestShape::Straight => (0.0, bend_left / length),
        RestShape::Curve => (bend_left / (1.5 * length * r2), 0.0),
    };
    let shear = match rest {
        RestShape::Straight => 0.0,
        RestShape::Curve => (2.0 * ei / (length * r2) - 0.25 * pair * length * length).max(0.0),
    };
    let centre = (ea - tie_stretch) / length - 3.0 * along;
    CellConstants {
        centre,
        along,
        tie,
        section,
        angle,
        shear,
        torsion: material.twist / 3.0,
        tie_share: tie_bend / ei,
        clamped_tie: tie * effective / pair,
        clamped_centre: 0.5 * (tie_stretch - 3.0 * l3 * effective) / length,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_add_up_and_none_is_negative() {
        let mut shares = [0.0_f64; 2];
        // from stiff rods to limp threads, from long segments to short ones
        for (ea, ei, gj) in [(1e5, 1.0, 0.8), (1e5, 1e-6, 1e-7), (10.0, 5.0, 20.0), (3e-3, 1e-9, 1e-9)] {
            for length in [1e-3, 1e-2, 0.1] {
                for radius in [1e-3, 5e-3] {
                    let material =
                        RopeMaterial { stretch: ea, bend: ei, twist: gj, ..RopeMaterial::solid(1.0, 0.3, 1.0, 0.1) };
                    let k = calibrate(&material, length, radius, RestShape::Straight).unwrap();
                    assert!(k.centre > 0.24 * ea / length && k.angle > 0.69 * ei / length && k.tie > 0.0, "{k:?}");
                    assert_eq!((k.torsion, k.along), (gj / 3.0, 0.0));
                    assert!(k.tie_share <= TIE_SHARE[0] * (1.0 + 1e-12));
                    shares = [shares[0].max(k.tie_share), shares[1].max(1.0 / k.tie_share)];
                }
            }
        }
        assert!(shares[0] > 0.299 && shares[1] > 6.0, "both bounds were met: {shares:?}");
    }

    #[test]
    fn curved_rods_need_a_section_that_is_wide_enough() {
        let solid = RopeMaterial::solid(1e7, 0.3, 1000.0, 5e-3);
        let k = calibrate(&solid, 1e-2, 5e-3, RestShape::Curve).unwrap();
        assert!(k.angle == 0.0 && k.along > 0.0 && k.centre > 0.0);
        let RopeError::Unattainable { least, .. } = calibrate(&solid, 1e-2, 1e-3, RestShape::Curve).unwrap_err() else {
            panic!("another error")
        };
        assert!(calibrate(&solid, 1e-2, least, RestShape::Curve).is_ok(), "{least}");
        assert!(calibrate(&solid, 1e-2, 0.999 * least, RestShape::Curve).is_err());
        // absurd numbers terminate too
        let absurd = RopeMaterial { bend: 1e300, ..solid };
        assert!(calibrate(&absurd, 1e-2, 5e-3, RestShape::Curve).is_err());
        // between what the wings' springs need without ties and the radius of the rod
        assert!((2.0 * solid.bend / solid.stretch).sqrt() < least && least < 5e-3, "{least}");
    }

    #[test]
    fn impossible_numbers_are_refused_by_name() {
        let good = RopeMaterial::solid(1e7, 0.3, 1000.0, 5e-3);
        let text =
            |material: RopeMaterial| calibrate(&material, 0.01, 0.005, RestShape::Straight).unwrap_err().to_string();
        assert_eq!(
            text(RopeMaterial { bend: 0.0, ..good }),
            "bending stiffness EI is 0: it must be above zero and finite"
        );
        assert!(text(RopeMaterial { stretch: -1.0, ..good }).starts_with("stretch stiffness EA is -1"));
        assert!(text(RopeMaterial { twist: f64::NAN, ..good }).starts_with("torsional stiffness GJ is NaN"));
        assert!(text(good.damped(-1.0)).starts_with("damping time of stretch is -1"));
        assert!(calibrate(&good, 0.0, 0.005, RestShape::Straight).is_err());
        assert!(calibrate(&good, 0.01, f64::INFINITY, RestShape::Straight).is_err());
    }
}
