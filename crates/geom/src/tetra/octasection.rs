//! Splitting every tetrahedron into eight, with the corners' order of [BeyRefinement]: descendants have three shapes at most, at every level.
//!
//! Two of the eight are inside out in this order. Exchanging two of their corners before they are split again would ruin the shapes (7,
//! 17, 37 of them at the next levels, ever flatter), so the order stays and a flag per tetrahedron marks those inside out.

use std::collections::HashMap;

use glam::DVec3;

/// Children by corners 0 to 3 and midpoints, 4 + the number of an edge in [`EDGES`].
const CHILDREN: [[usize; 4]; 8] =
    [[0, 4, 5, 6], [4, 1, 7, 8], [5, 7, 2, 9], [6, 8, 9, 3], [4, 5, 6, 8], [4, 5, 7, 8], [5, 6, 8, 9], [5, 7, 8, 9]];
/// Which of them lie the other way round than their parent.
const TURNED: [bool; 8] = [false, false, false, false, false, true, false, true];
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Tetrahedra in the order of corners that refinement needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refined {
    /// Positions, m.
    pub points: Vec<DVec3>,
    /// Corners, children of tetrahedron t at 8 t to 8 t + 7.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Whether a tetrahedron lies the other way round than its first ancestor.
    pub turned: Vec<bool>,
    /// For every level of refinement the parents of its new points; the indices of new points follow those of the level before.
    pub levels: Vec<Vec<[u32; 2]>>,
}

impl Refined {
    /// The coarsest level. Corners must be in range.
    pub fn new(points: Vec<DVec3>, tetrahedra: Vec<[u32; 4]>) -> Self {
        let turned = vec![false; tetrahedra.len()];
        Self { points, tetrahedra, turned, levels: Vec::new() }
    }

    /// One level finer; `None` where point indices would overflow or a corner is out of range.
    pub fn octasected(&self) -> Option<Self> {
        let mut points = self.points.clone();
        let mut parents = Vec::new();
        let mut midpoints: HashMap<[u32; 2], u32> = HashMap::new();
        let mut tetrahedra = Vec::with_capacity(8 * self.tetrahedra.len());
        let mut turned = Vec::with_capacity(8 * self.tetrahedra.len());
        for (t, was_turned) in self.tetrahedra.iter().zip(&self.turned) {
            let mut nodes = [0; 10];
            nodes[..4].copy_from_slice(t);
            for (e, [a, b]) in EDGES.iter().enumerate() {
                let ends = [t[*a].min(t[*b]), t[*a].max(t[*b])];
                nodes[4 + e] = match midpoints.get(&ends) {
                    Some(known) => *known,
                    None => {
                        let number = u32::try_from(points.len()).ok()?;
                        let [p, q] = [*points.get(ends[0] as usize)?, *points.get(ends[1] as usize)?];
                        points.push((p + q) * 0.5);
                        parents.push(ends);
                        midpoints.insert(ends, number);
                        number
                    }
                };
            }
            tetrahedra.extend(CHILDREN.iter().map(|child| child.map(|k| nodes[k])));
            turned.extend(TURNED.iter().map(|child| child != was_turned));
        }
        let mut levels = self.levels.clone();
        levels.push(parents);
        Some(Self { points, tetrahedra, turned, levels })
    }

    /// The tetrahedra lying the same way round as their first ancestors, for everything but further refinement.
    pub fn oriented(&self) -> Vec<[u32; 4]> {
        let upright = |(t, turned): (&[u32; 4], &bool)| if *turned { [t[0], t[1], t[3], t[2]] } else { *t };
        self.tetrahedra.iter().zip(&self.turned).map(upright).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tetra::{TetraMesh, check::check, signed_volume, surface::surface};

    fn coarse() -> Refined {
        let points = [(0.1, -0.2, 0.0), (1.1, 0.1, 0.0), (0.2, 0.9, -0.3), (-0.1, 0.3, 1.2)];
        Refined::new(points.iter().map(|(x, y, z)| DVec3::new(*x, *y, *z)).collect(), vec![[0, 1, 2, 3]])
    }

    /// Lengths of the six edges, sorted, relative to the longest: equal for congruent shapes.
    fn shape(x: [DVec3; 4], scale: f64) -> [i64; 6] {
        let mut lengths = EDGES.map(|[a, b]| ((x[b] - x[a]).length() * scale * 1e9).round() as i64);
        lengths.sort_unstable();
        lengths
    }

    #[test]
    fn children_have_an_eighth_of_the_volume_and_three_shapes_at_every_level() {
        let mut level = coarse();
        let whole = signed_volume([0, 1, 2, 3].map(|k: usize| level.points[k]));
        for depth in 1..=4_i32 {
            level = level.octasected().unwrap();
            assert_eq!(level.tetrahedra.len(), 8_usize.pow(depth as u32));
            let mut shapes = Vec::new();
            for (t, turned) in level.tetrahedra.iter().zip(&level.turned) {
                let x = t.map(|n| level.points[n as usize]);
                let sign = if *turned { -1.0 } else { 1.0 };
                let part = sign * signed_volume(x) / whole * 8_f64.powi(depth);
                assert!((part - 1.0).abs() < 1e-11, "{part}");
                shapes.push(shape(x, 2_f64.powi(depth)));
            }
            shapes.sort_unstable();
            // rounding to 1e-9 may part equal ones: neighbours count as one
            shapes.dedup_by(|a, b| a.iter().zip(b.iter()).all(|(a, b)| (a - b).abs() <= 2));
            assert_eq!(shapes.len(), 3, "level {depth}");
        }
        let mesh = TetraMesh { points: level.points.clone(), tetrahedra: level.oriented() };
        assert_eq!(check(&mesh), vec![]);
        // conforming: only the four faces of the first one are outside, each in 4⁴
        assert_eq!(surface(&mesh).len(), 4 * 256);
    }

    #[test]
    fn missing_corners_are_refused() {
        assert_eq!(Refined::new(vec![DVec3::ZERO], vec![[0, 1, 2, 3]]).octasected(), None);
    }
}
