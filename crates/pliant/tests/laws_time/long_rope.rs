//! Long stiff ropes at the default accuracy: the turns that are put into a rod of 100 m stay in it, and it holds the energy of the same run solved
//! a thousand times as exactly. A tolerance of 1 cm is a large part of the section of a rope and a small one of its length, so metres alone
//! do not tell whether such a rope is solved.

use glam::DVec3;
use pliant::geom::knot::twist;
use pliant::scene::load::from_text;
use pliant::time::catalog::{Entry, INTEGRATORS};
use pliant::time::{Simulation, Stability};

/// 200 segments of 0.5 m, EA of 1e5 N: 1 mm in each of them is 20 J.
const ROD: &str = r#"
segments = 200
radius = "2 cm"
stretch_stiffness = "1e5 N"
bend_stiffness = "10 N m^2"
twist_stiffness = "8 N m^2"
mass_per_length = "0.5 kg/m"
contact = false
"#;

/// Both ends are turned by three turns while they come nearer by 1 m.
const WOUND: &str = r#"
curve = { kind = "line", from = [0, 0, 0], to = [100, 0, 0] }
pins = [
  { end = "first", clamp = true, turn = { axis = [1, 0, 0], times = [0, "5 s"], angles = [0, "1080 deg"] } },
  { end = "last", clamp = true, turn = { axis = [1, 0, 0], times = [0, "5 s"], angles = [0, "-1080 deg"] }, keyframes = { times = [0, "5 s"], offsets = [[0, 0, 0], [-1, 0, 0]] } },
]
"#;

/// A twisted helix of three windings between clamps.
const HELIX: &str = r#"
curve = { kind = "helix", radius = "5 m", pitch = "4 m", turns = 3.2 }
twist = 3
pins = [{ end = "both", clamp = true }]
"#;

/// What a rod has in the end.
struct Held {
    turns: f64,
    elastic: f64,
    solves: u64,
}

fn turns(simulation: &Simulation) -> f64 {
    let x = &simulation.state().x;
    let points: Vec<DVec3> = x.iter().step_by(4).copied().collect();
    let normals: Vec<DVec3> = points.iter().zip(x.iter().skip(1).step_by(4)).map(|(p, wing)| *wing - *p).collect();
    twist(&points, &normals, false)
}

fn run(scheme: &str, shape: &str, solver: &str) -> Held {
    let text = format!(
        "version = 1\nworld = {{ gravity = [0, 0, 0], drag = \"0.5 1/s\" }}\n{solver}\n\
         time = {{ until = 6, fps = 10, integrator = \"{scheme}\", control = {{ tolerance = \"1 cm\" }} }}\n\
         [[rope]]\nname = \"rod\"\n{ROD}{shape}"
    );
    let scene = from_text("rod", "rod.toml", &text, &[]).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = scene.build().unwrap_or_else(|error| panic!("{error}")).simulation;
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|error| panic!("{scheme}: {error}"));
    }
    let elastic = simulation.account().energy.elastic;
    Held { turns: turns(&simulation), elastic, solves: simulation.tally().work.solves }
}

/// Whether it solves its equations by Newton's method and is stable: bdf3 makes modes grow that are damped so little, as it declares.
fn is_converged(entry: &Entry) -> bool {
    let properties = entry.properties;
    let is_stable = matches!(properties.stability, Stability::Always);
    properties.is_implicit() && !properties.predicts_force && is_stable && properties.study.is_none()
}

#[test]
fn turns_and_energy_are_those_of_exact_solves() {
    let mut failures = Vec::new();
    for (name, shape) in [("wound", WOUND), ("helix", HELIX)] {
        for entry in INTEGRATORS.iter().filter(|entry| is_converged(entry)) {
            let scheme = entry.properties.name;
            let [held, exact] = ["", "solver.accuracy = 1e-6"].map(|solver| run(scheme, shape, solver));
            let (turns, energy) = (held.turns / exact.turns - 1.0, held.elastic / exact.elastic - 1.0);
            println!(
                "{name:6} {scheme:20} {:.3} turns, {:.3} J, {} solves; exactly {:.3}, {:.3} J, {}",
                held.turns, held.elastic, held.solves, exact.turns, exact.elastic, exact.solves
            );
            if !(turns.abs() < 0.02 && energy.abs() < 0.1) {
                failures.push(format!("{scheme}, {name}: turns {turns:+.4}, elastic energy {energy:+.4}"));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}
