//! The corrections after the integration: what projection and the response to collisions keep, what they take, and that they leave no trace where a
//! step is rejected, a run restarted or the work shared.

use glam::DVec3;
use pliant::core::{ForceModel, Point, State, StepGuard};
use pliant::forces::contact::{Collider, Contact, ContactBody, ContactSettings, Shape};
use pliant::forces::{Gravity, PaperCell, Spring, Springs, paper_rope};
use pliant::geom::rope::{Curve, Frames as RopeFrames};
use pliant::scene::load::from_text;
use pliant::time::catalog::{Entry, INTEGRATORS, SolverSpec, find};
use pliant::time::control::{ControlKind, ControlSpec};
use pliant::time::{Frames, PostStepSpec, Progress, Projection, Response, Simulation};
use pliant_testkit::problems::{Net, Problem, net, stiff_chain};

const FRAMES: Frames = Frames { fps: 1.0, until: 100.0 };

fn projected(iterations: u32) -> PostStepSpec {
    PostStepSpec { projection: Some(Projection { iterations, part: 1.0 }), response: None }
}

fn everything() -> PostStepSpec {
    PostStepSpec { response: Some(Response { feedback: true }), ..projected(3) }
}

fn simulation(problem: Problem, name: &str, dt: f64, post_step: PostStepSpec) -> Simulation {
    let control = ControlSpec { kind: ControlKind::FIXED, dt: Some(dt), ..ControlSpec::default() };
    let mut simulation = problem.simulation(find(name).unwrap(), &SolverSpec::default(), &control, FRAMES);
    simulation.set_post_step(post_step).unwrap();
    simulation
}

/// A dumbbell of length 1 m and unit masses in space that spins with a speed of its ends.
fn dumbbell(speed: f64) -> Problem {
    let spring = Spring { nodes: [0, 1], rest_length: 1.0, stiffness: 1e3, damping: 0.0 };
    let models: Vec<Box<dyn ForceModel>> = vec![Box::new(Springs::new(vec![spring]))];
    let (x, v) = (DVec3::X * 0.5, DVec3::Y * speed);
    Problem::new(vec![1.0; 2], vec![-x, x], vec![-v, v], Vec::new(), models)
}

/// What projection takes. A spinning dumbbell is drawn back from the end of its chord to the circle: with φ the angle of a step,
/// `tan φ' = sin φ/(2 - cos φ)`, and the speed is that of the chord, `sin(φ/2)/dt`. Of its energy `2 φ²` is lost in every step, and booked.
#[test]
fn a_spinning_dumbbell_loses_what_theory_says() {
    let (speed, dt) = (2.0, 1.0 / 64.0);
    let mut simulation = simulation(dumbbell(speed), "symplectic-euler", dt, projected(1));
    let mut angle = (2.0 * speed * dt).atan();
    for _ in 0..200 {
        let before = (simulation.account().energy.total(), *simulation.ledger());
        simulation.step().unwrap();
        let energy = simulation.account().energy;
        let expected = ((0.5 * angle).sin() / dt).powi(2);
        assert!((energy.kinetic / expected - 1.0).abs() < 1e-9, "{} and {expected}", energy.kinetic);
        assert!(energy.elastic < 1e-24, "it has its length: {}", energy.elastic);
        // drift stretches the spring, which is not the integrator's loss
        let books = simulation.ledger();
        let booked = (books.projection - before.1.projection) + (books.integrator - before.1.integrator);
        assert!((energy.total() - before.0 - booked).abs() < 1e-12 && books.projection < before.1.projection);
        let part = 1.0 - energy.total() / before.0;
        if simulation.tally().steps > 1 {
            assert!((part / (2.0 * angle * angle) - 1.0).abs() < 5.0 * angle * angle, "{part}");
        }
        angle = (angle.sin() / (2.0 - angle.cos())).atan();
    }
    println!("after 200 steps {:.4} of the energy is left", simulation.account().energy.total() / (speed * speed));
}

