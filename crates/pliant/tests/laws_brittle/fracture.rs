//! What breaking must never do, whatever breaks: depend on the order of bonds, on threads or on rejected steps, be forgotten, or lose momentum
//! and energy unaccounted for.

use glam::DVec3;
use pliant::core::{GuardVerdict, StepGuard, View};
use pliant::forces::peridynamics::{Breaking, Brittle, GrainBody, Peridynamics};
use pliant::prelude::*;
use pliant::time::Progress;
use pliant_testkit::Random;

const STUFF: Brittle = Brittle { density: 1000.0, young: 1e6, poisson: 0.25, release: 5.0, toughening: 0.0 };
const SPACING: f64 = 0.01;
const CELLS: [usize; 3] = [10, 6, 5];

/// Particles of a block about the origin.
fn block([nx, ny, nz]: [usize; 3]) -> Vec<DVec3> {
    let half = DVec3::new(nx as f64 - 1.0, ny as f64 - 1.0, nz as f64 - 1.0) * 0.5;
    let all = (0..nx * ny * nz).map(|k| DVec3::new((k % nx) as f64, (k / nx % ny) as f64, (k / nx / ny) as f64));
    all.map(|x| (x - half) * SPACING).collect()
}

fn bonds(rest: &[DVec3], breaking: Breaking) -> Peridynamics {
    bonds_of(STUFF, rest, breaking)
}

fn bonds_of(material: Brittle, rest: &[DVec3], breaking: Breaking) -> Peridynamics {
    Peridynamics::new(vec![GrainBody::new(0..rest.len(), SPACING, material)], rest, breaking).unwrap()
}

/// The longest step of explicit schemes, s.
fn longest_step(rest: &[DVec3]) -> f64 {
    bonds(rest, Breaking::default()).as_step_limited().expect("it has the capability").step_limit(
        &View { time: 0.0, x: rest, v: rest },
        &[],
        &[],
    )
}

/// A block that spins, and flies apart along x faster than its bonds bear.
fn tearing(material: Brittle, breaking: Breaking) -> (System, State) {
    let rest = block(CELLS);
    let model = bonds_of(material, &rest, breaking);
    let mass = model.bodies()[0].mass();
    let rate = 3.0 * model.critical_stretch(0) * STUFF.bar_speed() / (0.5 * CELLS[0] as f64 * SPACING);
    let mut random = Random(5);
    let spin = DVec3::new(0.1, 0.2, 0.3) * rate;
    let v = |x: &DVec3| DVec3::new(0.3, 0.1, -0.2) + DVec3::X * (rate * x.x) + spin.cross(*x);
    let v = rest.iter().map(|x| v(x) + random.vector() * (0.02 * rate * SPACING * CELLS[0] as f64)).collect();
    let system = System::new(vec![mass; rest.len()], Vec::new(), vec![Box::new(model)], Vec::new()).unwrap();
    (system, State { v, ..State::at_rest(rest) })
}

/// Steps of one length, to the last bit: no particle may go farther than a distance that none ever goes.
fn steady(dt: f64) -> ControlSpec {
    let bounds = StepBounds { min: 1e-6 * dt, max: dt };
    ControlSpec { kind: ControlKind::SPEED_LIMIT, distance: 1e9, bounds, ..ControlSpec::default() }
}

fn run_of(breaking: Breaking, scheme: &str, control: &ControlSpec) -> Simulation {
    run_with(STUFF, breaking, scheme, control)
}

fn run_with(material: Brittle, breaking: Breaking, scheme: &str, control: &ControlSpec) -> Simulation {
    let (system, state) = tearing(material, breaking);
    // no frame is near, so that every step is as long as it was proposed
    let frames = Frames { fps: 1e-3, until: 1e3 };
    let solver = SolverSpec { kind: "direct".into(), ..SolverSpec::default() };
    Simulation::new(system, state, integrator(scheme).unwrap(), &solver, control, frames).unwrap()
}

/// Verlet at a part of the longest step.
fn verlet(part: f64) -> Simulation {
    let control = ControlSpec { kind: ControlKind::STABLE, safety: part, ..ControlSpec::default() };
    run_of(Breaking::default(), "velocity-verlet", &control)
}

