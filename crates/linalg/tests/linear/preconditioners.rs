//! What every preconditioner of the catalog must be: a symmetric positive definite operator that depends on nothing but
//! the matrix it was given last.

use crate::common;

use common::*;
use glam::{DMat3, DVec3};
use pliant_linalg::adaptive::{Adaptive, Choice};
use pliant_linalg::solver::LinearSolver as _;
use pliant_linalg::{BlockCsr, PRECONDITIONERS, PatternBuilder, Preconditioner, SolveError};
use std::sync::Arc;

fn dot(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.dot(*b)).fold(0.0, |a, b| a + b)
}

fn applied(preconditioner: &mut dyn Preconditioner, r: &[DVec3]) -> Vec<DVec3> {
    let mut z = vec![DVec3::NAN; r.len()];
    preconditioner.apply(r, &mut z);
    z
}

/// A sheet in a plane: springs along their own directions, stiff in the plane and with nothing but mass across it, some
/// particles pinned. The blocks could not be more anisotropic.
fn flat_sheet(width: usize, height: usize, stiffness: f64) -> BlockCsr {
    rippled_sheet(width, height, stiffness, 0.0)
}

/// The same with ripples, which turn the soft direction from particle to particle.
fn rippled_sheet(width: usize, height: usize, stiffness: f64, ripple: f64) -> BlockCsr {
    let mut a = BlockCsr::zeros(sheet(width, height, 1.0).pattern);
    let pinned = |i: usize| i == 0 || i + 1 == width;
    let pattern = a.pattern.clone();
    for i in 0..a.rows() {
        *block(&mut a, i, i) += if pinned(i) { DMat3::IDENTITY } else { 1e-5 * DMat3::IDENTITY };
        for &j in &pattern.columns[pattern.row(i)] {
            let j = j as usize;
            let place = |k: usize| place(width, ripple, k);
            if i != j && !pinned(i) {
                let n = (place(j) - place(i)).normalize();
                let weight = if (place(j) - place(i)).length() < 1.9 { stiffness } else { 1e-3 * stiffness };
                let k = weight * DMat3::from_cols(n * n.x, n * n.y, n * n.z);
                *block(&mut a, i, i) += k;
                if !pinned(j) {
                    *block(&mut a, i, j) -= k;
                }
            }
        }
    }
    a
}

/// Where particle `k` of a rippled sheet is.
fn place(width: usize, ripple: f64, k: usize) -> DVec3 {
    let (x, y) = ((k % width) as f64, (k / width) as f64);
    DVec3::new(x, y, ripple * ((0.9 * x + 0.2 * y).sin() + (0.3 * x - 0.7 * y).sin()))
}

#[test]
fn operators_are_symmetric_and_positive() {
    for a in
        [sheet(1, 1, 2.0), sheet(7, 5, 100.0), sheet(30, 25, 1e4), flat_sheet(40, 30, 0.1), flat_sheet(25, 25, 1e2)]
    {
        for entry in PRECONDITIONERS {
            let mut preconditioner = (entry.constructor)();
            preconditioner.factor(&a).unwrap();
            let mut random = Random(21);
            for _ in 0..8 {
                let (u, v) = (random.vectors(a.rows()), random.vectors(a.rows()));
                let (mu, mv) = (applied(&mut *preconditioner, &u), applied(&mut *preconditioner, &v));
                let scale = norm(&mu) * norm(&v) + norm(&mv) * norm(&u);
                // Rounding of sums with a condition number up to 1e7 within them.
                assert!((dot(&mu, &v) - dot(&mv, &u)).abs() <= 1e-9 * scale, "{}", entry.name);
                assert!(dot(&mu, &u) > 0.0, "{}: {}", entry.name, dot(&mu, &u));
            }
        }
    }
}

#[test]
fn what_came_before_does_not_matter() {
    let a = flat_sheet(40, 30, 3.0);
    let r = Random(22).vectors(a.rows());
    for entry in PRECONDITIONERS {
        let mut fresh = (entry.constructor)();
        fresh.factor(&a).unwrap();
        let expected = applied(&mut *fresh, &r);
        let mut used = (entry.constructor)();
        // Other values, other strong blocks, another pattern, a failure.
        used.factor(&sheet(40, 30, 50.0)).unwrap();
        let _ = applied(&mut *used, &r);
        used.factor(&flat_sheet(12, 50, 1e-7)).unwrap();
        let mut bad = a.clone();
        bad.values[100].x_axis.x = f64::NAN;
        let _ = used.factor(&bad);
        used.factor(&flat_sheet(40, 30, 1e-3)).unwrap();
        used.factor(&a).unwrap();
        assert_eq!(applied(&mut *used, &r), expected, "{}", entry.name);
    }
}

