//! `pliant run nonlinear-spring --json` with every integrator under every controller and law: those that the table of pairs allows end
//! within a stated error of the reference, the others are refused with the reason.

use crate::common;

use common::{Folder, pliant, rows, stderr, summary, text};
use pliant::time::catalog::INTEGRATORS;
use pliant::time::control::catalog::{CONTROLLERS, LAWS};
use pliant::time::control::{ControlKind, ControlSpec};
use pliant::time::integrator::Properties;

/// x at t = 0.5, 1.0 and 2.0 from DOP853 with a relative tolerance of 1e-13, two settings agreeing to 1.2e-14.
const REFERENCE: [(f64, f64); 3] = [(0.5, 0.1173100485078711), (1.0, 0.07492576560631473), (2.0, -0.04649340913914156)];

/// No step is longer than this, s.
const DT_MAX: f64 = 1e-3;

/// What is allowed, m. With ω = 20 rad/s at release (ω² = Kx (1 + 3 x²)/m = 400 /s²) and z = ω dt, one step of a scheme of order 1
/// errs by about z²/2 of the amplitude and one of order 2 by z³/6, and a radian takes 1/z steps. The errors of the first, fast 3 radians
/// shift the motion that follows, whose amplitude from t = 0.5 s on is at most 0.17 m (the turning point at 0.42 s). Controllers may only
/// take shorter steps. Orders 3 and 4 are held to the bound of order 2.
fn allowed(order: u32) -> f64 {
    let (z, amplitude) = (20.0 * DT_MAX, 0.17);
    match order {
        0 => unreachable!("the study variant is held to its own test"),
        1 => amplitude * 3.0 * z / 2.0,
        _ => amplitude * 3.0 * z * z / 6.0,
    }
}

fn arguments(integrator: &str, kind: &str, law: &str) -> Vec<String> {
    let set = [
        format!("time.integrator={integrator}"),
        format!("time.control.kind={kind}"),
        format!("time.control.law={law}"),
        "time.control.tolerance=1e-5".into(),
        "time.control.distance=1e-3".into(),
        "time.control.stretch=1e-3".into(),
        "time.control.safety=0.1".into(),
        "time.control.dt=2e-4".into(),
        format!("time.control.dt_max={DT_MAX}"),
        "time.fps=10".into(),
    ];
    set.into_iter().flat_map(|assignment| ["--set".to_owned(), assignment]).collect()
}

fn runs(folder: &Folder, properties: &Properties, kind: &str, law: &str, spec: &ControlSpec) -> bool {
    let name = format!("{}-{kind}-{law}", properties.name);
    let out = folder.join(&name);
    let flags = arguments(properties.name, kind, law);
    let mut all = vec!["run", "nonlinear-spring", "--json", "--quiet", "--format", "none", "--output", text(&out)];
    all.extend(flags.iter().map(String::as_str));
    let output = pliant(&all);
    let expected = spec.works_with(properties);
    if let Err(why) = &expected {
        assert_eq!(output.status.code(), Some(2), "{name}: {}", stderr(&output));
        assert!(stderr(&output).contains(&why.to_string()), "{name}: {why:?} is not in {:?}", stderr(&output));
        return false;
    }
    assert_eq!(output.status.code(), Some(0), "{name}: {}", stderr(&output));
    let summary = summary(&output);
    assert_eq!(summary["time"], 2.0, "{name}");
    let rows = rows(&out.join("probes.csv"));
    let worst = REFERENCE.iter().map(|(time, x)| {
        let row = rows.iter().find(|row| row[0] == *time).expect("frames hit their times exactly");
        (row[1] - x).abs()
    });
    let worst = worst.fold(0.0, f64::max);
    if properties.study.is_none() {
        let bound = allowed(properties.order_damped);
        println!("{name}: {worst:.2e} of {bound:.2e} m in {} steps", summary["steps"]);
        assert!(worst < bound, "{name}: {worst:e} m is more than {bound:e} m");
    } else {
        assert!(worst > 0.02, "{name}: the misprint is not supposed to be right, but is off by {worst:e} m only");
    }
    true
}

#[test]
fn every_pair_works_or_says_why_not() {
    let folder = Folder::new("pairs");
    let (mut accepted, mut refused) = (0, 0);
    for entry in INTEGRATORS {
        for (kind, control) in CONTROLLERS.iter().map(|entry| (&entry.name, entry)) {
            let laws = if *control == ControlKind::FORCE_ERROR { LAWS } else { &LAWS[3..] };
            for (law_name, law, _) in laws {
                let spec = ControlSpec { kind: *control, law: *law, ..ControlSpec::default() };
                match runs(&folder, entry.properties, kind, law_name, &spec) {
                    true => accepted += 1,
                    false => refused += 1,
                }
            }
        }
    }
    // fixed: 18 integrators; step-doubling, speed-limit, stretch-limit and force-error/combined: all but the study variant, 4 x 17;
    // force-error/paper, quarter, pi: the two that predict a force, 3 x 2; stable: the seven with a finite limit.
    assert_eq!((accepted, refused), (18 + 68 + 6 + 7, 18 * 9 - 99));
}
