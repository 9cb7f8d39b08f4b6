//! Sources and outlets.

use pliant::prelude::Simulation;
use pliant::scene::load::from_text;

const SPEED: f64 = 1.0;

/// A jet without gravity: four layers of sixteen cells wait, and what has flown 0.4 m comes back.
fn jet(layers: usize) -> Simulation {
    let text = format!(
        "version = 1\n[world]\ngravity = [0, 0, 0]\n[time]\nuntil = 9\nfps = 10\n[[fluid]]\nname = \"jet\"\nspacing = 0.05\n\
         sound_speed = 10\nsource = {{ centre = [0, 0, 0], direction = [2, 0, 0], size = [0.2, 0.2], speed = {SPEED}, layers = {layers} }}\n\
         outlets = [{{ min = [0.4, -1, -1], max = [9, 1, 1] }}]\n"
    );
    from_text("jet", "jet.toml", &text, &[]).unwrap().build().unwrap().simulation
}

/// Everybody goes round: as many pass the mouth as the speed says, at the speed of the source, and nobody is lost.
#[test]
fn particles_go_round_at_the_speed_of_the_source() {
    let mut jet = jet(16);
    let (mut passed, mut last) = (0, jet.state().x.clone());
    while jet.state().time < 1.2 {
        jet.step().unwrap();
        let now = &jet.state().x;
        passed += now.iter().zip(&last).filter(|(now, last)| last.x < 0.05 && now.x >= 0.05).count();
        assert!(now.iter().all(|x| x.x < 0.4 + 1e-2 && x.y.abs() < 0.15 && x.z.abs() < 0.15), "somebody is elsewhere");
        last.clone_from(now);
    }
    // from 0.05 m on: the first layer gets there after 0.075 m
    let layers = (1.2 * SPEED - 0.075) / 0.05;
    assert!((passed as f64 / 16.0 - layers).abs() <= 1.0, "{passed} of {layers} layers");
    let speeds = jet.state().v.iter().map(|v| v.x);
    assert!(speeds.clone().fold(f64::INFINITY, f64::min) > 0.9 * SPEED && speeds.fold(0.0, f64::max) < 1.1 * SPEED);
}

/// Too few particles: the source pauses, and goes on when somebody comes back.
#[test]
fn a_source_without_anybody_waits() {
    let mut jet = jet(3);
    while jet.state().time < 1.5 {
        jet.step().unwrap();
    }
    let ahead = jet.state().x.iter().filter(|x| x.x > 0.0).count();
    assert!(jet.state().len() == 48 && ahead > 0, "{ahead}");
    assert!(jet.state().x.iter().all(|x| x.is_finite() && x.x < 0.41));
}

#[test]
fn a_restart_goes_on_with_the_same_bits() {
    let mut first = jet(10);
    while first.state().time < 0.7 {
        first.step().unwrap();
    }
    let mut second = jet(10);
    second.restore(first.point().clone(), first.progress());
    for _ in 0..200 {
        first.step().unwrap();
        second.step().unwrap();
        assert_eq!(first.state().hash(), second.state().hash());
    }
}
