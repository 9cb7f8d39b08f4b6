//! Pieces of the experiments on fracture that are quick to run: a small plate that is hit at once.

use pliant_lab::fracture::dependence;
use pliant_lab::fracture::run::{Wishes, run};
use pliant_lab::fracture::steps::{Plan, Size, Sizing};
use pliant_lab::fracture::steps_report::{report, verdict};
use pliant_lab::fracture::throw::{ADAPTIVE, Method, REFERENCE, Throw};
use pliant_plot::report::{Report, Verdict};

const THROW: Throw = Throw { spacing: 4e-3, seed: 1, speed: 10.0, flight: 30e-6, until: 80e-6 };

fn plan() -> Plan {
    let sizing = Sizing { spacing: 4e-3, seeds: 2, others: false };
    let (tolerances, paces) = (vec![4.0, 1.0], vec![5e-4, 2.5e-4]);
    Plan { throw: THROW, sizes: vec![sizing], tolerances, paces, trials: 2, shots: vec![50e-6, 80e-6] }
}

/// Every way of stepping breaks the plate, after a flight in which nothing breaks, and all that is told of a run belongs together.
#[test]
fn the_plate_breaks_at_the_ball_and_not_before() {
    let wishes = Wishes { shots: vec![50e-6], most_seconds: 60.0 };
    for method in [ADAPTIVE, Method::Fixed { dt: 1e-6, tolerance: 1.0, overshoot: None }, REFERENCE] {
        let run = run(THROW, method, &wishes);
        println!("{}: {} bonds, {:?} s, {:?} steps", method.name(), run.broken, run.phases(), run.phase_steps());
        assert_eq!(run.failure, None);
        let (contact, spent) = (run.contact.unwrap(), run.spent().unwrap());
        // particles are up to a tenth of a spacing off their lattice, which is 40 µs at this speed
        assert!(contact < 75e-6 && spent >= contact, "{contact} {spent}");
        assert!(run.broken > 50 && run.energy() > 0.0, "{} bonds, {} J", run.broken, run.energy());
        let before = run.trace.iter().take_while(|moment| moment.time < contact);
        assert!(before.into_iter().all(|moment| moment.released == 0.0));
        assert_eq!(run.phase_steps().iter().sum::<f64>(), run.trace.len() as f64);
        assert!((run.phase_times().iter().sum::<f64>() - THROW.until).abs() < 1e-12);
        assert!((run.phases().iter().sum::<f64>() - run.seconds()).abs() < 1e-9);
        assert_eq!(run.pieces.sizes.iter().sum::<usize>(), run.particles);
        assert!((run.pieces.shares().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(run.shots.len() == 1 && run.shots[0].state.time >= 50e-6);
    }
}

/// A run that cannot be made is a row that says so, and no reason to stop.
#[test]
fn what_fails_is_told() {
    let run = run(Throw { spacing: -1.0, ..THROW }, ADAPTIVE, &Wishes::default());
    assert!(run.failure.is_some() && run.trace.is_empty());
    assert_eq!((run.phases(), run.energy(), run.spent()), ([0.0; 3], 0.0, None));
    let size = Size::of(&plan(), Sizing { spacing: -1.0, seeds: 1, others: false }, None, &mut |_| {});
    assert!(!size.is_decided() && size.all().all(|run| run.failure.is_some()));
    assert_eq!(verdict(&[size]), Verdict::Fails);
}

/// The whole reports, made small.
#[test]
fn reports_hold_tables_plots_and_pictures() {
    let mut told = 0;
    let steps = report(&plan(), &mut |_| told += 1);
    let plan = dependence::Plan { throw: THROW, steps: vec![2e-6, 1e-6] };
    let dependence = dependence::report(&plan, &mut |_| told += 1);
    assert!(told > 4);
    assert_eq!((steps.tables.len(), steps.plots.len()), (3, 7));
    assert_eq!((dependence.tables.len(), dependence.plots.len()), (1, 4));
    let pictures = &steps.plots.last().unwrap().svg;
    assert_eq!(pictures.matches("data:image/png;base64,iVBOR").count(), 6, "{}", &pictures[..200]);
    for experiment in [&steps, &dependence] {
        assert!(!experiment.summary_html.contains("NaN"), "{}", experiment.summary_html);
        let rows = experiment.tables.last().unwrap().to_csv();
        assert!(rows.lines().count() > 4, "{rows}");
    }
    let folder = std::env::temp_dir().join(format!("pliant-lab-fracture-{}", std::process::id()));
    let mut all = Report::new("fracture", pliant_lab::chapters::chapters());
    let part = pliant_lab::chapters::chapter("fracture").unwrap();
    all.push(part, steps);
    all.push(part, dependence);
    all.write(&folder).unwrap();
    assert!(folder.join("fracture-steps/pictures.svg").exists());
    std::fs::remove_dir_all(&folder).unwrap();
}
