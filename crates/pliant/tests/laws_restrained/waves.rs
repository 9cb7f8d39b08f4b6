//! Waves that run into what stands still: it wakes in time, and all of the wave comes through if it is many times as fast as the limit of rest.

use pliant::core::Criterion;
use pliant::prelude::*;
use pliant_testkit::waves::{Course, Hold};

/// A crest 100 times as fast as the limit arrives within 2 % of the time that it takes where nobody is held, in a chain and in a net, by explicit and
/// by implicit steps. Of one that is no more than 3 times as fast much is lost on the way, which the same measurement must show.
#[test]
fn fast_waves_arrive_in_time() {
    for (name, count, rows) in [("velocity-verlet", 160, 1), ("velocity-verlet", 100, 5), ("backward-euler", 110, 1)] {
        let course = Course { count, rows, dt: 0.1 };
        let scheme = integrator(name).expect("in the catalog");
        let free = course.send(scheme, None);
        // 1 m a second, but for some dispersion
        assert!((free.time / course.way() - 1.0).abs() < 0.03, "{name}: {} s for {} m", free.time, course.way());
        assert_eq!(free.held, 0.0);
        let compare = |over: f64| {
            let held = course.send(scheme, Some(Hold { criterion: Criterion::Convex, over }));
            // all of it but the wave
            assert!(held.held > 0.5, "{}", held.held);
            let (late, lost) = (held.late(&free), held.lost(&free));
            println!("{name}, {count} x {rows}, {over}: {:+.2} % late, {:.1} % lost", 100.0 * late, 100.0 * lost);
            (late, lost)
        };
        let ((late, lost), (_, lost_slow)) = (compare(100.0), compare(3.0));
        assert!(late.abs() < 0.02 && lost < 0.05, "{name}: {late} {lost}");
        assert!(lost_slow > 0.2, "{name}: {lost_slow}");
    }
}
