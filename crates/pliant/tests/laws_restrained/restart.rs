//! A restrained run that is written down and taken up again has the bits of one that was not, whatever bodies wait for.

use pliant::prelude::*;
use pliant::scene::load;

const CHANGES: [&str; 2] = ["restraint.speed=\"5 cm/s\"", "time.until=1.4"];

fn rope_pile() -> Simulation {
    let changes: Vec<String> = CHANGES.map(str::to_owned).to_vec();
    let scene = load("rope-pile", &changes).unwrap_or_else(|error| panic!("{error}"));
    scene.build().unwrap_or_else(|error| panic!("{error}")).simulation
}

fn advance(simulation: &mut Simulation, until: f64) {
    while simulation.state().time < until * (1.0 - 1e-9) {
        simulation.step().unwrap();
    }
}

#[test]
fn a_restrained_run_goes_on_as_it_would_have() {
    let mut whole = rope_pile();
    let mut waited = false;
    for until in [0.8, 0.9, 1.0, 1.1] {
        advance(&mut whole, until);
        let memory = whole.system.memory();
        // engaged, fresh, failures, wait of each of the ropes
        waited |= memory[1..=memory[0] as usize].chunks(4).any(|of| of[3] > 0.0);
        let mut again = rope_pile();
        again.restore(whole.point().clone(), whole.progress());
        for _ in 0..6 {
            again.step().unwrap();
        }
        let mut on = rope_pile();
        advance(&mut on, until);
        for _ in 0..6 {
            on.step().unwrap();
        }
        assert_eq!(again.state(), on.state(), "from {until} s");
    }
    assert!(waited, "some body has to wait");
}
