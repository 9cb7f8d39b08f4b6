//! Our sparse Cholesky against faer's, and against dense factors, for matrices of all forms.

use crate::common;
use crate::faer_cholesky::FaerCholesky;
use crate::forms;

use common::*;
use glam::{DMat3, DVec3};
use pliant_linalg::{BlockCsr, DirectCholesky, LinearSolver as _, SolveError};

/// Both solve; their residuals are of rounding, ‖b − A x‖ ≤ c n ε ‖A‖ ‖x‖ with c = 1, the norm of A bounded by that of its rows.
fn agree(a: &BlockCsr, seed: u64, what: &str) {
    let b = Random(seed).vectors(a.rows());
    let mut ours = DirectCholesky::new();
    let (mut x, mut y) = (vec![DVec3::NAN; a.rows()], vec![DVec3::NAN; a.rows()]);
    ours.factor(a).unwrap_or_else(|error| panic!("{what}: {error}"));
    // Any residual is accepted, so that nothing is refined.
    ours.solve(a, &b, &mut x, 0.5).unwrap();
    let mut faer = FaerCholesky::new(&a.pattern);
    assert!(faer.factor(a), "{what}");
    faer.solve(&b, &mut y);
    let row = |i: usize| a.pattern.row(i).map(|p| norm_of(&a.values[p])).fold(0.0, |sum, of| sum + of);
    let size = (0..a.rows()).map(row).fold(0.0, f64::max);
    for x in [&x, &y] {
        let mut r = b.clone();
        a.multiply_add(-1.0, x, &mut r);
        let bound = 3.0 * a.rows() as f64 * f64::EPSILON * size * norm(x);
        assert!(norm(&r) <= bound, "{what}: {} > {bound}", norm(&r));
    }
    // The smallest eigenvalue is 1 or more, so that errors are no larger than residuals.
    assert!(difference(&x, &y) <= 6.0 * a.rows() as f64 * f64::EPSILON * size * norm(&x), "{what}");
}

fn norm_of(block: &DMat3) -> f64 {
    block.to_cols_array().iter().fold(0.0, |sum, v| sum + v * v).sqrt()
}

#[test]
fn sheets_ropes_solids_and_folds() {
    for n in [4, 5, 9, 16, 33, 48] {
        agree(&forms::sheet(n), 1, &format!("sheet {n}"));
    }
    for n in [13, 100, 777] {
        agree(&forms::rope(n), 2, &format!("rope {n}"));
    }
    for n in [3, 5, 9] {
        agree(&forms::solid(n), 3, &format!("solid {n}"));
    }
    for (n, contacts) in [(10, 5), (30, 40), (45, 300)] {
        agree(&forms::folded(n, contacts), 4, &format!("fold {n} with {contacts}"));
    }
}

#[test]
fn random_couplings_of_every_size() {
    for rows in 1..=60 {
        for (seed, per_row) in [(1, 0.3), (2, 1.0), (3, 4.0)] {
            let mut random = Random(1000 * rows as u64 + seed);
            let mut draw = |n: usize| (((0.5 + 0.5 * random.number()) * n as f64) as usize).min(n - 1);
            let pairs: Vec<_> = (0..(per_row * rows as f64) as usize).map(|_| (draw(rows), draw(rows))).collect();
            agree(&forms::from_pairs(rows, &pairs, seed), seed, &format!("{rows} rows, {per_row} a row"));
        }
    }
}

#[test]
fn arrows_chains_empty_rows_and_separate_parts() {
    for n in [13, 40, 200] {
        let first: Vec<_> = (1..n).map(|i| (0, i)).collect();
        let last: Vec<_> = (0..n - 1).map(|i| (i, n - 1)).collect();
        let chain: Vec<_> = (1..n).map(|i| (i - 1, i)).collect();
        let full: Vec<_> = (0..n).flat_map(|i| (0..i).map(move |j| (j, i))).collect();
        let parts: Vec<_> = (1..n).filter(|i| i % 10 != 0).map(|i| (i - 1, i)).collect();
        let some: Vec<_> = (0..n / 3).map(|i| (i, 2 * n / 3 + i)).collect();
        for (k, pairs) in [first, last, chain, full, parts, some, Vec::new()].iter().enumerate() {
            agree(&forms::from_pairs(n, pairs, 5), 6, &format!("form {k} of {n}"));
        }
    }
}

/// A chain whose tree is as deep as it is long, if its order is kept, must not exhaust a stack.
#[test]
fn long_chains() {
    let pairs: Vec<_> = (1..60_000).map(|i| (i - 1, i)).collect();
    agree(&forms::from_pairs(60_000, &pairs, 7), 8, "chain");
}

#[test]
fn one_solver_for_changing_patterns() {
    let matrices = [forms::folded(30, 10), forms::rope(60), forms::sheet(30), forms::folded(30, 90), forms::sheet(3)];
    let mut used = DirectCholesky::new();
    for a in matrices.iter().chain(matrices.iter().rev()) {
        let b = Random(9).vectors(a.rows());
        let [x, y] = [&mut used, &mut DirectCholesky::new()].map(|solver| {
            let mut x = b.clone();
            solver.solve(a, &b, &mut x, 1e-12).unwrap();
            x
        });
        // The same bits: nothing of the patterns before is left.
        assert_eq!(x, y);
        assert_eq!(used.count(&a.pattern), DirectCholesky::new().count(&a.pattern));
    }
}

#[test]
fn failures_are_the_same_on_all_threads() {
    let mut a = forms::sheet(40);
    for row in [77, 400, 1200, 1599] {
        *block(&mut a, row, row) -= 1e3 * DMat3::IDENTITY;
    }
    let errors = [1, 2, 3, 8].map(|threads| on_threads(threads, || DirectCholesky::new().factor(&a).unwrap_err()));
    assert!(matches!(errors[0], SolveError::Indefinite { row: Some(_) }), "{:?}", errors[0]);
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    // The solver recovers.
    let mut solver = DirectCholesky::new();
    assert!(solver.factor(&a).is_err());
    let good = forms::sheet(40);
    let b = Random(10).vectors(good.rows());
    assert!(solver.factor(&good).is_ok());
    assert!(solver.solve(&good, &b, &mut b.clone(), 1e-12).is_ok());
}

#[test]
fn the_cost_is_that_of_the_factor() {
    // n separate rows: three columns of 3, 2 and 1 entries each
    let mut solver = DirectCholesky::new();
    let cost = solver.count(&forms::from_pairs(100, &[], 1).pattern).unwrap();
    assert_eq!((cost.entries, cost.factor, cost.solve), (600.0, 1400.0, 2400.0));
    // a full matrix
    let pairs: Vec<_> = (0..30).flat_map(|i| (0..i).map(move |j| (j, i))).collect();
    let cost = solver.count(&forms::from_pairs(30, &pairs, 1).pattern).unwrap();
    let n = 90.0;
    assert_eq!(cost.entries, n * (n + 1.0) / 2.0);
    assert_eq!(cost.factor, n * (n + 1.0) * (2.0 * n + 1.0) / 6.0);
}