/// How many bonds are broken.
fn broken(simulation: &Simulation) -> f64 {
    simulation.system.models()[0].as_stateful().expect("it has the capability").memory()[1]
}

/// Which bonds are, from the first to the last: each number of the memory behind the first two holds 32 of them.
fn which_broke(memory: &[f64], count: usize) -> Vec<bool> {
    (0..count).map(|at| (memory[2 + at / 32] as u64) >> (at % 32) & 1 == 1).collect()
}

/// All bonds of a block by their definition, the lower number first.
fn all_bonds(rest: &[DVec3]) -> Vec<(usize, usize)> {
    let near = |i: usize, j: usize| rest[i].distance(rest[j]) <= 3.015 * SPACING;
    (0..rest.len()).flat_map(|i| (i + 1..rest.len()).map(move |j| (i, j))).filter(|(i, j)| near(*i, *j)).collect()
}

/// Momentum and angular momentum after some time, relative to the sums of their sizes at the start, and how many bonds broke.
fn drift(scheme: &str, dt: f64, steps: u32) -> (f64, f64, f64) {
    let mut run = run_of(Breaking::default(), scheme, &steady(dt));
    let spin = |run: &Simulation| -> DVec3 {
        let all = run.state().x.iter().zip(&run.state().v).zip(run.system.masses());
        all.map(|((x, v), m)| x.cross(*v) * *m).sum()
    };
    let sizes = run.state().x.iter().zip(&run.state().v).zip(run.system.masses());
    let (push, turn) =
        sizes.fold((0.0, 0.0), |s, ((x, v), m)| (s.0 + v.length() * m, s.1 + x.length() * v.length() * m));
    let start = (run.system.momentum(run.state()), spin(&run));
    for _ in 0..steps {
        run.step().unwrap();
    }
    let momentum = (run.system.momentum(run.state()) - start.0).length() / push;
    (momentum, (spin(&run) - start.1).length() / turn, broken(&run))
}

/// Bonds pull along the line between their ends, broken or not. Velocity Verlet keeps both sums, and so does the implicit midpoint. Newmark's
/// method keeps momentum; its angular momentum is off by `h²/4 v×(a₀ - a₁)` a step, whatever the forces are, which shrinks with the step.
#[test]
fn momentum_and_spin_outlast_breaking() {
    let dt = 0.5 * longest_step(&block(CELLS));
    for (scheme, steps) in [("velocity-verlet", 300), ("symplectic-midpoint", 60), ("newmark", 100)] {
        let (momentum, spin, broken) = drift(scheme, dt, steps);
        println!("{scheme}: {broken} broken, momentum {momentum:.1e}, angular momentum {spin:.1e}");
        assert!(broken > 100.0);
        assert!(momentum < 1e-10, "{scheme}: {momentum}");
        if scheme == "newmark" {
            let (_, shorter, _) = drift(scheme, 0.25 * dt, 4 * steps);
            println!("{scheme}: angular momentum {shorter:.1e} with a quarter of the step");
            assert!(shorter < 0.15 * spin, "{spin} {shorter}");
        } else {
            assert!(spin < 1e-10, "{scheme}: {spin}");
        }
    }
}

/// Numbers of particles, in any order.
fn shuffled(count: usize, seed: u64) -> Vec<usize> {
    let mut random = Random(seed);
    let mut all: Vec<(f64, usize)> = (0..count).map(|i| (random.number(), i)).collect();
    all.sort_by(|a, b| a.0.total_cmp(&b.0));
    all.into_iter().map(|(_, i)| i).collect()
}

