//! Every solver of the catalog against faer's dense LU, and against bad input.

use crate::common;

use common::*;
use glam::{DMat3, DVec3};
use pliant_linalg::{
    BiCgStab, BlockCsr, Cg, DirectCholesky, DirectLu, Identity, LinearSolver, PRECONDITIONERS, PatternBuilder, SOLVERS,
    SolveError, SolveReport,
};
use std::sync::Arc;

/// All solvers with all preconditioners that make a difference.
fn every_solver(mut with: impl FnMut(&str, bool, Box<dyn LinearSolver>)) {
    for solver in SOLVERS {
        let choices = if solver.preconditioned { PRECONDITIONERS } else { &PRECONDITIONERS[..1] };
        for choice in choices {
            let name = format!("{} + {}", solver.name, choice.name);
            with(&name, solver.symmetric, (solver.constructor)((choice.constructor)()));
        }
    }
}

fn solve(
    solver: &mut dyn LinearSolver,
    a: &BlockCsr,
    b: &[DVec3],
    tolerance: f64,
) -> Result<(Vec<DVec3>, SolveReport), SolveError> {
    let mut x = vec![DVec3::ZERO; b.len()];
    solver.analyze(&a.pattern)?;
    solver.factor(a)?;
    let report = solver.solve(a, b, &mut x, tolerance)?;
    Ok((x, report))
}

fn one_block(block: DMat3) -> BlockCsr {
    let mut a = BlockCsr::zeros(Arc::new(PatternBuilder::new(1).build()));
    a.values[0] = block;
    a
}

#[test]
fn product_agrees_with_the_dense_one() {
    let a = unsymmetric_sheet(7, 5, 3.0, 0.5);
    let x = Random(3).vectors(35);
    let scalars: &[f64] = bytemuck::cast_slice(&x);
    let expected = dense(&a) * faer::Col::from_fn(scalars.len(), |i| scalars[i]);
    let mut y = vec![DVec3::ONE; 35];
    a.multiply(&x, &mut y);
    for (i, y) in bytemuck::cast_slice::<_, f64>(&y).iter().enumerate() {
        assert!((y - expected[i]).abs() < 1e-13);
    }
    let mut z = x.clone();
    a.multiply_add(-2.0, &x, &mut z);
    for ((z, x), y) in z.iter().zip(&x).zip(&y) {
        assert!((*z - (*x - 2.0 * *y)).length() < 1e-13);
    }
    assert_eq!(*a.diagonal(8), a.values[a.pattern.find(8, 8).unwrap()]);
}

#[test]
fn symmetric_systems_of_all_sizes() {
    // 1, 4 and 15 rows (dense or sparse), 400 (simplicial) and 1600 (supernodal, split over threads)
    for (width, height, stiffness) in [(1, 1, 1.0), (2, 2, 50.0), (5, 3, 100.0), (20, 20, 10.0), (40, 40, 3.0)] {
        let a = sheet(width, height, stiffness);
        let b = Random(4).vectors(a.rows());
        let expected = (a.rows() <= 400).then(|| dense_solution(&a, &b));
        every_solver(|name, _, mut solver| {
            let (x, report) = solve(&mut *solver, &a, &b, 1e-11).unwrap();
            assert!(report.residual <= 1e-11, "{name}: {report:?}");
            let mut r = b.clone();
            a.multiply_add(-1.0, &x, &mut r);
            assert!(norm(&r) <= 2e-11 * norm(&b), "{name}: {}", norm(&r));
            if let Some(expected) = &expected {
                // The smallest eigenvalue is 1, so the error is at most the residual.
                assert!(difference(&x, expected) <= 3e-11 * norm(&b), "{name}");
            }
        });
    }
}

