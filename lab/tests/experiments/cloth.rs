//! Pieces of the experiments on cloth that are quick to run.

use pliant_lab::cloth::catenary::Law;
use pliant_lab::cloth::{ALLOWED, cloth_iterations, hang_strip};
use pliant_lab::contest::{METHODS, Problem};

/// A strip hangs like the elastic catenary, and nearer still to the one of the membrane's own law.
#[test]
fn a_strip_hangs_like_the_elastic_catenary() {
    for (young, span) in [(1e6, 0.95), (2e7, 1.0)] {
        let compared = hang_strip(young, span, 41).unwrap();
        let off = |law| compared.sag / compared.strip.hang(law).sag - 1.0;
        assert!(off(Law::Linear).abs() < ALLOWED, "{young:e} {span}: {}", off(Law::Linear));
        assert!(off(Law::Stvk).abs() < 0.001, "{young:e} {span}: {}", off(Law::Stvk));
        assert!(compared.strip.hang(Law::Stvk).strain < 0.005);
    }
}

/// Every method runs on a small sheet, and comes nearer to the reference if it may spend more; but for the speed limit, whose first step
/// from rest is the longest allowed whatever its distance (as on the nonlinear spring): that error stays.
#[test]
fn methods_come_nearer_when_they_spend_more() {
    let size = ["cloth[0].grid.columns=6", "cloth[0].grid.rows=6"];
    let problem = Problem::new("hanging-cloth", &size, 0.1, 0.5e-3).unwrap();
    assert!(problem.doubt < 1e-4, "{}", problem.doubt);
    for method in METHODS {
        let rough = problem.run(&method.settings(method.values[0])).unwrap();
        let fine = problem.run(&method.settings(method.values[method.values.len() - 1])).unwrap();
        if method.name == "speed-limit" {
            assert!(fine.error > 0.5 * rough.error, "{method:?}: {rough:?} {fine:?}");
        } else {
            assert!(fine.solves > rough.solves && fine.error < rough.error, "{method:?}: {rough:?} {fine:?}");
        }
    }
}

/// On a small sheet already, a preconditioner that knows neighbours beats one that does not, by a factor that grows with the step.
#[test]
fn preconditioners_keep_their_order() {
    let [short, long] = cloth_iterations(12, &["time.until=0.2", "time.fps=5"], [1e-3, 50e-3]).unwrap();
    let [jacobi, cholesky, multigrid] = [0, 1, 2].map(|k| long[k] as f64 / short[k] as f64);
    assert!(long[1] < long[0] && long[2] < long[0], "{short:?} {long:?}");
    assert!(multigrid < jacobi && multigrid < cholesky.max(jacobi), "{short:?} {long:?}");
}
