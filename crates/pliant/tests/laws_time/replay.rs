//! Same bits again: after a rejected attempt, and after a restart, for every integrator under every controller that it works with.

use glam::DVec3;
use pliant::core::{ForceModel, GuardVerdict, Path, Pin, Point, StepGuard, Work};
use pliant::forces::{Spring, Springs};
use pliant::linalg::SOLVERS;
use pliant::time::catalog::{Entry, INTEGRATORS, SolverSpec};
use pliant::time::control::catalog::{CONTROLLERS, LAWS};
use pliant::time::control::{ControlKind, ControlSpec, StepBounds};
use pliant::time::{Demand, Frames, Progress, Simulation};
use pliant_testkit::order::reference;
use pliant_testkit::problems::{Net, Problem, driven_chain, net};
use pliant_testkit::{Random, Stepper};

/// Damped, and driven by a moving pin: everything that a step may depend on.
fn chain() -> Problem {
    driven_chain(5, 0.3)
}

/// Everything that a point holds.
fn bits(point: &Point) -> Vec<u64> {
    let state = &point.state;
    let mut numbers = vec![state.time];
    let force = if point.force_known { &point.force[..] } else { &[] };
    let vectors = [&state.x[..], &state.v[..], force].into_iter().chain(point.memory.vectors.iter().map(|v| &v[..]));
    numbers.extend(vectors.flatten().flat_map(|v| v.to_array()));
    numbers.extend(&point.memory.scalars);
    numbers.into_iter().map(f64::to_bits).collect()
}

/// All controllers, `force-error` with all its laws.
fn controllers() -> Vec<(String, ControlSpec)> {
    let base = ControlSpec {
        tolerance: 2e-5,
        distance: 0.01,
        stretch: 2e-3,
        safety: 0.1,
        dt: Some(0.01),
        ..ControlSpec::default()
    };
    let mut all = Vec::new();
    for (name, kind) in CONTROLLERS.iter().map(|entry| (&entry.name, entry)) {
        if *kind == ControlKind::FORCE_ERROR {
            for (law, value, _) in LAWS {
                all.push((format!("{name} ({law})"), ControlSpec { kind: *kind, law: *value, ..base }));
            }
        } else {
            all.push(((*name).to_string(), ControlSpec { kind: *kind, ..base }));
        }
    }
    all
}

fn simulation(problem: Problem, entry: &Entry, control: &ControlSpec, frames: Frames) -> Simulation {
    problem.simulation(entry, &SolverSpec::default(), control, frames)
}

/// The solvers that an integrator can tell apart. Iterative ones have a guess to begin with, which must not be that of another step.
fn solvers(entry: &Entry) -> impl Iterator<Item = SolverSpec> {
    let count = if entry.properties.is_implicit() { SOLVERS.len() } else { 1 };
    SOLVERS[..count].iter().map(|solver| SolverSpec { kind: solver.name.into(), ..SolverSpec::default() })
}

#[test]
fn a_rejected_attempt_leaves_no_trace() {
    for problem in [chain, || net(Net { damping: 0.2, driven: true, ..Net::default() })] {
        for entry in INTEGRATORS {
            solvers(entry).for_each(|solver| check_rejection(problem, entry, &solver));
        }
    }
}

fn check_rejection(problem: fn() -> Problem, entry: &Entry, solver: &SolverSpec) {
    let what = format!("{} with {}", entry.properties.name, solver.kind);
    let mut stepper = Stepper::new(problem(), entry, solver);
    for _ in 0..5 {
        stepper.step(0.01).unwrap();
    }
    let before = stepper.point.clone();
    // far too long, far too short, and one through which BDF3 must restart at a lower order
    let mut to = Point::default();
    for dt in [0.5, 1e-7, 0.02] {
        let _ = stepper.integrator.attempt(
            &mut stepper.system,
            &stepper.point,
            dt,
            Demand::EXACT,
            &mut to,
            &mut Work::default(),
        );
        assert_eq!(bits(&before), bits(&stepper.point), "{what}: an attempt wrote to its start");
    }
    let again = stepper
        .integrator
        .attempt(&mut stepper.system, &stepper.point, 0.007, Demand::EXACT, &mut to, &mut Work::default())
        .unwrap();

    let mut fresh = Stepper::new(problem(), entry, solver);
    let mut expected = Point::default();
    let first = fresh
        .integrator
        .attempt(&mut fresh.system, &before, 0.007, Demand::EXACT, &mut expected, &mut Work::default())
        .unwrap();
    assert_eq!(bits(&to), bits(&expected), "{what}");
    assert_ne!(to.state.x, before.state.x, "{what}: it did not move");
    assert_eq!(again.force_error, first.force_error, "{what}");
    assert_eq!(again.truncation, first.truncation, "{what}");
}

/// Lets the n-th step pass by half only.
struct Clip {
    calls: u32,
    at: u32,
}