#[test]
fn unsymmetric_systems_of_all_sizes() {
    for (width, height) in [(1, 1), (3, 2), (8, 6), (20, 20), (30, 40)] {
        let a = unsymmetric_sheet(width, height, 1.0, 0.05);
        let b = Random(5).vectors(a.rows());
        let expected = (a.rows() <= 400).then(|| dense_solution(&a, &b));
        every_solver(|name, symmetric, mut solver| {
            if symmetric {
                return;
            }
            let (x, report) = solve(&mut *solver, &a, &b, 1e-11).unwrap();
            assert!(report.residual <= 1e-11, "{name}: {report:?}");
            if let Some(expected) = &expected {
                let error = difference(&x, expected);
                assert!(error <= 1e-9 * norm(expected), "{name}: {error}");
            }
        });
    }
}

#[test]
fn indefinite_matrices_are_named_not_solved() {
    // Dense, simplicial and supernodal Cholesky; the spoilt row is found by its number.
    for (width, height) in [(3, 3), (12, 12), (40, 40)] {
        let mut a = sheet(width, height, 1e-3);
        let row = a.rows() / 2 + 1;
        *block(&mut a, row, row) -= DMat3::from_diagonal(DVec3::new(0.0, 1e3, 0.0));
        let b = Random(6).vectors(a.rows());
        let error = Err(SolveError::Indefinite { row: Some(row) });
        let mut cholesky = DirectCholesky::new();
        assert_eq!(cholesky.factor(&a), error);
        // A failed factorisation does not leave old factors behind.
        let mut x = vec![DVec3::ZERO; b.len()];
        assert_eq!(cholesky.solve(&a, &b, &mut x, 1e-9), error.clone().map(|()| unreachable!()));
        let mut cg = Cg::new(Box::new(Identity));
        assert_eq!(solve(&mut cg, &a, &b, 1e-9).map(|_| ()), error);
        let (_, report) = solve(&mut DirectLu::new(), &a, &b, 1e-9).unwrap();
        assert!(report.residual < 1e-9);
    }
}

#[test]
fn singular_matrices_are_errors() {
    // The second scalar row is twice the first: no row is zero, but the matrix has no inverse.
    for (width, height) in [(3, 3), (8, 8), (20, 20)] {
        let mut a = BlockCsr::zeros(sheet(width, height, 1.0).pattern);
        for i in 0..a.rows() {
            *block(&mut a, i, i) = DMat3::IDENTITY;
        }
        *block(&mut a, 0, 0) = DMat3::from_cols_array(&[1.0, 2.0, 1.0, 2.0, 4.0, 1.0, 3.0, 6.0, 5.0]);
        let b = Random(7).vectors(a.rows());
        let error = solve(&mut DirectLu::new(), &a, &b, 1e-9).unwrap_err();
        assert!(matches!(error, SolveError::Singular { .. }), "{error}");
        every_solver(|name, _, mut solver| {
            assert!(solve(&mut *solver, &a, &b, 1e-9).is_err(), "{name}");
        });
    }
    let flat = one_block(DMat3::from_diagonal(DVec3::new(1.0, 0.0, 1.0)));
    every_solver(|name, _, mut solver| {
        assert!(solve(&mut *solver, &flat, &[DVec3::ONE], 1e-9).is_err(), "{name}");
    });
}

#[test]
fn nothing_that_is_not_finite_gets_through() {
    for bad in [f64::NAN, f64::INFINITY] {
        for (width, height) in [(1, 1), (3, 3), (20, 20), (40, 40)] {
            let good = sheet(width, height, 1.0);
            let rows = good.rows();
            let b = Random(8).vectors(rows);
            every_solver(|name, _, mut solver| {
                for position in [0, good.values.len() / 2, good.values.len() - 1] {
                    let mut a = good.clone();
                    a.values[position].y_axis.z = bad;
                    let error = solve(&mut *solver, &a, &b, 1e-9).map(|_| ());
                    assert_eq!(error, Err(SolveError::NonFinite), "{name}, matrix, {rows} rows");
                }
                let mut spoilt = b.clone();
                spoilt[rows / 2].x = bad;
                let error = solve(&mut *solver, &good, &spoilt, 1e-9).map(|_| ());
                assert_eq!(error, Err(SolveError::NonFinite), "{name}, right-hand side");
                // The solver is as good as new afterwards.
                assert!(solve(&mut *solver, &good, &b, 1e-9).is_ok(), "{name}");
            });
            let mut x = vec![DVec3::splat(bad); rows];
            for mut solver in [
                Box::new(Cg::new(Box::new(Identity))) as Box<dyn LinearSolver>,
                Box::new(BiCgStab::new(Box::new(Identity))),
            ] {
                let error = solver.solve(&good, &b, &mut x, 1e-9);
                assert_eq!(error, Err(SolveError::NonFinite), "initial guess");
            }
        }
    }
}

