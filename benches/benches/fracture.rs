//! What a step of a brittle body costs: `cargo bench -p pliant-benches --bench fracture`, for a block of 30 x 12 x 30 particles of glass, 0.5 mm
//! apart, with a horizon of three spacings, that is hit by a ball at 100 m/s; on 1 and 2 threads.
//!
//! First the force alone, in microseconds per particle, for blocks up to 200,000 particles; then steps of velocity Verlet at 0.7 of the limit and of
//! Newmark at eight times that step, with all that a simulation does besides except the energy ledger.

use std::hint::black_box;
use std::time::Instant;

use glam::DVec3;
use pliant::core::{ForceModel, Motion, Path, State, System, View};
use pliant::forces::contact::{Collider, Shape};
use pliant::forces::peridynamics::{Breaking, Brittle, GrainBody, GrainContact, GrainContactSettings, Peridynamics};
use pliant::forces::sph::Boundaries;
use pliant::prelude::{ControlKind, ControlSpec, Frames, Simulation, SolverSpec, integrator};

const SPACING: f64 = 0.5e-3;
const GLASS: Brittle = Brittle { density: 2200.0, young: 22.35e9, poisson: 0.25, release: 8.0, toughening: 0.25 };
const BALL: f64 = 2e-3;
const SPEED: f64 = 100.0;
/// How much longer than those of Verlet steps of Newmark are.
const LONGER: f64 = 8.0;

struct Effort {
    threads: Vec<usize>,
    sizes: Vec<[usize; 3]>,
    blocks: usize,
    seconds: f64,
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let testing = arguments.iter().any(|argument| argument == "--test") || cfg!(debug_assertions);
    let effort = if testing {
        Effort { threads: vec![1, 2], sizes: vec![[6, 4, 6]], blocks: 1, seconds: 0.0 }
    } else {
        let sizes = vec![[30, 12, 30], [44, 24, 44], [58, 60, 58]];
        Effort { threads: vec![1, 2], sizes, blocks: 5, seconds: 0.5 }
    };
    println!("| particles | bonds of one | threads | force: us a particle | of the smallest |");
    println!("|---:|---:|---:|---:|---:|");
    for &threads in &effort.threads {
        let mut first = None;
        for cells in &effort.sizes {
            let taken = within(threads, || time_force(*cells, threads, &effort));
            let ratio = taken.0 / *first.get_or_insert(taken.0);
            println!(
                "| {} | {:.0} | {threads} | {:.3} | {ratio:.2} |",
                cells.iter().product::<usize>(),
                taken.1,
                taken.0
            );
        }
    }
    println!("\n| particles | scheme | threads | dt [ns] | us a particle and step | iterations a solve |");
    println!("|---:|---|---:|---:|---:|---:|");
    for &threads in &effort.threads {
        for (scheme, longer) in [("velocity-verlet", 1.0), ("newmark", LONGER)] {
            within(threads, || time_steps(effort.sizes[0], scheme, longer, threads, &effort));
        }
    }
}

fn within<R: Send>(threads: usize, f: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads").install(f)
}

fn block([nx, ny, nz]: [usize; 3]) -> Vec<DVec3> {
    let row = move |j: usize, k: usize| (0..nx).map(move |i| DVec3::new(i as f64, j as f64, k as f64) * SPACING);
    (0..nz).flat_map(|k| (0..ny).flat_map(move |j| row(j, k))).collect()
}