impl StepGuard for Clip {
    fn check(&mut self, from: &Point, to: &Point) -> GuardVerdict {
        assert!(to.state.time > from.state.time);
        self.calls += 1;
        if self.calls == self.at { GuardVerdict::Fraction(0.5) } else { GuardVerdict::Pass }
    }
}

#[test]
fn a_clipped_step_has_the_bits_of_a_step_of_that_length() {
    let dt = 1.0 / 64.0;
    let frames = Frames { fps: 4.0, until: 0.25 };
    for entry in INTEGRATORS {
        let name = entry.properties.name;
        let fixed = ControlSpec { kind: ControlKind::FIXED, dt: Some(dt), ..ControlSpec::default() };
        let mut clipped = simulation(chain(), entry, &fixed, frames);
        clipped.add_guard(Box::new(Clip { calls: 0, at: 7 }));
        for _ in 0..6 {
            assert_eq!(clipped.step().unwrap().dt, dt);
        }
        let (point, progress) = (clipped.point().clone(), clipped.progress());
        let report = clipped.step().unwrap();
        assert_eq!((report.rejected, report.dt), (1, 0.5 * dt), "{name}");

        let half = ControlSpec { dt: Some(0.5 * dt), ..fixed };
        let mut plain = simulation(chain(), entry, &half, frames);
        plain.restore(point, Progress { proposal: 0.5 * dt, ..progress });
        let report = plain.step().unwrap();
        assert_eq!((report.rejected, report.dt), (0, 0.5 * dt), "{name}");
        assert_eq!(bits(clipped.point()), bits(plain.point()), "{name}");
        assert_eq!(clipped.ledger(), plain.ledger(), "{name}");
    }
}

#[test]
fn a_rejected_step_has_the_bits_of_one_that_was_short_enough() {
    let frames = Frames { fps: 0.1, until: 10.0 };
    let mut pairs = 0;
    for (control_name, control) in controllers() {
        let rejects =
            [ControlKind::FORCE_ERROR, ControlKind::STEP_DOUBLING, ControlKind::STRETCH_LIMIT].contains(&control.kind);
        for entry in INTEGRATORS.iter().filter(|entry| rejects && control.works_with(entry.properties).is_ok()) {
            let what = format!("{} under {control_name}", entry.properties.name);
            // several steps, so that there is history
            let fixed = ControlSpec { kind: ControlKind::FIXED, dt: Some(0.02), ..ControlSpec::default() };
            let mut start = simulation(chain(), entry, &fixed, frames);
            for _ in 0..6 {
                start.step().unwrap();
            }
            let strict =
                ControlSpec { tolerance: 1e-8, stretch: 1e-4, bounds: StepBounds { min: 1e-9, max: 0.5 }, ..control };
            let from = |proposal: f64| {
                let mut simulation = simulation(chain(), entry, &strict, frames);
                let controller = simulation.progress().controller;
                simulation.restore(start.point().clone(), Progress { proposal, controller, ..start.progress() });
                simulation
            };
            let mut long = from(0.5);
            let report = long.step().unwrap_or_else(|e| panic!("{what}: {e}"));
            assert!(report.rejected > 0, "{what}: nothing was rejected");
            let mut short = from(report.dt);
            let again = short.step().unwrap();
            assert_eq!((again.rejected, again.dt), (0, report.dt), "{what}");
            assert_eq!(bits(long.point()), bits(short.point()), "{what}");
            assert_eq!(report.error.to_bits(), again.error.to_bits(), "{what}");
            pairs += 1;
        }
    }
    println!("{pairs} pairs");
    assert!(pairs > 40);
}

#[test]
fn a_restart_goes_on_with_the_same_bits() {
    let frames = Frames { fps: 8.0, until: 0.5 };
    let mut pairs = 0;
    for (control_name, control) in controllers() {
        for entry in INTEGRATORS.iter().filter(|entry| control.works_with(entry.properties).is_ok()) {
            let what = format!("{} under {control_name}", entry.properties.name);
            let run = |simulation: &mut Simulation| {
                while !simulation.is_done() {
                    simulation.step().unwrap_or_else(|e| panic!("{what}: {e}"));
                }
            };
            let mut whole = simulation(chain(), entry, &control, frames);
            run(&mut whole);
            let steps = whole.tally().steps;
            assert!(steps > 8, "{what}: {steps} steps");

            // at a frame, and in the middle of one
            let mut part = simulation(chain(), entry, &control, frames);
            let mut checkpoints = Vec::new();
            while part.tally().steps < steps / 2 {
                part.step().unwrap();
                if part.state().time == 0.25 {
                    checkpoints.push((part.point().clone(), part.progress()));
                }
            }
            checkpoints.push((part.point().clone(), part.progress()));
            for (point, progress) in checkpoints {
                // through the numbers of a checkpoint
                let (numbers, counts) = progress.to_parts();
                let read = Progress::from_parts(&numbers, &counts).unwrap();
                let mut resumed = simulation(chain(), entry, &control, frames);
                resumed.restore(point, read);
                assert!(!resumed.is_done(), "{what}");
                run(&mut resumed);
                assert_eq!(whole.state().hash(), resumed.state().hash(), "{what}");
                assert_eq!(bits(whole.point()), bits(resumed.point()), "{what}");
                assert_eq!(whole.ledger(), resumed.ledger(), "{what}");
                assert_eq!(whole.tally(), resumed.tally(), "{what}");
            }
            pairs += 1;
        }
    }
    println!("{pairs} pairs");
    assert!(pairs > 70);
}

