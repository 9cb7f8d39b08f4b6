//! Continuous collision detection (CCD): the collision-free fraction of a step, a lower bound of the time of impact (TOI). Pairs of which no node
//! moves between the two states cannot collide: where few primitives move, only the pairs of those are searched.

use glam::DVec3;
use pliant_core::{CollisionFreeStep, DirtySet, Spread, View};
use pliant_geom::ccd::{self, Keep};
use pliant_geom::distance::certain_gap;
use pliant_geom::points_of;
use pliant_parallel::for_each_chunk;

use super::broad_phase::{BroadPhase, collect_all, may_collide, near_features, pairs_of, stays_apart, swept_box};
use super::contact_pair::Candidate;
use super::surface::Surface;

/// Fraction of the gap that must remain at the end of a step, and fraction of the thickness that suffices. Newton's method may approach further in
/// several steps; but a single step must not end almost in contact, where the barrier force grows as 1/r² and corrections are as short as r/2: far
/// below any position tolerance, so that the iteration would count as converged with forces that are wrong by powers of ten.
const MIN_GAP_PART: f64 = 0.2;

/// What [`BroadPhase::candidates`] found at the start of the path.
pub(super) struct KnownStart<'a> {
    /// Positions of all nodes there, m.
    pub x: &'a [DVec3],
    /// No pair that it left out is nearer than this, without radii, m.
    pub min_gap: f64,
}

/// Scratch space, kept between calls.
#[derive(Default)]
pub(super) struct CcdScratch {
    from: Vec<DVec3>,
    to: Vec<DVec3>,
    unused: Vec<DVec3>,
    /// Primitives that move between the two states.
    moving: DirtySet,
    /// How far each node comes from its position at the last search, m.
    shifts: Vec<f64>,
    pairs: Vec<Candidate>,
    fractions: Vec<f64>,
}

impl BroadPhase {
    /// The collision-free fraction of the straight path between two states.
    pub fn collision_free_step(
        &mut self,
        surface: &Surface,
        known: &KnownStart,
        from: &View,
        to: &View,
    ) -> CollisionFreeStep {
        let mut sweep = std::mem::take(&mut self.sweep);
        surface.place(from.time, from.x, from.v, &mut sweep.from, &mut sweep.unused);
        surface.place(to.time, to.x, to.v, &mut sweep.to, &mut sweep.unused);
        let free_step = self.free_of(surface, known, from, to, &mut sweep);
        self.sweep = sweep;
        free_step
    }

    fn free_of(
        &mut self,
        surface: &Surface,
        known: &KnownStart,
        from: &View,
        to: &View,
        sweep: &mut CcdScratch,
    ) -> CollisionFreeStep {
        if sweep.from == sweep.to && surface.planes.is_empty() {
            return CollisionFreeStep::FULL;
        }
        let most = MIN_GAP_PART * self.reach;
        let mut free_step = planes(surface, from, to, most);
        if self.near_lists_sweep(known, most, sweep) {
            let CcdScratch { from, to, pairs, .. } = &mut *sweep;
            pairs.clear();
            pairs.extend(self.near.iter().filter(|candidate| near_features(candidate, from, to, surface, 0.0)));
        } else if self.lists_sweep(sweep) {
            let CcdScratch { from, to, shifts, pairs, .. } = &mut *sweep;
            let is_near = |candidate: &Candidate, distance: f64| {
                let radius = surface.radius[candidate.nodes[0] as usize] + surface.radius[candidate.nodes[3] as usize];
                !stays_apart(candidate, distance, shifts, radius + most + self.rounding)
                    && near_features(candidate, from, to, surface, 0.0)
            };
            pairs.clear();
            let listed = self.candidates.iter().zip(&self.distances);
            pairs.extend(
                listed.filter(|(candidate, distance)| is_near(candidate, **distance)).map(|(candidate, _)| *candidate),
            );
        } else {
            self.find_moving(surface, sweep);
            self.find_swept(surface, sweep);
        }
        let CcdScratch { from: x0, to: x1, pairs, fractions, .. } = sweep;
        fractions.clear();
        fractions.resize(pairs.len(), 1.0);
        for_each_chunk(fractions, |start, fractions| {
            for (candidate, fraction) in pairs[start..].iter().zip(fractions) {
                let [first, .., last] = candidate.nodes;
                let radius = surface.radius[first as usize] + surface.radius[last as usize];
                let (from, to) = (points_of(x0, candidate.nodes), points_of(x1, candidate.nodes));
                if certain_gap(candidate.kind, &from, &to) < radius + most {
                    *fraction = ccd::time_of_impact(
                        &from,
                        &to,
                        candidate.kind,
                        Keep { separation: radius, part: MIN_GAP_PART, most },
                    );
                }
            }
        });
        for (candidate, fraction) in pairs.iter().zip(fractions) {
            if *fraction < free_step.fraction {
                let particle = candidate.nodes.iter().find(|node| (**node as usize) < surface.particles);
                free_step =
                    CollisionFreeStep { fraction: *fraction, particle: particle.map_or(0, |node| *node as usize) };
            }
        }
        free_step
    }

