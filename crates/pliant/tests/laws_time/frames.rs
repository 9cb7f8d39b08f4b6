//! Solids whose frames stand still: when frames are taken, what is kept between, and that none of it shows in the bits.

use pliant::forces::{Hand, Pull};
use pliant::scene::load::from_text;
use pliant::scene::{LoadedScene, load};
use pliant::time::{Progress, Simulation};

/// A bar of 12 coarse and 96 fine tetrahedra that is pulled sideways while its foot turns.
const BAR: &str = r#"version = 1
[world]
gravity = [0, -1, 0]
[time]
until = 0.2
fps = 10
[time.control]
kind = "fixed"
dt = 0.01
[[solid]]
name = "bar"
box = { cells = [1, 2, 1], size = [0.1, 0.3, 0.1], split = "six" }
refine = 1
frames = "coarse"
youngs_modulus = 2600
poisson = 0.3
damping = "20 ms"
contact = false
loads = [{ box = { min = [-1, 0.2999, -1], max = [1, 0.3001, 1] }, traction = [80, 0, 0], ramp = "0.1 s" }]
pins = [{ box = { min = [-1, -0.0001, -1], max = [1, 0.0001, 1] }, turn = { axis = [0, 1, 0], times = [0, 1], angles = [0, "180 deg"] } }]
"#;

fn bar(changes: &[&str]) -> LoadedScene {
    let changes: Vec<String> = changes.iter().map(|change| (*change).to_owned()).collect();
    from_text("bar", "bar", BAR, &changes).unwrap_or_else(|error| panic!("{error}"))
}

fn built(scene: &LoadedScene) -> Simulation {
    scene.build().unwrap_or_else(|error| panic!("{error}")).simulation
}

fn run(simulation: &mut Simulation) {
    while !simulation.is_done() {
        simulation.step().unwrap_or_else(|error| panic!("{error}"));
    }
}

/// Times, in milliseconds, at which steps begin with new frames.
fn updates(changes: &[&str]) -> Vec<u64> {
    let mut simulation = built(&bar(changes));
    let (mut times, mut revision) = (Vec::new(), simulation.system.revision());
    while !simulation.is_done() {
        simulation.step().unwrap();
        if simulation.system.revision() != revision {
            revision = simulation.system.revision();
            times.push((1e3 * simulation.state().time).round() as u64);
        }
    }
    times
}

#[test]
fn frames_are_taken_by_the_first_step_that_begins_at_or_after_their_time() {
    let every: Vec<u64> = (1..=20).map(|k| 10 * k).collect();
    assert_eq!(updates(&[]), every);
    for frames in ["coarse", "step"] {
        let frames = format!("solid[0].frames={frames}");
        assert_eq!(updates(&[&frames, "solid[0].frame_interval=25 ms"]), [30, 50, 80, 100, 130, 150, 180, 200]);
        assert_eq!(updates(&[&frames, "solid[0].frame_interval=1 ms"]), every);
        assert_eq!(updates(&[&frames, "solid[0].frame_interval=50 ms", "solid[0].spread_frames=true"]), every);
        assert_eq!(updates(&[&frames, "solid[0].frame_interval=1 s"]), Vec::<u64>::new());
    }
}

const SCHEMES: [&str; 6] = ["bdf2", "bdf3", "backward-euler", "tr-bdf2", "newmark-newton", "linearized-backward-euler"];

