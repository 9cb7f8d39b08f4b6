//! Pieces of the experiments on restraint that are quick to run.

use pliant_lab::restrained::race::{self, Race};
use pliant_lab::restrained::setups::{BLOCK_OF_WATER, HANGING_CLOTH, Setup};
use pliant_lab::restrained::stability::{Fineness, RATIOS, STEPS, map, methods};
use pliant_lab::restrained::{phase_portraits, report};
use pliant_plot::report::Report;

fn quiet(_: &str) {}

/// The portraits come out as published, whole and with a verdict that was computed.
#[test]
fn portraits_are_as_published() {
    let experiment = phase_portraits(&mut quiet);
    println!("{}", experiment.summary_html);
    assert_eq!(experiment.verdict.words(), "holds");
    let periods = experiment.tables[0].to_csv();
    assert!(periods.contains("6.181127779"), "{periods}");
}

/// A coarse map: the published scheme blows up where its matrix is singular, the robust one nowhere.
#[test]
fn only_the_robust_scheme_is_stable_everywhere() {
    let fineness = Fineness { cells: [8, 5], starts: 8, steps: 60 };
    let largest = |k: usize| {
        let cells = map(&methods()[k], fineness);
        assert_eq!(cells.len(), 40);
        let (first, last) = (cells[0], cells[39]);
        let corners = [first.step, last.step, first.ratio, last.ratio];
        let wanted = [STEPS[0], STEPS[1], RATIOS[0], RATIOS[1]];
        assert!(corners.iter().zip(wanted).all(|(a, b)| (a / b - 1.0).abs() < 1e-12), "{corners:?}");
        cells.iter().map(|cell| cell.growth).fold(0.0, f64::max)
    };
    let (published, robust) = (largest(0), largest(methods().len() - 1));
    println!("published {published:.2e}, robust 1 + {:.1e}", robust - 1.0);
    assert!(published > 100.0 && robust <= 1.0 + 1e-9, "{published} {robust}");
}

fn check(race: &Race, windows: usize) {
    for course in [&race.full, &race.restrained, &race.other] {
        assert_eq!(course.windows.len(), windows);
        for window in &course.windows {
            assert!((window.shares.iter().sum::<f64>() - 1.0).abs() < 1e-9, "{window:?}");
            assert!(window.seconds > 0.0 && window.steps > 0);
        }
    }
    // nobody is held where there is no restraint, and somebody is where there is
    assert!(race.full.windows.iter().all(|window| window.shares[0] == 1.0));
    assert!(race.restrained.windows.iter().any(|window| window.shares[2] > 0.0));
    assert_eq!(race.full.most(|difference| difference.farthest), 0.0);
    assert!(race.restrained.most(|difference| difference.farthest) > 0.0);
}

/// Half a second of coarse water, restrained from the beginning on: the perturbed run has not left the full one yet, which the restrained one has.
#[test]
fn water_is_measured_against_chaos() {
    let restraint = &["restraint.speed=\"5 cm/s\"", "restraint.share=0"];
    let setup = Setup { changes: &["fluid[0].spacing=\"100 mm\""], restraint, ..BLOCK_OF_WATER };
    let mut told = 0;
    let race = race::run(&setup, 0.5, &mut |_| told += 1).unwrap();
    check(&race, 2);
    assert_eq!(told, 2);
    let [held, other] = [&race.restrained, &race.other].map(|course| course.most(|difference| difference.farthest));
    println!("{held:.1e} m, {other:.1e} m");
    assert!(other > 0.0 && other < 1e-6 * held, "{held} {other}");
}

/// A coarse sheet, and all of its report.
#[test]
fn cloth_is_reported() {
    let setup = Setup { changes: &["cloth[0].grid.columns=7", "cloth[0].grid.rows=7"], ..HANGING_CLOTH };
    let experiment = report(&setup, 0.5, &mut quiet);
    assert!(experiment.summary_html.contains("not the experiment"), "{}", experiment.summary_html);
    let aims = experiment.tables[1].to_csv();
    assert!(aims.contains("speed-up") && aims.contains("farthest particle at the end"), "{aims}");
    let folder = std::env::temp_dir().join(format!("pliant-restrained-{}", std::process::id()));
    let mut page = Report::new("restrained", pliant_lab::chapters::chapters());
    let part = pliant_lab::chapters::chapter("restrained").unwrap();
    page.push(part, experiment);
    page.write(&folder).unwrap();
    assert!(folder.join("restrained-hanging-cloth/speed-up.svg").exists());
    std::fs::remove_dir_all(folder).unwrap();
}
