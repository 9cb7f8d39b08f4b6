//! A cord whose ends are turned winds about itself, and what was put in at its ends stays in it: twist + writhe = turns [Fuller].
//!
//! An open cord has a linking number when it is closed by something that stays where it is. Here that is a frame far outside: from each end straight
//! along the axis of the turning to a point that does not move, and from there round the outside. What is on the axis turns with the ends, so the
//! ribbon has to slip by their turns at the two fixed points, and with the twist from one of them to the other and the writhe of the
//! whole closed polygon, `Tw + Wr - turns` is a whole number more than it was at the start: never anything else, because the discrete formulas keep the
//! theorem to rounding, and 0 if the cord never went through itself (which changes it by 2) and no section slipped by a turn against the next.
//! The same cord without contact does go through itself, and the sum tells.

use std::f64::consts::PI;

use glam::DVec3;
use pliant::geom::distance::edge_edge;
use pliant::geom::knot::{twist, writhe};
use pliant::scene::load;
use pliant::time::Simulation;

/// The fixed points of the axis are at this distance from the middle, and the way round is as far out, m.
const FAR: f64 = 5.0;
/// What angles of the script and of the pins, sums of 10⁴ solid angles and some hundred angles may be off by rounding, turns.
const ROUNDING: f64 = 1e-11;

/// A cord that was looked at.
struct Look {
    twist: f64,
    writhe: f64,
    /// Least distance of parts that are not neighbours, in radii.
    nearest: f64,
}

fn look(simulation: &Simulation, radius: f64) -> Look {
    let x = &simulation.state().x;
    let points: Vec<DVec3> = x.iter().step_by(4).copied().collect();
    let normals = points.iter().zip(x.iter().skip(1).step_by(4)).map(|(point, wing)| *wing - *point);
    let last = points.len() - 1;
    // the script turns both ends about the x axis, where they stay
    let off = |p: DVec3| p.y.abs().max(p.z.abs());
    assert!(off(points[0]) < 1e-12 && off(points[last]) < 1e-12);
    assert!(points.iter().all(|p| p.length() < 0.2 * FAR));

    let mut line = vec![DVec3::NEG_X * FAR];
    line.extend(&points);
    line.push(DVec3::X * FAR);
    // what is on the axis turns with the ends: along it there is no twist
    let mut ribbon: Vec<DVec3> = normals.collect();
    ribbon.insert(0, ribbon[0].reject_from(DVec3::X));
    ribbon.push(ribbon[ribbon.len() - 1].reject_from(DVec3::X));
    let twist = twist(&line, &ribbon, false);
    line.extend([DVec3::new(FAR, FAR, 0.0), DVec3::new(-FAR, FAR, 0.0)]);
    Look { twist, writhe: writhe(&line, true), nearest: nearest(&points, PI * radius) / radius }
}

/// Least distance of segments with at least `apart` of the cord between them, m.
fn nearest(points: &[DVec3], apart: f64) -> f64 {
    let segment = points[0].distance(points[1]);
    let skip = (1.1 * apart / segment).ceil() as usize + 1;
    let pairs = (1..points.len()).flat_map(|i| (i + skip..points.len()).map(move |j| (i, j)));
    let distance = |(i, j): (usize, usize)| edge_edge(&[points[i - 1], points[i], points[j - 1], points[j]]).distance;
    pairs.map(distance).fold(f64::INFINITY, f64::min)
}

/// The directions in which the clamped wings of the first and of the last point stand about the axis, in turns.
fn ends(simulation: &Simulation) -> [f64; 2] {
    let x = &simulation.state().x;
    [0, x.len() - 4].map(|point| {
        let wing = x[point + 1] - x[point];
        wing.z.atan2(wing.y) / (2.0 * PI)
    })
}

/// The looks at all frames, by how much `Tw + Wr - turns` has changed since the start, and the turns in the end.
fn run(changes: &[&str]) -> (Vec<(Look, f64)>, f64) {
    let changes: Vec<String> = changes.iter().map(|change| (*change).to_owned()).collect();
    let scene = load("rope-twist-buckling", &changes).unwrap();
    let radius = scene.scene.rope[0].radius.si();
    let mut simulation = scene.build().unwrap().simulation;
    let (start, mut before, mut turns) = (look(&simulation, radius), ends(&simulation), 0.0);
    let mut looks = Vec::new();
    while !simulation.is_done() {
        simulation.advance_frame(|_, _| ()).unwrap();
        let (now, after, time) = (look(&simulation, radius), ends(&simulation), simulation.state().time);
        // an end turns by far less than half a turn in a frame
        let [first, last] = [0, 1].map(|end| after[end] - before[end]).map(|turn| turn - turn.round());
        assert!(first.abs() < 0.1 && last.abs() < 0.1);
        turns += last - first;
        before = after;
        let gained = now.twist + now.writhe - start.twist - start.writhe - turns;
        if looks.len() % 30 == 29 {
            println!(
                "{time:.2} s: {turns:+.4} turns put in, twist {:+.4}, writhe {:+.4}, off by {gained:+.1e}; nearest {:.3} radii",
                now.twist, now.writhe, now.nearest
            );
        }
        looks.push((now, gained));
    }
    println!("{} steps, {} frames", simulation.tally().steps, looks.len());
    (looks, turns)
}

#[test]
fn turns_put_in_are_twist_and_writhe() {
    let (looks, turns) = run(&[]);
    // what the script says: four turns at each end
    assert!(looks.len() == 300 && (turns + 8.0).abs() < ROUNDING, "{turns}");
    for (k, (now, gained)) in looks.iter().enumerate() {
        assert!(gained.abs() < ROUNDING, "frame {}: {gained} turns came or went", k + 1);
        assert!(now.nearest > 1.8, "frame {}: {} radii", k + 1, now.nearest);
    }
    // It did wind up on itself: parts far from each other along it touch, and more of the turns are in its shape than one loop can hold.
    let (end, _) = &looks[looks.len() - 1];
    assert!(end.nearest < 2.0, "{} radii", end.nearest);
    assert!(end.writhe.abs() > 2.0, "{}", end.writhe);
    assert!(end.writhe * end.twist > 0.0, "{} {}", end.writhe, end.twist);
}

#[test]
fn a_cord_that_passes_through_itself_is_found_out() {
    let (looks, _) = run(&["rope[0].contact=false", "rope[0].segments=80"]);
    // It loses whole links, two at a time, and nothing between.
    let lost: Vec<f64> = looks.iter().map(|(_, gained)| gained.abs()).collect();
    assert!(lost.iter().all(|lost| (0.5 * lost - (0.5 * lost).round()).abs() < ROUNDING), "{lost:?}");
    assert!(lost[lost.len() - 1] > 1.0, "{lost:?}");
}
