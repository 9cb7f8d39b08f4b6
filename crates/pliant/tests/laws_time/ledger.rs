//! The energy ledger: it closes, and its entries are the physics.

use glam::DVec3;
use pliant::core::ledger::{Account, Corrections, Powers};
use pliant::core::{Energy, ForceModel, JacobianKind, Ledger, State};
use pliant::forces::{Spring, Springs};
use pliant::scene::load;
use pliant::time::catalog::{INTEGRATORS, SolverSpec, find};
use pliant::time::control::{ControlKind, ControlSpec};
use pliant::time::{Frames, Simulation, Stability, Symplectic};
use pliant_testkit::derivative::jacobian;
use pliant_testkit::order::{run, slopes};
use pliant_testkit::problems::{Net, Problem, damped_oscillator, driven_chain, net, oscillator_chain};

fn fixed(problem: Problem, name: &str, dt: f64, steps: u32) -> Simulation {
    let control = ControlSpec { kind: ControlKind::FIXED, dt: Some(dt), ..ControlSpec::default() };
    let until = dt * f64::from(steps);
    problem.simulation(find(name).unwrap(), &SolverSpec::default(), &control, Frames { fps: 1.0 / until, until })
}

#[test]
fn books_close() {
    const STEPS: u32 = 200;
    for entry in INTEGRATORS {
        let problem = net(Net { damping: 0.3, driven: true, ..Net::default() });
        let mut simulation = fixed(problem, entry.properties.name, 0.01, STEPS);
        let mut largest: f64 = 0.0;
        for _ in 0..STEPS {
            simulation.step().unwrap();
            let (books, energy) = (*simulation.ledger(), simulation.account().energy);
            largest = largest.max(energy.kinetic.abs() + energy.elastic.abs() + energy.gravity.abs());
            largest = largest.max(books.viscous.abs() + books.pins.abs() + books.integrator.abs());
            // Every step adds three entries, each rounded a few times to at most ε of the largest term.
            let bound = 8.0 * f64::EPSILON * f64::from(STEPS) * largest;
            let gap = books.expected_total() - energy.total();
            assert!(gap.abs() <= bound, "{}: open by {gap:e} J, bound {bound:e}", entry.properties.name);
        }
        let books = simulation.ledger();
        println!("{:30} {books:?}", entry.properties.name);
        assert!(books.viscous < -0.05 && books.pins.abs() > 0.05, "{}: {books:?}", entry.properties.name);
    }
}

/// ½ Δvᵀ M Δv + ½ Δxᵀ K Δx, J.
fn square(simulation: &mut Simulation, from: &State) -> f64 {
    let to = simulation.state().clone();
    let jacobian = jacobian(&mut simulation.system, from, JacobianKind::Exact);
    let dx: Vec<DVec3> = to.x.iter().zip(&from.x).map(|(a, b)| *a - *b).collect();
    let mut k_dx = vec![DVec3::ZERO; dx.len()];
    jacobian.stiffness.multiply(&dx, &mut k_dx);
    let elastic: f64 = dx.iter().zip(&k_dx).map(|(a, b)| -0.5 * a.dot(*b)).sum();
    let masses = simulation.system.masses();
    let kinetic: f64 = (0..masses.len()).map(|i| 0.5 * masses[i] * (to.v[i] - from.v[i]).length_squared()).sum();
    kinetic + elastic
}

/// On linear undamped problems `E1 - E0 = -(½ Δvᵀ M Δv + ½ Δxᵀ K Δx)` for backward Euler, and 0 for the trapezoidal rule, exactly.
#[test]
fn what_backward_euler_loses_has_a_formula() {
    for (name, keeps) in
        [("linearized-backward-euler", false), ("backward-euler", false), ("newmark", true), ("newmark-newton", true)]
    {
        let mut simulation = fixed(oscillator_chain(4), name, 0.1, 50);
        for _ in 0..50 {
            let (from, before) = (simulation.state().clone(), simulation.ledger().integrator);
            let energy = simulation.account().energy;
            simulation.step().unwrap();
            let loss = square(&mut simulation, &from);
            let booked = simulation.ledger().integrator - before;
            let exact = if keeps { 0.0 } else { -loss };
            // energies of a dozen squares, each rounded to ε; the sum so far, to ε of itself
            let bound = 64.0 * f64::EPSILON * (energy.total() + before.abs());
            assert!((booked - exact).abs() <= bound, "{name}: booked {booked:e}, formula {exact:e}, bound {bound:e}");
            assert!(loss > 1e6 * bound || keeps, "{name}: {loss:e} J is too little to tell");
        }
        assert_eq!((simulation.ledger().viscous, simulation.ledger().pins), (0.0, 0.0), "nothing else is booked");
    }
}

