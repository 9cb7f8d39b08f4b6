//! A rope that falls onto a plane and onto itself: loops of half a metre, each leaning on the one before like dominoes, so that the pile is
//! about five ropes high and has the same number of contacts per segment however long it is. Measured while it falls flat and comes to rest.

use std::fmt::Write;
use std::time::Instant;

use glam::DVec3;
use pliant::core::{Clock, Motion, View, Work};
use pliant::forces::contact::{Collider, Contact, ContactBody, ContactSettings, Shape};
use pliant::prelude::Simulation;
use pliant::scene::from_text;

const RADIUS: f64 = 5e-3;
const SEGMENT: f64 = 1e-2;
const LOOP: f64 = 0.08;
/// How far the loops lean: the sine of their slope,
const LEAN: f64 = 0.3;
/// and how far each is from the one before, m: 1.25 diameters across.
const ADVANCE: f64 = 1.25 * 2.0 * RADIUS / LEAN;
/// Steps are measured from the first contact of many until this time, s.
const FROM: f64 = 0.1;
const UNTIL: f64 = 0.4;
/// Wall-clock seconds after which a measurement ends earlier.
const PATIENCE: f64 = 60.0;

/// Measures all sizes on one and two threads.
pub fn measure(sizes: &[usize], testing: bool, changes: &[String]) {
    println!(
        "| segments | threads | steps | rejected | dt [ms] | ms a step | µs a step and segment | contacts | on the plane | solves a step | \
         forces | derivatives | linear systems | free ways | simulated s per s |"
    );
    println!("|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        for size in sizes {
            pool.install(|| time(*size, threads, testing, changes));
        }
    }
}

fn centre(segments: usize) -> Vec<DVec3> {
    let cosine = (1.0 - LEAN * LEAN).sqrt();
    let turn = SEGMENT / LOOP;
    let at = |k: usize| {
        let angle = turn * k as f64;
        let (s, c) = angle.sin_cos();
        let along = ADVANCE * angle / std::f64::consts::TAU;
        DVec3::new(along + LOOP * c * cosine, LOOP * (1.0 + c) * LEAN + 1.5 * RADIUS, LOOP * s)
    };
    (0..=segments).map(at).collect()
}

fn pile(segments: usize, changes: &[String]) -> Simulation {
    let mut points = String::new();
    for p in centre(segments) {
        write!(points, "[{}, {}, {}],", p.x, p.y, p.z).expect("memory");
    }
    let text = format!(
        "version = 1\ntitle = \"pile\"\n[time]\nuntil = \"1000 s\"\n[time.control]\ntolerance = \"1 mm\"\n[[rope]]\nname = \"rope\"\n\
         points = [{points}]\nradius = {RADIUS}\nyoungs_modulus = 1e6\ndensity = 1000.0\ndamping = \"10 ms\"\nrest = \"curve\"\nfriction = 0.3\n\
         [[collider]]\nname = \"floor\"\nplane = {{ point = [0, 0, 0] }}\n[contact]\ncreep = \"1 cm/s\"\n"
    );
    let scene = from_text("pile", "pile", &text, changes).unwrap_or_else(|error| panic!("{error}"));
    scene.build().unwrap_or_else(|error| panic!("{error}")).simulation
}

/// Contact pairs of the rope with itself, and its points on the plane.
fn contacts(simulation: &Simulation) -> [usize; 2] {
    let state = simulation.state();
    let thickness = 0.2 * RADIUS;
    let segments = simulation.system.bodies()[0].edges.clone();
    let skin = ContactBody { segments, radius: RADIUS - 0.5 * thickness, thickness, ..ContactBody::default() };
    let shape = Shape::Plane { point: DVec3::ZERO, normal: DVec3::Y };
    let floor = Collider { name: String::new(), shape, motion: Motion::default(), friction: 0.0 };
    let settings = ContactSettings::default();
    let mut contact = Contact::new(simulation.system.masses(), &state.x, &[skin], &[floor], settings);
    let view = View { time: state.time, x: &state.x, v: &state.v };
    let is_pair: Vec<bool> = contact.contact_pairs(&view).map(|pair| pair.nodes[1] != u32::MAX).collect();
    let pairs = is_pair.iter().filter(|is_pair| **is_pair).count();
    [pairs, is_pair.len() - pairs]
}

fn time(segments: usize, threads: usize, testing: bool, changes: &[String]) {
    let mut simulation = pile(segments, changes);
    simulation.track_energy(false);
    let step = |simulation: &mut Simulation| simulation.step().unwrap_or_else(|error| panic!("{error}"));
    while simulation.state().time < FROM && !testing {
        step(&mut simulation);
    }
    let (begun, start, clock) = (Instant::now(), simulation.state().time, simulation.system.clock);
    let (mut work, mut steps, mut rejected) = (Work::default(), 0_u64, 0);
    while steps == 0 || simulation.state().time < UNTIL && begun.elapsed().as_secs_f64() < PATIENCE && !testing {
        let report = step(&mut simulation);
        work += report.work;
        rejected += report.rejected;
        steps += 1;
    }
    let (seconds, simulated) = (begun.elapsed().as_secs_f64(), simulation.state().time - start);
    let each = seconds / steps as f64;
    let [pairs, grounded] = contacts(&simulation);
    let share = |part: fn(&Clock) -> f64| 100.0 * (part(&simulation.system.clock) - part(&clock)) / seconds;
    println!(
        "| {segments} | {threads} | {steps} | {rejected} | {:.3} | {:.3} | {:.2} | {pairs} | {grounded} | {:.1} | {:.0} % | {:.0} % | {:.0} % | {:.0} % | {:.4} |",
        1e3 * simulated / steps as f64,
        1e3 * each,
        1e6 * each / segments as f64,
        work.solves as f64 / steps as f64,
        share(|clock| clock.forces),
        share(|clock| clock.derivatives),
        share(|clock| clock.linear),
        share(|clock| clock.ccd),
        simulated / seconds,
    );
}
