//! A simulation that is changed between steps goes on from where it is, with its books closed.

use pliant_forces::{Grip, Hand, Pull};
use pliant_scene::load;
use pliant_time::Simulation;

fn closed(simulation: &Simulation) -> bool {
    let (now, expected) = (simulation.account().energy.total(), simulation.ledger().expected_total());
    (now - expected).abs() <= 1e-9 * (1.0 + now.abs())
}

#[test]
fn an_adopted_state_goes_on_with_other_parameters() {
    let scene = load("spring-net", &[]).unwrap();
    let mut before = scene.build().unwrap().simulation;
    for _ in 0..30 {
        before.step().unwrap();
    }
    for change in
        ["springs[0].stiffness=500", "time.integrator=bdf3", "time.control.kind=stretch-limit", "world.drag=2"]
    {
        let mut after = scene.with(&[change.to_owned()]).unwrap().build().unwrap().simulation;
        assert!(after.adopt(&before));
        assert_eq!(after.state(), before.state(), "{change}");
        assert_eq!(after.tally().steps, 30);
        let next = after.frames().time(after.progress_frame());
        assert!(next > after.state().time && next < after.state().time + 1.01 / after.frames().fps, "{change}: {next}");
        for _ in 0..10 {
            after.step().unwrap();
        }
        assert!(after.state().time > before.state().time);
        assert!(closed(&after), "{change}");
    }
    let mut other = load("spring-chain", &[]).unwrap().build().unwrap().simulation;
    let start = other.state().clone();
    assert!(!other.adopt(&before));
    assert_eq!(other.state(), &start);
}

#[test]
fn a_hand_pulls_and_lets_go() {
    for integrator in ["newmark", "bdf2", "velocity-verlet", "rk4"] {
        let control = if integrator == "newmark" { "force-error" } else { "step-doubling" };
        let changes = [format!("time.integrator={integrator}"), format!("time.control.kind={control}")];
        let scene = load("spring-net", &changes).unwrap();
        let hand = Hand::default();
        let mut simulation =
            scene.build_with(|system| system.add_model(Box::new(Pull::new(hand.clone())))).unwrap().simulation;
        let start = simulation.state().x[210];
        let target = start + glam::DVec3::new(0.0, 0.5, 0.0);
        hand.set(Some(Grip { particle: 210, target, stiffness: 50.0, damping: 0.1 }));
        simulation.forces_changed();
        while simulation.state().time < 0.3 {
            simulation.step().unwrap();
        }
        let pulled = simulation.state().x[210];
        assert!(pulled.y > start.y + 0.1, "{integrator}: {pulled}");
        hand.set(None);
        simulation.forces_changed();
        assert!(closed(&simulation), "{integrator}");
        simulation.step().unwrap();
        assert!(closed(&simulation), "{integrator}");
    }
}
