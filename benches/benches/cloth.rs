//! What a simulated second of hanging cotton costs at an error of 1 mm, with adaptive and with equal steps:
//! `cargo bench -p pliant-benches --bench cloth` (50 and 100 points a side, half an hour) or `... --bench cloth -- 50`.
//!
//! A square metre of cotton falls from the horizontal, held at two corners; errors are the largest distance of a particle from its place in
//! a reference at the end, 0.5 s. (Not at 1 s: between 0.8 and 1 s the sheet folds onto itself, and from there on even runs with steps of
//! 0.5 and 0.25 ms are 19 mm apart.) The reference is bdf2 with equal steps of 1 ms; its doubt is a third of its distance from the same
//! with 2 ms. Every method gets finer until it errs by less than 1 mm, in factors of √2 of the steps of a rival and of 2 of a tolerance, so
//! that rivals come within 20 % of their best; one that has cost thirty times as much as the adaptive run is stopped. One thread.

use pliant::core::State;
use pliant::scene::{LoadedScene, load};

const GOAL: f64 = 1e-3;
const GIVEN_UP: f64 = 30.0;
/// Steps of the reference, s.
const FINEST: f64 = 1e-3;

struct Effort {
    sides: Vec<usize>,
    until: f64,
    finest: f64,
}

struct Outcome {
    state: State,
    steps: u64,
    solves: u64,
    seconds: f64,
    linear: f64,
}

fn main() {
    let testing = std::env::args().any(|argument| argument == "--test") || cfg!(debug_assertions);
    let asked: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    let effort = match testing {
        true => Effort { sides: vec![6], until: 0.02, finest: 2e-3 },
        false => Effort { sides: if asked.is_empty() { vec![50, 100] } else { asked }, until: 0.5, finest: FINEST },
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    println!(
        "| points | method | setting | steps | solves | error [mm] | largest strain | ms per simulated s | in linear systems | over adaptive |"
    );
    println!("|---|---|---|---:|---:|---:|---:|---:|---:|---:|");
    for side in &effort.sides {
        pool.install(|| compare(*side, &effort));
    }
}

fn compare(side: usize, effort: &Effort) {
    let scene = load(
        "hanging-cloth",
        &[
            format!("cloth[0].grid.columns={side}"),
            format!("cloth[0].grid.rows={side}"),
            format!("time.until={}", effort.until),
            format!("time.fps={}", 1.0 / effort.until),
        ],
    )
    .expect("the built-in scene takes these");
    let fixed = |integrator: &str, dt: f64, accuracy: f64| {
        let settings = [
            format!("time.integrator={integrator}"),
            "time.control.kind=fixed".to_owned(),
            format!("time.control.dt={dt}"),
            format!("solver.accuracy={accuracy}"),
        ];
        run(&scene, &settings)
    };
    let (fine, coarse) = (fixed("bdf2", effort.finest, 1e-6), fixed("bdf2", 2.0 * effort.finest, 1e-6));
    let reference = &fine.state;
    eprintln!("{side} x {side}: doubt of the reference {:.3} mm", 1e3 / 3.0 * distance(&coarse.state, reference));

    // the adaptive run first: rivals are measured by it
    let mut adaptive = None;
    for k in 0..9 {
        let tolerance = 1.25e-4 * 0.5_f64.powi(k);
        // Newton's share: with the usual tenth it takes more solves for the same error
        let accuracy = format!("solver.accuracy={}", 0.3 * tolerance);
        let outcome = run(&scene, &[format!("time.control.tolerance={tolerance}"), accuracy]);
        let error = distance(&outcome.state, reference);
        eprintln!(
            "  adaptive, {tolerance:.2e} m: {:.3} mm, {} steps, {:.1} s",
            1e3 * error,
            outcome.steps,
            outcome.seconds
        );
        if error < GOAL {
            let setting = format!("tolerance {:.3} mm", 1e3 * tolerance);
            print_row(side, effort, "adaptive bdf2", &setting, &outcome, error, outcome.seconds);
            adaptive = Some(outcome.seconds);
            break;
        }
    }
    let Some(adaptive) = adaptive else { return println!("| {side} x {side} | adaptive bdf2 | does not get there |") };
    // from steps that are too long for all methods
    for (name, first) in [("bdf2", 4e-3), ("linearized-backward-euler", 0.5e-3)] {
        for k in 0.. {
            let dt = first * 0.5_f64.powf(0.5 * f64::from(k));
            let outcome = fixed(name, dt, 1e-2 * GOAL);
            let error = distance(&outcome.state, reference);
            eprintln!(
                "  {name}, {:.3} ms: {:.3} mm, {} steps, {:.1} s",
                1e3 * dt,
                1e3 * error,
                outcome.steps,
                outcome.seconds
            );
            if error < GOAL || outcome.seconds > GIVEN_UP * adaptive {
                let setting = format!("dt {:.3} ms", 1e3 * dt);
                print_row(side, effort, &format!("{name}, equal steps"), &setting, &outcome, error, adaptive);
                break;
            }
        }
    }
}

fn print_row(side: usize, effort: &Effort, method: &str, setting: &str, outcome: &Outcome, error: f64, adaptive: f64) {
    let Outcome { state, steps, solves, seconds, linear } = outcome;
    println!(
        "| {side} x {side} | {method} | {setting} | {steps} | {solves} | {:.2} | {:.2} % | {:.0} | {:.0} % | {:.1} |",
        1e3 * error,
        100.0 * largest_strain(side, state),
        1e3 * seconds / effort.until,
        100.0 * linear / seconds,
        seconds / adaptive
    );
}

fn run(scene: &LoadedScene, settings: &[String]) -> Outcome {
    let scene = scene.with(settings).expect("these are settings");
    let mut simulation = scene.build().expect("the built-in scene can be built").simulation;
    simulation.track_energy(false);
    let begun = std::time::Instant::now();
    while !simulation.is_done() {
        simulation.step().expect("the sheet does not break");
    }
    let seconds = begun.elapsed().as_secs_f64();
    let (tally, clock) = (simulation.tally(), simulation.system.clock);
    Outcome {
        state: simulation.state().clone(),
        steps: tally.steps,
        solves: tally.work.solves,
        seconds,
        linear: clock.linear,
    }
}

fn distance(a: &State, b: &State) -> f64 {
    a.x.iter().zip(&b.x).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Of the threads along both sides of the sheet.
fn largest_strain(side: usize, state: &State) -> f64 {
    let spacing = 1.0 / (side - 1) as f64;
    let strain = |a: usize, b: usize| state.x[a].distance(state.x[b]) / spacing - 1.0;
    let along = (0..side * side).filter(|i| i % side + 1 < side).map(|i| strain(i, i + 1));
    let across = (0..side * (side - 1)).map(|i| strain(i, i + side));
    along.chain(across).fold(0.0, f64::max)
}
