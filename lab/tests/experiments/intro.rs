//! Energy and huge steps: growth by the formula, and where stability ends.

use pliant_lab::energy::{SCHEMES, amplification, proof};
use pliant_lab::experiments;
use pliant_lab::huge_step::{largest_energy, whirling_growth};
use pliant_plot::report::Verdict;

/// Rounding, and the tolerance of Newton's method (1e-10).
#[test]
fn growth_in_a_step_is_that_of_the_formula() {
    for scheme in SCHEMES {
        for z in [0.01, 0.1, 1.0, 1.99, 2.01, 3.0, 30.0] {
            let (measured, formula) = amplification(scheme, z);
            // near z = 2 two eigenvalues meet, and rounding counts by its root
            let tolerance = if (z - 2.0).abs() < 0.1 { 1e-7 } else { 1e-9 };
            assert!((measured / formula - 1.0).abs() < tolerance, "{scheme} at {z}: {measured}, {formula}");
        }
    }
}

#[test]
fn the_proof_of_instability_is_about_a_stable_scheme() {
    let proof = proof();
    // one step from the circle: v'/v = √(1 + (dt v/r)²) with dt = 0.02, v² = 10, r = 1
    assert!((proof.speed - (1.0 + 0.004_f64).sqrt()).abs() < 1e-12, "{}", proof.speed);
    assert!(proof.energy[0] > 0.99 && proof.energy[1] < 1.01, "{:?}", proof.energy);
}

/// The mean of ln|1/(1 + cos θ)| over the circle is ln 2; 10⁴ steps tell it to 1.8 %, three of which are allowed.
#[test]
fn one_newton_step_doubles_the_speed_of_a_whirling_pendulum() {
    let growth = whirling_growth();
    assert!((growth / 2.0).ln().abs() < 0.055, "{growth}");
}

#[test]
fn backward_euler_explodes_linearized_and_not_converged() {
    let upside_down = ["pendulum[0].angle=3"];
    assert!(largest_energy("pendulum", &upside_down, "linearized-backward-euler", 1.0, 200) > 1e50);
    assert!(largest_energy("pendulum", &upside_down, "backward-euler", 1.0, 200) <= 1.0);
    let compressed = ["springs[0].rest_length=1.5"];
    assert!(largest_energy("orbiting-ball", &compressed, "linearized-backward-euler", 2.0, 200) > 10.0);
    assert!(largest_energy("orbiting-ball", &compressed, "backward-euler", 2.0, 200) <= 1.0);
}

/// The quick experiments come to their verdicts; each says its id, title and claim, and has something to show.
#[test]
fn verdicts() {
    for id in ["intro-energy", "intro-huge-step", "ropes-phase"] {
        let entry = experiments().iter().find(|entry| entry.id == id).expect("it is listed");
        let mut told = 0;
        let experiment = (entry.run)(&mut |_| told += 1);
        assert_eq!((experiment.id.as_str(), experiment.title.as_str()), (entry.id, entry.title));
        assert_eq!(experiment.verdict, Verdict::HoldsPartly, "{id}");
        assert!(
            told > 0 && !experiment.claim.is_empty() && !experiment.tables.is_empty() && !experiment.plots.is_empty()
        );
    }
}

#[test]
fn ids_begin_with_their_paper_and_are_unique() {
    for (k, entry) in experiments().iter().enumerate() {
        assert!(entry.id.starts_with(&format!("{}-", entry.paper)), "{}", entry.id);
        assert!(experiments()[..k].iter().all(|other| other.id != entry.id), "{}", entry.id);
    }
}
