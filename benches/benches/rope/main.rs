//! What a step of a rope costs: `cargo bench -p pliant-benches --bench rope`, for ropes of 100, 1,000 and 10,000 segments that hang from pins a metre
//! apart and swing freely between them, so that all move alike, without contact, on 1 and 2 threads; and what one element costs in a force and in an assembly.
//!
//! With contact: `... --bench rope -- --pile` measures ropes of the same sizes that fall in loops onto a plane and onto themselves (`pile.rs`).
//! `--segments N`: that size alone; `--set KEY=VALUE`: the pile's scene changed.
//! Anything else that a scene can hold: `... --bench rope -- --scene NAME --vary PATH` measures the steps of a scene, with the numbers of segments
//! put in place of the key PATH: `--scene spring-chain --vary springs[0].chain.count`.

mod pile;

use std::hint::black_box;
use std::time::Instant;

use glam::DVec3;
use pliant::core::{JacobianKind, Path, Pin, State, System};
use pliant::forces::{Gravity, Rope, RopeMaterial, RopeSpec, rope};
use pliant::geom::rope::{Curve, Frames as RopeFrames};
use pliant::prelude::{ControlKind, ControlSpec, Frames, Simulation, SolverSpec, integrator};
use pliant::scene::load;

const SCHEMES: [&str; 3] = ["symplectic-euler", "backward-euler", "bdf2"];
/// The step of the implicit ones, s.
const FRAME: f64 = 1.0 / 240.0;
/// Part of the limit of stability that the explicit one uses.
const SAFETY: f64 = 0.7;
/// Segments from pin to pin.
const SPAN: usize = 100;
/// Times are the best of this many blocks.
const BLOCKS: usize = 5;

struct Effort {
    sizes: Vec<usize>,
    /// Length of a block, s.
    seconds: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let after = |key: &str| arguments.iter().position(|a| a == key).and_then(|k| arguments.get(k + 1)).cloned();
    let testing = arguments.iter().any(|argument| argument == "--test") || cfg!(debug_assertions);
    let mut effort = match testing {
        true => Effort { sizes: vec![10, 20], seconds: 0.0 },
        false => Effort { sizes: vec![100, 1000, 10_000], seconds: 0.5 },
    };
    if let Some(size) = after("--segments").and_then(|size| size.parse().ok()) {
        effort.sizes = vec![size];
    }
    if arguments.iter().any(|argument| argument == "--pile") {
        return pile::measure(&effort.sizes, testing, &after("--set").into_iter().collect::<Vec<_>>());
    }
    println!("| segments | threads | scheme | dt [ms] | ms a step | µs a step and segment | simulated s per s |");
    println!("|---:|---:|---|---:|---:|---:|---:|");
    let scene = after("--scene").map(|name| (name, after("--vary")));
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        for size in &effort.sizes {
            for scheme in SCHEMES {
                let made = match &scene {
                    Some((name, key)) => from_scene(name, key.as_deref(), *size, scheme),
                    None => hanging(*size, scheme),
                };
                pool.install(|| time_steps(*size, threads, scheme, made, &effort));
            }
        }
    }
    if scene.is_none() {
        println!("\n| segments | elements | ns an element: force | energy | stability limit | assembly |");
        println!("|---:|---:|---:|---:|---:|---:|");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        pool.install(|| effort.sizes.iter().for_each(|size| time_elements(*size, &effort)));
    }
}

/// About 1 cm per segment, straight at rest and laid out in waves of half a metre: every element is deformed, and nothing folds.
fn make(segments: usize) -> (Rope, System, State) {
    let length = 0.01 * segments as f64;
    let curve = Curve::Wave { length, height: 0.02, waves: 2.0 * length };
    let line = curve.centreline(segments).expect("a curve");
    let material = RopeMaterial::solid(1e6, 0.3, 1000.0, 5e-3).damped(1e-4);
    let made = rope(&line, &RopeFrames::new(&line, 0.0), &RopeSpec::new(material, 5e-3), 0).expect("a rope");
    let held = (0..segments).step_by(SPAN).chain([segments]).map(|point| made.centreline[point] as usize);
    let pins = held.map(|particle| Pin { particle, path: Path::Fixed(made.x[particle]) }).collect();
    let mut models = made.models();
    let all = std::iter::once(0..made.x.len()).collect();
    models.push(Box::new(Gravity::new(DVec3::NEG_Y * 9.81, made.masses.clone(), all)));
    let system = System::new(made.masses.clone(), pins, models, Vec::new()).expect("a system");
    let state = State::at_rest(made.x.clone());
    (made, system, state)
}