#[test]
fn what_breaks_depends_on_no_order() {
    let rest = block(CELLS);
    let mut random = Random(3);
    let x: Vec<DVec3> = rest.iter().map(|x| *x + random.vector() * (0.012 * SPACING)).collect();
    let evaluate = |rest: &[DVec3], x: &[DVec3]| {
        let mut model = bonds(rest, Breaking::default());
        let view = View { time: 0.0, x, v: x };
        assert!(model.as_stateful_mut().expect("it has the capability").begin_step(&view));
        let mut force = vec![DVec3::ZERO; x.len()];
        model.add_force(&view, &mut force);
        (model, force)
    };
    let (model, force) = evaluate(&rest, &x);
    let all = all_bonds(&rest);
    assert_eq!(all.len(), model.bonds());
    let critical = model.critical_stretch(0);
    let marks = which_broke(&model.as_stateful().expect("it has the capability").memory(), all.len());
    // one by one, in any order, from positions alone
    for k in shuffled(all.len(), 17) {
        let (i, j) = all[k];
        let length = rest[i].distance(rest[j]);
        assert_eq!(marks[k], x[i].distance(x[j]) - length > critical * length, "{i} {j}");
    }
    let count = marks.iter().filter(|mark| **mark).count();
    println!("{count} of {} bonds broke", all.len());
    assert!(count > 100 && count < all.len() / 2 && count as u64 == model.broken());

    let pairs: std::collections::BTreeSet<(usize, usize)> =
        all.iter().zip(&marks).filter(|(_, mark)| **mark).map(|(pair, _)| *pair).collect();
    let largest = force.iter().map(|f| f.length()).fold(0.0, f64::max);
    for seed in [7, 8] {
        let order = shuffled(rest.len(), seed);
        let (rest, x): (Vec<_>, Vec<_>) = order.iter().map(|i| (rest[*i], x[*i])).unzip();
        let (mut other, same) = evaluate(&rest, &x);
        let bonds = all_bonds(&rest);
        let marks = which_broke(&other.as_stateful().expect("it has the capability").memory(), bonds.len());
        let back = |(i, j): &(usize, usize)| (order[*i].min(order[*j]), order[*i].max(order[*j]));
        let found = bonds.iter().zip(&marks).filter(|(_, mark)| **mark).map(|(pair, _)| back(pair)).collect();
        assert_eq!(pairs, found);
        let apart = order.iter().zip(&same).map(|(i, f)| f.distance(force[*i])).fold(0.0, f64::max);
        println!("forces differ by {:.1e} of the largest", apart / largest);
        assert!(apart <= 1e-12 * largest, "{apart} N of {largest} N");
        assert_eq!(other.fragments().count, 1);
    }
}

#[test]
fn breaking_has_the_same_bits_on_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut run = verlet(0.7);
            for _ in 0..120 {
                run.step().unwrap();
            }
            (run.state().hash(), run.system.memory(), run.ledger().integrator.to_bits(), broken(&run))
        })
    };
    let one = run(1);
    assert!(one.3 > 100.0);
    assert!(one == run(2) && one == run(7));
}

/// Lets no attempt pass but every third, and remembers nothing else.
struct Clip {
    attempts: u32,
}

impl StepGuard for Clip {
    fn check(&mut self, _from: &Point, _to: &Point) -> GuardVerdict {
        self.attempts += 1;
        if self.attempts.is_multiple_of(3) { GuardVerdict::Pass } else { GuardVerdict::Fraction(0.5) }
    }
}

/// Lets nothing pass.
struct Never;

impl StepGuard for Never {
    fn check(&mut self, _from: &Point, _to: &Point) -> GuardVerdict {
        GuardVerdict::Fraction(0.9)
    }
}

#[test]
fn clipped_attempts_break_nothing() {
    let dt = 0.8 * longest_step(&block(CELLS));
    for scheme in ["velocity-verlet", "newmark"] {
        let mut clipped = run_of(Breaking::default(), scheme, &steady(dt));
        clipped.add_guard(Box::new(Clip { attempts: 0 }));
        let mut plain = run_of(Breaking::default(), scheme, &steady(0.25 * dt));
        for _ in 0..120 {
            let (a, b) = (clipped.step().unwrap(), plain.step().unwrap());
            assert_eq!((a.rejected, b.rejected, a.dt), (2, 0, b.dt));
            assert!(clipped.state().hash() == plain.state().hash() && clipped.system.memory() == plain.system.memory());
        }
        println!("{scheme}: {} broken", broken(&plain));
        assert!(broken(&plain) > 100.0);
        assert_eq!(clipped.ledger(), plain.ledger());

        clipped.add_guard(Box::new(Never));
        let (state, memory) = (clipped.state().hash(), clipped.system.memory());
        assert!(clipped.step().is_err());
        assert!(clipped.state().hash() == state && clipped.system.memory() == memory, "{scheme}");
    }
}

