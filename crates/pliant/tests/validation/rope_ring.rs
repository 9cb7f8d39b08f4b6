//! Michell's ring in motion: a rod that is straight at rest, closed to a ring after its ends were turned by two turns. Pushed a little out of its
//! plane it swings about it while `2 · 2π < Θ_c = 2π √3 EI/GJ` [Michell], and writhes above; GJ is chosen on either side. (The eigenvalue that changes its
//! sign there is looked at in the tests of the forces.) Twist turns into writhe, and what is left is the linking number of the centreline
//! and the rope's surface [Fuller].

use glam::DVec3;
use pliant::core::{State, System};
use pliant::forces::{RopeMaterial, RopeSpec, rope};
use pliant::geom::knot::{linking, twist, writhe};
use pliant::geom::rope::{Curve, Frames};
use pliant::prelude::{ControlKind, ControlSpec, Frames as FrameTimes, Simulation, SolverSpec, integrator};
use std::f64::consts::TAU;

const SEGMENTS: usize = 100;
const RADIUS: f64 = 0.2;
const ROPE_RADIUS: f64 = 1e-2;
const TURNS: f64 = 2.0;
/// How far it is pushed, of its radius.
const PUSH: f64 = 5e-3;

/// A ring with Θ = part · Θ_c.
fn ring(part: f64) -> Simulation {
    let solid = RopeMaterial::solid(1e7, 0.0, 1000.0, ROPE_RADIUS);
    let material = RopeMaterial { twist: part * 3_f64.sqrt() * solid.bend / TURNS, ..solid };
    let line = Curve::Ring { radius: RADIUS }.centreline(SEGMENTS).unwrap();
    let rope = rope(&line, &Frames::new(&line, TURNS * TAU), &RopeSpec::new(material, ROPE_RADIUS), 0).unwrap();
    let mut state = State::at_rest(rope.x.clone());
    for section in 0..SEGMENTS {
        // the first mode out of the plane: two crests around the ring; all of a section moves
        let height = PUSH * RADIUS * (2.0 * TAU * section as f64 / SEGMENTS as f64).cos();
        state.x[4 * section..4 * section + 4].iter_mut().for_each(|x| x.y += height);
    }
    let mut system = System::new(rope.masses.clone(), Vec::new(), rope.models(), Vec::new()).unwrap();
    // equal steps, with which the energy stays where it is
    let dt = 0.7 * 2.0 / system.bounds().frequency_bound(&state.view());
    let control = ControlSpec { kind: ControlKind::FIXED, dt: Some(dt), ..ControlSpec::default() };
    let times = FrameTimes { fps: 50.0, until: 1.0 };
    let verlet = integrator("velocity-verlet").unwrap();
    Simulation::new(system, state, verlet, &SolverSpec::default(), &control, times).unwrap()
}

/// The second harmonic of the height along the ring, m: whole translations, tilts and jitter do not count.
fn crest(state: &State) -> f64 {
    let wave = |k: usize| (2.0 * TAU * k as f64 / SEGMENTS as f64).sin_cos();
    let parts = (0..SEGMENTS).map(|k| (state.x[4 * k].y, wave(k)));
    let (s, c) = parts.fold((0.0, 0.0), |(s, c), (y, wave)| (s + y * wave.0, c + y * wave.1));
    2.0 / SEGMENTS as f64 * f64::hypot(s, c)
}

/// Twist, writhe and the linking number of centreline and first wing.
fn topology(state: &State) -> [f64; 3] {
    let centre: Vec<DVec3> = state.x.iter().step_by(4).copied().collect();
    let wing: Vec<DVec3> = state.x.iter().skip(1).step_by(4).copied().collect();
    let normals: Vec<DVec3> = centre.iter().zip(&wing).map(|(c, w)| *w - *c).collect();
    [twist(&centre, &normals, true), writhe(&centre, true), linking(&centre, &wing)]
}

/// Runs until 1 s or until the ring has writhed far; the largest crest, the largest writhe, and twist at the end.
fn run(part: f64) -> (f64, [f64; 3]) {
    let mut simulation = ring(part);
    // from the first frame on: at the start the wings are not quite where they belong, and steps this long do not see how they get there
    simulation.advance_frame(|_, _| ()).unwrap();
    let start = simulation.account().energy.total();
    let (mut highest, mut last) = (0.0_f64, topology(simulation.state()));
    while !simulation.is_done() && highest < 0.3 * RADIUS {
        simulation.advance_frame(|_, _| ()).unwrap();
        highest = highest.max(crest(simulation.state()));
        last = topology(simulation.state());
        let [tw, wr, lk] = last;
        assert!((lk - TURNS).abs() < 1e-9, "{lk} links at {} s", simulation.state().time);
        assert!((tw + wr - lk).abs() < 1e-9, "twist {tw} and writhe {wr} are not {lk}");
    }
    let energy = simulation.account().energy.total() / start - 1.0;
    println!(
        "{part} of Θ_c: crest {:.4} of the radius after {:.2} s and {} steps, twist {:.4}, writhe {:.4}, energy {energy:+.1e}",
        highest / RADIUS,
        simulation.state().time,
        simulation.tally().steps,
        last[0],
        last[1]
    );
    assert!(energy.abs() < 1e-3, "{energy}");
    (highest, last)
}

#[test]
fn a_ring_below_the_threshold_stays_flat() {
    let (highest, [tw, wr, _]) = run(0.95);
    // it swings about its plane as far as it was pushed
    assert!(highest < 1.5 * PUSH * RADIUS, "{highest}");
    assert!(wr.abs() < 1e-3 && (tw - TURNS).abs() < 1e-3, "{tw} {wr}");
}

#[test]
fn a_ring_above_the_threshold_writhes() {
    let (highest, [tw, wr, _]) = run(1.05);
    assert!(highest > 0.3 * RADIUS, "{highest}");
    // of the sign of the twist, which it eases
    assert!(wr > 0.02 && tw < TURNS - 0.02, "{tw} {wr}");
}