fn body(count: usize) -> GrainBody {
    // as the competitor has it: just three spacings, and no correction at the surface
    GrainBody { horizon: 3.0006 * SPACING, surface_correction: false, ..GrainBody::new(0..count, SPACING, GLASS) }
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
fn best(threads: usize, effort: &Effort, mut f: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..effort.blocks {
        let (begun, mut count) = (now(threads), 0.0);
        loop {
            f();
            count += 1.0;
            let taken = now(threads) - begun;
            if taken >= effort.seconds {
                least = least.min(taken / count);
                break;
            }
        }
    }
    least
}

/// Microseconds per particle, and bonds of a particle.
fn time_force(cells: [usize; 3], threads: usize, effort: &Effort) -> (f64, f64) {
    let rest = block(cells);
    let mut model = Peridynamics::new(vec![body(rest.len())], &rest, Breaking::default()).expect("a body");
    let mut out = vec![DVec3::ZERO; rest.len()];
    let mut x = rest.clone();
    let mut turn = 0.0;
    let seconds = best(threads, effort, || {
        // another place every time, or nothing would be evaluated
        turn += 1e-9;
        x.iter_mut().zip(&rest).for_each(|(x, rest)| *x = *rest * (1.0 + 1e-6 * turn));
        model.add_force(&View { time: 0.0, x: &x, v: &x }, &mut out);
        black_box(&out);
    });
    (1e6 * seconds / rest.len() as f64, 2.0 * model.bonds() as f64 / rest.len() as f64)
}

fn time_steps(cells: [usize; 3], scheme: &str, longer: f64, threads: usize, effort: &Effort) {
    let x = block(cells);
    let count = x.len();
    let bodies = vec![body(count)];
    let mut model = Peridynamics::new(bodies.clone(), &x, Breaking::default()).expect("a body");
    let view = View { time: 0.0, x: &x, v: &x };
    let dt = 0.7 * longer * model.as_step_limited().expect("it has the capability").step_limit(&view, &[], &[]);
    let middle = DVec3::new(0.5 * cells[0] as f64, cells[1] as f64 - 0.5, 0.5 * cells[2] as f64) * SPACING;
    let ball = Collider {
        name: "ball".into(),
        shape: Shape::Simplices {
            points: vec![middle + DVec3::Y * BALL],
            segments: Vec::new(),
            triangles: Vec::new(),
            radius: BALL,
        },
        motion: Motion { offset: Path::Steady { start: DVec3::ZERO, velocity: DVec3::NEG_Y * SPEED }, turn: None },
        friction: 0.0,
    };
    let walls = Boundaries { colliders: vec![ball], sheets: Vec::new(), spacing: SPACING };
    let touch = GrainContactSettings { creep: 1e-3, ..GrainContactSettings::default() };
    let contact = GrainContact::new(&bodies, &x, &walls, &touch).expect("contact");
    let masses = vec![bodies[0].mass(); count];
    let models: Vec<Box<dyn ForceModel>> = vec![Box::new(model), Box::new(contact)];
    let system = System::new(masses, Vec::new(), models, Vec::new()).expect("a system");
    let state = State { time: 0.0, v: vec![DVec3::ZERO; count], x };
    let control = ControlSpec { kind: ControlKind::FIXED, dt: Some(dt), ..ControlSpec::default() };
    let solver = SolverSpec { kind: "cg".into(), ..SolverSpec::default() };
    let frames = Frames { fps: 1e-3, until: 1e3 };
    let entry = integrator(scheme).expect("a scheme");
    let mut simulation = Simulation::new(system, state, entry, &solver, &control, frames).expect("a simulation");
    simulation.track_energy(false);
    // into the impact, where bonds break
    while simulation.state().time < 2e-6 {
        simulation.step().expect("a step");
    }
    let (begun, before) = (now(threads), *simulation.tally());
    let mut steps = 0.0;
    while steps == 0.0 || now(threads) - begun < effort.blocks as f64 * effort.seconds {
        simulation.step().expect("a step");
        steps += 1.0;
    }
    let each = 1e6 * (now(threads) - begun) / (steps * count as f64);
    let work = simulation.tally().work;
    let solves = (work.solves - before.work.solves) as f64;
    let iterations = (work.linear_iterations - before.work.linear_iterations) as f64 / solves.max(1.0);
    println!("| {count} | {scheme} | {threads} | {:.1} | {each:.2} | {iterations:.1} |", 1e9 * dt);
}