#[test]
fn better_preconditioners_need_fewer_iterations() {
    let a = flat_sheet(60, 60, 10.0);
    let b = Random(23).vectors(a.rows());
    let iterations = |name| {
        let mut solver = pliant_linalg::solver("cg", name).unwrap();
        solver.factor(&a).unwrap();
        solver.solve(&a, &b, &mut vec![DVec3::ZERO; b.len()], 1e-8).unwrap().iterations
    };
    let [jacobi, incomplete, multigrid] = ["block-jacobi", "block-ic", "multigrid"].map(iterations);
    println!("{jacobi}, {incomplete}, {multigrid} iterations");
    assert!(2 * incomplete < jacobi && 2 * multigrid < incomplete, "{jacobi}, {incomplete}, {multigrid}");
}

/// Positions are a hint: no place is too strange, and the last one given counts.
#[test]
fn places_may_be_anything_and_only_the_last_count() {
    for (width, height) in [(40, 30), (2, 400), (1, 900)] {
        let a = rippled_sheet(width, height, 3.0, 0.2);
        let places: Vec<DVec3> = (0..a.rows()).map(|k| place(width, 0.2, k)).collect();
        let line: Vec<DVec3> = (0..a.rows()).map(|k| DVec3::X * k as f64).collect();
        let point = vec![DVec3::ONE; a.rows()];
        let (u, v) = (Random(31).vectors(a.rows()), Random(32).vectors(a.rows()));
        let mut used = pliant_linalg::preconditioner("multigrid").unwrap();
        for at in [&places[..], &line, &point, &[], &places[1..], &places] {
            used.set_positions(at);
            used.factor(&a).unwrap();
            let (mu, mv) = (applied(&mut *used, &u), applied(&mut *used, &v));
            let scale = norm(&mu) * norm(&v) + norm(&mv) * norm(&u);
            assert!((dot(&mu, &v) - dot(&mv, &u)).abs() <= 1e-9 * scale);
            assert!(dot(&mu, &u) > 0.0 && dot(&mv, &v) > 0.0);
            let mut fresh = pliant_linalg::preconditioner("multigrid").unwrap();
            fresh.set_positions(at);
            fresh.factor(&a).unwrap();
            assert_eq!(applied(&mut *fresh, &u), mu);
        }
    }
}

#[test]
fn rotations_save_iterations() {
    let a = rippled_sheet(60, 60, 1.0, 0.1);
    let b = Random(25).vectors(a.rows());
    let places: Vec<DVec3> = (0..a.rows()).map(|k| place(60, 0.1, k)).collect();
    let [with, without] = [&places[..], &[]].map(|places| {
        let mut solver = pliant_linalg::solver("cg", "multigrid").unwrap();
        solver.set_positions(places);
        solver.factor(&a).unwrap();
        solver.solve(&a, &b, &mut vec![DVec3::ZERO; b.len()], 1e-8).unwrap().iterations
    });
    println!("{with} iterations with rotations, {without} without");
    assert!(with < without, "{with}, {without}");
}

/// IC(0) breaks down on sheets like these; the cure must not let one bad row spoil the next.
#[test]
fn stiff_ripples_are_survived() {
    for (side, ripple) in [(20, 0.3), (45, 0.1), (70, 0.02)] {
        let a = rippled_sheet(side, side, 1.0, ripple);
        let b = Random(24).vectors(a.rows());
        for entry in PRECONDITIONERS.iter().filter(|entry| entry.name != "none") {
            let mut solver = pliant_linalg::solver("cg", entry.name).unwrap();
            solver.factor(&a).unwrap();
            let report = solver.solve(&a, &b, &mut vec![DVec3::ZERO; b.len()], 1e-8);
            println!("{side} {ripple} {}: {report:?}", entry.name);
            assert!(report.is_ok(), "{}, {side} a side, ripples of {ripple}: {report:?}", entry.name);
        }
    }
}

#[test]
fn hopeless_matrices_are_errors() {
    let empty = BlockCsr::zeros(Arc::new(PatternBuilder::new(0).build()));
    for entry in PRECONDITIONERS.iter().filter(|entry| entry.name != "none") {
        let mut preconditioner = (entry.constructor)();
        assert_eq!(preconditioner.factor(&empty), Ok(()), "{}", entry.name);
        assert_eq!(applied(&mut *preconditioner, &[]), []);
        let mut a = sheet(30, 30, 1.0);
        let row = 451;
        for p in a.pattern.row(row) {
            let column = a.pattern.columns[p] as usize;
            a.values[p] = DMat3::ZERO;
            *block(&mut a, column, row) = DMat3::ZERO;
        }
        let singular = Err(SolveError::Singular { row: Some(row) });
        assert_eq!(preconditioner.factor(&a), singular, "{}", entry.name);
        if entry.name != "block-jacobi" {
            *block(&mut a, row, row) = DMat3::from_diagonal(DVec3::new(1.0, -2.0, 1.0));
            let indefinite = Err(SolveError::Indefinite { row: Some(row) });
            assert_eq!(preconditioner.factor(&a), indefinite, "{}", entry.name);
        }
    }
}

