//! What a soft bar costs: `cargo bench -p pliant-benches --bench solid` (all of 340, 4,320 and 34,320 tetrahedra) or
//! `... --bench solid -- 4320`. The same bar is given to MuJoCo by `benches/peers/mujoco_bar.py`.
//!
//! A bar of 1 m, clamped at one end, falls under its own weight for a second: E = 1 MPa, ν = 0.3, 1000 kg/m³, corotational, bdf3 with
//! force-error control. The error is the largest distance of a particle from its place in a reference at the end; the tolerance is divided by √2
//! until that is below 1 mm. The reference is the same with a tolerance of 10 µm (for 340 tetrahedra it is 0.3 mm from one with 1 µm).

use std::time::Instant;

use glam::{DMat3, DVec3};
use pliant::core::{JacobianKind, State};
use pliant::forces::solid::polar::{LANES, write_rotations};
use pliant::scene::from_text;

const GOAL: f64 = 1e-3;
const BARS: [(usize, [usize; 3]); 3] = [(340, [17, 2, 2]), (4320, [24, 6, 6]), (34_320, [44, 12, 13])];

fn scene(cells: [usize; 3], tolerance: f64, until: f64) -> String {
    let size = cells.map(|n| n as f64 / cells[0] as f64);
    format!(
        r#"
version = 1
[time]
until = {until}
fps = {fps}
integrator = "bdf3"
control = {{ tolerance = {tolerance:e} }}
[[solid]]
name = "bar"
box = {{ cells = {cells:?}, size = {size:?} }}
youngs_modulus = 1e6
poisson = 0.3
density = 1000
damping = "10 ms"
contact = false
pins = [{{ box = {{ min = [-1, -1, -1], max = [1e-9, 1, 1] }} }}]
"#,
        fps = 1.0 / until
    )
}

struct Outcome {
    state: State,
    steps: u64,
    assemblies: u64,
    solves: u64,
    iterations: u64,
    seconds: f64,
    clock: [f64; 3],
}

fn run(cells: [usize; 3], tolerance: f64, until: f64) -> Outcome {
    let scene = from_text("bar", "bar.toml", &scene(cells, tolerance, until), &[]).expect("a scene");
    let mut simulation = scene.build().expect("a bar").simulation;
    simulation.track_energy(false);
    let begun = Instant::now();
    while !simulation.is_done() {
        simulation.step().expect("the bar does not break");
    }
    let seconds = begun.elapsed().as_secs_f64();
    let (tally, clock) = (simulation.tally(), simulation.system.clock);
    Outcome {
        state: simulation.state().clone(),
        steps: tally.steps + tally.rejected,
        assemblies: tally.work.assemblies,
        solves: tally.work.solves,
        iterations: tally.work.linear_iterations,
        seconds,
        clock: [clock.forces, clock.derivatives, clock.linear],
    }
}

/// Best of several rounds, in ns per element.
fn best(count: usize, mut work: impl FnMut()) -> f64 {
    let rounds = 3 + 400_000 / count;
    let mut best = f64::INFINITY;
    for _ in 0..rounds {
        let begun = Instant::now();
        work();
        best = best.min(begun.elapsed().as_secs_f64());
    }
    best * 1e9 / count as f64
}

/// Force, polar decomposition, assembly of the derivatives: ns per element.
fn kernels(count: usize, cells: [usize; 3]) -> [f64; 3] {
    let scene = from_text("bar", "bar.toml", &scene(cells, GOAL, 0.1), &[]).expect("a scene");
    let mut simulation = scene.build().expect("a bar").simulation;
    while !simulation.is_done() {
        simulation.step().expect("the bar does not break");
    }
    let state = simulation.state().clone();
    let system = &mut simulation.system;
    let mut force = vec![DVec3::ZERO; state.x.len()];
    let of_force = best(count, || system.forces(&state.view(), &mut force));
    let mut jacobian = system.matrices().new_jacobian();
    let of_assembly = best(count, || system.assemble_merged(&state.view(), JacobianKind::Psd, 0.01, &mut jacobian));
    let gradient = (DMat3::IDENTITY + DMat3::from_rotation_y(0.3) * 0.2).to_cols_array();
    let lanes: [_; 9] =
        std::array::from_fn(|k| std::array::from_fn::<f64, LANES, _>(|l| gradient[k] + 1e-3 * l as f64));
    let mut out = lanes;
    let of_polar = best(count, || {
        for _ in 0..count.div_ceil(LANES) {
            write_rotations(std::hint::black_box(&lanes), &mut out);
            std::hint::black_box(&out);
        }
    });
    [of_force, of_polar, of_assembly]
}

fn main() {
    let testing = std::env::args().any(|argument| argument == "--test") || cfg!(debug_assertions);
    let asked: Vec<usize> = std::env::args().filter_map(|argument| argument.parse().ok()).collect();
    println!(
        "| tetrahedra | threads | force [ns] | polar [ns] | assembly [ns] | tolerance [mm] | error [mm] | steps | solves | ms a step | ms per simulated s |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for (count, cells) in BARS {
        let wanted = if testing { count == 340 } else { asked.is_empty() || asked.contains(&count) };
        if !wanted {
            continue;
        }
        let until = if testing { 0.05 } else { 1.0 };
        let reference = run(cells, 1e-5, until);
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| row(count, cells, threads, until, &reference.state));
        }
    }
}

fn row(count: usize, cells: [usize; 3], threads: usize, until: f64, reference: &State) {
    let [force, polar, assembly] = kernels(count, cells);
    for k in 0..20 {
        let tolerance = GOAL * 0.5_f64.powf(0.5 * f64::from(k));
        let mut outcome = run(cells, tolerance, until);
        let error = outcome.state.x.iter().zip(&reference.x).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        eprintln!("{count}, {threads} threads, {tolerance:.2e} m: {:.3} mm, {:.3} s", 1e3 * error, outcome.seconds);
        if error >= GOAL {
            continue;
        }
        for _ in 0..2 {
            let again = run(cells, tolerance, until);
            if again.seconds < outcome.seconds {
                outcome = again;
            }
        }
        let Outcome { steps, assemblies, solves, iterations, seconds, clock, .. } = outcome;
        eprintln!("  {assemblies} assemblies, {iterations} iterations; forces, derivatives, linear: {clock:.3?} s");
        println!(
            "| {count} | {threads} | {force:.0} | {polar:.1} | {assembly:.0} | {:.3} | {:.2} | {steps} | {solves} | {:.2} | {:.0} |",
            1e3 * tolerance,
            1e3 * error,
            1e3 * seconds / steps as f64,
            1e3 * seconds / until,
        );
        return;
    }
    println!("| {count} | {threads} | did not get there |");
}
