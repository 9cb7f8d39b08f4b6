//! All integrators by name. Registration here makes an integrator listed, documented, benchmarked and tested.

use pliant_core::System;
use pliant_linalg::catalog as solvers;
use pliant_linalg::solver::LinearSolver;

use crate::explicit::{euler, half_step, midpoint, rk4};
use crate::implicit::stage::StageSolver;
use crate::implicit::{backward_euler, bdf, generalized_alpha, newmark, tr_bdf2};
use crate::integrator::{Integrator, Properties};
use crate::symplectic;

/// Which linear solver.
#[derive(Clone, Debug, PartialEq)]
pub struct SolverSpec {
    /// A name of the solver catalog, `direct`, or `auto`.
    pub kind: String,
    /// A name of the preconditioner catalog.
    pub preconditioner: String,
    /// Relative residual of iterative solvers, where Newton's method does not require a smaller one.
    pub tolerance: f64,
    /// Newton's method stops at corrections below this, m. Without it: a tenth of the tolerance of a controller that has one, else at
    /// rounding.
    pub accuracy: Option<f64>,
    /// Newton's method makes at most this many corrections of a predictor and accepts what is left. Without it: as many as are needed, within a
    /// limit beyond which the step is shortened.
    pub max_corrections: Option<usize>,
}

impl Default for SolverSpec {
    fn default() -> Self {
        let preconditioner = "block-jacobi".into();
        Self { kind: "auto".into(), preconditioner, tolerance: 1e-8, accuracy: None, max_corrections: None }
    }
}

/// Up to this many particles a direct solve is faster (measured on square nets: Cholesky against conjugate gradients,
/// and LU, which has to pivot, against the same).
const SMALL_SYMMETRIC: usize = 300;
const SMALL: usize = 32;

impl SolverSpec {
    /// The catalog name selected by `auto` and `direct`, given the system and the properties of the integrator.
    pub fn resolve(&self, system: &System, integrator: &Properties) -> &str {
        // the scheme of the paper is not symmetric under restraint
        let symmetric = system.has_symmetric_jacobian() && !(system.restraint().is_some() && integrator.predicts_force);
        let direct = if symmetric { "cholesky" } else { "lu" };
        match self.kind.as_str() {
            "direct" => direct,
            "auto" if system.len() <= if symmetric { SMALL_SYMMETRIC } else { SMALL } => direct,
            // One Newton step of a second-order scheme keeps its order only with the exact, unsymmetric derivative of damping.
            "auto" if !symmetric && integrator.predicts_force && integrator.order_damped > 1 => "bicgstab",
            "auto" if system.restraint().is_some() && integrator.predicts_force => "bicgstab",
            "auto" => "adaptive",
            other => other,
        }
    }

    /// Builds the solver; `None` for an unknown name.
    pub fn build(&self, system: &System, integrator: &Properties) -> Option<Box<dyn LinearSolver>> {
        solvers::solver(self.resolve(system, integrator), &self.preconditioner)
    }
}

/// One integrator.
pub struct Entry {
    /// Its properties.
    pub properties: &'static Properties,
    make: Maker,
}

enum Maker {
    Explicit(fn() -> Box<dyn Integrator>),
    Implicit(fn(StageSolver) -> Box<dyn Integrator>),
}

impl Entry {
    /// An explicit integrator, for use like those of the catalog: it needs no linear solver.
    pub const fn explicit(properties: &'static Properties, make: fn() -> Box<dyn Integrator>) -> Self {
        Self { properties, make: Maker::Explicit(make) }
    }

    /// An implicit integrator, for use like those of the catalog: it receives the solver of its stages.
    pub const fn implicit(properties: &'static Properties, make: fn(StageSolver) -> Box<dyn Integrator>) -> Self {
        Self { properties, make: Maker::Implicit(make) }
    }

    /// Builds the integrator for a system; `None` when the solver's name is unknown.
    pub fn build(&self, system: &System, solver: &SolverSpec) -> Option<Box<dyn Integrator>> {
        match self.make {
            Maker::Explicit(make) => Some(make()),
            Maker::Implicit(make) => {
                let linear = solver.build(system, self.properties)?;
                Some(make(StageSolver::new(linear, solver.tolerance, solver.max_corrections)))
            }
        }
    }
}

/// The catalog.
pub const INTEGRATORS: &[Entry] = &[
    Entry::explicit(&euler::PROPERTIES, || Box::new(euler::ExplicitEuler::default())),
    Entry::explicit(&symplectic::euler::PROPERTIES, || Box::new(symplectic::euler::SymplecticEuler::default())),
    Entry::explicit(&midpoint::PROPERTIES, || Box::new(midpoint::Midpoint::default())),
    Entry::explicit(&half_step::PROPERTIES, || Box::new(half_step::HalfStep::new(false))),
    Entry::explicit(&half_step::MODIFIED, || Box::new(half_step::HalfStep::new(true))),
    Entry::explicit(&symplectic::verlet::PROPERTIES, || Box::new(symplectic::verlet::VelocityVerlet::default())),
    Entry::explicit(
        &symplectic::midpoint::PROPERTIES,
        || Box::new(symplectic::midpoint::SymplecticMidpoint::default()),
    ),
    Entry::explicit(&symplectic::midpoint::LITERAL, || {
        Box::new(symplectic::midpoint::SymplecticMidpointLiteral::default())
    }),
    Entry::explicit(&symplectic::forest_ruth::PROPERTIES, || Box::new(symplectic::forest_ruth::ForestRuth::default())),
    Entry::explicit(&rk4::PROPERTIES, || Box::new(rk4::Rk4::default())),
    Entry::implicit(&backward_euler::LINEARIZED, |stage| Box::new(backward_euler::BackwardEuler::new(false, stage))),
    Entry::implicit(&backward_euler::CONVERGED, |stage| Box::new(backward_euler::BackwardEuler::new(true, stage))),
    Entry::implicit(&newmark::LINEARIZED, |stage| Box::new(newmark::Newmark::new(false, stage))),
    Entry::implicit(&newmark::CONVERGED, |stage| Box::new(newmark::Newmark::new(true, stage))),
    Entry::implicit(&tr_bdf2::PROPERTIES, |stage| Box::new(tr_bdf2::TrBdf2::new(stage))),
    Entry::implicit(&generalized_alpha::PROPERTIES, |stage| Box::new(generalized_alpha::GeneralizedAlpha::new(stage))),
    Entry::implicit(&bdf::BDF2, |stage| Box::new(bdf::Bdf::new(2, tr_bdf2::TrBdf2::new(stage)))),
    Entry::implicit(&bdf::BDF3, |stage| Box::new(bdf::Bdf::new(3, tr_bdf2::TrBdf2::new(stage)))),
];

/// Finds an integrator.
pub fn find(name: &str) -> Option<&'static Entry> {
    INTEGRATORS.iter().find(|entry| entry.properties.name == name)
}
