//! Nested dissection: separators are eliminated last, so that the parts they separate know nothing of each other [George].
//!
//! Each connected part is ordered by itself. The graph has no coordinates, so it gets some: the distances from a few landmarks far from each other, found by breadth-first search. A part is cut
//! at the median along the best of a few directions of its largest extents, as in inertial bisection; the separator is the smaller of the two boundaries of
//! the cut, and shrinks by the moves of [Fiduccia] between separator and parts. Parts of few particles are ordered by minimum degree. All ties are
//! decided by the numbers of particles: the order is a function of the pattern.

use super::ordering::{Order, minimum_degree};
use crate::pattern::Pattern;
use faer::sparse::FaerError;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Landmarks: dimensions of the coordinates.
const LANDMARKS: usize = 6;

/// Particles of a part that is not cut.
const LEAF: usize = 150;

/// Passes over a separator, and moves of a pass that may go by without a better state.
const PASSES: usize = 4;
const FRUITLESS: usize = 40;

/// A part has at least this fraction of what its parent has.
const SMALLEST: f64 = 0.3;

type Point = [f64; LANDMARKS];

/// Where a particle is.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
    Separator,
    /// In another part.
    Elsewhere,
}

/// Nested dissection of a pattern.
pub(super) fn dissection(pattern: &Pattern) -> Result<Order, FaerError> {
    let n = pattern.rows();
    let mut work = Dissection {
        pattern,
        points: vec![[0.0; LANDMARKS]; n],
        side: vec![Side::Elsewhere; n],
        best: vec![Side::Elsewhere; n],
        local: vec![u32::MAX; n],
        values: Vec::new(),
        moves: BinaryHeap::new(),
        locked: vec![false; n],
        log: Vec::new(),
    };
    let (mut old, mut open) = components(pattern);
    for &(start, end) in open.iter().filter(|(start, end)| end - start > LEAF) {
        landmarks(pattern, &old[start..end], &mut work.local, &mut work.points);
    }
    work.local.fill(u32::MAX);
    while let Some((start, end)) = open.pop() {
        let part = &mut old[start..end];
        match work.cut(part) {
            Some((left, right)) => {
                let middle = start + left;
                open.extend([(start, middle), (middle, middle + right)]);
            }
            None => work.order_leaf(part)?,
        }
    }
    Ok(Order::from_old(old))
}

/// Particles by connected components, and where each component is.
fn components(pattern: &Pattern) -> (Vec<u32>, Vec<(usize, usize)>) {
    let n = pattern.rows();
    let (mut seen, mut all, mut ranges) = (vec![false; n], Vec::with_capacity(n), Vec::new());
    for first in 0..n {
        if seen[first] {
            continue;
        }
        let start = all.len();
        seen[first] = true;
        all.push(first as u32);
        let mut head = start;
        while let Some(&i) = all.get(head) {
            head += 1;
            for &j in &pattern.columns[pattern.row(i as usize)] {
                if !std::mem::replace(&mut seen[j as usize], true) {
                    all.push(j);
                }
            }
        }
        ranges.push((start, all.len()));
    }
    (all, ranges)
}

/// Distances from landmarks of a component, each of which is farthest from those before.
fn landmarks(pattern: &Pattern, component: &[u32], distance: &mut [u32], points: &mut [Point]) {
    let mut nearest = vec![u32::MAX; component.len()];
    let mut queue = Vec::with_capacity(component.len());
    let mut landmark = component[0];
    for k in 0..=LANDMARKS {
        component.iter().for_each(|i| distance[*i as usize] = u32::MAX);
        queue.clear();
        queue.push(landmark);
        distance[landmark as usize] = 0;
        let mut head = 0;
        while let Some(&i) = queue.get(head) {
            head += 1;
            let next = distance[i as usize] + 1;
            for &j in &pattern.columns[pattern.row(i as usize)] {
                if distance[j as usize] == u32::MAX {
                    distance[j as usize] = next;
                    queue.push(j);
                }
            }
        }
        let mut farthest = (0, landmark);
        for (nearest, &i) in nearest.iter_mut().zip(component) {
            let steps = distance[i as usize];
            // The first search only finds the first landmark.
            if k > 0 {
                points[i as usize][k - 1] = f64::from(steps);
                *nearest = steps.min(*nearest);
            }
            let away = if k > 0 { *nearest } else { steps };
            if away > farthest.0 {
                farthest = (away, i);
            }
        }
        landmark = farthest.1;
    }
}

