//! Flat meshes on which bending must give the same result, and a solver for sheets that hang.

use glam::DVec2;
use std::collections::BTreeMap;

use crate::random::Random;

/// How a rectangle is cut into triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cut {
    /// Cells of this width over height, all cut along the rising diagonal.
    Rising(f64),
    /// Along the falling one.
    Falling(f64),
    /// In turns.
    Alternating(f64),
    /// Inner points moved by up to a quarter of a cell, diagonals at random.
    Jittered,
    /// Inner points moved by up to 0.4 of a cell, and edges turned until every circle around a triangle is empty (Delaunay).
    Delaunay,
}

/// Those that every law of bending is checked on.
pub const CUTS: [Cut; 9] = [
    Cut::Rising(2.0),
    Cut::Falling(2.0),
    Cut::Rising(1.0),
    Cut::Falling(1.0),
    Cut::Alternating(1.0),
    Cut::Rising(0.5),
    Cut::Falling(0.5),
    Cut::Jittered,
    Cut::Delaunay,
];

impl Cut {
    /// Width over height of its cells.
    pub fn ratio(self) -> f64 {
        match self {
            Cut::Rising(ratio) | Cut::Falling(ratio) | Cut::Alternating(ratio) => ratio,
            Cut::Jittered | Cut::Delaunay => 1.0,
        }
    }
}

/// A flat mesh.
#[derive(Clone, Debug)]
pub struct Flat {
    /// m
    pub points: Vec<DVec2>,
    /// All wound alike.
    pub triangles: Vec<[u32; 3]>,
}

impl Flat {
    /// The rectangle from (0, 0) to `size` with `cells` cells along x, surrounded by `[left, right, along y]` cells more on its sides; points on
    /// its border and outside stay where the grid has them. `seed` is for those that are moved at random.
    pub fn new(cut: Cut, cells: u32, size: DVec2, more: [u32; 3], seed: u64) -> Self {
        let jitter = match cut {
            Cut::Jittered => 0.25,
            Cut::Delaunay => 0.4,
            _ => 0.0,
        };
        let mut random = Random(17 + seed);
        let width = size.x / f64::from(cells);
        let inside = ((size.y / width) * cut.ratio()).round().max(1.0) as u32;
        let cell = DVec2::new(width, size.y / f64::from(inside));
        let [left, right, along] = more;
        let (columns, rows) = (left + cells + right, inside + 2 * along);
        let mut points = Vec::new();
        for c in 0..=columns {
            for r in 0..=rows {
                let grid = DVec2::new(f64::from(c) - f64::from(left), f64::from(r) - f64::from(along));
                let inner = c > left && c < left + cells && r > along && r < along + inside;
                let shift = DVec2::new(random.number(), random.number()) * if inner { jitter } else { 0.0 };
                points.push((grid + shift) * cell);
            }
        }
        let cells = columns;
        let at = |c: u32, r: u32| c * (rows + 1) + r;
        let mut triangles = Vec::new();
        for c in 0..cells {
            for r in 0..rows {
                let [a, b, d, e] = [at(c, r), at(c + 1, r), at(c + 1, r + 1), at(c, r + 1)];
                let (rising, falling) = ([[a, b, d], [a, d, e]], [[a, b, e], [b, d, e]]);
                let least =
                    |cut: &[[u32; 3]; 2]| cut.iter().map(|t| twice_area(&points, *t)).fold(f64::INFINITY, f64::min);
                // no slivers
                let is_fine = |cut: &[[u32; 3]; 2]| least(cut) > 0.3 * cell.x * cell.y;
                let is_rising = match cut {
                    Cut::Rising(_) => true,
                    Cut::Falling(_) => false,
                    Cut::Alternating(_) => (c + r) % 2 == 0,
                    _ if is_fine(&rising) && is_fine(&falling) => random.number() < 0.0,
                    _ => least(&rising) > least(&falling),
                };
                triangles.extend(if is_rising { rising } else { falling });
            }
        }
        let mut mesh = Self { points, triangles };
        while cut == Cut::Delaunay && mesh.turn_edges() > 0 {}
        assert!(mesh.triangles.iter().all(|t| twice_area(&mesh.points, *t) > 0.0), "{cut:?} has folded triangles");
        mesh
    }

