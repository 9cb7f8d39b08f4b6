//! What a step of a fluid costs: `cargo bench -p pliant-benches --bench fluid`, for a cube of water with edges of 0.85 m and n³ particles in the
//! corner of a basin of 2 x 2 m; on 1 and 2 threads.
//!
//! First the parts on their own, in ns per particle: neighbour lists, densities, forces; then
//! steps of symplectic Euler at the limit of Courant while the dam breaks, with all that a simulation does besides except the energy ledger.

use std::hint::black_box;
use std::time::Instant;

use glam::DVec3;
use pliant::core::{ForceModel, State, Stateful, System};
use pliant::forces::Gravity;
use pliant::forces::sph::{Boundaries, Fluid, KernelKind, Sph, SphSettings, lattice_mass};
use pliant::prelude::{ControlKind, ControlSpec, Frames, Simulation, SolverSpec, integrator};

/// Edge of the cube of water, m.
const EDGE: f64 = 0.85;
/// The basin, m.
const BASIN: [f64; 3] = [2.0, 1.0, 2.0];
/// Smoothing length over spacing.
const RATIO: f64 = 1.2;
const ALPHA: f64 = 0.1;

struct Effort {
    kernels: Vec<KernelKind>,
    threads: Vec<usize>,
    sizes: Vec<usize>,
    /// Times are the best of this many blocks.
    blocks: usize,
    /// Length of a block, s.
    seconds: f64,
    /// Simulated before steps are timed, s.
    warm: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let after = |key: &str| arguments.iter().position(|a| a == key).and_then(|k| arguments.get(k + 1)).cloned();
    let testing = arguments.iter().any(|argument| argument == "--test") || cfg!(debug_assertions);
    let kernels = vec![KernelKind::CubicSpline, KernelKind::WendlandC2];
    let (sizes, blocks, seconds, warm) =
        if testing { (vec![5, 7], 1, 0.0, 0.0) } else { (vec![17, 37, 79], 5, 0.5, 0.1) };
    let mut effort = Effort { kernels, threads: Vec::new(), sizes, blocks, seconds, warm };
    if let Some(size) = after("--size") {
        effort.sizes = vec![size.parse().expect("particles along an edge")];
    }
    if let Some(seconds) = after("--seconds") {
        effort.seconds = seconds.parse().expect("the length of a block");
    }
    effort.threads = after("--threads").map_or(vec![1, 2], |count| vec![count.parse().expect("threads")]);
    effort.kernels.retain(|kind| after("--kernel").is_none_or(|name| name == format!("{kind:?}")));
    let skin = after("--skin").map(|skin| skin.parse().expect("a part of h"));
    println!("| kernel | particles | threads | ns a particle: search | density | force |");
    println!("|---|---:|---:|---:|---:|---:|");
    for_each(&effort, |kernel, size, threads| time_passes(kernel, size, threads, skin, &effort));
    println!("\n| kernel | particles | threads | dt [ms] | ms a step | ns a particle | simulated s per s |");
    println!("|---|---:|---:|---:|---:|---:|---:|");
    for_each(&effort, |kernel, size, threads| time_steps(kernel, size, threads, skin, &effort));
}

fn for_each(effort: &Effort, mut f: impl FnMut(KernelKind, usize, usize) + Send) {
    for &kernel in &effort.kernels {
        for &threads in &effort.threads {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            for size in &effort.sizes {
                pool.install(|| f(kernel, *size, threads));
            }
        }
    }
}

struct Dam {
    masses: Vec<f64>,
    x: Vec<DVec3>,
    fluid: usize,
    model: Sph,
    /// The limit of Courant, s.
    dt: f64,
}

