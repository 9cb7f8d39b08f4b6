//! Numbers from outside the engine: single steps worked out by hand, and trajectories by DOP853 at a relative tolerance of 1e-13,
//! confirmed by an independent RK4 in 80-bit arithmetic.

use pliant::time::catalog::{SolverSpec, find};
use pliant::time::control::{ControlKind, ControlSpec};
use pliant::time::{Frames, Simulation};
use pliant_testkit::Stepper;
use pliant_testkit::problems::{Problem, nonlinear_spring, pendulum};

#[test]
fn one_step_of_the_nonlinear_spring() {
    let dt = 0.01;
    // name, x1, v1, F - F̃, factor of dt² |F - F̃|
    let steps = [
        ("linearized-backward-euler", -0.980_952_380_952_380_9, 1.904_761_904_761_904_7, -6.802_548_320_915_69, 1.0),
        ("newmark", -0.990_147_783_251_231_5, 1.970_443_349_753_694_8, -7.621_511_729_168_162, 0.25),
    ];
    for (name, x, v, difference, factor) in steps {
        for solver in ["auto", "cg", "bicgstab", "cholesky", "lu"] {
            let solver = SolverSpec { kind: solver.into(), tolerance: 1e-14, ..SolverSpec::default() };
            let mut stepper = Stepper::new(nonlinear_spring(-1.0, 0.0), find(name).unwrap(), &solver);
            let attempt = stepper.step(dt).unwrap();
            let state = &stepper.point.state;
            assert!((state.x[0].x - x).abs() < 1e-12, "{name}: x1 = {}", state.x[0].x);
            assert!((state.v[0].x - v).abs() < 1e-12, "{name}: v1 = {}", state.v[0].x);
            assert_eq!((state.x[0].y, state.x[0].z), (0.0, 0.0));
            // F and F̃ are about 200 N, known to 1e-12 relative: ε to 1e-12 of dt² 200
            let error = attempt.force_error.unwrap().metres;
            let exact = factor * dt * dt * f64::abs(difference);
            assert!((error - exact).abs() < factor * dt * dt * 200.0 * 1e-12, "{name}: ε = {error:e}, {exact:e}");
            assert!((exact - 6.8e-4).abs() < 1e-5 || (exact - 1.9e-4).abs() < 1e-5);
        }
    }
    let exact = -103.0 / 105.0;
    assert!((steps[0].1 - exact).abs() < 1e-15, "the number printed is -103/105");
}

/// Runs RK4 and calls `check` at every frame.
fn run(problem: Problem, dt: f64, frames: Frames, mut check: impl FnMut(&Simulation)) {
    let control = ControlSpec { kind: ControlKind::FIXED, dt: Some(dt), ..ControlSpec::default() };
    let mut simulation = problem.simulation(find("rk4").unwrap(), &SolverSpec::default(), &control, frames);
    simulation.track_energy(false);
    while !simulation.is_done() {
        simulation.advance_frame(|_, _| {}).unwrap();
        check(&simulation);
    }
}

#[test]
fn reference_trajectory_of_the_nonlinear_spring() {
    let table = [
        (0.1, -0.579_592_235_114_581_2, 4.453_984_604_532_935),
        (0.5, 0.117_310_048_507_871_1, -1.126_614_814_694_047_6),
        (1.0, 0.074_925_765_606_314_73, 0.439_967_593_625_009_6),
        (2.0, -0.046_493_409_139_141_56, 0.023_263_608_542_503),
        (5.0, -0.001_142_789_215_81, -0.095_214_469_698_52),
    ];
    let mut compared = 0;
    run(nonlinear_spring(-1.0, 0.0), 1e-4, Frames { fps: 10.0, until: 5.0 }, |simulation| {
        let state = simulation.state();
        if let Some((_, x, v)) = table.iter().find(|row| row.0 == state.time) {
            let errors = (state.x[0].x - x, state.v[0].x - v);
            println!("t = {}: {:.1e} {:.1e}", state.time, errors.0, errors.1);
            assert!(errors.0.abs() < 1e-10 && errors.1.abs() < 1e-10, "t = {}: {errors:?}", state.time);
            compared += 1;
        }
    });
    assert_eq!(compared, table.len(), "frames are at their exact times");
}

#[test]
fn reference_of_the_pendulum() {
    run(pendulum(1.0, 0.3), 1e-3, Frames { fps: 0.1, until: 10.0 }, |simulation| {
        let state = simulation.state();
        let errors = (state.x[0].x + 0.957_131_598_363_480_6, state.v[0].x + 0.401_410_234_138_721_5);
        println!("{errors:?}");
        // RK4's error at this step is about 1e-12 (that of order 4 at 0.01: 1e-8)
        assert!(errors.0.abs() < 1e-11 && errors.1.abs() < 1e-11, "{errors:?}");
    });
}

/// Local slopes of log ε / log dt of an independent prototype at dt = 0.6 ms, in motion and at the turning point.
#[test]
fn force_errors_have_the_fourth_power() {
    let printed = [
        ("linearized-backward-euler", (-0.5, 3.0), 3.91),
        ("newmark", (-0.5, 3.0), 3.96),
        ("linearized-backward-euler", (-1.0, 0.0), 4.99),
        ("newmark", (-1.0, 0.0), 5.00),
    ];
    for (name, (x, v), slope) in printed {
        let error = |dt: f64| {
            let mut stepper = Stepper::new(nonlinear_spring(x, v), find(name).unwrap(), &SolverSpec::default());
            stepper.step(dt).unwrap().force_error.unwrap().metres
        };
        let measured = (error(1.25e-3) / error(6.25e-4)).log2();
        println!("{name} at {x}: {measured:.3}, printed {slope}");
        assert!((measured - slope).abs() < 0.02, "{name} at ({x}, {v}): {measured}, printed {slope}");
    }
}