/// Every step is taken by a simulation that was never anywhere else: nothing is kept in it, and the frames come from the checkpoint's numbers.
#[test]
fn what_is_kept_has_the_bits_of_what_is_made_anew() {
    let solvers = [
        &["solver.kind=auto"][..],
        &["solver.kind=adaptive"],
        &["solver.kind=cholesky"],
        &["solver.kind=cg", "solver.preconditioner=multigrid"],
    ];
    let controls =
        [&["time.control.kind=fixed"][..], &["time.control.kind=force-error", "time.control.tolerance=1e-4"]];
    let mut runs = 0;
    for scheme in SCHEMES {
        for solver in solvers {
            for control in controls {
                for (interval, spread) in [("25 ms", false), ("1 ms", false), ("50 ms", true)] {
                    let scheme_change = format!("time.integrator={scheme}");
                    let interval = format!("solid[0].frame_interval={interval}");
                    let spread = format!("solid[0].spread_frames={spread}");
                    let mut changes = vec![scheme_change.as_str(), &interval, &spread, "time.until=0.1"];
                    changes.extend(solver.iter().chain(control));
                    let scene = bar(&changes);
                    let mut whole = built(&scene);
                    run(&mut whole);
                    let mut parts = built(&scene);
                    while !parts.is_done() {
                        let (numbers, counts) = parts.progress().to_parts();
                        let point = parts.point().clone();
                        parts = built(&scene);
                        parts.restore(point, Progress::from_parts(&numbers, &counts).unwrap());
                        parts.step().unwrap();
                    }
                    assert_eq!(whole.state().hash(), parts.state().hash(), "{changes:?}");
                    assert_eq!(whole.ledger(), parts.ledger(), "{changes:?}");
                    let (a, b) = (whole.tally().work, parts.tally().work);
                    assert_eq!((a.solves, a.linear_iterations), (b.solves, b.linear_iterations), "{changes:?}");
                    runs += 1;
                }
            }
        }
    }
    assert_eq!(runs, 144);
}

#[test]
fn a_rejected_step_leaves_frames_and_matrices_alone() {
    let scene = bar(&[
        "solid[0].frame_interval=25 ms",
        "time.control.kind=force-error",
        "time.control.tolerance=1e-6",
        "time.fps=1",
        "time.until=1",
    ]);
    let mut start = built(&scene);
    for _ in 0..12 {
        start.step().unwrap();
    }
    let from = |proposal: f64| {
        let mut simulation = built(&scene);
        simulation.restore(start.point().clone(), Progress { proposal, ..start.progress() });
        simulation
    };
    let mut long = from(0.2);
    let report = long.step().unwrap();
    assert!(report.rejected > 0, "nothing was rejected");
    let mut short = from(report.dt);
    let again = short.step().unwrap();
    assert_eq!((again.rejected, again.dt), (0, report.dt));
    assert_eq!(long.state().hash(), short.state().hash());
}

/// One solve a step, one assembly and one factorisation an update, and the solution that Newton's method finds.
#[test]
fn linear_systems_are_solved_once() {
    for scheme in ["bdf2", "backward-euler"] {
        let scheme = format!("time.integrator={scheme}");
        let scene = bar(&[&scheme, "solid[0].frame_interval=50 ms"]);
        let mut once = built(&scene);
        run(&mut once);
        let work = once.tally().work;
        // BDF2 starts with a step of two stages, which has another matrix.
        let starts = u64::from(scheme.ends_with("bdf2"));
        assert_eq!((once.tally().steps, work.solves), (20, 20 + starts), "{scheme}");
        assert_eq!((work.assemblies, work.factorisations), (4, 4 + starts), "{scheme}");
        assert!(work.force_evaluations <= 20 + starts + 6, "{scheme}: {work:?}");

        // A hand that holds nothing is not linear.
        let add = |system: &mut pliant::core::System| system.add_model(Box::new(Pull::new(Hand::default())));
        let mut newton = scene.build_with(add).unwrap().simulation;
        assert!(!newton.system.is_linear() && once.system.is_linear());
        run(&mut newton);
        assert!(newton.tally().work.assemblies > work.assemblies);
        let off =
            |a: &[glam::DVec3], b: &[glam::DVec3]| a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        let (x, v) = (off(&once.state().x, &newton.state().x), off(&once.state().v, &newton.state().v));
        let moved = off(&once.state().x, &built(&scene).state().x);
        assert!(moved > 0.01 && x < 1e-8 * moved && v < 1e-7, "{scheme}: {x:e} m of {moved:e}, {v:e} m/s");
    }
}

#[test]
fn any_number_of_threads_turns_families_alike() {
    let changes = ["solid[0].frame_interval=0.05", "time.until=0.2"].map(String::from);
    let scene = load("hierarchical-bar", &changes).unwrap();
    let hash = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut simulation = built(&scene);
            run(&mut simulation);
            simulation.state().hash()
        })
    };
    assert_eq!([2, 3].map(hash), [hash(1); 2]);
}