/// A step that is far too long overstretches everything in sight. Its error is too large, so nothing of that may be seen.
#[test]
fn steps_with_too_large_errors_break_nothing() {
    let dt = longest_step(&block(CELLS));
    let strict = ControlSpec { tolerance: 1e-6 * SPACING, dt: Some(dt), ..ControlSpec::default() };
    let mut run = run_of(Breaking::default(), "newmark", &strict);
    let mut again = run_of(Breaking::default(), "newmark", &strict);
    let (mut rejected, mut breaking) = (0, 0);
    while breaking < 10 {
        let (point, progress, before) = (run.point().clone(), run.progress(), broken(&run));
        run.restore(point.clone(), Progress { proposal: 20.0 * dt, last_dt: 20.0 * dt, ..progress.clone() });
        let report = run.step().unwrap();
        again.restore(point, Progress { proposal: report.dt, last_dt: 20.0 * dt, ..progress });
        let same = again.step().unwrap();
        assert_eq!((same.rejected, same.dt), (0, report.dt));
        assert!(run.state().hash() == again.state().hash() && run.system.memory() == again.system.memory());
        rejected += report.rejected;
        breaking += u32::from(broken(&run) > before);
    }
    println!("{rejected} rejected attempts, {} broken", broken(&run));
    assert!(rejected > 20);
    // never exact enough: the run gives up, and nothing has happened
    let never = ControlSpec { tolerance: 1e-30, ..strict };
    let mut stuck = run_of(Breaking::default(), "newmark", &never);
    let controller = stuck.progress().controller;
    stuck.restore(run.point().clone(), Progress { proposal: 20.0 * dt, controller, ..run.progress() });
    assert!(stuck.step().is_err());
    assert!(stuck.state().hash() == run.state().hash() && stuck.system.memory() == run.system.memory());
}

#[test]
fn a_restart_amid_breaking_goes_on_with_the_same_bits() {
    let dt = 0.7 * longest_step(&block(CELLS));
    for scheme in ["velocity-verlet", "newmark"] {
        let mut run = run_of(Breaking::default(), scheme, &steady(dt));
        let mut before = 0.0;
        // just after a step in which something broke
        while broken(&run) < 50.0 || broken(&run) == before {
            before = broken(&run);
            run.step().unwrap();
        }
        let (numbers, counts) = run.progress().to_parts();
        let mut other = run_of(Breaking::default(), scheme, &steady(dt));
        other.restore(run.point().clone(), Progress::from_parts(&numbers, &counts).unwrap());
        let halfway = broken(&run);
        for _ in 0..60 {
            assert_eq!(run.step().unwrap().dt, other.step().unwrap().dt);
            assert!(run.state().hash() == other.state().hash() && run.system.memory() == other.system.memory());
        }
        assert!(broken(&run) > halfway + 50.0, "{scheme}: {halfway} of {}", broken(&run));
        assert_eq!(run.ledger(), other.ledger());
    }
}

#[test]
fn the_books_close_over_breaking() {
    for part in [0.5, 0.25] {
        let mut run = verlet(part);
        let start = run.account().energy.total();
        while run.state().time < 150.0 * longest_step(&block(CELLS)) {
            run.step().unwrap();
        }
        let (ledger, end) = (*run.ledger(), run.account().energy.total());
        let released = run.system.models()[0].as_stateful().expect("it has the capability").released_energy();
        println!(
            "{part}: {} broken, {released:.3e} J released of {start:.3e} J, integrator {:.1e} J",
            broken(&run),
            ledger.integrator
        );
        assert!(broken(&run) > 100.0 && released > 0.01 * start);
        assert!((ledger.expected_total() - end).abs() < 1e-12 * start);
        assert!((ledger.fracture + released).abs() < 1e-12 * start);
        assert!(ledger.viscous == 0.0 && ledger.contact == 0.0 && ledger.pins == 0.0);
        assert!(ledger.integrator.abs() < 0.02 * released, "{}", ledger.integrator);
    }
}

