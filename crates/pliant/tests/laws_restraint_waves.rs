//! Waves that run into what stands still: it wakes in time, whole if the wave is many times as fast as the limit of rest.

use pliant::core::{Activity, Criterion, Limits, Restraint};
use pliant::prelude::*;
use pliant_testkit::problems::travelling_wave;
use pliant_testkit::stepper::Stepper;

/// Speed of the wave's crest, m/s.
const PEAK: f64 = 0.01;
/// Speeds of free motion over those of rest.
const RATIO: f64 = 4.0;

/// What arrives at the far end.
struct Arrival {
    /// When the crest passes, s.
    time: f64,
    /// Its speed, m/s.
    peak: f64,
    /// The part of the net that stood still when the wave was sent.
    held: f64,
}

/// Sends a wave into a net whose speeds of rest are the crest's over `over`, if given, and waits for it near the other end.
fn send(scheme: &str, dt: f64, count: usize, rows: usize, over: Option<f64>) -> Arrival {
    let mut problem = travelling_wave(count, rows, PEAK);
    let particles = problem.state.len();
    if let Some(over) = over {
        let limits = Limits::new(Criterion::Convex, PEAK / over, RATIO * PEAK / over, 0.1 * PEAK / over);
        problem.system.set_restraint(Some(Restraint::new(Criterion::Convex, vec![limits; particles], f64::INFINITY)));
    }
    let solver = SolverSpec { kind: "direct".into(), ..SolverSpec::default() };
    let mut stepper = Stepper::new(problem, integrator(scheme).expect("in the catalog"), &solver);
    let stands = |stepper: &Stepper, i: usize| {
        stepper.system.activity(i, stepper.point.state.v[i]) == Activity::Restrained
    };
    let held = (0..particles).filter(|i| stands(&stepper, *i)).count() as f64 / particles as f64;
    let watched = rows * (count - 20) + rows / 2;
    let mut speeds = Vec::new();
    for _ in 0..(1.3 * (count - 45) as f64 / dt) as usize {
        stepper.step(dt).unwrap();
        let state = &stepper.point.state;
        speeds.push(stepper.system.effective(watched, state.v[watched]).x);
    }
    let crest = (1..speeds.len() - 1).max_by(|a, b| speeds[*a].total_cmp(&speeds[*b])).unwrap();
    // the top of the parabola through three of them
    let [a, b, c] = [speeds[crest - 1], speeds[crest], speeds[crest + 1]];
    let aside = 0.5 * (a - c) / (a - 2.0 * b + c);
    Arrival { time: (crest as f64 + 1.0 + aside) * dt, peak: b, held }
}

/// A crest 100 times as fast as the limit arrives within 2 % of the time that it takes where nobody is held, in a chain and in a net, by explicit and
/// by implicit steps. At 10 times it comes late and much of it is lost, which the same measurement must show.
#[test]
fn fast_waves_arrive_in_time() {
    for (scheme, dt, count, rows) in
        [("velocity-verlet", 0.1, 160, 1), ("velocity-verlet", 0.1, 100, 5), ("backward-euler", 0.1, 110, 1)]
    {
        let free = send(scheme, dt, count, rows, None);
        // the chain carries the crest 1 m a second, but for some dispersion
        let way = (count - 45) as f64;
        assert!((free.time / way - 1.0).abs() < 0.03 && free.held == 0.0, "{scheme}: {} s for {way} m", free.time);
        let compare = |over: f64| {
            let held = send(scheme, dt, count, rows, Some(over));
            // all of it but the wave
            assert!(held.held > 0.5, "{}", held.held);
            let (late, lost) = (held.time / free.time - 1.0, 1.0 - held.peak / free.peak);
            println!("{scheme}, {count} x {rows}, {over}: {:+.2} % late, {:.1} % lost", 100.0 * late, 100.0 * lost);
            (late, lost)
        };
        let ((late, lost), slow) = (compare(100.0), compare(10.0));
        assert!(late.abs() < 0.02 && lost < 0.1, "{scheme}: {late} {lost}");
        assert!(slow.0 > late && slow.1 > 2.0 * lost && slow.1 > 0.1, "{scheme}: {slow:?}");
    }
}