#[test]
fn zero_gives_zero_and_no_rows_give_nothing() {
    let a = sheet(6, 6, 1.0);
    let empty = BlockCsr::zeros(Arc::new(PatternBuilder::new(0).build()));
    every_solver(|name, _, mut solver| {
        let mut x = vec![DVec3::ONE; a.rows()];
        solver.factor(&a).unwrap();
        let report = solver.solve(&a, &vec![DVec3::ZERO; a.rows()], &mut x, 1e-9);
        assert_eq!(report, Ok(SolveReport::default()), "{name}");
        assert!(x.iter().all(|x| *x == DVec3::ZERO));
        // The same solver with another pattern, which it was not told about.
        assert!(solver.solve(&empty, &[], &mut [], 1e-9).is_ok(), "{name}");
        let one = one_block(DMat3::from_diagonal(DVec3::new(1.0, 2.0, 4.0)));
        let (x, _) = solve(&mut *solver, &one, &[DVec3::ONE], 1e-12).unwrap();
        assert!((x[0] - DVec3::new(1.0, 0.5, 0.25)).length() < 1e-11, "{name}");
    });
}

#[test]
fn a_good_guess_saves_iterations() {
    let a = sheet(20, 20, 30.0);
    let b = Random(9).vectors(a.rows());
    for name in ["cg", "bicgstab"] {
        let mut solver = pliant_linalg::solver(name, "block-jacobi").unwrap();
        let (mut x, cold) = solve(&mut *solver, &a, &b, 1e-8).unwrap();
        assert!(cold.iterations > 10, "{name}");
        x[17].x += 1e-6;
        let warm = solver.solve(&a, &b, &mut x, 1e-8).unwrap();
        assert!(warm.iterations < cold.iterations / 2, "{name}: {warm:?}");
        let none = solver.solve(&a, &b, &mut x, 1e-6).unwrap();
        assert_eq!(none.iterations, 0);
    }
}

#[test]
fn tolerances_out_of_reach_end_in_an_error() {
    let a = sheet(20, 20, 1e6);
    let b = Random(10).vectors(a.rows());
    for name in ["cg", "bicgstab"] {
        let mut solver = pliant_linalg::solver(name, "block-jacobi").unwrap();
        let error = solve(&mut *solver, &a, &b, 1e-18).unwrap_err();
        assert!(matches!(error, SolveError::NotConverged { .. }), "{name}: {error}");
    }
    let mut cg = Cg::new(Box::new(Identity));
    cg.max_iterations = Some(3);
    let error = solve(&mut cg, &a, &b, 1e-8).unwrap_err();
    assert!(matches!(error, SolveError::NotConverged { iterations: 3, .. }));
}

#[test]
fn bicgstab_gives_up_on_a_breakdown() {
    // r·A r = 0 for every r when A is skew: the first division has nothing to divide by.
    let skew = one_block(DMat3::from_cols_array(&[0.0, 1.0, -2.0, -1.0, 0.0, 3.0, 2.0, -3.0, 0.0]));
    let mut solver = BiCgStab::new(Box::new(Identity));
    let error = solve(&mut solver, &skew, &[DVec3::new(1.0, 2.0, -1.0)], 1e-9).unwrap_err();
    assert!(matches!(error, SolveError::NotConverged { .. }));
}
