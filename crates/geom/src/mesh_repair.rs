//! Repairs of the defects that [`crate::mesh_check`] finds. Each reports what it did; none is applied unasked.

use crate::mesh_check::{is_narrow, repeats};
use crate::topology::TriangleMesh;
use glam::DVec3;
use std::collections::{BTreeMap, BTreeSet};

/// What [`TriangleMesh::orient`] did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Oriented {
    /// Connected components.
    pub components: usize,
    /// Triangles turned over.
    pub turned: usize,
    /// Components that have only one side, as a Möbius strip: some neighbours in them still face opposite ways.
    pub one_sided: usize,
}

impl TriangleMesh {
    /// Drops triangles with corners out of range or repeated, those with nearly no area, and repetitions of an earlier one;
    /// returns how many. The others keep their order.
    pub fn drop_bad_triangles(&mut self) -> usize {
        let before = self.triangles.len();
        let vertices = self.points.len();
        let mut seen = BTreeSet::new();
        let keep: Vec<bool> = (0..before)
            .map(|t| {
                let mut corners = self.triangles[t];
                let good =
                    corners.iter().all(|&c| (c as usize) < vertices) && !repeats(&corners) && !is_narrow(self, t);
                corners.sort_unstable();
                good && seen.insert(corners)
            })
            .collect();
        let mut keep = keep.iter();
        self.triangles.retain(|_| keep.next() == Some(&true));
        before - self.triangles.len()
    }

    /// Merges all vertices at exactly the same place (0 and -0 are the same); returns how many were removed. Triangles between them
    /// may become degenerate. Points keep their order; NaN stays.
    pub fn weld(&mut self) -> usize {
        let key = |p: &DVec3| (*p + 0.0).to_array().map(f64::to_bits);
        let mut first_at = BTreeMap::new();
        let mut points = Vec::new();
        let number: Vec<u32> = self
            .points
            .iter()
            .map(|p| {
                let new = points.len() as u32;
                let at = if p.is_nan() { new } else { *first_at.entry(key(p)).or_insert(new) };
                if at == new {
                    points.push(*p);
                }
                at
            })
            .collect();
        self.renumber(|old| number[old]);
        let gone = self.points.len() - points.len();
        self.points = points;
        gone
    }

    /// Drops vertices that no triangle uses; returns how many.
    pub fn drop_unused_vertices(&mut self) -> usize {
        let before = self.points.len();
        let mut used = vec![false; before];
        for &c in self.triangles.iter().flatten() {
            if let Some(used) = used.get_mut(c as usize) {
                *used = true;
            }
        }
        let mut number = Vec::with_capacity(before);
        let mut kept = Vec::new();
        for (point, used) in self.points.iter().zip(used) {
            number.push(kept.len() as u32);
            if used {
                kept.push(*point);
            }
        }
        self.renumber(|old| number[old]);
        self.points = kept;
        before - self.points.len()
    }

    /// Turns triangles over until neighbours face the same way: as the first triangle of each component does, or outward if the component
    /// is closed. Neighbours over an edge of more than two triangles, and triangles with bad corners, are left alone.
    pub fn orient(&mut self) -> Oriented {
        // For each edge its triangles, with whether they run from the lower to the higher number.
        let mut sides: BTreeMap<[u32; 2], Vec<(usize, bool)>> = BTreeMap::new();
        let usable = |c: &[u32; 3]| !repeats(c) && c.iter().all(|&c| (c as usize) < self.points.len());
        let side = |c: &[u32; 3], k: usize| (c[k].min(c[(k + 1) % 3]), c[k].max(c[(k + 1) % 3]), c[k] < c[(k + 1) % 3]);
        for (t, corners) in self.triangles.iter().enumerate().filter(|(_, c)| usable(c)) {
            for k in 0..3 {
                let (a, b, forward) = side(corners, k);
                sides.entry([a, b]).or_default().push((t, forward));
            }
        }
        let mut done = Oriented::default();
        let mut turn: Vec<Option<bool>> = vec![None; self.triangles.len()];
        for first in 0..self.triangles.len() {
            if turn[first].is_some() || !usable(&self.triangles[first]) {
                continue;
            }
            done.components += 1;
            turn[first] = Some(false);
            let mut members = vec![first];
            let (mut next, mut closed, mut one_sided) = (0, true, false);
            while let Some(&t) = members.get(next) {
                next += 1;
                for k in 0..3 {
                    let (a, b, forward) = side(&self.triangles[t], k);
                    let at = &sides[&[a, b]];
                    if at.len() != 2 {
                        closed = false;
                        continue;
                    }
                    let (other, its_forward) = if at[0].0 == t { at[1] } else { at[0] };
                    // Neighbours agree if they run through the edge in opposite directions.
                    let wanted = (forward == its_forward) ^ (turn[t] == Some(true));
                    match turn[other] {
                        None => {
                            turn[other] = Some(wanted);
                            members.push(other);
                        }
                        Some(is) => one_sided |= is != wanted,
                    }
                }
            }
            done.one_sided += usize::from(one_sided);
            if closed && !one_sided && self.turned_volume(&members, &turn) < 0.0 {
                members.iter().for_each(|&t| turn[t] = turn[t].map(|turned| !turned));
            }
        }
        for (corners, turn) in self.triangles.iter_mut().zip(&turn) {
            if *turn == Some(true) {
                corners.swap(1, 2);
                done.turned += 1;
            }
        }
        done
    }

    /// Six times the volume inside of some triangles, some of them flipped.
    fn turned_volume(&self, members: &[usize], turn: &[Option<bool>]) -> f64 {
        let origin = self.corners(members[0])[0];
        members.iter().fold(0.0, |sum, &t| {
            let [a, b, c] = self.corners(t).map(|x| x - origin);
            let part = a.dot(b.cross(c));
            sum + if turn[t] == Some(true) { -part } else { part }
        })
    }

    /// New indices for the corners in range.
    fn renumber(&mut self, new: impl Fn(usize) -> u32) {
        let vertices = self.points.len();
        for corner in self.triangles.iter_mut().flatten() {
            // An index out of range stays out of range: it does not become the index of another vertex.
            *corner = if (*corner as usize) < vertices { new(*corner as usize) } else { u32::MAX };
        }
    }
}
