//! How much energy implicit steps add to the restrained oscillator, over the length of steps and the width of the transition.

use pliant::core::{Criterion, Limits};
use pliant_testkit::problems::oscillator;
use rayon::prelude::*;

use super::oscillator::{ENERGIES, Run, name, restrained};

/// An implicit scheme and its criterion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its name in plots and tables.
    pub name: String,
    /// Name of the integrator.
    pub scheme: &'static str,
    /// Which kinetic energy.
    pub criterion: Criterion,
}

const LINEARIZED: &str = "linearized-backward-euler";

/// As published; with the paper's other criterion; one linear solve with a convex energy; and our default.
pub fn methods() -> [Method; 4] {
    let of = |name: &str, scheme, criterion| Method { name: name.into(), scheme, criterion };
    [
        of("algorithm 1, by energy (published)", LINEARIZED, Criterion::Energy),
        of("algorithm 1, by momentum (section 6.3)", LINEARIZED, Criterion::Momentum),
        of("algorithm 1, convex", LINEARIZED, Criterion::Convex),
        of(&format!("converged, {}", name(Criterion::default())), "backward-euler", Criterion::default()),
    ]
}

/// The range of h ω, and of ε_f/ε_r.
pub const STEPS: [f64; 2] = [0.05, 10.0];
/// See there.
pub const RATIOS: [f64; 2] = [1.05, 20.0];
/// Growth at which a run is stopped.
pub const ENOUGH: f64 = 1e12;

/// One place on the map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell {
    /// h ω.
    pub step: f64,
    /// ε_f/ε_r.
    pub ratio: f64,
    /// The largest energy of any run over its start, at most [`ENOUGH`].
    pub growth: f64,
}

/// How fine a map is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fineness {
    /// Steps, and ratios.
    pub cells: [u32; 2],
    /// Runs from q = 1, 1.6 and evenly between them.
    pub starts: u32,
    /// Steps of each.
    pub steps: u32,
}

/// Logarithmically spaced numbers between two others.
pub fn spread([low, high]: [f64; 2], count: u32) -> impl Iterator<Item = f64> {
    (0..count).map(move |k| low * (high / low).powf(f64::from(k) / f64::from(count - 1)))
}

/// The largest energy over its start; a step that fails (its matrix is singular) is [`ENOUGH`].
pub fn growth(method: &Method, step: f64, ratio: f64, fineness: Fineness) -> f64 {
    let low = ENERGIES[0];
    let mut worst = 0.0_f64;
    for k in 0..fineness.starts {
        let place = 1.0 + 0.6 * f64::from(k) / f64::from(fineness.starts.max(2) - 1);
        let problem = restrained(oscillator(1.0, place, 0.0), method.criterion, [low, low * ratio]);
        let mut run = Run::new(problem, method.scheme, step);
        let start = run.energy();
        for _ in 0..fineness.steps {
            let grown = if run.step().is_ok() { run.energy() / start } else { ENOUGH };
            // a state that is not finite counts as well
            worst = worst.max(if grown.is_nan() { ENOUGH } else { grown });
            if worst >= ENOUGH {
                return ENOUGH;
            }
        }
    }
    worst
}

/// A map of a method: row by row of ratios.
pub fn map(method: &Method, fineness: Fineness) -> Vec<Cell> {
    let [steps, ratios] = fineness.cells;
    let at = |ratio: f64| spread(STEPS, steps).map(move |step| Cell { step, ratio, growth: 0.0 });
    let mut cells: Vec<Cell> = spread(RATIOS, ratios).flat_map(at).collect();
    cells.par_iter_mut().for_each(|cell| cell.growth = growth(method, cell.step, cell.ratio, fineness));
    cells
}

/// h ω at which the matrix of the published scheme can become singular: `1/√-R`, R the least radial slope of the transition.
pub fn singular_at(criterion: Criterion, ratio: f64) -> f64 {
    const SAMPLES: u32 = 4000;
    let low = ratio.recip().sqrt();
    let limits = Limits::new(criterion, low, 1.0, 0.0);
    let at = |k: u32| criterion.response(low + (1.0 - low) * f64::from(k) / f64::from(SAMPLES), &limits).radial;
    (0..=SAMPLES).map(at).fold(0.0, f64::min).abs().sqrt().recip()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Found before by a search over momenta.
    #[test]
    fn matrices_are_singular_where_they_were_found_to_be() {
        for (ratio, step) in [(20.0, 0.414), (4.0, 0.298), (2.0, 0.179), (1.2, 0.0523)] {
            let found = singular_at(Criterion::Energy, ratio);
            assert!((found / step - 1.0).abs() < 5e-3, "{ratio}: {found}");
        }
        assert_eq!(singular_at(Criterion::Convex, 4.0), f64::INFINITY);
    }

    /// Steps across a narrow transition amplify rounding by its slope; the solver must still converge.
    #[test]
    fn converged_steps_find_their_way_in_a_narrow_transition() {
        let fineness = Fineness { cells: [1, 1], starts: 60, steps: 120 };
        let step = spread(STEPS, 20).nth(17).expect("there are 20");
        assert!(growth(&methods()[3], step, RATIOS[0], fineness) <= 1.0 + 1e-9);
    }
}
