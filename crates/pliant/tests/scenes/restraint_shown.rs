//! Scenes that show restraint show it: what is touched wakes, what is not stays where it is.

use pliant::core::{Activity, StepReport};
use pliant::prelude::*;
use pliant::scene::load;

/// What nobody would see, m. Stiff sheets go on creeping by less: see `Restraint` and the accuracy of implicit steps.
const UNSEEN: f64 = 1e-3;

fn begin(name: &str) -> Simulation {
    let scene = load(name, &[]).unwrap_or_else(|error| panic!("{error}"));
    scene.build().unwrap_or_else(|error| panic!("{error}")).simulation
}

fn advance(simulation: &mut Simulation, until: f64) {
    advance_with(simulation, until, |_| {});
}

fn advance_with(simulation: &mut Simulation, until: f64, mut each: impl FnMut(&StepReport)) {
    while simulation.state().time < until * (1.0 - 1e-9) {
        simulation.advance_frame(|_, report| each(report)).unwrap_or_else(|error| panic!("{error}"));
    }
}

/// The part of all particles that are not pinned and have left their places by more than that, among those that `is_meant`.
fn moved(simulation: &Simulation, before: &[DVec3], is_meant: impl Fn(DVec3) -> bool) -> f64 {
    let (state, free) = (simulation.state(), simulation.system.free());
    let meant: Vec<usize> = (0..state.len()).filter(|i| free[*i] && is_meant(before[*i])).collect();
    let gone = meant.iter().filter(|i| state.x[**i].distance(before[**i]) > UNSEEN);
    gone.count() as f64 / meant.len() as f64
}

/// The part of particles that are not pinned and stand still now, among those that `is_meant`.
fn held(simulation: &Simulation, is_meant: impl Fn(DVec3) -> bool) -> f64 {
    let (state, system) = (simulation.state(), &simulation.system);
    let meant: Vec<usize> = (0..state.len()).filter(|i| system.free()[*i] && is_meant(state.x[*i])).collect();
    let held = meant.iter().filter(|i| system.active_set().activity(**i, state.v[**i]) == Activity::Restrained);
    held.count() as f64 / meant.len() as f64
}

/// The curtain hangs still when the ball comes; around the ball it wakes, and most of the other half is held, moved by no more than the pull through
/// its threads takes it along.
#[test]
fn a_curtain_wakes_where_it_is_touched() {
    let mut simulation = begin("curtain-touched");
    advance(&mut simulation, 0.3);
    let (before, still) = (simulation.state().x.clone(), held(&simulation, |_| true));
    advance(&mut simulation, 0.75);
    let ball = DVec3::new(0.6, 0.34, 0.0);
    let (near, far) = (held(&simulation, |x| x.distance(ball) < 0.15), held(&simulation, |x| x.x < -0.1));
    let woken = moved(&simulation, &before, |x| x.distance(ball) < 0.15);
    println!("held: {still:.2} before, then {near:.2} near the ball and {far:.2} on the other half");
    assert!(still > 0.9 && near < 0.1 && far > 0.6 && woken == 1.0, "{still} {near} {far} {woken}");
}

/// The ball flies along one column of flags. Those wake, one after the other, and no others.
#[test]
fn flags_wake_that_are_touched() {
    let mut simulation = begin("crowd-of-flags");
    advance(&mut simulation, 0.1);
    let before = simulation.state().x.clone();
    advance(&mut simulation, 0.4);
    let is_beside = |x: f64| (x - 0.2).abs() > 0.2;
    let (touched, others) = (
        moved(&simulation, &before, |x| !is_beside(x.x) && x.z > 1.7),
        moved(&simulation, &before, |x| is_beside(x.x) || x.z < 0.9),
    );
    println!("moved: {touched:.2} of the first flag, {others:.2} of those beside and far");
    assert!(touched > 0.5 && others == 0.0, "{touched} {others}");
}

/// A probe of the part that moves: everything at first, as nobody has stood still for long enough, then only what the ball touches.
#[test]
fn the_part_that_moves_is_measured() {
    let probe = r#"probe=[{ name = "moving", quantity = "active-fraction" }]"#.to_owned();
    let scene = load("crowd-of-flags", &[probe]).unwrap_or_else(|error| panic!("{error}"));
    let mut built = scene.build().unwrap_or_else(|error| panic!("{error}"));
    let (mut reports, mut moving) = (vec![StepReport::default()], Vec::new());
    advance_with(&mut built.simulation, 0.4, |report| reports.push(*report));
    for report in &reports {
        built.probes[0].measure(&mut built.simulation, report, &mut moving);
    }
    let at = |time: f64| moving[reports.partition_point(|report| report.time < time)];
    println!("{} {} {}", moving[0], at(0.05), at(0.3));
    assert!(moving[0] == 1.0 && at(0.05) == 1.0 && at(0.3) > 0.0 && at(0.3) < 0.1, "{} {}", at(0.05), at(0.3));
}
