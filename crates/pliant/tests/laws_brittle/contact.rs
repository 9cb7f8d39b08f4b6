//! Brittle bodies that meet each other and colliders: nothing passes through, and what one loses the other gets.

use glam::DVec3;
use pliant::core::Motion;
use pliant::forces::Boundaries;
use pliant::forces::contact::{Collider, Shape};
use pliant::forces::peridynamics::{Breaking, Brittle, GrainBody, GrainContact, GrainContactSettings, Peridynamics};
use pliant::prelude::*;

/// Sound of 32 m/s along a bar.
const STUFF: Brittle = Brittle { density: 1000.0, young: 1e6, poisson: 0.25, release: 5.0, toughening: 0.0 };
const SPACING: f64 = 0.01;

/// Particles of a block about the origin.
fn block([nx, ny, nz]: [usize; 3]) -> Vec<DVec3> {
    let half = DVec3::new(nx as f64 - 1.0, ny as f64 - 1.0, nz as f64 - 1.0) * 0.5;
    let all = (0..nx * ny * nz).map(|k| DVec3::new((k % nx) as f64, (k / nx % ny) as f64, (k / nx / ny) as f64));
    all.map(|x| (x - half) * SPACING).collect()
}

/// How many bonds are broken.
fn broken(simulation: &Simulation) -> f64 {
    simulation.system.models()[0].as_stateful().expect("it has the capability").memory()[1]
}

/// A block of breakable and one of unbreakable stuff, and what they touch.
fn bodies(first: Vec<DVec3>, second: Vec<DVec3>, v: [DVec3; 2], colliders: Vec<Collider>) -> (System, State) {
    let split = first.len();
    let rest: Vec<DVec3> = first.into_iter().chain(second).collect();
    let hard = Brittle { release: f64::INFINITY, ..STUFF };
    let mut all = vec![GrainBody::new(0..split, SPACING, STUFF)];
    if rest.len() > split {
        all.push(GrainBody::new(split..rest.len(), SPACING, hard));
    }
    let walls = Boundaries { colliders, spacing: SPACING, ..Boundaries::default() };
    let touch = GrainContactSettings { creep: 1e-3, ..GrainContactSettings::default() };
    let contact = GrainContact::new(&all, &rest, &walls, &touch).unwrap();
    let masses = vec![all[0].mass(); rest.len()];
    let model = Peridynamics::new(all, &rest, Breaking::default()).unwrap();
    let system = System::new(masses, Vec::new(), vec![Box::new(model), Box::new(contact)], Vec::new()).unwrap();
    let v = (0..rest.len()).map(|i| v[usize::from(i >= split)]).collect();
    (system, State { v, ..State::at_rest(rest) })
}

fn in_space((system, state): (System, State), scheme: &str) -> Simulation {
    let kind = if scheme == "newmark" { ControlKind::FORCE_ERROR } else { ControlKind::STABLE };
    let bounds = StepBounds { min: 1e-12, max: 1e-2 };
    let control = ControlSpec { kind, safety: 0.7, tolerance: 0.01 * SPACING, bounds, ..ControlSpec::default() };
    let frames = Frames { fps: 1e-3, until: 1e3 };
    Simulation::new(system, state, integrator(scheme).unwrap(), &SolverSpec::default(), &control, frames).unwrap()
}

fn moved(x: Vec<DVec3>, by: DVec3) -> Vec<DVec3> {
    x.into_iter().map(|x| x + by * SPACING).collect()
}

const SCHEMES: [&str; 2] = ["velocity-verlet", "newmark"];

#[test]
fn bodies_do_not_pass_through_each_other() {
    for scheme in SCHEMES {
        // single particles that are faster than a twelfth of sound find their way between those of a lattice
        for speed in [0.3, 1.0] {
            let (left, right) = (block([5, 5, 5]), moved(block([4, 7, 7]), DVec3::new(7.0, 0.4, 0.3)));
            let split = left.len();
            let (system, state) = bodies(left, right, [DVec3::X * speed, DVec3::X * -speed], Vec::new());
            let mut run = in_space((system, state), scheme);
            let start = run.system.momentum(run.state());
            let scale: f64 = run.state().v.iter().zip(run.system.masses()).map(|(v, m)| v.length() * m).sum();
            let mut nearest = f64::INFINITY;
            while run.state().time < 10.0 * SPACING / speed {
                run.step().unwrap();
                let (a, b) = run.state().x.split_at(split);
                let near = a.iter().flat_map(|a| b.iter().map(|b| a.distance(*b))).fold(f64::INFINITY, f64::min);
                nearest = nearest.min(near / SPACING);
            }
            let state = run.state();
            let drift = (run.system.momentum(state) - start).length() / scale;
            // the second body stays whole: nobody of the first may be in it
            let back = state.x[split..].iter().map(|x| x.x).fold(f64::NEG_INFINITY, f64::max);
            let behind = state.x[..split].iter().filter(|x| x.x > back && x.y.abs() < 0.03 && x.z.abs() < 0.03).count();
            let outcome = format!("{scheme} {speed} m/s: {} broken, {nearest:.3} spacings near", broken(&run));
            println!("{outcome}, momentum {drift:.1e}, {} steps", run.tally().steps);
            assert!(nearest < 0.9, "they never met");
            assert!(nearest > 0.2 && behind == 0, "{outcome}, {behind} behind");
            assert!(drift < 1e-10, "{scheme} {speed}: {drift}");
        }
    }
}