/// Two masses on a stiff damped spring turn about each other by 0.3 rad a step. Velocities at the ends of steps are along chords and stretch
/// the spring, so that the mean of both ends would book a damping that moved nothing, and a gain by integration to make up for it. (With `bdf2` bodies in
/// free flight do not end along chords any more; what is booked is less than a thousandth of what there is.)
#[test]
fn what_turns_is_not_damped() {
    for (name, along_chords) in [("bdf2", false), ("backward-euler", true)] {
        let side = DVec3::new(0.5, 0.0, 0.0);
        let spring = Spring { nodes: [0, 1], rest_length: 1.0, stiffness: 1e4, damping: 200.0 };
        let v = [DVec3::new(0.0, -1.5, 0.0), DVec3::new(0.0, 1.5, 0.0)];
        let models: Vec<Box<dyn ForceModel>> = vec![Box::new(Springs::new(vec![spring]))];
        let turning = Problem::new(vec![1.0; 2], vec![-side, side], v.to_vec(), Vec::new(), models);
        let (dt, steps) = (0.1, 10);
        let mut simulation = fixed(turning, name, dt, steps);
        let mut by_ends = 0.0;
        for _ in 0..steps {
            let from = simulation.state().clone();
            simulation.step().unwrap();
            let to = simulation.state().clone();
            by_ends += 0.5
                * dt
                * (simulation.system.energies().powers_at(&from).viscous
                    + simulation.system.energies().powers_at(&to).viscous);
        }
        let books = simulation.ledger();
        println!("{name:20} {books:?}, by both ends {by_ends:.2e} J");
        if !along_chords {
            let most = 1e-3 * books.start;
            assert!(books.viscous.abs() < most && books.integrator < most, "{name}: {books:?}");
            continue;
        }
        assert!(by_ends < -0.01 * books.start, "{name}: {by_ends} J shows nothing");
        assert!(books.viscous.abs() < 0.05 * by_ends.abs(), "{name}: {books:?}, by both ends {by_ends} J");
        assert!(books.integrator < 0.0, "{name}: {books:?}");
    }
}

/// The physical entries are right, so what is left shrinks like the scheme's error, or like the dt² of the rules that integrate
/// damping and pins.
#[test]
fn what_the_integrator_gains_shrinks_with_the_step() {
    let problems: [fn() -> Problem; 2] =
        [|| driven_chain(5, 0.3), || net(Net { damping: 0.3, driven: true, ..Net::default() })];
    for (problem_name, problem) in ["driven chain", "driven net"].iter().zip(problems) {
        for entry in INTEGRATORS.iter().filter(|entry| entry.properties.study.is_none()) {
            let name = entry.properties.name;
            let order = entry.properties.order_damped.min(2);
            let steps = match (order, name) {
                (1, _) => [1600, 3200, 6400],
                // what it gains itself is of third order and against the rule's second
                (_, "bdf3") => [3200, 6400, 12800],
                _ => [800, 1600, 3200],
            };
            let gains = steps.map(|steps| {
                let simulation = run(problem(), entry, &SolverSpec::default(), 1.0, steps).unwrap();
                let books = simulation.ledger();
                assert!(books.viscous < -1e-3 && books.pins.abs() > 1e-3, "{name}: {books:?}");
                books.integrator.abs()
            });
            let slopes = slopes(&gains, &steps);
            println!("{problem_name:15} {name:30} {order}: {:.3} {:.3}, {:.1e} J", slopes[0], slopes[1], gains[2]);
            // faster is possible: leading terms of the energy may cancel
            let slow = slopes.iter().any(|slope| *slope < f64::from(order) - 0.1);
            assert!(!slow, "{name} on {problem_name}: order {order}, {slopes:?}, {gains:?}");
        }
    }
}