/// Momentum stays, and lengths are nearer to those at rest, the more sweeps the nearer. All schemes of one step.
#[test]
fn projection_keeps_momentum_and_lengths() {
    for entry in INTEGRATORS.iter().filter(|entry| everything().works_with(entry.properties).is_ok()) {
        let name = entry.properties.name;
        let errors = [0, 1, 5, 50].map(|sweeps| {
            let post_step = if sweeps == 0 { PostStepSpec::default() } else { projected(sweeps) };
            // two cells, whose nine springs can all have their lengths
            let problem = net(Net { size: (3, 2), hung: false, ..Net::default() });
            let mut simulation = simulation(problem, name, 0.01, post_step);
            let start = simulation.system.momentum(simulation.state());
            let mut worst = 0.0_f64;
            for step in 0..60 {
                simulation.step().unwrap();
                if step >= 20 {
                    let error = simulation.system.constraints().error(&simulation.state().view());
                    worst = worst.max(error.unwrap());
                }
            }
            let end = simulation.system.momentum(simulation.state());
            assert!((end - start).length() < 1e-12 * start.length().max(1.0), "{name}: {start} to {end}");
            let (books, total) = (simulation.ledger(), simulation.account().energy.total());
            assert!((books.expected_total() - total).abs() < 1e-10 * total.abs().max(1.0), "{name}: the books");
            assert_eq!(books.projection == 0.0, sweeps == 0, "{name}");
            worst
        });
        println!("{name}: largest errors of lengths {errors:?}");
        assert!(errors[1] < errors[0] && errors[2] < errors[1] && errors[3] < errors[2], "{name}: {errors:?}");
    }
}

/// Stiff springs that an explicit scheme could not hold at this step (their limit is 1 ms) stay as long as they are, because the projection
/// leaves them nothing to pull with.
#[test]
fn projection_holds_a_chain_beyond_the_limit_of_stability() {
    let (dt, steps) = (5e-3, 400);
    let run = |post_step: PostStepSpec| {
        let mut simulation = simulation(stiff_chain(8, DVec3::ZERO), "symplectic-euler", dt, post_step);
        (0..steps).try_for_each(|_| simulation.step().map(|_| ())).map_err(|error| error.why)?;
        Ok::<_, String>(simulation.system.constraints().error(&simulation.state().view()).unwrap())
    };
    let plain = run(PostStepSpec::default());
    assert!(plain.as_ref().is_err() || plain.as_ref().is_ok_and(|error| *error > 1.0), "{plain:?}");
    let held = run(projected(200)).unwrap();
    println!("without projection: {plain:?}; with 200 sweeps lengths are off by {held:.1e}");
    assert!(held < 1e-3, "{held}");
}

/// The paper's cell has volumes too.
#[test]
fn volumes_are_projected() {
    let line = Curve::Line { from: DVec3::ZERO, to: DVec3::X }.centreline(8).unwrap();
    let cell = PaperCell { radius: 0.1, edge: 50.0, bulk: 1.0, torsion: 0.0, mass_per_length: 1.0, damping_time: 0.0 };
    let rope = paper_rope(&line, &RopeFrames::new(&line, 0.0), &cell, 0).unwrap();
    let pushed = |k: usize, x: DVec3| x * 1.1 + DVec3::new(0.0, 0.01 * (3.0 * k as f64).sin(), 0.01 * (k as f64).cos());
    let x: Vec<DVec3> = rope.x.iter().enumerate().map(|(k, x)| pushed(k, *x)).collect();
    let problem = Problem::new(rope.masses.clone(), x.clone(), vec![DVec3::ZERO; x.len()], Vec::new(), rope.models());
    let error = |x: &[DVec3]| problem.system.constraints().error(&State::at_rest(x.to_vec()).view()).unwrap();
    let centre = |x: &[DVec3]| x.iter().zip(&rope.masses).map(|(x, m)| *x * *m).sum::<DVec3>();
    let mut moved = x.clone();
    let mut errors = vec![error(&x)];
    for _ in 0..3 {
        problem.system.constraints().project(100, 1.0, &mut moved);
        errors.push(error(&moved));
    }
    println!("lengths and volumes off by {errors:?} after 0, 100, 200 and 300 sweeps");
    assert!(errors[0] > 0.1 && errors[3] < 1e-3, "{errors:?}");
    assert!(errors.windows(2).all(|pair| pair[1] < 0.5 * pair[0]), "{errors:?}");
    assert!(centre(&moved).distance(centre(&x)) < 1e-12);
}

