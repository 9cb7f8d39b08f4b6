//! `unstable-balance`: what is slow because it has only begun to fall must fall, and what stands because it is pushed too little is the stated price of
//! momenta that fade.

use pliant::prelude::*;
use pliant::scene::load;

/// Radians from the vertical through the edge at which the column counts as fallen.
const FALLEN: f64 = std::f64::consts::FRAC_PI_4;
/// What other engines put to sleep: everything slower than this, m/s, for so many frames in a row (Box2D: 1 cm/s for half a second).
const SLEEP: (f64, u32) = (0.01, 30);

struct Fall {
    /// When its centre of mass passes [`FALLEN`], s.
    fallen: Option<f64>,
    /// When another engine would have put it to sleep, s.
    slept: Option<f64>,
    /// The part of the time before that in which particles were held, on the mean over all.
    held: f64,
    /// Where its centre is in the end, rad from the vertical.
    angle: f64,
}

/// Radians from the vertical through the edge, which is at the origin.
fn angle(simulation: &Simulation) -> f64 {
    let centre: DVec3 = simulation.state().x.iter().sum();
    centre.x.atan2(centre.y)
}

fn run(changes: &[String]) -> Fall {
    let scene = load("unstable-balance", changes).unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = scene.build().unwrap_or_else(|error| panic!("{error}")).simulation;
    simulation.keep_books(false);
    let mut fall = Fall { fallen: None, slept: None, held: 0.0, angle: 0.0 };
    let (mut slow, mut before) = (0, (0.0, angle(&simulation)));
    while !simulation.is_done() && fall.fallen.is_none() {
        simulation
            .advance_frame(|_, report| fall.held += report.dt * (1.0 - report.activities.moving()))
            .unwrap_or_else(|error| panic!("{error}"));
        let (state, system) = (simulation.state(), &simulation.system);
        let fastest = (0..state.len()).map(|i| system.effective(i, state.v[i]).length()).fold(0.0, f64::max);
        slow = if fastest < SLEEP.0 { slow + 1 } else { 0 };
        if slow == SLEEP.1 && fall.slept.is_none() {
            fall.slept = Some(state.time);
        }
        let now = (state.time, angle(&simulation));
        if now.1 >= FALLEN {
            let part = (FALLEN - before.1) / (now.1 - before.1);
            fall.fallen = Some(before.0 + part * (now.0 - before.0));
        }
        before = now;
    }
    fall.held /= before.0;
    fall.angle = before.1;
    fall
}

/// The column 1 mrad beyond its balance falls in the time of the full simulation within 5 %, although it is so slow for so long that it would have been
/// put to sleep, and although it is held.
#[test]
fn a_column_on_its_edge_falls_in_time() {
    let full = run(&["restraint.enabled=false".to_owned()]);
    let held = run(&[]);
    let [free, restrained] = [&full, &held].map(|fall| fall.fallen.expect("it falls"));
    println!("falls after {free:.4} s, restrained after {restrained:.4} s, held for {:.1} % of it", 100.0 * held.held);
    println!("slept after {:?} s and {:?} s", full.slept, held.slept);
    assert!((restrained / free - 1.0).abs() < 0.05, "{free} {restrained}");
    assert!(held.held > 0.01, "{}", held.held);
    for slept in [full.slept, held.slept] {
        assert!(slept.is_some_and(|slept| slept < 0.5 * free), "{slept:?}");
    }
}

/// Standing still, a particle keeps what pushes it in the time of fading at most: tilts that push the top of the column by less than speed/fading leave
/// it standing, others do not. The limit is turned around the scene's tilt by the speed of rest.
#[test]
fn what_is_pushed_less_than_fades_stays() {
    let (tilt, gravity, fading) = (1e-3, 9.81, 0.1);
    // what the top feels: a uniform rod turns with 3/2 g sin(tilt)/length
    let limit = 1.5 * gravity * tilt * fading;
    for (part, falls) in [(0.3, true), (3.0, false)] {
        let speed = part * limit;
        let fall = run(&[format!("restraint.speed={speed}"), "time.until=4".to_owned()]);
        println!("speed of rest {:.2} mm/s: falls {:?}, {:.2e} rad in the end", 1e3 * speed, fall.fallen, fall.angle);
        assert_eq!(fall.fallen.is_some(), falls, "{part}: {} rad", fall.angle);
        if !falls {
            // it moved while it settled on its edge, and not since
            assert!(fall.angle < 3.0 * tilt, "{}", fall.angle);
        }
    }
}
