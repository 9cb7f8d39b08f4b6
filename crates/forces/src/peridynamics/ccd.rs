//! Step limits: no bond exceeds its allowed overshoot, and no fragment passes through another.
//!
//! Fragments repel each other within the contact distance of their particles, so a step must not jump over it: two fragments may approach by at most
//! the gap between their boxes plus a quarter of a spacing. The step of an isolated fragment is not limited.

use glam::DVec3;
use pliant_core::{CollisionFreeStep, View};
use pliant_geom::Aabb;

use super::model::Peridynamics;

/// Allowed approach of fragments beyond the gap between their boxes, as a fraction of the spacing.
const APPROACH: f64 = 0.25;
/// Target of a shortened step, as a fraction of the allowed overshoot.
const AIM: f64 = 0.5;

/// A fragment with its motion over a step.
#[derive(Clone, Copy, Debug)]
struct Moving {
    from: Aabb,
    swept: Aabb,
    mean: DVec3,
    /// Largest displacement of its particles relative to the mean, m.
    spread: f64,
    particle: usize,
    count: f64,
}

impl Peridynamics {
    /// The largest fraction of the step on which no bond exceeds its allowed length.
    pub(super) fn free_of_tearing(&self, from: &View, to: &View) -> CollisionFreeStep {
        let Some(overshoot) = self.breaking.overshoot else { return CollisionFreeStep::FULL };
        let mut free_step = CollisionFreeStep::FULL;
        // breaking is evaluated at the end of the step
        let apart = |i: usize, j: usize| to.x[self.first + i].distance(to.x[self.first + j]);
        for i in 0..self.families.len() {
            let constants = self.nature_of[i] as usize;
            let (critical, toughening) =
                (self.constants[constants].critical, self.bodies[constants].material.toughening);
            for (group, lane, j) in self.families.bonds(i).filter(|(_, _, j)| *j > i) {
                let rest = self.families.rest[group][lane];
                let long = |view: &View| view.x[self.first + i].distance(view.x[self.first + j]) - rest;
                if self.families.stiffness[group][lane] > 0.0 && long(to) > critical * rest * (1.0 + overshoot) {
                    let (start, end) = (long(from), long(to));
                    let least =
                        |toughening: f64| toughening * self.least_stretch(i, apart).max(self.least_stretch(j, apart));
                    let tougher = if toughening > 0.0 { -least(toughening) } else { 0.0 };
                    let limit = (critical + tougher) * rest;
                    if end <= limit * (1.0 + overshoot) {
                        continue;
                    }
                    let fraction = (limit * (1.0 + AIM * overshoot) - start) / (end - start);
                    if fraction < free_step.fraction {
                        free_step = CollisionFreeStep { fraction: fraction.clamp(0.0, 1.0), particle: self.first + i };
                    }
                }
            }
        }
        free_step
    }

    /// The collision-free fraction of the step with respect to other fragments.
    pub(super) fn free_of_passing(&mut self, from: &View, to: &View) -> CollisionFreeStep {
        let range = self.first..self.first + self.families.len();
        let spacing = self.bodies.iter().map(|body| body.spacing).fold(f64::INFINITY, f64::min);
        let allowed = APPROACH * spacing;
        let (x0, x1) = (&from.x[range.clone()], &to.x[range]);
        // nearly uniform motion has no collisions
        let mean = x0.iter().zip(x1).map(|(a, b)| *b - *a).sum::<DVec3>() / x0.len().max(1) as f64;
        let limit = 0.25 * allowed * allowed;
        if x0.iter().zip(x1).all(|(a, b)| (*b - *a - mean).length_squared() <= limit) {
            return CollisionFreeStep::FULL;
        }
        let fragments = self.fragments();
        if fragments.count < 2 {
            return CollisionFreeStep::FULL;
        }
        let mut moving = boxes(&fragments.of, fragments.count, x0, x1);
        moving.sort_by(|a, b| a.swept.low.x.total_cmp(&b.swept.low.x));
        let mut free_step = CollisionFreeStep::FULL;
        for (k, a) in moving.iter().enumerate() {
            for b in moving[k + 1..].iter().take_while(|b| b.swept.low.x <= a.swept.high.x) {
                let overlap = a.swept.low.max(b.swept.low).cmple(a.swept.high.min(b.swept.high)).all();
                let approach = (a.mean - b.mean).length() + a.spread + b.spread;
                let gap = (a.from.low - b.from.high).max(b.from.low - a.from.high).max(DVec3::ZERO).length();
                if overlap && approach > gap + allowed && (gap + allowed) / approach < free_step.fraction {
                    free_step =
                        CollisionFreeStep { fraction: (gap + allowed) / approach, particle: self.first + a.particle };
                }
            }
        }
        free_step
    }
}

fn boxes(of: &[u32], count: usize, x0: &[DVec3], x1: &[DVec3]) -> Vec<Moving> {
    let empty = Aabb { low: DVec3::INFINITY, high: DVec3::NEG_INFINITY };
    let none = Moving { from: empty, swept: empty, mean: DVec3::ZERO, spread: 0.0, particle: 0, count: 0.0 };
    let mut all = vec![none; count];
    for (i, ((fragment, a), b)) in of.iter().zip(x0).zip(x1).enumerate() {
        let one = &mut all[*fragment as usize];
        one.from = Aabb { low: one.from.low.min(*a), high: one.from.high.max(*a) };
        one.swept = Aabb { low: one.swept.low.min(a.min(*b)), high: one.swept.high.max(a.max(*b)) };
        one.mean += *b - *a;
        one.particle = if one.count == 0.0 { i } else { one.particle };
        one.count += 1.0;
    }
    all.iter_mut().for_each(|one| one.mean /= one.count);
    for ((fragment, a), b) in of.iter().zip(x0).zip(x1) {
        let one = &mut all[*fragment as usize];
        one.spread = one.spread.max((*b - *a - one.mean).length());
    }
    all
}