/// A square of cloth above a floor, sinking and sliding.
fn landing(height: f64) -> Problem {
    let x: Vec<DVec3> =
        [[0.0, 0.0], [0.1, 0.0], [0.1, 0.1], [0.0, 0.1]].map(|[x, z]| DVec3::new(x, height, z)).to_vec();
    let masses = vec![0.1, 0.2, 0.15, 0.1];
    let tie = |a: u32, b: u32| {
        let rest_length = (x[a as usize] - x[b as usize]).length();
        Spring { nodes: [a, b], rest_length, stiffness: 100.0, damping: 0.1 }
    };
    let springs = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2), (1, 3)].map(|(a, b)| tie(a, b)).to_vec();
    let contact_body =
        ContactBody { triangles: vec![[0, 2, 1], [0, 3, 2]], thickness: 2e-3, friction: 0.4, ..ContactBody::default() };
    let floor = Collider {
        name: "floor".into(),
        shape: Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y },
        motion: pliant::core::Motion::default(),
        friction: 0.4,
    };
    let contact = Contact::new(&masses, &x, &[contact_body], &[floor], ContactSettings::default());
    let gravity = Gravity::new(DVec3::NEG_Y * 9.81, masses.clone(), std::iter::once(0..4).collect());
    let models: Vec<Box<dyn ForceModel>> = vec![Box::new(Springs::new(springs)), Box::new(gravity), Box::new(contact)];
    Problem::new(masses, x, vec![DVec3::new(0.5, -0.3, 0.0); 4], Vec::new(), models)
}

/// Symplectic Euler by hand: `v₁ = v + dt (F + Δf)/m` with `Δf = m Δv/dt` of the step before, then nothing approaches the floor.
#[test]
fn a_response_is_fed_back_as_a_force() {
    let dt = 1e-3;
    let post_step = PostStepSpec { projection: None, response: Some(Response { feedback: true }) };
    let mut fed = simulation(landing(3e-3), "symplectic-euler", dt, post_step);
    let mut answered = 0;
    for _ in 0..400 {
        let before = fed.point().clone();
        let dt = fed.step().unwrap().dt;
        let (state, masses) = (fed.state(), fed.system.masses().to_vec());
        let response = &fed.point().memory.vectors[0];
        for i in 0..4 {
            // the integrator's velocity, from what it did to the position
            let integrated = (state.x[i] - before.state.x[i]) / dt;
            let expected = (state.v[i] - integrated) * (masses[i] / dt);
            assert!((response[i] - expected).length() < 1e-8 * (1.0 + expected.length()), "{} {expected}", response[i]);
            if state.x[i].y < 2e-3 {
                assert!(state.v[i].y > -1e-12, "{}", state.v[i]);
                assert!(response[i].y >= 0.0);
            }
            answered += u32::from(response[i].y > 0.0);
        }
        // what is fed back is in the force of the next step
        let next: Vec<DVec3> = (0..4).map(|i| fed.force_at(i)).collect();
        fed.system.feed_back(&[]);
        let alone: Vec<DVec3> = (0..4).map(|i| fed.force_at(i)).collect();
        let response = fed.point().memory.vectors[0].clone();
        fed.system.feed_back(&response);
        for i in 0..4 {
            assert!((next[i] - alone[i] - response[i]).length() < 1e-9 * (1.0 + next[i].length()));
        }
    }
    println!("{answered} times a corner was stopped; contact brought {:.3e} J", fed.ledger().contact);
    assert!(answered > 8, "{answered}");
}

/// What comes down is stopped by the response alone, and then lifted by no more than the barrier that it sank into. Feedback gives the same
/// impulse once more, as a force: it leaves as fast as it came. The barrier alone throws it back too.
#[test]
fn feedback_throws_back_what_the_response_has_stopped() {
    let leaves = |response: Option<Response>| {
        let mut simulation =
            simulation(landing(3e-3), "symplectic-euler", 2e-4, PostStepSpec { projection: None, response });
        // until all of it has been down, and then until it is above the floor's reach, or long enough
        let rising = |simulation: &Simulation| simulation.state().v.iter().map(|v| v.y).sum::<f64>() / 4.0;
        let mut highest = f64::NEG_INFINITY;
        for _ in 0..150 {
            simulation.step().unwrap();
            highest = highest.max(rising(&simulation));
        }
        highest
    };
    let [alone, fed, barrier] =
        [Some(Response { feedback: false }), Some(Response { feedback: true }), None].map(leaves);
    println!(
        "it comes with 0.33 m/s and leaves with {alone:.3} m/s, fed back {fed:.3} m/s, by the barrier {barrier:.3} m/s"
    );
    assert!(alone < 0.05 && (0.25..0.4).contains(&fed) && barrier > 0.25, "{alone} {fed} {barrier}");
}

fn bits(point: &Point) -> Vec<u64> {
    let vectors = [&point.state.x, &point.state.v].into_iter().chain(&point.memory.vectors);
    vectors.flatten().flat_map(|v| v.to_array()).chain([point.state.time]).map(f64::to_bits).collect()
}

/// Lets the n-th attempt pass by half only.
struct Clip(u32);

