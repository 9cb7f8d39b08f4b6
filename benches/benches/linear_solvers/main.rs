//! Iterations and times of every solver and preconditioner on a stiff sheet, over the length of the time step:
//! `cargo bench -p pliant-benches --bench linear_solvers`.
//!
//! Relative residual 1e-8, no initial guess; best of several repetitions, factor + solve in ms. Arguments choose the particles per side
//! (50 and 100 by default) and, by name, the methods. Under `cargo test` a small sheet is taken through the same code once.

mod cloth;

use cloth::{Cloth, State};
use glam::DVec3;
use pliant::linalg::{LinearSolver, PRECONDITIONERS, SOLVERS, catalog};
use std::time::Instant;

const STEPS_MS: [f64; 7] = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0];
const TOLERANCE: f64 = 1e-8;

fn main() {
    // One thread: on a shared machine a second one measures other load.
    rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool of threads").install(table);
}

fn table() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let testing = arguments.iter().any(|argument| argument == "--test") || cfg!(debug_assertions);
    let mut sides: Vec<usize> = arguments.iter().filter_map(|argument| argument.parse().ok()).collect();
    if sides.is_empty() {
        sides = if testing { vec![8] } else { vec![50, 100] };
    }
    let repetitions = if testing { 1 } else { 5 };
    let wanted: Vec<String> =
        arguments.into_iter().filter(|a| !a.starts_with('-') && a.parse::<usize>().is_err()).collect();
    let methods: Vec<(String, &str, &str)> =
        methods().into_iter().filter(|(name, ..)| wanted.is_empty() || wanted.contains(name)).collect();
    for side in sides {
        for (state, how) in [(State::Hanging, "hanging"), (State::Swinging, "swinging")] {
            let mut cloth = Cloth::new(side, state);
            println!("\n{side} x {side}, {how}: iterations, ms to factor + ms to solve\n");
            print!("| dt, ms |");
            methods.iter().for_each(|(name, ..)| print!(" {name} |"));
            println!("\n|---:|{}", "---:|".repeat(methods.len()));
            for dt in STEPS_MS {
                print!("| {dt} |");
                let places = cloth.x.clone();
                let (a, b) = cloth.system(1e-3 * dt);
                for (_, solver, preconditioner) in &methods {
                    let mut solver = catalog::solver(solver, preconditioner).expect("of the catalog");
                    solver.analyze(&a.pattern).expect("the pattern is right");
                    solver.set_positions(&places);
                    print!(" {} |", measure(&mut *solver, a, &b, repetitions));
                }
                println!();
            }
        }
    }
}

/// Methods for symmetric systems.
fn methods() -> Vec<(String, &'static str, &'static str)> {
    let mut methods = Vec::new();
    for solver in SOLVERS.iter().filter(|solver| solver.symmetric) {
        if solver.preconditioned {
            for preconditioner in PRECONDITIONERS.iter().filter(|preconditioner| preconditioner.name != "none") {
                methods.push((format!("{}+{}", solver.name, preconditioner.name), solver.name, preconditioner.name));
            }
        } else {
            methods.push((solver.name.into(), solver.name, "none"));
        }
    }
    methods
}

fn measure(solver: &mut dyn LinearSolver, a: &pliant::linalg::BlockCsr, b: &[DVec3], repetitions: usize) -> String {
    let mut x = vec![DVec3::ZERO; b.len()];
    let (mut factor, mut solve, mut iterations) = (f64::INFINITY, f64::INFINITY, 0);
    for _ in 0..repetitions {
        x.fill(DVec3::ZERO);
        let begun = Instant::now();
        if let Err(error) = solver.factor(a) {
            return error.to_string();
        }
        factor = factor.min(1e3 * begun.elapsed().as_secs_f64());
        let begun = Instant::now();
        match solver.solve(a, b, &mut x, TOLERANCE) {
            Ok(report) => iterations = report.iterations,
            Err(error) => return error.to_string(),
        }
        solve = solve.min(1e3 * begun.elapsed().as_secs_f64());
    }
    format!("{iterations}, {factor:.1} + {solve:.1}")
}