/// `x'' = -ω² x - r x'` from (x0, v0): everything lost went into damping.
#[test]
fn viscous_loss_is_the_analytic_one() {
    let (omega, rate, x0, v0, until) = (3.0_f64, 0.4_f64, 1.0_f64, 0.5_f64, 4.0_f64);
    let swing = (omega * omega - 0.25 * rate * rate).sqrt();
    let (sin, cos) = (swing * until).sin_cos();
    let decay = (-0.5 * rate * until).exp();
    let b = (v0 + 0.5 * rate * x0) / swing;
    let x = decay * (x0 * cos + b * sin);
    let v = decay * ((b * swing - 0.5 * rate * x0) * cos - (x0 * swing + 0.5 * rate * b) * sin);
    let energy = |x: f64, v: f64| 0.5 * v * v + 0.5 * omega * omega * x * x;
    let lost = energy(x, v) - energy(x0, v0);
    assert!(lost < -1.0);
    for steps in [400, 4000] {
        let simulation =
            run(damped_oscillator(omega, rate, x0, v0), find("rk4").unwrap(), &SolverSpec::default(), until, steps);
        let simulation = simulation.unwrap();
        // Mean velocity instead of that at the middle: T dt²/24 2 r V |a'|; middle rule: T dt²/24 max|P''|; twice that will do. P = -r v², |v| ≤ V = √(2 E0), |a| ≤ ω V + r V, |a'| ≤ ω² V + r |a|.
        let dt = until / f64::from(steps);
        let top = (2.0 * energy(x0, v0)).sqrt();
        let (a, jerk) = ((omega + rate) * top, omega * omega * top + rate * (omega + rate) * top);
        let bound = until * dt * dt / 12.0 * 2.0 * rate * (a * a + top * jerk);
        let error = simulation.ledger().viscous - lost;
        println!(
            "{steps} steps: {:.9} J, exact {lost:.9} J, error {error:.1e}, bound {bound:.1e}",
            simulation.ledger().viscous
        );
        assert!(error.abs() <= bound, "{error:e} above {bound:e}");
        // RK4 itself is far more exact than the rule: its own entry is what the rule missed
        assert!((simulation.ledger().integrator + error).abs() < 0.01 * bound);
    }
}

/// Without damping, with a still pin, everything is the integrator's: bounded for symplectic schemes.
#[test]
fn symplectic_schemes_owe_nothing_in_the_long_run() {
    for entry in INTEGRATORS.iter().filter(|entry| entry.properties.symplectic == Symplectic::Yes) {
        let name = entry.properties.name;
        let mut simulation = fixed(oscillator_chain(3), name, 0.02, 4000);
        let (mut first, mut second): (f64, f64) = (0.0, 0.0);
        for step in 0..4000 {
            simulation.step().unwrap();
            let half = if step < 2000 { &mut first } else { &mut second };
            *half = half.max(simulation.ledger().integrator.abs());
        }
        println!("{name:30} at most {first:.2e} J, then {second:.2e} J");
        // Something bounded reaches about the same maximum in both halves; a drift would double it.
        assert!(second < 1.5 * first && first > 0.0, "{name}: {first} J, then {second} J");
    }
}