/// Steps of many lengths in any order, forward and again: what an integrator keeps for itself must not show.
#[test]
fn scratch_does_not_show() {
    for (entry, solver) in INTEGRATORS.iter().flat_map(|entry| solvers(entry).map(move |solver| (entry, solver))) {
        let mut stepper = Stepper::new(chain(), entry, &solver);
        let mut random = Random(3);
        let mut track = Vec::new();
        for _ in 0..20 {
            let dt = 0.02 * (1.2 + random.number());
            let from = stepper.point.clone();
            stepper.step(dt).unwrap();
            track.push((from, dt, bits(&stepper.point)));
        }
        // from the last to the first, each from a point that the integrator has not just left
        for (from, dt, end) in track.into_iter().rev() {
            stepper.point = from;
            stepper.step(dt).unwrap();
            assert_eq!(bits(&stepper.point), end, "{} with {}", entry.properties.name, solver.kind);
        }
    }
}

/// A spring at rest whose pin begins to move at t = 1.
fn resting_spring() -> Problem {
    let path = Path::Keyframes { times: vec![1.0, 1.25], points: vec![DVec3::ZERO, DVec3::new(0.0, 0.3, 0.0)] };
    let spring = Spring { nodes: [0, 1], rest_length: 1.0, stiffness: 5.0, damping: 0.1 };
    let models: Vec<Box<dyn ForceModel>> = vec![Box::new(Springs::new(vec![spring]))];
    let pins = vec![Pin { particle: 0, path }];
    Problem::new(vec![1.0; 2], vec![DVec3::ZERO, DVec3::X], vec![DVec3::ZERO; 2], pins, models)
}

/// Positions and velocities are the same for a second, the time is not: what was computed for one of those steps must not be taken for
/// another.
#[test]
fn a_second_of_rest_is_not_one_step() {
    // The last frame is half as long as the others, so the step of 0.25 s before t = 1 is followed by one of 0.125 s.
    let frames = Frames { fps: 4.0, until: 1.125 };
    let bounds = StepBounds { min: 1e-9, max: 0.25 };
    for (control_name, control) in controllers() {
        let control = ControlSpec { tolerance: 0.1, stretch: 0.1, dt: Some(0.25), bounds, ..control };
        for entry in INTEGRATORS.iter().filter(|entry| control.works_with(entry.properties).is_ok()) {
            let what = format!("{} under {control_name}", entry.properties.name);
            let mut whole = simulation(resting_spring(), entry, &control, frames);
            while whole.state().time < 1.0 {
                whole.step().unwrap();
            }
            let mut resumed = simulation(resting_spring(), entry, &control, frames);
            resumed.restore(whole.point().clone(), whole.progress());
            assert_eq!(whole.state().x[1], DVec3::X, "{what}: at rest");
            while !whole.is_done() {
                let (a, b) = (whole.step().unwrap(), resumed.step().unwrap());
                assert_eq!((a.dt, a.error.to_bits()), (b.dt, b.error.to_bits()), "{what}");
            }
            assert_eq!(bits(whole.point()), bits(resumed.point()), "{what}");
            assert_ne!(whole.state().x[0], DVec3::ZERO, "{what}: in motion");
        }
    }
}

/// Schemes that foresee velocities foresee nothing for what rests; it must move all the same once it is pulled.
#[test]
fn what_rests_is_set_in_motion() {
    let control = ControlSpec { kind: ControlKind::FORCE_ERROR, dt: Some(0.01), ..ControlSpec::default() };
    let frames = Frames { fps: 8.0, until: 2.0 };
    let exact = reference(resting_spring(), frames.until, 6400);
    let mut failures = Vec::new();
    for entry in INTEGRATORS.iter().filter(|entry| control.works_with(entry.properties).is_ok()) {
        let mut simulation = simulation(resting_spring(), entry, &control, frames);
        while !simulation.is_done() {
            simulation.step().unwrap();
        }
        let (end, steps) = (simulation.state().x[1], simulation.tally().steps);
        let off = (end - exact.x[1]).length();
        println!(
            "{:30} {steps:6} steps, moved {:.3} m, off by {off:.1e} m",
            entry.properties.name,
            (end - DVec3::X).length()
        );
        // where it rests on, it is off by all of its way
        if off > 0.1 * (exact.x[1] - DVec3::X).length() {
            failures.push(format!("{}: off by {off:e} m", entry.properties.name));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
