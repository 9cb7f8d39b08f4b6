//! The curvature of every triangle of a sheet from the angles of hinges, right on any mesh.
//!
//! In a triangle of area A, with sides of length l_k whose unit normals n_k point outwards in its plane, the curvature is that of the
//! element of [Morley],
//!
//! `H = Σ_k (l_k/A) α_k n_k n_kᵀ`,
//!
//! with α_k the angle by which the surface turns between the triangle's plane and the middle of side k. Two triangles share the angle of their
//! hinge, `α = θ/2 + φ` and `α' = θ/2 - φ`. In [Morley] φ is an unknown of its own for each edge. Here it is made of angles nearby,
//! `φ_e = Σ_j c_j θ_j`, exact where the curvature is the same everywhere around, with the smallest `Σ_j (l_e c_j/l_j)²`. A side at the border has no
//! hinge: its α is made in the same way. With φ = 0 and without borders this is the mid-edge operator of [ShapeOperators].
//!
//! Three things make it converge. A constant curvature is found exactly, on any mesh. The work of a constant moment M is
//! `Σ_T A M:H = Σ_e l_e θ_e n·M n + borders`, whatever φ is, so inner points are in balance under it. And the energy is nowhere below that of
//! [Morley] with φ where it is smallest, so no mode is soft. On grids of rectangles cut alike both triangles of an edge are the same,
//! turned by half a turn; then φ = 0, and only borders need more than the three angles of a triangle.
//!
//! A triangle with all corners pinned as in a jaw is rigid: it has no curvature, and the angle of its hinges belongs to the other triangle alone. So
//! a sheet is clamped at the edge of the pinned part.
//!
//! The energy is `½ Σ_T A H:C:H` with `H:C:H = B₁ H₁₁² + B₂ H₂₂² + (B₁ + B₂) H₁₂²` along warp and weft: bent to a cylinder in direction d the sheet has
//! the stiffness `B₁ d₁² + B₂ d₂²`. With B₁ = B₂ it is `½ B |H|²`: a plate with Poisson's ratio 0. Lengths and areas are those at rest, so the
//! energy is a quadratic form of the angles, `½ (θ - θ₀)ᵀ K (θ - θ₀)`, with a sparse constant K.

use glam::{DVec2, DVec3};

use super::patch::{Mesh, Placed, square};

/// Coefficients below this are rounding: both triangles of an edge are alike.
const NOTHING: f64 = 1e-9;
/// A patch is large enough where coefficients are no larger than this in the mean square,
const SMALL: f64 = 0.7;
/// and is not made larger than this many times.
const MAX_RINGS: usize = 3;
/// Part of a target that may be missed by rounding.
const MISSED: f64 = 1e-7;

/// A sum of angles: hinges and coefficients.
type Sum = Vec<(u32, f64)>;

/// `K`, by rows.
#[derive(Clone, Debug, Default)]
pub(super) struct AngleForm {
    pub start: Vec<u32>,
    pub columns: Vec<u32>,
    /// J
    pub values: Vec<f64>,
}

impl AngleForm {
    /// Hinges that a hinge is coupled with, and how.
    #[inline]
    pub fn row(&self, hinge: usize) -> impl Iterator<Item = (u32, f64)> {
        let range = self.start[hinge] as usize..self.start[hinge + 1] as usize;
        self.columns[range.clone()].iter().copied().zip(self.values[range].iter().copied())
    }

    /// `(K θ)_hinge`
    #[inline]
    pub fn times(&self, hinge: usize, angles: &[f64]) -> f64 {
        self.row(hinge).map(|(j, k)| k * angles[j as usize]).sum()
    }

    /// Of a mesh; `frames` gives the unit warp direction of a triangle in the plane in which its first side lies along x, and its bending
    /// stiffness along warp and weft, N m.
    pub fn new(mesh: &Mesh, frame: impl Fn(usize) -> (DVec2, [f64; 2])) -> Self {
        let shares = shares(mesh);
        // √(A C) H of each triangle, as a sum of angles
        let mut bent: Vec<(u32, u32, DVec3)> = Vec::new();
        let mut around = Vec::new();
        for (t, shares) in shares.iter().enumerate() {
            let (warp, [first, second]) = frame(t);
            let root = DVec3::new(first.sqrt(), second.sqrt(), (0.5 * (first + second)).sqrt());
            let placed = Placed::first(mesh, t as u32, 0);
            around.clear();
            for (k, share) in shares.iter().enumerate() {
                let edge = placed.corners[(k + 1) % 3] - placed.corners[k];
                // l n nᵀ = (l n)(l n)ᵀ/l; the sign of n does not matter
                let normal = edge.perp();
                let normal = DVec2::new(normal.dot(warp), normal.dot(warp.perp()));
                let by = root * square(normal) / (edge.length() * mesh.area(t).sqrt());
                around.extend(share.iter().map(|(hinge, c)| (*hinge, t as u32, by * *c)));
            }
            merge(&mut around, |a, b| a.0 == b.0, |a, b| a.2 += b.2);
            bent.extend_from_slice(&around);
        }
        Self::of_squares(mesh.hinges.len(), &bent)
    }