/// A sheet falls on a ball. Where a move of Newton's method could end almost in contact, with a force wrong by powers of ten, schemes of higher order gained up to
/// half of the energy that there was, and lost it again by damping.
#[test]
fn contact_gives_no_energy() {
    let smaller = ["cloth.0.grid.columns=13", "cloth.0.grid.rows=13", "time.until=0.8"];
    for name in ["backward-euler", "bdf2", "bdf3", "tr-bdf2", "generalized-alpha", "newmark"] {
        let mut changes: Vec<String> = smaller.iter().map(ToString::to_string).collect();
        changes.push(format!("time.integrator={name}"));
        let scene = load("cloth-on-sphere", &changes).unwrap_or_else(|e| panic!("{e}"));
        let mut simulation = scene.build().unwrap_or_else(|e| panic!("{e}")).simulation;
        while !simulation.is_done() {
            simulation.advance_frame(|_, _| {}).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        let books = simulation.ledger();
        println!("{name:20} {books:?}");
        assert!(books.viscous < -0.3 * books.start, "{name}: it fell, and folded: {books:?}");
        assert!(books.contact <= 0.0, "{name}: a ball at rest gives nothing: {books:?}");
        assert!(books.integrator < 0.1 * books.start, "{name}: {books:?}");
    }
}

/// Schemes that reject steps in contact that gain energy do not take the work of moving pins for a gain.
#[test]
fn pins_may_give_energy_in_contact() {
    for name in ["bdf3", "generalized-alpha"] {
        let coarse = ["cloth.0.grid.columns=33", "cloth.0.grid.rows=8", "time.until=1.2"];
        let changes: Vec<String> =
            coarse.iter().map(ToString::to_string).chain([format!("time.integrator={name}")]).collect();
        let scene = load("twisted-cloth", &changes).unwrap_or_else(|e| panic!("{e}"));
        let mut simulation = scene.build().unwrap_or_else(|e| panic!("{e}")).simulation;
        while !simulation.is_done() {
            simulation.advance_frame(|_, _| {}).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        let (steps, books) = (simulation.tally().steps, simulation.ledger());
        println!("{name:20} {steps} steps, {books:?}");
        assert!(steps < 1000, "{name}: {steps} steps");
        assert!(books.integrator < books.pins, "{name}: {books:?}");
    }
}

/// Beyond its limit a scheme makes energy out of nothing, and the books say how much there was to move without it: undamped, where
/// the gain moves and stretches, and damped, where all of it is lost again and the end looks harmless.
#[test]
fn what_explodes_is_told_from_what_moves() {
    let explicit = INTEGRATORS.iter().filter(|entry| !entry.properties.is_implicit());
    for entry in explicit.filter(|entry| entry.properties.study.is_none()) {
        let name = entry.properties.name;
        for damping in [0.0, 0.3] {
            let problem = || net(Net { damping, driven: true, ..Net::default() });
            let mut sound = fixed(problem(), name, 1e-3, 1000);
            let start = sound.account().energy.total();
            (0..1000).for_each(|_| _ = sound.step().unwrap());
            let books = *sound.ledger();
            assert_eq!(books.excess(&sound.account().energy), None, "{name}, damping {damping}: {books:?}");
            // what moves is no more than what there was
            let kinetic = sound.account().energy.kinetic;
            assert!(kinetic <= books.available() + books.integrator.max(0.0), "{name}: {kinetic} J, {books:?}");
            assert!(books.available() > 1e-3 * start.abs(), "{name}: {books:?}");

            let mut wild = fixed(problem(), name, 1.0, 30);
            let ended = (0..30).try_for_each(|_| wild.step().map(drop));
            let books = *wild.ledger();
            let excess = books.excess(&wild.account().energy);
            println!("{name:20} {damping}: {excess:?} of {:.2e} J, {:?}", books.available(), ended.err());
            assert!(excess.is_some_and(|times| times > 10.0), "{name}, damping {damping}: {books:?}");
        }
    }
}

/// Wind brings in what damping takes out at once: their sum says nothing of what there was to move.
#[test]
fn what_wind_brings_in_is_there_to_move() {
    let at = |kinetic: f64| Account { energy: Energy { kinetic, ..Energy::default() }, ..Account::default() };
    let blown = |loads: f64| {
        let mut ledger = Ledger::starting_at(&Energy::default());
        for step in 0..10 {
            let midway = Powers { viscous: -10.0, loads, ..Powers::default() };
            ledger.book(&at(f64::from(step)), &at(f64::from(step + 1)), &midway, 1.0, &Corrections::default());
        }
        ledger
    };
    let now = at(10.0).energy;
    assert_eq!(blown(11.0).excess(&now), None, "1 W more than damping takes");
    assert!((blown(11.0).available() - 110.0).abs() < 1e-9);
    assert_eq!(blown(9.5).excess(&now), None, "what the integrator adds is less than the wind brings in");
    assert!(blown(0.0).excess(&now).is_some(), "nothing brings it in");
}

/// Undamped symplectic schemes swing about the true energy, and a scene that starts with none has nothing to be compared with but
/// what its pins bring in: neither is an explosion, at any moment.
#[test]
fn what_swings_or_starts_at_rest_does_not_explode() {
    for entry in INTEGRATORS.iter().filter(|entry| entry.properties.study.is_none()) {
        let name = entry.properties.name;
        let swinging: [(&str, Problem, f64, u32); 3] = [
            ("chain", oscillator_chain(3), 0.02, 4000),
            ("driven chain", driven_chain(5, 0.3), 0.002, 1000),
            ("damped", damped_oscillator(3.0, 0.4, 1.0, 0.5), 0.01, 2000),
        ];
        for (what, problem, dt, steps) in swinging {
            // without damping these grow at any step, bdf3 at these
            let grows = !matches!(entry.properties.stability, Stability::Always | Stability::UpTo(_));
            if grows && what == "chain" {
                continue;
            }
            let mut simulation = fixed(problem, name, dt, steps);
            for _ in 0..steps {
                simulation.step().unwrap();
                let (books, now) = (*simulation.ledger(), simulation.account().energy);
                assert_eq!(books.excess(&now), None, "{name}, {what}, t = {}: {books:?}", simulation.state().time);
            }
        }
    }
}

/// A taut lasso: 309 J by the integrator, where 1 J moved.
#[test]
fn an_entry_of_the_integrator_beside_which_nothing_moved_is_found() {
    let lasso = Ledger { viscous: -2.0, pins: 40.0, integrator: 309.0, peak_kinetic: 1.0, ..Ledger::default() };
    let now = Energy { elastic: 347.0, ..Energy::default() };
    let found = |ledger: Ledger, now: Energy| ledger.unexplained(&now, 1e-6);
    assert_eq!(found(lasso, now), Some(309.0));
    assert_eq!(found(Ledger { integrator: -309.0, ..lasso }, now), Some(-309.0));
    assert_eq!(found(Ledger { peak_kinetic: 50.0, ..lasso }, now), None, "as much moved");
    assert_eq!(found(Ledger { integrator: 9.0, ..lasso }, now), None);
    assert_eq!(found(Ledger { pins: 4000.0, ..lasso }, now), None, "a small part of the work of the pins");
    assert_eq!(found(Ledger { integrator: 1e-9, ..Ledger::default() }, Energy::default()), None, "rounding");
}