/// Faster than a floor can stop within a spacing, up to sixty times the speed of sound: particles bounce, or the run ends with a reason; none gets deeper.
#[test]
fn what_a_plane_cannot_stop_is_refused() {
    let mut refused = 0;
    for speed in [3.0, 30.0, 2000.0] {
        let shape = Shape::Plane { point: DVec3::new(0.0, -4.0 * SPACING, 0.0), normal: DVec3::Y };
        let floor = Collider { name: "floor".into(), shape, motion: Motion::default(), friction: 0.0 };
        let start = bodies(block([7, 5, 6]), Vec::new(), [DVec3::new(0.0, -speed, 0.0); 2], vec![floor]);
        let mut run = in_space(start, "velocity-verlet");
        let mut lowest = f64::INFINITY;
        while run.state().time < 12.0 * SPACING / speed {
            if let Err(error) = run.step() {
                assert!(error.why.starts_with("infeasible-contact"), "{speed} m/s: {error}");
                refused += 1;
                break;
            }
            lowest = run.state().x.iter().map(|x| x.y / SPACING + 4.0).fold(lowest, f64::min);
        }
        println!("{speed} m/s: {lowest:.3} spacings above");
        // to rounding
        assert!((-1.0 - 1e-9..0.5).contains(&lowest), "{speed} m/s: {lowest} spacings");
    }
    assert!(refused > 0);
}

#[test]
fn colliders_are_not_entered() {
    let still = |name: &str, shape: Shape, velocity: DVec3| Collider {
        name: name.into(),
        shape,
        motion: Motion { offset: Path::Steady { start: DVec3::ZERO, velocity }, turn: None },
        friction: 0.0,
    };
    let radius = 6.0 * SPACING;
    for scheme in SCHEMES {
        // A tenth of sound presses with ρ c v, which boundaries bear only where middles of particles are about at their surface. They must go
        // no deeper, and the run must go on.
        for (speed, least) in [(0.3, 0.25), (1.0, 0.0), (3.0, -0.1)] {
            let floor = Shape::Plane { point: DVec3::new(0.0, -4.0 * SPACING, 0.0), normal: DVec3::Y };
            let floor = still("floor", floor, DVec3::ZERO);
            let start = bodies(block([7, 5, 6]), Vec::new(), [DVec3::new(0.1, -speed, 0.0); 2], vec![floor]);
            let mut run = in_space(start, scheme);
            let mut lowest = f64::INFINITY;
            while run.state().time < 12.0 * SPACING / speed {
                run.step().unwrap();
                let low = run.state().x.iter().map(|x| x.y / SPACING + 4.0).fold(f64::INFINITY, f64::min);
                lowest = lowest.min(low);
            }
            println!("{scheme} {speed} m/s on a floor: {} broken, {lowest:.3} spacings above", broken(&run));
            assert!(lowest < 0.5, "it never arrived");
            assert!(lowest > least, "{lowest} spacings");

            let centre = DVec3::new(-10.5 * SPACING, 0.3 * SPACING, 0.0);
            let velocity = DVec3::X * speed;
            let ball = still("ball", Shape::sphere(centre, radius), velocity);
            let mut run = in_space(bodies(block([7, 5, 6]), Vec::new(), [DVec3::ZERO; 2], vec![ball]), scheme);
            let mut nearest = f64::INFINITY;
            while run.state().time < 15.0 * SPACING / speed {
                run.step().unwrap();
                let middle = centre + velocity * run.state().time;
                let near = run.state().x.iter().map(|x| x.distance(middle) - radius).fold(f64::INFINITY, f64::min);
                nearest = nearest.min(near / SPACING);
            }
            println!("{scheme} {speed} m/s by a ball: {} broken, {nearest:.3} spacings off", broken(&run));
            assert!(nearest < 0.5, "it never arrived");
            assert!(nearest > least, "{nearest} spacings");
        }
    }
}
