//! The solvers and preconditioners by name. A new one is its file and one entry here; the tests loop over these tables.

use crate::adaptive::Adaptive;
use crate::bicgstab::BiCgStab;
use crate::cg::Cg;
use crate::direct::{DirectCholesky, DirectLu};
use crate::precond::{BlockIc, BlockJacobi, Hierarchical, Identity, Multigrid, StrongCholesky};
use crate::solver::{LinearSolver, Preconditioner};

/// A solver in the catalog.
#[derive(Clone, Copy, Debug)]
pub struct SolverEntry {
    /// The name in scene files.
    pub name: &'static str,
    /// One line for users.
    pub summary: &'static str,
    /// Whether it needs a symmetric positive definite matrix.
    pub symmetric: bool,
    /// Whether it makes use of the preconditioner given to `constructor`.
    pub preconditioned: bool,
    /// Makes one.
    pub constructor: fn(Box<dyn Preconditioner>) -> Box<dyn LinearSolver>,
}

/// A preconditioner in the catalog.
#[derive(Clone, Copy, Debug)]
pub struct PreconditionerEntry {
    /// The name in scene files.
    pub name: &'static str,
    /// One line for users.
    pub summary: &'static str,
    /// Makes one.
    pub constructor: fn() -> Box<dyn Preconditioner>,
}

/// All solvers.
pub static SOLVERS: &[SolverEntry] = &[
    SolverEntry {
        name: "cg",
        summary: "conjugate gradients: symmetric positive definite, the fastest for large systems",
        symmetric: true,
        preconditioned: true,
        constructor: |preconditioner| Box::new(Cg::new(preconditioner)),
    },
    SolverEntry {
        name: "bicgstab",
        summary: "stabilised bi-conjugate gradients: unsymmetric, large systems",
        symmetric: false,
        preconditioned: true,
        constructor: |preconditioner| Box::new(BiCgStab::new(preconditioner)),
    },
    SolverEntry {
        name: "cholesky",
        summary: "sparse Cholesky factorisation: symmetric positive definite, exact, small or stiff systems",
        symmetric: true,
        preconditioned: false,
        constructor: |_| Box::new(DirectCholesky::new()),
    },
    SolverEntry {
        name: "adaptive",
        summary: "symmetric positive definite: looks at each matrix, then takes cholesky, or cg with one of its preconditioners",
        symmetric: true,
        preconditioned: false,
        constructor: |_| Box::new(Adaptive::new()),
    },
    SolverEntry {
        name: "lu",
        summary: "sparse LU factorisation with pivoting: unsymmetric or indefinite, exact, small systems",
        symmetric: false,
        preconditioned: false,
        constructor: |_| Box::new(DirectLu::new()),
    },
];

/// All preconditioners.
pub static PRECONDITIONERS: &[PreconditionerEntry] = &[
    PreconditionerEntry {
        name: "block-jacobi",
        summary: "inverses of the 3x3 blocks on the diagonal",
        constructor: || Box::new(BlockJacobi::new()),
    },
    PreconditionerEntry {
        name: "block-ic",
        summary: "incomplete Cholesky factors of 3x3 blocks, without fill",
        constructor: || Box::new(BlockIc::new()),
    },
    PreconditionerEntry {
        name: "multigrid",
        summary: "smoothed aggregation: a V-cycle over coarser and coarser matrices, for large and stiff systems",
        constructor: || Box::new(Multigrid::new()),
    },
    PreconditionerEntry {
        name: "strong-cholesky",
        summary: "Cholesky factors of the matrix without the weak couplings of bending",
        constructor: || Box::new(StrongCholesky::new()),
    },
    PreconditionerEntry {
        name: "hierarchical",
        summary: "the hierarchical basis of bodies with `refine`: diagonal blocks of details, and the coarse mesh solved directly",
        constructor: || Box::new(Hierarchical::new()),
    },
    PreconditionerEntry { name: "none", summary: "no preconditioning", constructor: || Box::new(Identity) },
];

/// The solver of this name with the preconditioner of that name (which direct solvers ignore, but which must exist).
pub fn solver(name: &str, preconditioner: &str) -> Option<Box<dyn LinearSolver>> {
    let entry = SOLVERS.iter().find(|entry| entry.name == name)?;
    Some((entry.constructor)(self::preconditioner(preconditioner)?))
}

/// The preconditioner of this name.
pub fn preconditioner(name: &str) -> Option<Box<dyn Preconditioner>> {
    let entry = PRECONDITIONERS.iter().find(|entry| entry.name == name)?;
    Some((entry.constructor)())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_describe_what_they_make() {
        for entry in SOLVERS {
            let made = solver(entry.name, "none").unwrap();
            assert_eq!(made.name(), entry.name);
            assert_eq!(made.needs_symmetric(), entry.symmetric);
        }
        for entry in PRECONDITIONERS {
            assert_eq!((entry.constructor)().name(), entry.name);
        }
        assert!(solver("gauss", "none").is_none());
        assert!(solver("cg", "ilu").is_none());
    }
}