    /// Area of a triangle.
    pub fn area(&self, triangle: [u32; 3]) -> f64 {
        0.5 * twice_area(&self.points, triangle)
    }

    /// One pass over all edges; how many were turned.
    fn turn_edges(&mut self) -> usize {
        let mut sides: BTreeMap<[u32; 2], Vec<(usize, usize)>> = BTreeMap::new();
        for (t, nodes) in self.triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (nodes[k], nodes[(k + 1) % 3]);
                sides.entry([a.min(b), a.max(b)]).or_default().push((t, k));
            }
        }
        let mut touched = vec![false; self.triangles.len()];
        let mut count = 0;
        for pair in sides.values().filter(|pair| pair.len() == 2) {
            let ((t, k), (u, j)) = (pair[0], pair[1]);
            let corner = |t: usize, k: usize| self.triangles[t][k % 3];
            let [a, b, c, d] = [corner(t, k), corner(t, k + 1), corner(t, k + 2), corner(u, j + 2)];
            let [pa, pb, pc, pd] = [a, b, c, d].map(|n| self.points[n as usize]);
            let angle = |at: DVec2| (pa - at).angle_to(pb - at).abs();
            let (first, second) = ([a, d, c], [d, b, c]);
            let stays_up = twice_area(&self.points, first) > 0.0 && twice_area(&self.points, second) > 0.0;
            if !(touched[t] || touched[u]) && stays_up && angle(pc) + angle(pd) > std::f64::consts::PI + 1e-9 {
                (self.triangles[t], self.triangles[u]) = (first, second);
                (touched[t], touched[u]) = (true, true);
                count += 1;
            }
        }
        count
    }
}

fn twice_area(points: &[DVec2], triangle: [u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|n| points[n as usize]);
    (b - a).perp_dot(c - a)
}

/// Solves `A x = b` for a symmetric positive definite matrix of which `lower` gives (row, column, value) with column ≤ row, by Cholesky's
/// method within the band; entries of the same place are added. `None` where it is not definite.
pub fn solve_banded(n: usize, lower: &[(usize, usize, f64)], b: &[f64]) -> Option<Vec<f64>> {
    let band = lower.iter().map(|(i, j, _)| i - j).max().unwrap_or(0) + 1;
    // row i holds columns i + 1 - band ..= i
    let mut l = vec![0.0; n * band];
    lower.iter().for_each(|(i, j, value)| l[i * band + band - 1 - (i - j)] += value);
    let mut x = b.to_vec();
    for i in 0..n {
        let first = (i + 1).saturating_sub(band);
        for j in first..=i {
            let from = first.max((j + 1).saturating_sub(band));
            let (p, q) = (i * band + band - 1 - (i - from), j * band + band - 1 - (j - from));
            let dot: f64 = (0..j - from).map(|k| l[p + k] * l[q + k]).sum();
            let at = i * band + band - 1 - (i - j);
            let rest = l[at] - dot;
            if j < i {
                l[at] = rest / l[j * band + band - 1];
            } else if rest > 0.0 {
                l[at] = rest.sqrt();
            } else {
                return None;
            }
        }
        let row = &l[i * band + band - 1 - (i - first)..(i + 1) * band];
        let dot: f64 = row[..i - first].iter().zip(&x[first..i]).map(|(l, x)| l * x).sum();
        x[i] = (x[i] - dot) / row[i - first];
    }
    for i in (0..n).rev() {
        x[i] /= l[(i + 1) * band - 1];
        let first = (i + 1).saturating_sub(band);
        for j in first..i {
            x[j] -= l[i * band + band - 1 - (i - j)] * x[i];
        }
    }
    Some(x)
}