    /// Whether the pairs within reach at the start are all that can meet on the way: the path is so short that the others stay apart. Most
    /// corrections of Newton's method are.
    fn near_lists_sweep(&self, known: &KnownStart, most: f64, CcdScratch { from, to, .. }: &CcdScratch) -> bool {
        let longest2 = from.iter().zip(to).map(|(a, b)| a.distance_squared(*b)).fold(0.0, f64::max);
        let is_short = 2.0 * longest2.sqrt() + 2.0 * most + self.rounding <= known.min_gap;
        // `max` discards NaN
        is_short && self.near_is_complete && known.x == from && to.iter().all(|x| x.is_finite())
    }

    /// Whether the candidate list holds every pair that can meet on the way: all pairs were listed, and no node leaves its skin. A pair that is
    /// not listed was apart by more than both skins.
    fn lists_sweep(&self, CcdScratch { from, to, shifts, .. }: &mut CcdScratch) -> bool {
        shifts.clear();
        if !self.watched.is_all() || self.known_x.len() != from.len() {
            return false;
        }
        // between the two states a node is nowhere farther away than at one of them
        for (node, (a, b)) in from.iter().zip(to).enumerate() {
            if self.has_left_skin(node, *a) || self.has_left_skin(node, *b) {
                return false;
            }
            shifts.push(self.known_x[node].distance(*a).max(self.known_x[node].distance(*b)));
        }
        true
    }

    /// Collects the primitives that move between the two states, and those that have left their boxes in the tree.
    fn find_moving(&self, surface: &Surface, CcdScratch { from, to, moving, .. }: &mut CcdScratch) {
        moving.clear(surface.primitives.len());
        if self.known_x.len() != from.len() {
            return moving.add_all();
        }
        for (node, (a, b)) in from.iter().zip(to).enumerate() {
            // NaN counts as moved
            if a != b || self.has_left_skin(node, *a) {
                moving.extend(self.owners(node as u32));
            }
        }
        moving.sort_or_add_all(Spread::Wide);
    }

    /// Collects the feature pairs whose swept boxes overlap.
    fn find_swept(&mut self, surface: &Surface, CcdScratch { from, to, moving, pairs, .. }: &mut CcdScratch) {
        let (x0, x1): (&[DVec3], &[DVec3]) = (from, to);
        let swept = |k: usize| swept_box(&surface.primitives[k], x0, x1, surface);
        let meets = |nodes: &Candidate| near_features(nodes, x0, x1, surface, 0.0);
        pairs.clear();
        if moving.is_all() {
            self.tree.refit(0.0, swept);
            self.is_fitted = false;
            self.tree.self_pairs(|a, b| may_collide(surface, a, b), &mut self.pairs);
            return collect_all(surface, self.pairs.as_slice(), &mut self.lists, pairs, meets);
        }
        if !self.is_fitted {
            self.fit(surface);
        }
        self.tree.refit_few(moving.list(), 0.0, swept);
        pairs_of(&self.tree, surface, moving, |k| swept(k as usize), &mut self.few_pairs);
        collect_all(surface, &self.few_pairs, &mut self.lists, pairs, meets);
        let (margin, x) = (self.margin(), &self.known_x);
        self.tree.refit_few(moving.list(), margin, |k| swept_box(&surface.primitives[k], x, x, surface));
    }
}

/// The collision-free fraction with respect to all planes. The motion of a turning plane is linearized between the two states.
fn planes(surface: &Surface, from: &View, to: &View, most: f64) -> CollisionFreeStep {
    let mut free_step = CollisionFreeStep::FULL;
    for plane in &surface.planes {
        let ((point0, _, normal0), (point1, _, normal1)) = (plane.at(from.time), plane.at(to.time));
        for &vertex in &surface.vertices {
            let particle = vertex as usize;
            let radius = surface.radius[particle];
            let before = (from.x[particle] - point0).dot(normal0) - radius;
            let after = (to.x[particle] - point1).dot(normal1) - radius;
            let keep = (MIN_GAP_PART * before).min(most);
            if !(after >= keep && before > 0.0) {
                let fraction = ((before - keep) / (before - after)).clamp(0.0, 1.0);
                let fraction = if fraction.is_nan() || before <= 0.0 { 0.0 } else { fraction };
                if fraction < free_step.fraction {
                    free_step = CollisionFreeStep { fraction, particle };
                }
            }
        }
    }
    free_step
}
