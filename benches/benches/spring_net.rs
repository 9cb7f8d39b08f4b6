//! What one step of a 100 x 100 spring net costs, part by part: `cargo bench -p pliant-benches`.
//!
//! Best of many repetitions, because on a shared machine every other statistic measures other load. The net has fallen for 0.2 s,
//! so that it is neither flat nor at rest. Under `cargo test` a small net is taken through the same code once.

use std::hint::black_box;
use std::time::Instant;

use glam::DVec3;
use pliant::core::JacobianKind;
use pliant::linalg::cg::Cg;
use pliant::linalg::precond::BlockJacobi;
use pliant::linalg::solver::LinearSolver as _;
use pliant::scene::load;
use pliant::time::Simulation;

struct Effort {
    particles_a_side: usize,
    repetitions: usize,
}

fn main() {
    let testing = std::env::args().any(|argument| argument == "--test") || cfg!(debug_assertions);
    let effort = match testing {
        true => Effort { particles_a_side: 8, repetitions: 1 },
        false => Effort { particles_a_side: 100, repetitions: 60 },
    };
    let threads: &[usize] = if testing { &[1] } else { &[1, 2] };
    let columns: Vec<Vec<(&str, f64)>> = threads.iter().map(|n| in_pool(*n, || measure(&effort))).collect();
    let side = effort.particles_a_side;
    println!("\n{side} x {side} spring net, linearized backward Euler, dt = 4 ms, CG to 1e-8; best times in ms\n");
    println!(
        "| | {} |",
        threads.iter().map(|n| format!("{n} thread{}", if *n == 1 { "" } else { "s" })).collect::<Vec<_>>().join(" | ")
    );
    println!("|---|{}", "---:|".repeat(threads.len()));
    for (row, (name, _)) in columns[0].iter().enumerate() {
        let cells: Vec<String> = columns.iter().map(|column| format!("{:.3}", column[row].1)).collect();
        println!("| {name} | {} |", cells.join(" | "));
    }
}

fn in_pool<T: Send>(threads: usize, f: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool of threads").install(f)
}

fn net(side: usize) -> Simulation {
    let changes = [
        format!("springs[0].grid.columns={side}"),
        format!("springs[0].grid.rows={side}"),
        "time.integrator=linearized-backward-euler".into(),
        "time.control.kind=fixed".into(),
        "time.control.dt=4 ms".into(),
        "time.fps=10".into(),
        "probe=[]".into(),
        "solver.kind=cg".into(),
    ];
    let scene = load("spring-net", &changes).expect("the built-in scene is right");
    let mut simulation = scene.build().expect("the built-in scene can be built").simulation;
    while simulation.state().time < 0.2 {
        simulation.step().expect("the net does not break");
    }
    simulation
}

fn measure(effort: &Effort) -> Vec<(&'static str, f64)> {
    let mut simulation = net(effort.particles_a_side);
    let repeat = effort.repetitions;
    let state = simulation.state().clone();
    let count = state.len();
    let mut force = vec![DVec3::ZERO; count];
    let evaluation = best(repeat, || simulation.system.forces(&state.view(), black_box(&mut force)));
    let mut jacobian = simulation.system.matrices().new_jacobian();
    let assembly = best(repeat, || {
        simulation.system.assemble(&state.view(), JacobianKind::Symmetric, black_box(&mut jacobian));
    });
    let mut matrix = simulation.system.matrices().new_matrix();
    let combination = best(repeat, || {
        simulation.system.matrices().write_system_matrix(&jacobian, 4e-3, black_box(&mut matrix));
    });
    // A right-hand side that pinned rows do not enter.
    let right: Vec<DVec3> =
        force.iter().zip(simulation.system.free()).map(|(f, free)| if *free { *f } else { DVec3::ZERO }).collect();
    let mut solution = vec![DVec3::ZERO; count];
    let mut solver = Cg::new(Box::new(BlockJacobi::default()));
    solver.analyze(&matrix.pattern).expect("the pattern is right");
    solver.factor(&matrix).expect("the matrix is definite");
    let mut iterations = 1;
    let solve = best(repeat.div_ceil(3), || {
        solution.fill(DVec3::ZERO);
        iterations = solver.solve(&matrix, &right, &mut solution, 1e-8).expect("it converges").iterations.max(1);
    });
    let energy = best(repeat, || {
        black_box(simulation.system.energies().account(&state, &force));
    });
    let mut steps = Vec::new();
    for _ in 0..repeat.div_ceil(2) {
        let begun = Instant::now();
        simulation.step().expect("the net does not break");
        steps.push(1e3 * begun.elapsed().as_secs_f64());
    }
    println!("{} threads: {iterations} iterations a solve", rayon::current_num_threads());
    vec![
        ("force evaluation", evaluation),
        ("assembly of both Jacobians", assembly),
        ("system matrix M - dt D - dt² K", combination),
        ("one CG iteration", solve / iterations as f64),
        ("one whole solve", solve),
        ("energies for the ledger", energy),
        ("whole step (median)", median(steps)),
    ]
}

/// Shortest time of a call in milliseconds.
fn best(repetitions: usize, mut f: impl FnMut()) -> f64 {
    let mut shortest = f64::INFINITY;
    for _ in 0..repetitions {
        let begun = Instant::now();
        f();
        shortest = shortest.min(1e3 * begun.elapsed().as_secs_f64());
    }
    shortest
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
