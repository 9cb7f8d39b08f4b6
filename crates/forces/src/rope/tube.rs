//! The round surface that is seen of a rope: rings of vertices about the points of its centreline, carried by the sections' own particles, so
//! that it turns with them, and half-balls at open ends.
//!
//! A rope of several strands is drawn laid: its rings have a groove between every two strands, and turn from section to section by
//! the lay, so that the lines of the mesh run along the strands. Twist tightens or opens them, which makes it visible.

use glam::DVec3;
use pliant_geom::stuffing::{Anchor, FineSurface};
use pliant_scalar::math;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

use super::cell::Rope;

/// Vertices around a smooth rope, and for each strand of a laid one.
const AROUND: usize = 16;
const FOR_STRAND: usize = 8;
/// Depth of a groove between strands, of the radius.
const GROOVE: f64 = 0.22;
/// Length of one turn of a strand in radii, and the most that a ring turns from section to section: a larger turn would pinch the tube.
const LAY: f64 = 9.0;
const MAX_TURN: f64 = 0.6;
/// Rings of a half-ball.
const CAP: usize = 4;

impl Rope {
    /// The surface of a radius, as laid out now; `None` where a section is flat. `strands`: 1 for a smooth one.
    pub fn tube(&self, radius: f64, strands: usize, first: u32) -> Option<FineSurface> {
        let x = |particle: u32| self.x.get((particle - first) as usize).copied();
        let points = self.centreline.len();
        let closed = self.is_closed;
        let strands = strands.max(1);
        let around = if strands > 1 { FOR_STRAND * strands } else { AROUND };
        let mut lengths = Vec::with_capacity(points);
        for [a, b] in self.segments() {
            lengths.push(x(b)?.distance(x(a)?));
        }
        let length: f64 = lengths.iter().sum();
        let longest = lengths.iter().copied().fold(0.0, f64::max);
        let mut lay = if strands > 1 { (TAU / (LAY * radius)).min(MAX_TURN / longest) } else { 0.0 };
        if closed {
            // strands must meet those of the same place once around
            let step = TAU / strands as f64;
            lay = (lay * length / step).round() * step / length;
        }
        let mut surface = FineSurface::default();
        let mut arc = 0.0;
        for (k, r) in self.centreline.iter().enumerate() {
            let (behind, ahead) = (k.checked_sub(1), (k + 1 < points).then_some(k + 1));
            let along = x(self.centreline[ahead.unwrap_or(k)])? - x(self.centreline[behind.unwrap_or(k)])?;
            let section = Section::new(*r, [r + 1, r + 2], [x(*r)?, x(r + 1)?, x(r + 2)?], along)?;
            let turn = lay * arc;
            let open_end = (!closed).then_some(match (behind, ahead) {
                (None, Some(next)) => Some((self.centreline[next], -1.0)),
                (Some(before), None) => Some((self.centreline[before], 1.0)),
                _ => None,
            });
            let cap = open_end.flatten().map(|(inner, sign)| (inner, sign, lengths[k.min(lengths.len() - 1)]));
            let rings: Vec<(f64, f64)> = match cap {
                None => vec![(radius, 0.0)],
                Some((_, sign, _)) => {
                    let ring = |step: usize| {
                        let angle = FRAC_PI_2 * step as f64 / CAP as f64;
                        (radius * math::cos(angle).max(1e-3), radius * math::sin(angle))
                    };
                    let rings: Vec<(f64, f64)> = (0..=CAP).map(ring).collect();
                    if sign < 0.0 { rings.into_iter().rev().collect() } else { rings }
                }
            };
            for (wide, out) in rings {
                for i in 0..around {
                    let angle = TAU * i as f64 / around as f64;
                    let groove = if strands > 1 { 1.0 - math::cos(0.5 * strands as f64 * angle).abs() } else { 0.0 };
                    let spoke = wide * (1.0 - GROOVE * groove);
                    surface.vertices.push(section.anchor(
                        angle + turn,
                        spoke,
                        cap.map(|(inner, _, l)| (inner, out / l)),
                    ));
                }
            }
            arc += lengths.get(k).copied().unwrap_or(0.0);
        }
        let rings = surface.vertices.len() / around;
        // once around, a closed rope's strands have moved on by whole strands
        let moved = (lay * length / TAU * around as f64).round() as usize;
        for ring in 0..if closed { rings } else { rings - 1 } {
            let shift = if ring + 1 == rings { around - moved % around } else { 0 };
            for i in 0..around {
                let at = |ring: usize, i: usize| (ring % rings * around + i % around) as u32;
                let (a, b) = (at(ring, i), at(ring, i + 1));
                let (c, d) = (at(ring + 1, i + shift), at(ring + 1, i + 1 + shift));
                surface.triangles.extend([[a, b, d], [a, d, c]]);
            }
        }
        if !closed {
            let last = ((rings - 1) * around) as u32;
            for i in 1..around as u32 - 1 {
                surface.triangles.push([0, i + 1, i]);
                surface.triangles.push([last, last + i, last + i + 1]);
            }
        }
        Some(surface)
    }
}

/// A section and how directions across the rope are made of its wings.
struct Section {
    particles: [u32; 3],
    wings: [DVec3; 2],
    axes: [DVec3; 2],
}

