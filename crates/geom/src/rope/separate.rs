//! Separates ropes that are laid out through each other: every two segments nearer than the sum of their radii are pushed apart along the
//! line between their closest points, repeatedly until none are. Another rope ends up on the side of a rope on which its axis
//! was; where the axes cross in a point, either.

use glam::DVec3;
use std::f64::consts::PI;

use crate::aabb::Aabb;
use crate::bvh::Bvh;
use crate::distance::edge_edge;
use crate::pairs::Pairs;

use super::Centreline;

/// Largest number of sweeps.
const SWEEPS: usize = 2000;
/// Gap beyond touching, as a fraction of the radii: so that the iteration ends.
const ROOM: f64 = 1e-3;

/// A rope to be laid out.
#[derive(Clone, Debug)]
pub struct Layout {
    /// Its axis.
    pub line: Centreline,
    /// m
    pub radius: f64,
    /// Whether it may be moved.
    pub moves: bool,
}

/// A segment: which rope, its ends among the points of all ropes, and its arc length at both, m.
struct Piece {
    rope: usize,
    ends: [u32; 2],
    arcs: [f64; 2],
}

/// Moves ropes apart that may be moved; returns whether none intersect then. Segments of one rope that are less than π radii apart along it
/// are left alone.
pub fn separate(ropes: &mut [Layout]) -> bool {
    let (mut x, mut pieces, mut first) = (Vec::new(), Vec::new(), Vec::new());
    for (rope, Layout { line, .. }) in ropes.iter().enumerate() {
        let start = x.len() as u32;
        first.push(x.len());
        x.extend_from_slice(line.points());
        let mut arc = 0.0;
        for k in 0..line.segments() {
            let (a, b) = line.ends(k);
            let end = arc + line.edge(k).length();
            pieces.push(Piece { rope, ends: [start + a as u32, start + b as u32], arcs: [arc, end] });
            arc = end;
        }
    }
    let lengths: Vec<f64> = ropes.iter().map(|rope| rope.line.length()).collect();
    let are_neighbours = |a: &Piece, b: &Piece| {
        let Layout { line, radius, .. } = &ropes[a.rope];
        let distance = |s: f64, t: f64| {
            let arc = (s - t).abs();
            if line.is_closed() { arc.min(lengths[a.rope] - arc) } else { arc }
        };
        a.rope == b.rope && a.arcs.iter().any(|s| b.arcs.iter().any(|t| distance(*s, *t) < PI * radius))
    };
    let centres: Vec<DVec3> =
        pieces.iter().map(|piece| 0.5 * (x[piece.ends[0] as usize] + x[piece.ends[1] as usize])).collect();
    let (mut tree, mut pairs) = (Bvh::new(&centres), Pairs::new());
    let mut clear = pieces.is_empty();
    for _ in 0..SWEEPS {
        tree.refit(0.0, |k| Aabb::swept(&pieces[k].ends, &x, &x).grown(ropes[pieces[k].rope].radius * (1.0 + ROOM)));
        tree.self_pairs(
            |a, b| {
                let [a, b] = [a, b].map(|k| &pieces[k as usize]);
                (ropes[a.rope].moves || ropes[b.rope].moves) && !are_neighbours(a, b)
            },
            &mut pairs,
        );
        clear = true;
        for [a, b] in pairs.as_slice() {
            let [a, b] = [a, b].map(|k| &pieces[*k as usize]);
            let nodes = [a.ends[0], a.ends[1], b.ends[0], b.ends[1]].map(|node| node as usize);
            let corners = nodes.map(|node| x[node]);
            let need = ropes[a.rope].radius + ropes[b.rope].radius;
            let nearest = edge_edge(&corners);
            if nearest.distance >= need {
                continue;
            }
            clear = false;
            let across = (corners[1] - corners[0]).cross(corners[3] - corners[2]);
            let normal = if nearest.distance > 1e-9 * need { nearest.normal() } else { across.normalize_or(DVec3::Y) };
            let mobile = |k: usize| f64::from(u8::from(ropes[if k < 2 { a.rope } else { b.rope }].moves));
            let give: f64 = (0..4).map(|k| mobile(k) * nearest.weights[k].powi(2)).sum();
            for k in 0..4 {
                let by = (need * (1.0 + ROOM) - nearest.distance) * mobile(k) * nearest.weights[k] / give;
                x[nodes[k]] += normal * by;
            }
        }
        if clear {
            break;
        }
    }
    for (rope, start) in ropes.iter_mut().zip(first).filter(|(rope, _)| rope.moves) {
        let points = x[start..start + rope.line.points().len()].to_vec();
        match Centreline::new(points, rope.line.is_closed()) {
            Ok(line) => rope.line = line,
            Err(_) => clear = false,
        }
    }
    clear
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rope::Curve;

    fn layout(curve: Curve, moves: bool) -> Layout {
        Layout { line: curve.centreline(60).unwrap(), radius: 0.01, moves }
    }

    fn nearest(a: &Centreline, b: &Centreline) -> f64 {
        let ends = |line: &Centreline, k: usize| [line.points()[line.ends(k).0], line.points()[line.ends(k).1]];
        let pair = |(i, j): (usize, usize)| {
            let ([p, q], [r, s]) = (ends(a, i), ends(b, j));
            edge_edge(&[p, q, r, s]).distance
        };
        (0..a.segments()).flat_map(|i| (0..b.segments()).map(move |j| (i, j))).map(pair).fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn crossing_ropes_are_moved_apart_and_the_held_one_stays() {
        let across = Curve::Line { from: DVec3::X * -0.5, to: DVec3::X * 0.5 };
        let along = Curve::Line { from: DVec3::new(0.003, 0.004, -0.5), to: DVec3::new(0.003, 0.004, 0.5) };
        for moves in [true, false] {
            let mut ropes = [layout(across, moves), layout(along, true)];
            let held = ropes[0].line.clone();
            assert!(separate(&mut ropes));
            let gap = nearest(&ropes[0].line, &ropes[1].line);
            assert!((0.02..0.0205).contains(&gap), "{gap}");
            assert_eq!(ropes[0].line == held, !moves);
            // on the side where it was
            assert!(
                ropes[1].line.points().iter().map(|p| p.y).fold(0.0, f64::max) > 0.015 - if moves { 0.01 } else { 0.0 }
            );
        }
        let mut ropes = [layout(across, false), layout(along, false)];
        let before = ropes[1].line.clone();
        separate(&mut ropes);
        assert_eq!(ropes[1].line, before);
    }

    /// A ring that does not touch itself is left as it is, though its neighbours along the way are near.
    #[test]
    fn what_is_apart_stays() {
        let mut ropes = [layout(Curve::Ring { radius: 0.1 }, true)];
        let before = ropes[0].line.clone();
        assert!(separate(&mut ropes));
        assert_eq!(ropes[0].line, before);
    }
}