impl StepGuard for Clip {
    fn check(&mut self, _from: &Point, _to: &Point) -> pliant::core::GuardVerdict {
        self.0 = self.0.wrapping_sub(1);
        if self.0 == 0 { pliant::core::GuardVerdict::Fraction(0.5) } else { pliant::core::GuardVerdict::Pass }
    }
}

/// A rejected attempt leaves no trace and a restart goes on with the same bits, with all corrections on.
#[test]
fn rejected_and_restarted_steps_have_the_same_bits() {
    let dt = 1.0 / 1024.0;
    let one_step = |entry: &&Entry| everything().works_with(entry.properties).is_ok();
    for name in INTEGRATORS.iter().filter(one_step).map(|entry| entry.properties.name) {
        // the step after one in which something was answered
        let mut scout = simulation(landing(3e-3), name, dt, everything());
        let answered = |simulation: &mut Simulation| {
            simulation.step().unwrap();
            simulation.point().memory.vectors[0].iter().any(|f| *f != DVec3::ZERO)
        };
        let steps = 1 + (0..100).position(|_| answered(&mut scout)).expect("it lands");
        let mut clipped = simulation(landing(3e-3), name, dt, everything());
        clipped.add_guard(Box::new(Clip(steps as u32 + 1)));
        for _ in 0..steps {
            clipped.step().unwrap();
        }
        let (point, progress) = (clipped.point().clone(), clipped.progress());
        assert!(point.memory.vectors[0].iter().any(|f| *f != DVec3::ZERO), "{name}: nothing is fed back");
        let report = clipped.step().unwrap();
        assert_eq!((report.rejected, report.dt), (1, 0.5 * dt), "{name}");

        let (numbers, counts) = progress.to_parts();
        let read = Progress::from_parts(&numbers, &counts).unwrap();
        let mut plain = simulation(landing(3e-3), name, dt, everything());
        plain.restore(point, Progress { proposal: 0.5 * dt, ..read });
        assert_eq!(plain.step().unwrap().rejected, 0, "{name}");
        assert_eq!(bits(clipped.point()), bits(plain.point()), "{name}");
        assert_eq!(clipped.ledger(), plain.ledger(), "{name}");
    }
}

#[test]
fn the_number_of_threads_does_not_show() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let problem = net(Net { size: (60, 60), damping: 0.1, driven: true, ..Net::default() });
            let mut simulation = simulation(problem, "velocity-verlet", 0.02, projected(3));
            for _ in 0..5 {
                simulation.step().unwrap();
            }
            (simulation.state().hash(), simulation.ledger().projection.to_bits())
        })
    };
    let one = run(1);
    assert_eq!((one, one), (run(2), run(3)));
}

#[test]
fn scenes_ask_for_stages_by_name() {
    let scene = |time: &str| {
        let text = format!(
            "version = 1\n[time]\nuntil = 1\n{time}\n[[springs]]\nname = \"a\"\nmass = 1\nstiffness = 10\nchain = {{ count = 3, from = [0, 0, 0], to = [1, 0, 0] }}\n"
        );
        from_text("test", "test.toml", &text, &[]).map(|scene| scene.checked.post_step).map_err(|e| e.to_string())
    };
    let explicit = "integrator = \"symplectic-euler\"\ncontrol = { kind = \"fixed\", dt = 0.01 }";
    assert_eq!(scene(explicit), Ok(PostStepSpec::default()));
    assert_eq!(scene(&format!("{explicit}\nprojection = {{}}")), Ok(projected(5)));
    let all = scene(&format!("{explicit}\nprojection = {{ iterations = 3 }}\nresponse = {{ feedback = true }}"));
    assert_eq!(all, Ok(everything()));
    for (keys, complaint) in [
        ("projection = { iterations = 0 }", "time.projection.iterations: must be from 1 to 1000, got 0"),
        ("projection = { iterations = -1 }", "time.projection.iterations"),
        ("projection = { part = 1.5 }", "time.projection.part: must be above 0 and at most 1, got 1.5"),
        ("projection = { part = nan }", "time.projection.part"),
        ("projection = { sweeps = 2 }", "sweeps"),
    ] {
        let error = scene(&format!("{explicit}\n{keys}")).unwrap_err();
        assert!(error.contains(complaint), "{keys}: {error}");
    }
    let error = scene("integrator = \"bdf2\"\nprojection = {}").unwrap_err();
    assert!(error.contains("time.integrator: bdf2 continues the curve of earlier steps"), "{error}");
}