impl Section {
    fn new(centre: u32, wings: [u32; 2], x: [DVec3; 3], along: DVec3) -> Option<Self> {
        let offsets = [x[1] - x[0], x[2] - x[0]];
        let u = offsets[0].try_normalize()?;
        let mut t = offsets[0].cross(offsets[1]).try_normalize()?;
        if t.dot(along) < 0.0 {
            t = -t;
        }
        Some(Self { particles: [centre, wings[0], wings[1]], wings: offsets, axes: [u, t.cross(u)] })
    }

    /// The vertex at an angle and a distance from the centre, and further out along the rope by a part of its last segment.
    fn anchor(&self, angle: f64, distance: f64, out: Option<(u32, f64)>) -> Anchor {
        let (sin, cos) = math::sin_cos(angle % (2.0 * PI));
        let target = (self.axes[0] * cos + self.axes[1] * sin) * distance;
        // target = a w0 + b w1 by the normal equations
        let [w0, w1] = self.wings;
        let (aa, ab, bb) = (w0.length_squared(), w0.dot(w1), w1.length_squared());
        let determinant = aa * bb - ab * ab;
        let (p, q) = (target.dot(w0), target.dot(w1));
        let (a, b) = ((p * bb - q * ab) / determinant, (q * aa - p * ab) / determinant);
        let [r, s0, s1] = self.particles;
        let (inner, part) = out.unwrap_or((r, 0.0));
        Anchor { corners: [r, s0, s1, inner], weights: [1.0 - a - b + part, a, b, -part] }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{RopeMaterial, RopeSpec, rope};
    use pliant_geom::rope::{Curve, Frames};
    use std::collections::HashMap;

    use super::*;

    fn laid(curve: Curve, segments: usize, strands: usize) -> (Rope, FineSurface) {
        let line = curve.centreline(segments).unwrap();
        let spec = RopeSpec::new(RopeMaterial::solid(1e7, 0.3, 1200.0, 5e-3), 5e-3);
        let rope = rope(&line, &Frames::new(&line, 0.0), &spec, 7).unwrap();
        let tube = rope.tube(5e-3, strands, 7).unwrap();
        (rope, tube)
    }

    /// Twice each edge, once in each direction: closed, and the same way out everywhere.
    fn assert_closed(surface: &FineSurface) {
        let mut edges: HashMap<[u32; 2], i32> = HashMap::new();
        for [a, b, c] in &surface.triangles {
            for [from, to] in [[*a, *b], [*b, *c], [*c, *a]] {
                *edges.entry([from.min(to), from.max(to)]).or_default() += if from < to { 1 } else { -1 };
                assert_ne!(from, to);
            }
        }
        assert!(edges.values().all(|balance| *balance == 0));
    }

    fn volume(surface: &FineSurface, x: &[DVec3]) -> f64 {
        let at = |k: u32| surface.vertices[k as usize].carry(x);
        surface.triangles.iter().map(|[a, b, c]| at(*a).dot(at(*b).cross(at(*c))) / 6.0).sum()
    }

    #[test]
    fn it_is_closed_and_holds_the_ropes_volume() {
        let curves = [Curve::Line { from: DVec3::ZERO, to: DVec3::X }, Curve::Ring { radius: 0.2 }];
        for (curve, segments) in curves.into_iter().zip([40, 60]) {
            for strands in [1, 3] {
                let (rope, tube) = laid(curve, segments, strands);
                assert_closed(&tube);
                assert!(tube.vertices.iter().all(|v| (v.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12));
                let mut x = vec![DVec3::ZERO; 7];
                x.extend(&rope.x);
                let length = if segments == 40 { 1.0 } else { 0.4 * PI };
                let full = PI * 25e-6 * length;
                let held = volume(&tube, &x) / full;
                let least = if strands == 1 { 0.94 } else { 0.75 };
                assert!(held > least && held < 1.02, "{curve:?} {strands}: {held}");
            }
        }
    }

    /// Sections that are turned and moved carry it along.
    #[test]
    fn it_turns_with_the_sections() {
        let (rope, tube) = laid(Curve::Line { from: DVec3::ZERO, to: DVec3::X }, 4, 3);
        let quarter = |p: DVec3| DVec3::new(p.x, -p.z, p.y);
        let all = |x: &[DVec3]| [vec![DVec3::ZERO; 7], x.to_vec()].concat();
        let turned: Vec<DVec3> = rope.x.iter().map(|p| quarter(*p)).collect();
        for (a, b) in tube.carry(&all(&rope.x)).into_iter().zip(tube.carry(&all(&turned))) {
            assert!((quarter(a) - b).length() < 1e-12);
        }
    }

    /// Wings that stand at another angle than a right one span the same circle.
    #[test]
    fn sheared_sections_stay_round() {
        let (mut rope, _) = laid(Curve::Line { from: DVec3::ZERO, to: DVec3::X }, 4, 1);
        for r in rope.centreline.clone() {
            let [centre, first, second] = [r, r + 1, r + 2].map(|particle| (particle - 7) as usize);
            let wing = rope.x[first] - rope.x[centre];
            rope.x[second] += wing * 0.4;
        }
        let x = [vec![DVec3::ZERO; 7], rope.x.clone()].concat();
        let middle = x[rope.centreline[2] as usize];
        let ring = rope.tube(5e-3, 1, 7).unwrap().carry(&x).into_iter().filter(|p| (p.x - middle.x).abs() < 1e-9);
        let distances: Vec<f64> = ring.map(|p| p.distance(middle)).collect();
        assert!(distances.len() == AROUND && distances.iter().all(|d| (d - 5e-3).abs() < 1e-12), "{distances:?}");
    }
}
