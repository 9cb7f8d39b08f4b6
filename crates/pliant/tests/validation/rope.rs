//! Ropes against solutions from textbooks: the elastic catenary, the cantilever and the elastica, and twist. All are found as what a damped
//! motion comes to rest in: backward Euler with steps that grow.

use glam::{DQuat, DVec3};
use pliant::core::{Path, Pin, Point, System, Work};
use pliant::forces::{Gravity, Rope, RopeMaterial, RopeSpec, Torsion, rope};
use pliant::geom::rope::{Centreline, Curve, Frames};
use pliant::time::Demand;
use pliant::time::catalog::{SolverSpec, find};
use pliant_testkit::derivative::force;
use std::f64::consts::{PI, TAU};

const GRAVITY: f64 = 9.81;

/// A rope under loads, held at some particles.
struct Held {
    rope: Rope,
    system: System,
    point: Point,
}

impl Held {
    /// `pins` say where particles are held; accelerations of ranges of particles are the loads.
    fn new(rope: Rope, pins: Vec<(usize, DVec3)>, loads: Vec<(DVec3, std::ops::Range<usize>)>) -> Self {
        let mut models = rope.models();
        for (acceleration, range) in loads {
            models.push(Box::new(Gravity::new(acceleration, rope.masses.clone(), vec![range])));
        }
        let mut state = pliant::core::State::at_rest(rope.x.clone());
        pins.iter().for_each(|(particle, place)| state.x[*particle] = *place);
        let pins = pins.into_iter().map(|(particle, place)| Pin { particle, path: Path::Fixed(place) }).collect();
        let system = System::new(rope.masses.clone(), pins, models, Vec::new()).unwrap();
        Self { rope, system, point: Point::new(state) }
    }

    /// Takes steps of backward Euler that grow to 20 s until nothing moves any more: a micrometre in the last.
    fn at_rest(mut self) -> Self {
        // iterative solvers leave more than is asked for here
        let direct = SolverSpec { kind: "direct".into(), ..SolverSpec::default() };
        let mut integrator = find("backward-euler").unwrap().build(&self.system, &direct).unwrap();
        let (mut next, mut work, mut dt) = (Point::default(), Work::default(), 2e-3);
        for _ in 0..400 {
            // to a nanometre in a few iterations, or to rounding in more of them
            let mut attempt = |accuracy: f64| {
                let demand = Demand { accuracy, ..Demand::default() };
                integrator.attempt(&mut self.system, &self.point, dt, demand, &mut next, &mut work)
            };
            let attempt = attempt(1e-9).or_else(|_| attempt(0.0));
            if attempt.is_err() {
                dt *= 0.5;
                continue;
            }
            let pairs = self.point.state.x.iter().zip(&next.state.x);
            let moved = pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
            std::mem::swap(&mut self.point, &mut next);
            if dt >= 20.0 && moved < 1e-6 {
                return self;
            }
            dt = f64::min(1.4 * dt, 20.0);
        }
        panic!("the rope does not come to rest");
    }

    fn centre(&self, k: usize) -> DVec3 {
        self.point.state.x[self.rope.centreline[k] as usize]
    }

    /// Twist of a segment, rad: in the mean of its three wings. One that leans by θ against a segment seems to be turned about it by up to θ²/4, the three
    /// together not; at a clamp θ is the turn of half a segment.
    fn twist(&self, k: usize) -> f64 {
        let [ri, rj] = [k, k + 1].map(|point| self.rope.section(point).start as usize);
        let x = |n: usize| self.point.state.x[n];
        let of = |wing: usize| Torsion::twist([x(ri), x(rj), x(ri + wing), x(rj + wing)]).unwrap();
        (of(1) + of(2) + of(3)) / 3.0
    }

    fn points(&self) -> usize {
        self.rope.centreline.len()
    }
}