struct Dissection<'a> {
    pattern: &'a Pattern,
    points: Vec<Point>,
    side: Vec<Side>,
    best: Vec<Side>,
    local: Vec<u32>,
    values: Vec<(f64, u32)>,
    /// Moves out of the separator: what it loses, the particle, the side it goes to.
    moves: BinaryHeap<(i32, Reverse<u32>, usize)>,
    locked: Vec<bool>,
    /// Where particles were before they moved.
    log: Vec<(u32, Side)>,
}

impl Dissection<'_> {
    /// Arranges a part as left, right and separator, and returns the sizes of the first two; `None` where it is small or has no good separator.
    fn cut(&mut self, part: &mut [u32]) -> Option<(usize, usize)> {
        if part.len() <= LEAF {
            return None;
        }
        let [first, second] = self.axes(part);
        let mut smallest = usize::MAX;
        for direction in [first, second, combine(&first, &second, 1.0), combine(&first, &second, -1.0)] {
            let Some(direction) = direction else { continue };
            let separator = self.separate(part, &direction);
            if separator < smallest {
                smallest = separator;
                part.iter().for_each(|i| self.best[*i as usize] = self.side[*i as usize]);
            }
        }
        if smallest == usize::MAX {
            return None;
        }
        part.iter().for_each(|i| self.side[*i as usize] = self.best[*i as usize]);
        self.refine(part);
        let count = |side| part.iter().filter(|i| self.side[**i as usize] == side).count();
        let (left, right) = (count(Side::Left), count(Side::Right));
        let good = left.min(right) as f64 >= 0.1 * part.len() as f64;
        let side = &self.side;
        if good {
            part.sort_unstable_by_key(|i| (side[*i as usize] as u8, *i));
        }
        part.iter().for_each(|i| self.side[*i as usize] = Side::Elsewhere);
        good.then_some((left, right))
    }

    /// The two directions in which the points of a part extend most.
    fn axes(&self, part: &[u32]) -> [Option<Point>; 2] {
        let mut mean = [0.0; LANDMARKS];
        for i in part {
            (0..LANDMARKS).for_each(|k| mean[k] += self.points[*i as usize][k]);
        }
        mean.iter_mut().for_each(|mean| *mean /= part.len() as f64);
        let mut spread = [[0.0; LANDMARKS]; LANDMARKS];
        for i in part {
            let p: Point = std::array::from_fn(|k| self.points[*i as usize][k] - mean[k]);
            for (row, a) in spread.iter_mut().zip(p) {
                (0..LANDMARKS).for_each(|k| row[k] += a * p[k]);
            }
        }
        let mut axes = [None; 2];
        for axis in &mut axes {
            let start = (0..LANDMARKS).max_by(|a, b| spread[*a][*a].total_cmp(&spread[*b][*b]));
            let mut direction = spread[start.unwrap_or(0)];
            for _ in 0..20 {
                let Some(unit) = normalized(&direction) else { break };
                direction = std::array::from_fn(|k| dot(&spread[k], &unit));
            }
            *axis = normalized(&direction);
            if let Some(unit) = axis {
                let extent = dot(&direction, unit);
                for (row, a) in spread.iter_mut().zip(*unit) {
                    (0..LANDMARKS).for_each(|k| row[k] -= extent * a * unit[k]);
                }
            }
        }
        axes
    }

    /// Cuts a part at the median along a direction; the size of the separator.
    fn separate(&mut self, part: &[u32], direction: &Point) -> usize {
        self.values.clear();
        self.values.extend(part.iter().map(|i| (dot(&self.points[*i as usize], direction), *i)));
        let half = part.len() / 2;
        self.values.select_nth_unstable_by(half, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (k, (_, i)) in self.values.iter().enumerate() {
            self.side[*i as usize] = if k < half { Side::Left } else { Side::Right };
        }
        let touches = |i: u32, side: &[Side], other| {
            self.pattern.columns[self.pattern.row(i as usize)].iter().any(|j| side[*j as usize] == other)
        };
        let [left, right] = [(Side::Left, Side::Right), (Side::Right, Side::Left)].map(|(own, other)| {
            part.iter().filter(|i| self.side[**i as usize] == own && touches(**i, &self.side, other)).count()
        });
        let (own, other) = if left <= right { (Side::Left, Side::Right) } else { (Side::Right, Side::Left) };
        for i in part {
            if self.side[*i as usize] == own && touches(*i, &self.side, other) {
                self.side[*i as usize] = Side::Separator;
            }
        }
        left.min(right)
    }

    /// Moves particles of the separator into a part, best moves first, even where that makes the separator larger for a while; the best state is kept.
    fn refine(&mut self, part: &[u32]) {
        let count = |side, of: &[Side]| part.iter().filter(|i| of[**i as usize] == side).count();
        let mut sizes = [count(Side::Left, &self.side), count(Side::Right, &self.side)];
        let least = (SMALLEST * part.len() as f64) as usize;
        let state = |sizes: &[usize; 2]| (part.len() - sizes[0] - sizes[1], sizes[0].abs_diff(sizes[1]));
        for _ in 0..PASSES {
            let (mut best, mut kept, mut fruitless) = (state(&sizes), 0, 0);
            let begun = best;
            self.moves.clear();
            self.log.clear();
            for i in part {
                self.propose(*i);
            }
            while let Some((gain, Reverse(i), to)) = self.moves.pop() {
                if self.side[i as usize] != Side::Separator || self.locked[i as usize] {
                    continue;
                }
                let (own, other) = if to == 0 { (Side::Left, Side::Right) } else { (Side::Right, Side::Left) };
                let drawn = self.touches(i, other);
                if 1 - drawn as i32 != gain {
                    self.moves.push((1 - drawn as i32, Reverse(i), to));
                    continue;
                }
                if sizes[1 - to] < least + drawn {
                    continue;
                }
                self.locked[i as usize] = true;
                self.put(i, own);
                sizes[to] += 1;
                sizes[1 - to] -= drawn;
                let pattern = self.pattern;
                for &j in &pattern.columns[pattern.row(i as usize)] {
                    if self.side[j as usize] == other {
                        self.put(j, Side::Separator);
                        self.propose(j);
                        pattern.columns[pattern.row(j as usize)].iter().for_each(|k| self.propose(*k));
                    }
                }
                fruitless += 1;
                if state(&sizes) < best {
                    (best, kept, fruitless) = (state(&sizes), self.log.len(), 0);
                }
                if fruitless > FRUITLESS {
                    break;
                }
            }
            for (i, before) in self.log.drain(kept..).rev() {
                self.side[i as usize] = before;
                self.locked[i as usize] = false;
            }
            self.log.iter().for_each(|(i, _)| self.locked[*i as usize] = false);
            sizes = [count(Side::Left, &self.side), count(Side::Right, &self.side)];
            if best == begun {
                break;
            }
        }
    }

    fn put(&mut self, i: u32, side: Side) {
        self.log.push((i, std::mem::replace(&mut self.side[i as usize], side)));
    }

    /// Neighbours on a side.
    fn touches(&self, i: u32, side: Side) -> usize {
        self.pattern.columns[self.pattern.row(i as usize)].iter().filter(|j| self.side[**j as usize] == side).count()
    }

    /// Lists the two moves of a particle, if it is in the separator: it leaves it, and its neighbours on the other side enter.
    fn propose(&mut self, i: u32) {
        if self.side[i as usize] == Side::Separator && !self.locked[i as usize] {
            for (to, other) in [(0, Side::Right), (1, Side::Left)] {
                let gain = 1 - self.touches(i, other) as i32;
                self.moves.push((gain, Reverse(i), to));
            }
        }
    }

    /// Minimum degree within a part.
    fn order_leaf(&mut self, part: &mut [u32]) -> Result<(), FaerError> {
        if part.len() < 3 {
            return Ok(());
        }
        part.sort_unstable();
        for (k, i) in part.iter().enumerate() {
            self.local[*i as usize] = k as u32;
        }
        let mut inner = Pattern { row_start: vec![0], ..Pattern::default() };
        for i in part.iter() {
            for j in &self.pattern.columns[self.pattern.row(*i as usize)] {
                let local = self.local[*j as usize];
                if local != u32::MAX {
                    if j == i {
                        inner.diagonal.push(inner.columns.len() as u32);
                    }
                    inner.columns.push(local);
                }
            }
            inner.row_start.push(inner.columns.len() as u32);
        }
        let order = minimum_degree(&inner)?;
        part.iter().for_each(|i| self.local[*i as usize] = u32::MAX);
        let sorted = part.to_vec();
        for (to, old) in part.iter_mut().zip(&order.old) {
            *to = sorted[*old as usize];
        }
        Ok(())
    }
}

fn dot(a: &Point, b: &Point) -> f64 {
    let mut sum = 0.0;
    (0..LANDMARKS).for_each(|k| sum += a[k] * b[k]);
    sum
}

fn normalized(a: &Point) -> Option<Point> {
    let length = dot(a, a).sqrt();
    (length > 1e-9).then(|| a.map(|a| a / length))
}

fn combine(a: &Option<Point>, b: &Option<Point>, sign: f64) -> Option<Point> {
    let (a, b) = (a.as_ref()?, b.as_ref()?);
    Some(std::array::from_fn(|k| a[k] + sign * b[k]))
}