#[test]
fn the_adaptive_solver_goes_by_counted_cost() {
    let chosen = |a: &BlockCsr| {
        let mut solver = Adaptive::new();
        solver.factor(a).unwrap();
        solver.chosen().unwrap()
    };
    assert_eq!(chosen(&flat_sheet(10, 10, 1.0)), Choice::Cholesky);
    // s = 8 k / 3 m for eight springs of stiffness k; ten times its root: 1.6, 52, 163, 5160 and 16300
    assert_eq!(chosen(&flat_sheet(90, 90, 1e-7)), Choice::Jacobi);
    assert_eq!(chosen(&flat_sheet(90, 90, 1e-4)), Choice::Incomplete);
    assert_eq!(chosen(&flat_sheet(30, 30, 1e-3)), Choice::Cholesky);
    assert_eq!(chosen(&flat_sheet(200, 200, 1e-3)), Choice::Incomplete);
    assert_eq!(chosen(&flat_sheet(90, 90, 1.0)), Choice::Cholesky);
    assert_eq!(chosen(&flat_sheet(320, 320, 10.0)), Choice::Multigrid);
}

#[test]
fn what_incomplete_cholesky_does_not_manage_goes_to_the_next() {
    let a = flat_sheet(200, 200, 2e-3);
    let b = vec![DVec3::new(1.0, -2.0, 3.0); a.rows()];
    let mut solver = Adaptive::new();
    solver.factor(&a).unwrap();
    assert_eq!(solver.chosen(), Some(Choice::Incomplete));
    let mut x = vec![DVec3::ZERO; a.rows()];
    let report = solver.solve(&a, &b, &mut x, 1e-15).unwrap();
    assert_ne!(solver.chosen(), Some(Choice::Incomplete), "{report:?}");
    assert!(report.iterations > 120 && report.residual < 1e-11, "{report:?}");
}

/// A rope of three points whose parts were halved twice, pinned at one end. On a line the hierarchical basis is orthogonal in the energy of
/// springs: with next to no mass one application is the inverse.
#[test]
fn the_hierarchical_basis_inverts_a_rope_of_springs() {
    let nested = vec![vec![[3, 0, 1], [4, 1, 2]], vec![[5, 0, 3], [6, 3, 1], [7, 1, 4], [8, 4, 2]]];
    let order = [0, 5, 3, 6, 1, 7, 4, 8, 2];
    let mut builder = PatternBuilder::new(order.len());
    order.windows(2).for_each(|pair| builder.couple(pair[0], pair[1]));
    let mut a = BlockCsr::zeros(Arc::new(builder.build()));
    let stiffness = DMat3::from_cols_array(&[4.0, 1.0, 0.5, 1.0, 3.0, -0.2, 0.5, -0.2, 2.0]);
    for i in 0..order.len() {
        *block(&mut a, i, i) += if i == 0 { DMat3::IDENTITY } else { 1e-12 * DMat3::IDENTITY };
    }
    for pair in order.windows(2) {
        for (i, j) in [(pair[0], pair[1]), (pair[1], pair[0])] {
            if i != 0 {
                *block(&mut a, i, i) += stiffness;
                if j != 0 {
                    *block(&mut a, i, j) -= stiffness;
                }
            }
        }
    }
    let mut hierarchical = pliant_linalg::Hierarchical::new();
    hierarchical.set_hierarchy(&nested);
    hierarchical.factor(&a).unwrap();
    let u: Vec<DVec3> = (0..9).map(|k| DVec3::new(k as f64, 1.0 - k as f64 * 0.3, (k * k) as f64 * 0.1)).collect();
    let mut r = vec![DVec3::ZERO; 9];
    a.multiply_add(1.0, &u, &mut r);
    let z = applied(&mut hierarchical, &r);
    for (z, u) in z.iter().zip(&u) {
        assert!((*z - *u).length() < 1e-9 * (1.0 + u.length()), "{z} instead of {u}");
    }
    // with mass it is no longer the inverse, but still symmetric and positive
    for i in 1..9 {
        *block(&mut a, i, i) += DMat3::from_diagonal(DVec3::new(0.3, 1.0, 3.0));
    }
    hierarchical.factor(&a).unwrap();
    let (p, q) = (applied(&mut hierarchical, &u), applied(&mut hierarchical, &r));
    assert!((dot(&p, &r) - dot(&q, &u)).abs() < 1e-12 * dot(&p, &r).abs() && dot(&p, &u) > 0.0);
    // what is pinned stays zero
    let mut free = r.clone();
    free[0] = DVec3::ZERO;
    assert_eq!(applied(&mut hierarchical, &free)[0], DVec3::ZERO);
}