fn straight(material: RopeMaterial, radius: f64, length: f64, segments: usize) -> Rope {
    let line = Curve::Line { from: DVec3::ZERO, to: DVec3::X * length }.centreline(segments).unwrap();
    rope(&line, &Frames::new(&line, 0.0), &RopeSpec::new(material, radius), 0).unwrap()
}

/// The elastic catenary: horizontal pull H by bisection from `x = H s/EA + H/w asinh(w s/H)` at s = L/2, and the places of points at s
/// along the unstretched rope, from its middle.
fn catenary(span: f64, length: f64, weight: f64, stiffness: f64) -> (f64, impl Fn(f64) -> DVec3) {
    let across = move |pull: f64, s: f64| pull * s / stiffness + pull / weight * (weight * s / pull).asinh();
    let (mut low, mut high) = (1e-9 * weight, stiffness);
    for _ in 0..200 {
        let pull = (low * high).sqrt();
        if across(pull, 0.5 * length) < 0.5 * span { low = pull } else { high = pull }
    }
    let pull = (low * high).sqrt();
    let up = move |s: f64| weight * s * s / (2.0 * stiffness) + pull / weight * ((weight * s / pull).hypot(1.0) - 1.0);
    (pull, move |s: f64| DVec3::new(across(pull, s), up(s) - up(0.5 * length), 0.0))
}

/// Shape and end tension of slack and of taut ropes, hardly and well stretched. Bending makes a layer of √(EI/H) at the ends, 2 mm here.
#[test]
fn a_rope_hangs_like_the_elastic_catenary() {
    for (sag, stretch) in [(0.3, 1e4), (0.3, 30.0), (0.05, 300.0)] {
        let material = RopeMaterial {
            stretch,
            bend: 1e-6,
            twist: 1e-6,
            mass_per_length: 0.1,
            stretch_damping: 0.0,
            bend_damping: 0.0,
            twist_damping: 0.0,
        };
        let mut before = f64::INFINITY;
        for segments in [40, 80] {
            // laid out as a parabola: its length is the length at rest, its ends are 1 m apart
            let parabola = |k: i32| DVec3::new(0.01 * f64::from(k), 4.0 * sag * (1e-4 * f64::from(k * k) - 0.25), 0.0);
            let line = Centreline::new((-50..=50).map(parabola).collect(), false).unwrap().resampled(segments).unwrap();
            let (length, weight) = (line.length(), 0.1 * GRAVITY);
            let rope = rope(&line, &Frames::new(&line, 0.0), &RopeSpec::new(material, 4e-3), 0).unwrap();
            let (first, last) = (rope.centreline[0] as usize, rope.centreline[segments] as usize);
            let (pins, all) = (vec![(first, rope.x[first]), (last, rope.x[last])], 0..rope.x.len());
            let mut hung = Held::new(rope, pins, vec![(DVec3::NEG_Y * GRAVITY, all)]).at_rest();
            let (pull, place) = catenary(1.0, length, weight, stretch);
            let deep = -place(0.0).y;
            let off = |k: usize| hung.centre(k).distance(place(length * (k as f64 / segments as f64 - 0.5))) / deep;
            let shape = (0..=segments).map(off).fold(0.0, f64::max);
            // nothing but the pin holds it: the force on the particle there is the tension of the end
            let expected = pull.hypot(0.5 * weight * length);
            let tension = force(&mut hung.system, &hung.point.state)[first].length() / expected - 1.0;
            println!(
                "EA {stretch} N, {segments} segments: strain {:.2} %, sag {deep:.4} m, shape off by {:.3} % of it, tension {:+.3} %",
                100.0 * expected / stretch,
                100.0 * shape,
                100.0 * tension
            );
            assert!(shape < 0.005 && tension.abs() < 0.005, "{shape} {tension}");
            assert!(shape < before, "finer segments do not help: {shape} after {before}");
            before = shape;
        }
    }
}

