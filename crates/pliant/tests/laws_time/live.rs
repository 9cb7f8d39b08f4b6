//! What a program around a simulation does between two steps leaves no trace but the one that it asks for.

use glam::DVec3;
use pliant::checkpoint;
use pliant::scene::load;
use pliant::time::Simulation;
use pliant::time::simulation::live::BadState;

fn build(name: &str) -> Simulation {
    load(name, &["time.until=0.4".into()]).unwrap().build().unwrap().simulation
}

fn run(simulation: &mut Simulation) -> u64 {
    while !simulation.is_done() {
        simulation.step().unwrap();
    }
    simulation.state().hash()
}

#[test]
fn arrays_that_are_parted_with_change_no_bit_and_do_not_change() {
    let expected = run(&mut build("spring-net"));
    let mut simulation = build("spring-net");
    let mut kept = Vec::new();
    while !simulation.is_done() {
        simulation.step().unwrap();
        let seen = simulation.state().clone();
        let place = simulation.state().x.as_ptr();
        let arrays = (simulation.part_with_positions(), simulation.part_with_velocities());
        assert_eq!(arrays.0.as_ptr(), place, "the array itself, not a copy");
        kept.push((arrays, seen));
    }
    assert_eq!(simulation.state().hash(), expected);
    assert!(kept.iter().all(|((x, v), seen)| *x == seen.x && *v == seen.v));
}

#[test]
fn an_end_on_a_frame_that_is_moved_changes_no_bit() {
    let expected = run(&mut build("spring-net"));
    let mut simulation = build("spring-net");
    for frame in [1, 2, 7, 20] {
        let until = f64::from(frame) / 60.0;
        simulation.set_until(until);
        run(&mut simulation);
        assert_eq!(simulation.state().time, until);
    }
    simulation.set_until(0.4);
    assert_eq!(run(&mut simulation), expected);
}

#[test]
fn an_end_between_frames_is_met_exactly_and_frames_stay_where_they_are() {
    let mut simulation = build("spring-net");
    simulation.set_until(0.0201);
    run(&mut simulation);
    assert_eq!(simulation.state().time, 0.0201);
    simulation.set_until(0.4);
    assert_eq!(simulation.progress_frame(), 2);
    simulation.advance_frame(|_, _| {}).unwrap();
    assert_eq!(simulation.state().time, 2.0 / 60.0);
}

#[test]
fn another_state_is_gone_on_from_and_the_books_stay_closed() {
    let mut simulation = build("spring-net");
    (0..20).for_each(|_| _ = simulation.step().unwrap());
    let (state, tally) = (simulation.state().clone(), *simulation.tally());
    let v: Vec<DVec3> = state.v.iter().map(|v| *v + DVec3::Z).collect();
    simulation.set_state(state.x.clone(), v.clone()).unwrap();
    let free = simulation.system.free().to_vec();
    for i in 0..free.len() {
        assert_eq!(simulation.state().v[i], if free[i] { v[i] } else { DVec3::ZERO }, "pins hold");
    }
    assert_eq!((simulation.state().time, simulation.tally().steps), (state.time, tally.steps));
    run(&mut simulation);
    let (total, expected) = (simulation.account().energy.total(), simulation.ledger().expected_total());
    assert!((total - expected).abs() <= 1e-12 * total.abs().max(1.0), "{total} {expected}");
}

/// A coarse sheet on the ball.
fn on_a_ball() -> Simulation {
    let coarse = ["cloth.0.grid.columns=25", "cloth.0.grid.rows=25"].map(String::from);
    let scene = load("cloth-on-sphere", &coarse).unwrap_or_else(|e| panic!("{e}"));
    scene.build().unwrap_or_else(|e| panic!("{e}")).simulation
}

#[test]
fn a_state_that_cannot_be_leaves_no_trace() {
    let (mut simulation, mut undisturbed) = (on_a_ball(), on_a_ball());
    for each in [&mut simulation, &mut undisturbed] {
        each.set_until(0.1);
        run(each);
        each.set_until(0.15);
    }
    let state = simulation.state().clone();
    let inside: Vec<DVec3> = state.x.iter().map(|x| *x - DVec3::Y * 0.3).collect();
    assert_eq!(simulation.set_state(inside, state.v.clone()), Err(BadState::Inadmissible));
    let mut x = state.x.clone();
    x[7].y = f64::NAN;
    assert_eq!(simulation.set_state(x, state.v.clone()), Err(BadState::NonFinite(7)));
    assert_eq!(simulation.set_state(vec![], state.v.clone()), Err(BadState::Count(state.len())));
    assert_eq!(run(&mut simulation), run(&mut undisturbed));
}

#[test]
fn a_checkpoint_is_restored_where_it_fits_and_nowhere_else() {
    let mut simulation = build("spring-net");
    (0..10).for_each(|_| _ = simulation.step().unwrap());
    let saved = checkpoint::of(&simulation, 1, 2.5);
    let expected = run(&mut simulation);
    let mut other = build("spring-net");
    assert_eq!(checkpoint::restore(&mut other, &saved), Some(2.5));
    assert_eq!(run(&mut other), expected);
    let mut cloth = build("hanging-cloth");
    let before = cloth.state().hash();
    assert_eq!(checkpoint::restore(&mut cloth, &saved), None);
    assert_eq!((cloth.state().hash(), checkpoint::warning(&saved)), (before, None));
}
