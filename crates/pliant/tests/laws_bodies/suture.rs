//! Laws of holes that hold a thread: actions equal reactions, a thread slides for
//! nothing but friction, holes are made where a needle comes through, once, and left where the thread ends, and nothing else is remembered.

use glam::DVec3;
use pliant::core::{ForceModel, State, Stateful, System, View};
use pliant::forces::{Suture, SutureSpec};
use pliant_testkit::derivative::force;
use pliant_testkit::invariance::viscous_power;
use pliant_testkit::random::Random;

use super::derivatives::Check;

const POINTS: usize = 8;

fn v(x: f64, y: f64, z: f64) -> DVec3 {
    DVec3::new(x, y, z)
}

/// A thread along z, bent a little, and three triangles that it goes through: at its needle, in its middle, and near its tail.
fn places() -> Vec<DVec3> {
    let point = |k: usize| v(0.1 * (0.8 * k as f64).sin(), 0.05 * (1.3 * k as f64).cos(), k as f64);
    let triangle = |z: f64| [v(-1.0, -0.8, z + 0.1), v(1.1, -0.9, z - 0.1), v(0.1, 1.3, z)];
    let triangles = [0.3, 3.55, 6.8].into_iter().flat_map(triangle);
    (0..POINTS).map(point).chain(triangles).collect()
}

fn spec(grip: f64, knot: bool) -> SutureSpec {
    let first = POINTS as u32;
    let triangles = (0..3).map(|k| ([first + 3 * k, first + 3 * k + 1, first + 3 * k + 2], k)).collect();
    let points = (0..first).collect();
    SutureSpec { points, needle: POINTS - 1, triangles, stiffness: 50.0, grip, creep: 0.4, knot }
}

fn system(grip: f64) -> (System, Vec<DVec3>) {
    let x = places();
    let masses = (0..x.len()).map(|k| 1.0 + 0.1 * k as f64).collect();
    let model = Suture::new(spec(grip, false)).unwrap();
    (System::new(masses, Vec::new(), vec![Box::new(model)], Vec::new()).unwrap(), x)
}

/// Threads beside their holes, with and without friction.
pub fn for_each_state(check: Check) {
    for (what, grip) in [("thread, smooth", 0.0), ("thread, rough", 3.0)] {
        let (mut system, x) = system(grip);
        let mut random = Random(43);
        for _ in 0..8 {
            system.forget();
            system.begin_step(&State::at_rest(x.clone()).view());
            let x: Vec<DVec3> = x.iter().zip(random.vectors(x.len())).map(|(x, d)| *x + d * 0.08).collect();
            let state = State { time: 0.0, v: random.vectors(x.len()), x };
            // friction holds on to the state in which a step begins
            system.begin_step(&state.view());
            assert_eq!(
                Suture::remembered(&system.models()[0].as_stateful().expect("it has the capability").memory()).len(),
                3,
                "{what}"
            );
            check(what, &mut system, &state);
        }
    }
}

#[test]
fn actions_equal_reactions_and_friction_takes_energy() {
    for_each_state(&mut |what, system, state| {
        let forces = force(system, state);
        let total: f64 = forces.iter().map(|f| f.length()).sum();
        let sum: DVec3 = forces.iter().sum();
        assert!(sum.length() <= 1e-14 * total, "{what}: pushed by {sum}");
        let moment: DVec3 = forces.iter().zip(&state.x).map(|(f, x)| x.cross(*f)).sum();
        let power = viscous_power(system, state).reported;
        if what.ends_with("smooth") {
            assert!(moment.length() <= 1e-13 * total * POINTS as f64, "{what}: turned by {moment}");
            assert_eq!(power, 0.0);
        } else {
            assert!(power < 0.0, "{what}: {power} W");
        }
    });
}

/// The whole thread is moved along itself: the holes stay where they are on the surface, and pull at nothing.
#[test]
fn a_thread_slides_through_its_holes_and_leaves_them_by_its_tail_or_is_stopped_by_its_knot() {
    for knot in [false, true] {
        let mut model = Suture::new(spec(0.0, knot)).unwrap();
        let mut x = places();
        (0..POINTS).for_each(|k| x[k] = v(0.0, 0.0, k as f64));
        let view = |x: &[DVec3]| View { time: 0.0, x: &x.to_vec().leak()[..], v: &[] };
        assert!(model.begin_step(&view(&x)));
        assert_eq!(model.holes().len(), 3);
        let mut left = 3;
        for _ in 0..160 {
            // the tip is at 0 and the tail at 7: the needle goes on towards -z
            (0..POINTS).for_each(|k| x[k].z -= 0.05);
            model.begin_step(&view(&x));
            let energy = model.energy(&view(&x)).unwrap();
            let tail = x[POINTS - 1].z;
            if (tail - 6.8).abs() < 0.1 {
                continue;
            }
            if knot && tail < 6.8 {
                assert!(energy > 0.0 && model.holes().len() == 3, "{energy}");
            } else {
                assert!(energy < 1e-25, "{energy} J with the tail at {tail}");
            }
            assert!(model.holes().len() <= left);
            left = model.holes().len();
        }
        assert_eq!(left, if knot { 3 } else { 0 });
    }
}

#[test]
fn a_needle_makes_each_hole_once_and_takes_it_along_when_drawn_back() {
    let mut model = Suture::new(SutureSpec { needle: 2, ..spec(0.0, false) }).unwrap();
    let mut x = places();
    (0..POINTS).for_each(|k| x[k] = v(0.02, 0.01, 8.0 + k as f64));
    let mut made = Vec::new();
    let begin = |model: &mut Suture, x: &[DVec3]| model.begin_step(&View { time: 0.0, x, v: &[] });
    for _ in 0..200 {
        (0..POINTS).for_each(|k| x[k].z -= 0.05);
        if begin(&mut model, &x) {
            let hole = model.holes().last().copied();
            made.extend(hole.filter(|_| model.holes().len() > made.len()).map(|hole| hole.triangle));
        }
    }
    assert_eq!(made, [2, 1, 0], "first the farthest");
    assert!(model.holes().iter().all(|hole| hole.enters), "it came from outside");
    for hole in model.holes() {
        assert!(model.gap(hole, &x) < 1e-13);
    }
    for _ in 0..240 {
        (0..POINTS).for_each(|k| x[k].z += 0.05);
        begin(&mut model, &x);
    }
    assert!(model.holes().is_empty(), "{:?}", model.holes());
}

#[test]
fn what_is_remembered_brings_back_the_same_bits() {
    for_each_state(&mut |what, system, state| {
        let memory = system.memory();
        let bits = force(system, state);
        system.forget();
        assert!(force(system, state).iter().all(|f| *f == DVec3::ZERO), "{what}: a hole is left");
        system.restore(&state.view(), &memory);
        assert_eq!(force(system, state), bits, "{what}");
    });
}

#[test]
fn threads_too_short_and_needles_too_long_are_refused() {
    assert!(Suture::new(SutureSpec { points: vec![0, 1], needle: 1, ..spec(0.0, false) }).is_none());
    assert!(Suture::new(SutureSpec { needle: 0, ..spec(0.0, false) }).is_none());
    assert!(Suture::new(SutureSpec { needle: POINTS, ..spec(0.0, false) }).is_none());
}