#[test]
fn short_steps_follow_breaking() {
    let dt = 0.5 * longest_step(&block(CELLS));
    let after = 0.3 * dt;
    let mut run = run_of(Breaking { step_after: Some(after), overshoot: None }, "velocity-verlet", &steady(dt));
    let mut short = 0;
    let mut before = broken(&run);
    let mut just_broke = false;
    for _ in 0..400 {
        let report = run.step().unwrap();
        let wanted = if just_broke { after } else { dt };
        assert_eq!(report.dt, wanted);
        just_broke = broken(&run) > before;
        before = broken(&run);
        short += u32::from(just_broke);
    }
    println!("{short} of 400 steps broke something");
    assert!(short > 10);
}

/// Longest elongation that a bond reached in a step at whose start it held, of its critical one.
fn longest(rest: &[DVec3], bonds: &[(usize, usize)], critical: f64, held: &[bool], x: &[DVec3]) -> f64 {
    let of = |(i, j): &(usize, usize)| (x[*i].distance(x[*j]) / rest[*i].distance(rest[*j]) - 1.0) / critical;
    bonds.iter().zip(held).filter(|(_, broken)| !**broken).map(|(bond, _)| of(bond)).fold(0.0, f64::max)
}

#[test]
fn limited_overshoot_makes_cracks_depend_less_on_the_step() {
    let rest = block(CELLS);
    let all = all_bonds(&rest);
    let critical = bonds(&rest, Breaking::default()).critical_stretch(0);
    let dt = longest_step(&rest);
    let mut counts = [[0.0; 2]; 2];
    for (k, overshoot) in [None, Some(0.1)].into_iter().enumerate() {
        for (l, part) in [4.0, 1.0].into_iter().enumerate() {
            let mut run = run_of(Breaking { step_after: None, overshoot }, "newmark", &steady(part * dt));
            let (mut worst, mut steps) = (0.0_f64, 0);
            while run.state().time < 80.0 * dt {
                let held = which_broke(
                    &run.system.models()[0].as_stateful().expect("it has the capability").memory(),
                    all.len(),
                );
                run.step().unwrap();
                worst = worst.max(longest(&rest, &all, critical, &held, &run.state().x));
                steps += 1;
            }
            counts[k][l] = broken(&run);
            println!(
                "overshoot {overshoot:?}, steps of {part}: {steps} steps, {} broken, {worst:.3} long",
                broken(&run)
            );
            if overshoot.is_some() {
                assert!(worst <= 1.1 + 1e-9, "{worst}");
            } else {
                assert!(worst > 1.1, "there was nothing to limit");
            }
        }
    }
    let change = counts.map(|[long, short]| (long / short - 1.0).abs());
    println!("the number of broken bonds changes by {:.3} without and {:.3} with a limit", change[0], change[1]);
    assert!(change[1] < change[0], "{change:?}");
}

/// Where others are compressed bonds bear more than their critical stretch: they hold on, and no step may be refused for that.
#[test]
fn tougher_bonds_may_be_longer() {
    let rest = block(CELLS);
    let all = all_bonds(&rest);
    let critical = bonds(&rest, Breaking::default()).critical_stretch(0);
    let tough = Brittle { toughening: 0.8, ..STUFF };
    let dt = 0.7 * longest_step(&rest);
    let mut run = run_with(tough, Breaking { step_after: None, overshoot: Some(0.1) }, "velocity-verlet", &steady(dt));
    let mut worst = 0.0_f64;
    for _ in 0..200 {
        run.step().unwrap();
        let held =
            which_broke(&run.system.models()[0].as_stateful().expect("it has the capability").memory(), all.len());
        worst = worst.max(longest(&rest, &all, critical, &held, &run.state().x));
    }
    println!("{} broken, those that hold were {worst:.3} long", broken(&run));
    assert!(broken(&run) > 100.0 && worst > 1.1, "{worst}");
}