fn hanging(segments: usize, scheme: &str) -> Simulation {
    let (_, mut system, state) = make(segments);
    let entry = integrator(scheme).expect("it is in the catalog");
    // equal steps: evaluating the stability limit before every step costs several times as much as the force
    let dt = match entry.properties.is_implicit() {
        true => FRAME,
        false => SAFETY * 2.0 / system.bounds().frequency_bound(&state.view()),
    };
    let control = ControlSpec { kind: ControlKind::FIXED, dt: Some(dt), ..ControlSpec::default() };
    // Newton's method to a hundredth of a millimetre
    let solver = SolverSpec { accuracy: Some(1e-5), ..SolverSpec::default() };
    Simulation::new(system, state, entry, &solver, &control, Frames { fps: 1.0 / FRAME, until: 1e6 }).expect("a solver")
}

fn from_scene(name: &str, key: Option<&str>, size: usize, scheme: &str) -> Simulation {
    let implicit = integrator(scheme).expect("it is in the catalog").properties.is_implicit();
    let kind = if implicit { "fixed" } else { "stable" };
    let mut changes = vec![
        format!("time.integrator={scheme}"),
        format!("time.control.kind={kind}"),
        format!("time.control.dt={FRAME}"),
        format!("time.control.dt_max={FRAME}"),
        "time.until=1e6".to_owned(),
    ];
    changes.extend(key.map(|key| format!("{key}={size}")));
    let scene = load(name, &changes).unwrap_or_else(|error| panic!("{error}"));
    scene.build().unwrap_or_else(|error| panic!("{error}")).simulation
}

fn time_steps(size: usize, threads: usize, scheme: &str, mut simulation: Simulation, effort: &Effort) {
    simulation.track_energy(false);
    for _ in 0..3 {
        simulation.step().unwrap_or_else(|error| panic!("{scheme}: {error}"));
    }
    let (mut best, mut dt) = (f64::INFINITY, 0.0);
    for _ in 0..BLOCKS {
        let (begun, start, mut steps) = (Instant::now(), simulation.state().time, 0_u32);
        while steps == 0 || begun.elapsed().as_secs_f64() < effort.seconds {
            simulation.step().unwrap_or_else(|error| panic!("{scheme}: {error}"));
            steps += 1;
        }
        let each = begun.elapsed().as_secs_f64() / f64::from(steps);
        if each < best {
            (best, dt) = (each, (simulation.state().time - start) / f64::from(steps));
        }
    }
    println!(
        "| {size} | {threads} | {scheme} | {:.4} | {:.4} | {:.3} | {:.3} |",
        1e3 * dt,
        1e3 * best,
        1e6 * best / size as f64,
        dt / best
    );
}

/// The best time of `f`, s.
fn best_of(effort: &Effort, mut f: impl FnMut()) -> f64 {
    f();
    let mut best = f64::INFINITY;
    for _ in 0..BLOCKS {
        let (begun, mut calls) = (Instant::now(), 0_u32);
        while calls == 0 || begun.elapsed().as_secs_f64() < 0.2 * effort.seconds {
            f();
            calls += 1;
        }
        best = best.min(begun.elapsed().as_secs_f64() / f64::from(calls));
    }
    best
}

fn time_elements(segments: usize, effort: &Effort) {
    let (rope, mut system, state) = make(segments);
    let elements = rope.springs.len() + rope.ties.len() + rope.angles.len() + rope.torsions.len();
    let view = state.view();
    let mut out = vec![DVec3::ZERO; state.len()];
    let force = best_of(effort, || system.forces(&view, black_box(&mut out)));
    let energy = best_of(effort, || {
        black_box(system.energies().potential(&view));
    });
    let limit = best_of(effort, || {
        black_box(system.bounds().frequency_bound(&view));
    });
    let mut jacobian = system.matrices().new_jacobian();
    let assembly = best_of(effort, || system.assemble(&view, JacobianKind::Psd, black_box(&mut jacobian)));
    let each = |seconds: f64| 1e9 * seconds / elements as f64;
    println!(
        "| {segments} | {elements} | {:.1} | {:.1} | {:.1} | {:.1} |",
        each(force),
        each(energy),
        each(limit),
        each(assembly)
    );
}
