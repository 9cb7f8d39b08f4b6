//! Table 1 of [Ropes], as printed, and what its integrators are called here.

/// A line of the table.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// The paper's name.
    pub paper: &'static str,
    /// Catalog name.
    pub name: &'static str,
    /// Largest time step, s.
    pub max_dt: f64,
    /// Time of one iteration, ms.
    pub milliseconds: f64,
    /// Whether it is called symplectic.
    pub symplectic: bool,
    /// Order of accuracy.
    pub order: u32,
    /// The printed score.
    pub score: f64,
}

const fn claim(
    paper: &'static str,
    name: &'static str,
    (max_dt, milliseconds, score): (f64, f64, f64),
    symplectic: bool,
    order: u32,
) -> Claim {
    Claim { paper, name, max_dt, milliseconds, symplectic, order, score }
}

/// The table.
pub const TABLE_1: &[Claim] = &[
    claim("Explicit Euler", "explicit-euler", (0.0098, 8.0, 1.225), false, 1),
    claim("Symplectic Euler", "symplectic-euler", (0.0294, 8.0, 3.675), true, 1),
    claim("Midpoint", "midpoint", (0.0153, 8.0, 1.9125), false, 2),
    claim("Half-Step", "half-step", (0.0168, 10.0, 1.68), false, 2),
    claim("Verlet", "velocity-verlet", (0.023, 10.0, 2.3), true, 2),
    claim("Forest-Ruth", "forest-ruth", (0.021, 12.0, 1.75), true, 3),
    claim("Symplectic Midpoint", "symplectic-midpoint", (0.028, 8.0, 3.5), true, 2),
    claim("Runge-Kutta 4", "rk4", (0.027, 14.0, 1.928), false, 4),
    claim("Modified Half-Step", "modified-half-step", (0.0216, 10.0, 2.16), false, 2),
];

/// The line of an integrator, if the paper has it.
pub fn find(name: &str) -> Option<&'static Claim> {
    TABLE_1.iter().find(|claim| claim.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_the_quotient_of_step_and_time() {
        for claim in TABLE_1 {
            let score = claim.max_dt / (1e-3 * claim.milliseconds);
            assert!((score - claim.score).abs() < 1e-3, "{}: {score}", claim.paper);
        }
    }
}