    /// `Σ_t |Σ_j b_tj θ_j|²`; entries are (j, t, b), in the order of t.
    fn of_squares(hinges: usize, entries: &[(u32, u32, DVec3)]) -> Self {
        let triangles = entries.last().map_or(0, |(_, t, _)| *t as usize + 1);
        let at = |t: u32| entries.partition_point(|e| e.1 < t);
        let begin: Vec<usize> = (0..=triangles).map(|t| at(t as u32)).collect();
        let mut by_hinge: Vec<u32> = (0..entries.len() as u32).collect();
        // stable: triangles stay in order
        by_hinge.sort_by_key(|e| entries[*e as usize].0);
        let mut form = Self { start: vec![0], ..Self::default() };
        let (mut next, mut row) = (0, Vec::new());
        for hinge in 0..hinges as u32 {
            row.clear();
            while next < by_hinge.len() && entries[by_hinge[next] as usize].0 == hinge {
                let (_, t, by) = entries[by_hinge[next] as usize];
                let others = &entries[begin[t as usize]..begin[t as usize + 1]];
                row.extend(others.iter().map(|(j, _, b)| (*j, by.dot(*b))));
                next += 1;
            }
            merge(&mut row, |a, b| a.0 == b.0, |a, b| a.1 += b.1);
            form.columns.extend(row.iter().map(|(j, _)| *j));
            form.values.extend(row.iter().map(|(_, k)| *k));
            form.start.push(form.columns.len() as u32);
        }
        form
    }
}

/// Sorts by hinge, keeping the order of equals, and adds up what belongs to one hinge.
fn merge<T: Copy + Keyed>(list: &mut Vec<T>, same: impl Fn(&T, &T) -> bool, add: impl Fn(&mut T, &T)) {
    list.sort_by_key(|entry| entry.key());
    list.dedup_by(|later, kept| {
        let is_same = same(later, kept);
        if is_same {
            add(kept, later);
        }
        is_same
    });
}

trait Keyed {
    fn key(&self) -> u32;
}

impl Keyed for (u32, f64) {
    fn key(&self) -> u32 {
        self.0
    }
}

impl Keyed for (u32, u32, DVec3) {
    fn key(&self) -> u32 {
        self.0
    }
}

/// α of every side of every triangle, in the sense of the triangle's own winding.
fn shares(mesh: &Mesh) -> Vec<[Sum; 3]> {
    let mut out: Vec<[Sum; 3]> = vec![Default::default(); mesh.sides.len()];
    for t in 0..mesh.sides.len() {
        for k in 0..3 {
            let side = mesh.sides[t][k];
            if mesh.rigid[t] && side.across.is_none_or(|(other, _)| mesh.rigid[other as usize]) {
                continue;
            }
            let placed = Placed::first(mesh, t as u32, k);
            let Some((other, j)) = side.across else {
                out[t][k] = fit(mesh, &[placed], placed.slope(mesh, k), side.length);
                continue;
            };
            if (other as usize, j as usize) < (t, k) {
                continue;
            }
            let hinge = side.hinge.expect("a side with a neighbour is a hinge");
            let neighbour = placed.beyond(mesh, k).expect("it has a neighbour");
            let flip = neighbour.sign;
            if mesh.rigid[t] || mesh.rigid[other as usize] {
                // all of the angle is the other's
                let (free, at, sign) = if mesh.rigid[t] { (other as usize, j as usize, flip) } else { (t, k, 1.0) };
                out[free][at].push((hinge, side.sign * sign));
                continue;
            }
            let target = (placed.slope(mesh, k) - neighbour.slope(mesh, j as usize)) * 0.5;
            let size = placed.slope(mesh, k).length() + neighbour.slope(mesh, j as usize).length();
            let uneven = target.length() > NOTHING * size;
            let shift = if uneven { fit(mesh, &[placed, neighbour], target, side.length) } else { Sum::new() };
            // of the neighbour in the sense of its own winding
            out[t][k].push((hinge, 0.5 * side.sign));
            out[t][k].extend(shift.iter().copied());
            out[other as usize][j as usize].push((hinge, 0.5 * side.sign * flip));
            out[other as usize][j as usize].extend(shift.iter().map(|(h, c)| (*h, -c * flip)));
        }
    }
    out
}