/// Tip of an elastica of length 1 that is clamped along x, from `θ'' = (p + q (1 - s)) cos θ`, θ(0) = 0, θ'(1) = 0: p and q the load at the tip
/// and along it over EI, downwards. Shooting by Runge and Kutta's method, bisection for θ'(0).
fn elastica(p: f64, q: f64) -> DVec3 {
    const STEPS: usize = 2000;
    let h = 1.0 / STEPS as f64;
    let shoot = |start: f64| {
        let rate = |s: f64, y: [f64; 4]| [y[1], (p + q * (1.0 - s)) * y[0].cos(), y[0].cos(), y[0].sin()];
        let mut y = [0.0, start, 0.0, 0.0];
        for k in 0..STEPS {
            let s = h * k as f64;
            let moved = |k: [f64; 4], by: f64| std::array::from_fn(|i| y[i] + by * k[i]);
            let k1 = rate(s, y);
            let k2 = rate(s + 0.5 * h, moved(k1, 0.5 * h));
            let k3 = rate(s + 0.5 * h, moved(k2, 0.5 * h));
            let k4 = rate(s + h, moved(k3, h));
            y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]));
        }
        y
    };
    // θ downwards is negative: the moment at the clamp turns it down, and is used up at the tip
    let (mut low, mut high) = (-(p + q), 0.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if shoot(middle)[1] < 0.0 { low = middle } else { high = middle }
    }
    let end = shoot(0.5 * (low + high));
    DVec3::new(end[2], end[3], 0.0)
}

/// A rod of 1 m, clamped at its first section, under its own weight w and a force at its tip with `w L³ = q EI` and `P L² = p EI`, down or along another
/// direction.
fn cantilever(segments: usize, p: f64, q: f64, down: DVec3) -> (Held, DVec3) {
    let radius = 5e-3;
    let material = RopeMaterial::solid(1e7, 0.3, 1000.0, radius);
    let mut rope = straight(material, radius, 1.0, segments);
    rope.clamp(0).unwrap();
    let pins = (0..4).map(|particle| (particle, rope.x[particle])).collect();
    let tip = rope.centreline[segments] as usize;
    let mut loads = vec![(down * (q * material.bend / material.mass_per_length), 0..rope.x.len())];
    loads.push((down * (p * material.bend / rope.masses[tip]), tip..tip + 1));
    let bent = Held::new(rope, pins, loads).at_rest();
    let end = bent.centre(segments);
    (bent, end)
}

/// Small: `w L⁴/8EI` and `P L³/3EI`. Large: the elastica. Within 2 % at every resolution, and nearer the finer.
#[test]
fn a_cantilever_bends_by_its_stiffness() {
    assert!((elastica(1.0, 0.0) - DVec3::new(1.0 - 0.05643, -0.30172, 0.0)).length() < 1e-5, "{}", elastica(1.0, 0.0));
    assert!(
        (elastica(10.0, 0.0) - DVec3::new(1.0 - 0.55500, -0.81061, 0.0)).length() < 1e-5,
        "{}",
        elastica(10.0, 0.0)
    );
    for (p, q, small) in
        [(0.0, 0.01, Some(0.01 / 8.0)), (0.01, 0.0, Some(0.01 / 3.0)), (0.0, 10.0, None), (3.0, 0.0, None)]
    {
        let expected = elastica(p, q);
        if let Some(small) = small {
            assert!((expected.y / small + 1.0).abs() < 1e-4, "{}", expected.y / small);
        }
        let mut before = f64::INFINITY;
        for segments in [10, 20, 40] {
            let (_, end) = cantilever(segments, p, q, DVec3::NEG_Y);
            let off = (end - expected).length() / (expected - DVec3::X).length();
            println!(
                "p {p} q {q}, {segments} segments: tip {end:.6}, elastica {expected:.6}, off by {:.3} %",
                100.0 * off
            );
            assert!(off < 0.02, "{off}");
            assert!(off < before, "finer segments do not help: {off} after {before}");
            before = off;
        }
    }
}