fn dam(kernel: KernelKind, size: usize, skin: Option<f64>) -> Dam {
    let spacing = EDGE / size as f64;
    let at = move |k: usize| spacing * (k as f64 + 0.5);
    let row = move |k: usize, j: usize| (0..size).map(move |i| DVec3::new(at(i), at(j), at(k)));
    let x: Vec<DVec3> = (0..size).flat_map(|k| (0..size).flat_map(move |j| row(k, j))).collect();
    let fluid = x.len();
    let h = RATIO * spacing;
    let mut settings = SphSettings { kernel, ..SphSettings::new(h) };
    settings.skin = skin.unwrap_or(settings.skin);
    let mass = lattice_mass(&settings.kernel(), spacing, 1000.0);
    let sound = 10.0 * (2.0 * 9.81 * EDGE).sqrt();
    let water = Fluid { artificial_viscosity: ALPHA, ..Fluid::new(0..fluid, mass, 1000.0, sound) };
    let walls = Boundaries::container([DVec3::ZERO, DVec3::from_array(BASIN)], false, spacing);
    let model = Sph::new(fluid, vec![water], &walls, settings).expect("a fluid");
    Dam { masses: vec![mass; x.len()], x, fluid, model, dt: 0.4 * h / (sound * (1.0 + 0.6 * ALPHA)) }
}

/// Seconds: CPU time of this thread where the system reports it and there is one thread, so that other load matters less.
fn now(threads: usize) -> f64 {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    let wall = START.elapsed().as_secs_f64();
    if threads > 1 {
        return wall;
    }
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or(wall, |ns| 1e-9 * ns)
}

/// The best time of `f`, s.
fn best_of(effort: &Effort, threads: usize, seconds: f64, mut f: impl FnMut()) -> f64 {
    f();
    let mut best = f64::INFINITY;
    for _ in 0..effort.blocks {
        let (begun, start, mut calls) = (now(threads), Instant::now(), 0_u32);
        while calls == 0 || start.elapsed().as_secs_f64() < seconds {
            f();
            calls += 1;
        }
        best = best.min((now(threads) - begun) / f64::from(calls));
    }
    best
}

fn time_passes(kernel: KernelKind, size: usize, threads: usize, skin: Option<f64>, effort: &Effort) {
    let Dam { x, fluid, mut model, .. } = dam(kernel, size, skin);
    let mut state = State::at_rest(x);
    let mut densities = vec![0.0; state.len()];
    let mut out = vec![DVec3::ZERO; state.len()];
    let search = best_of(effort, threads, 0.5 * effort.seconds, || {
        model.reset();
        model.begin_step(&state.view());
    });
    let density = best_of(effort, threads, 0.5 * effort.seconds, || {
        // what has not moved is not computed again
        state.x.iter_mut().for_each(|x| x.y += 1e-12);
        model.write_densities(&state.view(), black_box(&mut densities));
    });
    let force = best_of(effort, threads, 0.5 * effort.seconds, || {
        state.x.iter_mut().for_each(|x| x.y += 1e-12);
        model.add_force(&state.view(), black_box(&mut out));
    });
    let each = |seconds: f64| 1e9 * seconds / fluid as f64;
    println!(
        "| {kernel:?} | {fluid} | {threads} | {:.1} | {:.1} | {:.1} |",
        each(search),
        each(density),
        each(force - density)
    );
}

fn time_steps(kernel: KernelKind, size: usize, threads: usize, skin: Option<f64>, effort: &Effort) {
    let Dam { masses, x, fluid, model, dt } = dam(kernel, size, skin);
    let gravity = Gravity::new(DVec3::NEG_Y * 9.81, masses.clone(), std::iter::once(0..fluid).collect());
    let system =
        System::new(masses, Vec::new(), vec![Box::new(gravity), Box::new(model)], Vec::new()).expect("a system");
    let control = ControlSpec { kind: ControlKind::FIXED, dt: Some(dt), ..ControlSpec::default() };
    let (entry, solver) = (integrator("symplectic-euler").expect("it is in the catalog"), SolverSpec::default());
    let frames = Frames { fps: 1e-3, until: 1e6 };
    let state = State::at_rest(x);
    let mut simulation = Simulation::new(system, state, entry, &solver, &control, frames).expect("a solver");
    simulation.track_energy(false);
    let mut step = || simulation.step().unwrap_or_else(|error| panic!("{error}")).time;
    while step() < effort.warm {}
    let best = best_of(effort, threads, effort.seconds, || {
        step();
    });
    println!(
        "| {kernel:?} | {fluid} | {threads} | {:.4} | {:.3} | {:.1} | {:.4} |",
        1e3 * dt,
        1e3 * best,
        1e9 * best / fluid as f64,
        dt / best
    );
}