/// The angles around whose sum is `target·H` for every curvature H, with the smallest coefficients; where no patch can tell every H apart, as
/// close as it gets. Angles are in the sense of the first triangle's winding.
fn fit(mesh: &Mesh, first: &[Placed], target: DVec3, length: f64) -> Sum {
    let mut patch = first.to_vec();
    let mut best: Option<(bool, f64, Sum)> = None;
    for ring in 0..=MAX_RINGS {
        let found = solve(mesh, &patch, target, length);
        let is_better = best.as_ref().is_none_or(|b| (found.0, found.1) < (b.0, b.1));
        if is_better {
            best = Some(found);
        }
        let is_good = best.as_ref().is_some_and(|b| !b.0 && b.1 <= SMALL);
        if is_good || ring == MAX_RINGS {
            break;
        }
        for p in 0..patch.len() {
            for side in 0..3 {
                let Some(next) = patch[p].beyond(mesh, side) else { continue };
                let is_known = patch.iter().any(|known| known.triangle == next.triangle);
                if !is_known && !mesh.rigid[next.triangle as usize] {
                    patch.push(next);
                }
            }
        }
    }
    let mut sum = best.map(|b| b.2).unwrap_or_default();
    sum.retain(|(_, c)| c.abs() > NOTHING);
    sum
}

/// The same on one patch: whether it misses the target, how large the coefficients are, and the sum.
fn solve(mesh: &Mesh, patch: &[Placed], target: DVec3, length: f64) -> (bool, f64, Sum) {
    let mut rows: Vec<(u32, DVec3)> = Vec::new();
    for placed in patch {
        for (k, side) in mesh.sides[placed.triangle as usize].iter().enumerate() {
            let (Some(hinge), Some((_, j))) = (side.hinge, side.across) else { continue };
            if rows.iter().any(|(known, _)| *known == hinge) {
                continue;
            }
            let neighbour = placed.beyond(mesh, k).expect("it has a neighbour");
            let response = placed.slope(mesh, k) + neighbour.slope(mesh, j as usize);
            rows.push((hinge, response * (placed.sign * side.sign)));
        }
    }
    let mut gram = [[0.0; 3]; 3];
    for (hinge, by) in &rows {
        let scaled = *by * mesh.lengths[*hinge as usize];
        for i in 0..3 {
            (0..3).for_each(|j| gram[i][j] += scaled[i] * scaled[j]);
        }
    }
    let multiplier = pseudo_solve(gram, target);
    let (mut square, mut reached, mut sum) = (0.0, DVec3::ZERO, Sum::new());
    for (hinge, by) in &rows {
        let scale = mesh.lengths[*hinge as usize];
        let c = scale * scale * by.dot(multiplier);
        square += (c * length / scale).powi(2);
        reached += *by * c;
        sum.push((*hinge, c));
    }
    ((reached - target).length() > MISSED * target.length(), square.sqrt(), sum)
}

/// Smallest `y` with `|M y - b|` smallest, by Jacobi's rotations of the symmetric positive semi-definite M.
fn pseudo_solve(mut m: [[f64; 3]; 3], b: DVec3) -> DVec3 {
    let mut axes = [DVec3::X, DVec3::Y, DVec3::Z];
    for _ in 0..12 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if m[p][q] == 0.0 {
                continue;
            }
            let ratio = (m[q][q] - m[p][p]) / (2.0 * m[p][q]);
            let t = ratio.signum() / (ratio.abs() + (ratio * ratio + 1.0).sqrt());
            let c = (t * t + 1.0).sqrt().recip();
            let s = t * c;
            for row in &mut m {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
            let (of_p, of_q) = (m[p], m[q]);
            m[p] = std::array::from_fn(|k| c * of_p[k] - s * of_q[k]);
            m[q] = std::array::from_fn(|k| s * of_p[k] + c * of_q[k]);
            (axes[p], axes[q]) = (axes[p] * c - axes[q] * s, axes[p] * s + axes[q] * c);
        }
    }
    let largest = m[0][0].max(m[1][1]).max(m[2][2]);
    let part = |k: usize| {
        let value = m[k][k];
        if value > 1e-11 * largest { axes[k] * (axes[k].dot(b) / value) } else { DVec3::ZERO }
    };
    part(0) + part(1) + part(2)
}