/// A straight rope whose one end is turned by three turns: every segment takes its part, θ_k = θ k/(N - 1), and the end holds against GJ θ/l.
#[test]
fn twist_spreads_evenly_and_does_not_bend() {
    let (radius, segments, length, turn) = (5e-3, 40, 0.8, 3.0 * TAU);
    let material = RopeMaterial::solid(1e7, 0.3, 1000.0, radius).damped(1e-3);
    let mut rope = straight(material, radius, length, segments);
    // wound up from one end, as a hand would: all of the twist is in the outer half at first, no segment by more than half a turn
    for k in 0..=segments {
        let angle = turn * (2.0 * k as f64 / segments as f64 - 1.0).max(0.0);
        for wing in 4 * k + 1..4 * k + 4 {
            rope.x[wing] = rope.x[4 * k] + DQuat::from_rotation_x(angle) * (rope.x[wing] - rope.x[4 * k]);
        }
    }
    let held = (0..4).chain(4 * segments..4 * segments + 4).map(|particle| (particle, rope.x[particle])).collect();
    let mut wound = Held::new(rope, held, Vec::new()).at_rest();
    let mut angle = 0.0;
    for k in 0..segments {
        angle += wound.twist(k);
        let expected = turn * (k + 1) as f64 / (wound.points() - 1) as f64;
        assert!((angle - expected).abs() < 1e-6 * turn, "{k}: {angle}, expected {expected}");
    }
    // decoupled: it neither bends nor shortens
    for k in 0..=segments {
        let off = wound.centre(k).distance(DVec3::X * (length * k as f64 / segments as f64));
        assert!(off < 1e-9 * length, "point {k} is off by {off} m");
    }
    let force = force(&mut wound.system, &wound.point.state);
    let end = 4 * segments..4 * segments + 4;
    let moment: DVec3 = end.map(|n| (wound.point.state.x[n] - wound.centre(segments)).cross(force[n])).sum();
    let expected = -material.twist * turn / length;
    println!("moment {moment} N m, GJ θ/l {expected:.6e}");
    assert!((moment.x / expected - 1.0).abs() < 1e-6 && moment.y.hypot(moment.z) < 1e-9 * expected.abs(), "{moment}");
}

/// A rod that is bent, whichever way: the same tip, in the plane of the load, and no twist. Both are so to first order; that the three wings
/// are not a circle shows in higher powers of the turn of a segment: rods that are bent far come nearer to it with shorter segments.
#[test]
fn bending_is_the_same_all_around_and_does_not_twist() {
    let worst = |segments: usize, p: f64| {
        let (_, down) = cantilever(segments, p, 0.0, DVec3::NEG_Y);
        let mut worst = [0.0_f64; 2];
        for k in 1..4 {
            // wings are at 0, 120 and 240 degrees from y, and repeat themselves after 60
            let turn = DQuat::from_rotation_x(PI / 3.0 * f64::from(k) / 5.0);
            let (bent, tip) = cantilever(segments, p, 0.0, turn * DVec3::NEG_Y);
            let twist: f64 = (0..segments).map(|k| bent.twist(k)).sum();
            worst = [worst[0].max((turn.inverse() * tip).distance(down)), worst[1].max(twist.abs())];
        }
        println!(
            "P L²/EI = {p}, {segments} segments: tips apart by {:.2e} m, turned by {:.2e} rad",
            worst[0], worst[1]
        );
        worst
    };
    let small = worst(20, 0.1);
    assert!(small[0] < 1e-6 && small[1] < 1e-5, "{small:?}");
    let (coarse, fine) = (worst(20, 3.0), worst(40, 3.0));
    assert!(coarse[0] < 1e-4 && coarse[1] < 1e-4, "{coarse:?}");
    assert!(fine[0] < 0.6 * coarse[0] && fine[1] < 0.6 * coarse[1], "{fine:?} after {coarse:?}");
}
