//! The same bits on any number of threads.

use crate::common;

use common::*;
use glam::DVec3;
use pliant_linalg::{PRECONDITIONERS, SOLVERS};

#[test]
fn products_and_solutions_have_the_same_bits() {
    let a = sheet(130, 130, 2.0);
    let b = Random(11).vectors(a.rows());
    // Sums of vectors are split only above 16 chunks.
    assert!(a.rows() > 16 * pliant_parallel::CHUNK);
    for solver in SOLVERS {
        // Nothing of the LU factorisation is threaded, and it is slow.
        if solver.name == "lu" {
            continue;
        }
        let choices = if solver.preconditioned { PRECONDITIONERS } else { &PRECONDITIONERS[..1] };
        for preconditioner in choices {
            let run = |threads| {
                on_threads(threads, || {
                    let mut y = vec![DVec3::ONE; a.rows()];
                    a.multiply_add(0.3, &b, &mut y);
                    let mut solver = (solver.constructor)((preconditioner.constructor)());
                    solver.factor(&a).unwrap();
                    let mut x = y.clone();
                    let report = solver.solve(&a, &b, &mut x, 1e-10).unwrap();
                    (bits(&y), bits(&x), report.iterations, report.residual.to_bits())
                })
            };
            let expected = run(1);
            for threads in [2, 3] {
                assert!(run(threads) == expected, "{}: {threads} threads", solver.name);
            }
        }
    }
}

fn bits(v: &[DVec3]) -> Vec<u64> {
    let scalars: &[f64] = bytemuck::cast_slice(v);
    scalars.iter().map(|v| v.to_bits()).collect()
}
