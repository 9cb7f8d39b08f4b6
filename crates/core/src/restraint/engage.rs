//! When bodies are restrained at all: once most of a body would be at rest with forces in balance, and not for a while after it woke as a whole.

use std::ops::Range;

use glam::DVec3;

use super::{Limits, Restraint};

/// Particles that are restrained together, or not at all.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Group {
    pub particles: Range<usize>,
    rest_fraction: f64,
    pub is_engaged: bool,
    /// Whether it was not restrained in the step before.
    is_newly_restrained: bool,
    /// Number of consecutive releases, and steps until it is restrained again.
    failures: u32,
    has_failed: bool,
    wait: u32,
    /// Time since which a sufficient fraction of it is at rest, s; infinite while it is not.
    calm_since: f64,
    /// Whether it is not restrained until the end of the stage.
    pub is_released: bool,
}

impl Group {
    fn release(&mut self, limits: &mut [Limits]) {
        self.is_released = true;
        limits[self.particles.clone()].fill(Limits::NONE);
    }

    fn fail(&mut self) {
        // a step that is retried has failed once
        self.failures += u32::from(!self.has_failed);
        self.has_failed = true;
        self.wait = (SHORTEST_WAIT << self.failures.min(16)).min(LONGEST_WAIT);
    }

    pub fn new(particles: Range<usize>, rest_fraction: f64) -> Self {
        Self {
            particles,
            rest_fraction,
            is_engaged: rest_fraction == 0.0,
            is_newly_restrained: false,
            failures: 0,
            has_failed: false,
            wait: 0,
            calm_since: f64::INFINITY,
            is_released: false,
        }
    }
}

/// Number of steps for which a body is not restrained after a failure: doubled at each failure, between these limits.
const SHORTEST_WAIT: u32 = 4;
const LONGEST_WAIT: u32 = 64;
/// Time for which a body must be at rest before it is restrained, s: the time constant of damping, but at most this. A body released from rest is at
/// rest as well, and is about to fall.
const LONGEST_CALM: f64 = 0.1;

/// Numbers per body that a restart needs.
const REMEMBERED: usize = 5;

impl Restraint {
    /// Restrains each of these ranges of particles only once at least the given fraction of it would have been at rest for a while, and from then on
    /// until half that fraction is left (hysteresis): restraint gains nothing for a body that moves as a whole, and transitions have a cost. Particles
    /// in none of the ranges are never restrained.
    pub fn restrain_groups(&mut self, ranges: impl IntoIterator<Item = (Range<usize>, f64)>) {
        self.groups =
            ranges.into_iter().map(|(particles, rest_fraction)| Group::new(particles, rest_fraction)).collect();
        for group in self.groups.iter().filter(|group| !group.is_engaged) {
            self.limits[group.particles.clone()].fill(Limits::NONE);
        }
        self.note_engaged();
    }

    /// Releases bodies that are restrained for the first time, until [`Restraint::restore_limits`]: their forces must be in balance, which is not
    /// guaranteed otherwise. Returns whether there are any.
    pub fn release_newly_restrained(&mut self) -> bool {
        let Self { groups, limits, .. } = self;
        for group in groups.iter_mut().filter(|group| group.is_engaged && group.is_newly_restrained) {
            group.release(limits);
        }
        self.has_released()
    }

    /// Releases bodies of which more than half moves at once, or any particle at all if it is `late`. They are restrained again only some steps
    /// later. Returns whether there are any.
    pub fn release_woken(&mut self, late: bool, v: &[DVec3], free: &[bool]) -> bool {
        let Self { groups, limits, .. } = self;
        let mut any = false;
        for group in
            groups.iter_mut().filter(|group| group.is_engaged && group.rest_fraction > 0.0 && !group.is_released)
        {
            let moves = |i: &usize| free[*i] && v[*i].length_squared() > limits[*i].stop * limits[*i].stop;
            let moving = group.particles.clone().filter(moves).count();
            if moving == 0 || !late && 2 * moving <= group.particles.len() {
                continue;
            }
            any = true;
            group.release(limits);
            group.fail();
        }
        any
    }

    /// Records that forces on released bodies are still not in balance.
    pub fn note_unbalanced(&mut self) {
        self.groups.iter_mut().filter(|group| group.is_released).for_each(Group::fail);
    }

    /// Whether any particle can be restrained in this step.
    pub fn is_engaged(&self) -> bool {
        self.is_engaged
    }

    /// Stored, because it is queried for every particle.
    fn note_engaged(&mut self) {
        self.is_engaged = self.groups.iter().any(|group| group.is_engaged);
    }

    /// Whether any body is released.
    pub fn has_released(&self) -> bool {
        self.groups.iter().any(|group| group.is_released)
    }

    /// What a restart needs.
    pub fn memory(&self) -> Vec<f64> {
        let of = |g: &Group| {
            let [is_engaged, is_newly_restrained] =
                [g.is_engaged, g.is_newly_restrained].map(|yes| f64::from(u8::from(yes)));
            [is_engaged, is_newly_restrained, g.failures.into(), g.wait.into(), g.calm_since]
        };
        self.groups.iter().flat_map(of).collect()
    }

    /// Restores what [`Restraint::memory`] returned at this state; returns whether it is of a restraint with as many bodies.
    pub fn restore(&mut self, x: &[DVec3], memory: &[f64]) -> bool {
        if memory.is_empty() || memory.len() != REMEMBERED * self.groups.len() {
            return false;
        }
        for (group, stored) in self.groups.iter_mut().zip(memory.as_chunks::<REMEMBERED>().0) {
            let [is_engaged, is_newly_restrained, failures, wait, calm_since] = *stored;
            (group.is_engaged, group.is_newly_restrained) = (is_engaged != 0.0, is_newly_restrained != 0.0);
            (group.failures, group.wait, group.calm_since) = (failures as u32, wait as u32, calm_since);
        }
        self.note_engaged();
        self.update_limits(x, true);
        true
    }

    /// Decides which bodies can be restrained in a step that starts from here; [`Restraint::update_limits`] applies it. Returns whether any changed.
    pub fn update_groups(&mut self, time: f64, x: &[DVec3], v: &[DVec3]) -> bool {
        let Self { given, level_of_detail, groups, damping_time, .. } = self;
        let detail = level_of_detail.as_ref();
        let calm = damping_time.min(LONGEST_CALM);
        let mut changed = false;
        for Group {
            particles,
            rest_fraction,
            is_engaged,
            is_newly_restrained,
            failures,
            has_failed,
            wait,
            calm_since,
            ..
        } in groups
        {
            let stop = |i: usize| given[i].stop * detail.map_or(1.0, |detail| detail.factor(x[i]));
            let standing = || particles.clone().filter(|i| v[*i].length_squared() <= stop(*i).powi(2)).count();
            let least = if *is_engaged { 0.5 * *rest_fraction } else { *rest_fraction } * particles.len() as f64;
            let is_calm = *rest_fraction > 0.0 && *wait == 0 && standing() as f64 >= least;
            *calm_since = if is_calm { calm_since.min(time) } else { f64::INFINITY };
            let engages = *rest_fraction == 0.0 || is_calm && (*is_engaged || time >= *calm_since + calm);
            let was_engaged = std::mem::replace(is_engaged, engages);
            changed |= was_engaged != engages;
            let was_newly_restrained = std::mem::replace(is_newly_restrained, engages && !was_engaged);
            *wait = wait.saturating_sub(1);
            // a first step, in which it was released, does not count
            if was_engaged && !was_newly_restrained && !*has_failed {
                *failures = failures.saturating_sub(1);
            }
            *has_failed = false;
        }
        self.note_engaged();
        changed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::restraint::Criterion;

    const COUNT: usize = 8;

    /// A body that is restrained once three quarters of its particles rest.
    struct Body {
        restraint: Restraint,
        time: f64,
    }

    impl Body {
        fn new() -> Self {
            let limits = Limits::new(Criterion::Ramp, 0.4, 1.3, 0.0);
            let mut restraint = Restraint::new(Criterion::Ramp, vec![limits; COUNT], 0.0);
            restraint.restrain_groups([(0..COUNT, 0.75)]);
            Self { restraint, time: 0.0 }
        }

        fn velocities(resting: usize) -> Vec<DVec3> {
            (0..COUNT).map(|i| if i < resting { DVec3::ZERO } else { DVec3::X }).collect()
        }

        /// Whether it is restrained in the step that starts now.
        fn step(&mut self, resting: usize) -> bool {
            let x = vec![DVec3::ZERO; COUNT];
            let changed = self.restraint.update_groups(self.time, &x, &Self::velocities(resting));
            self.restraint.update_limits(&x, changed);
            self.time += 1.0;
            self.restraint.is_engaged()
        }

        /// Whether it is released where all of its particles move at once.
        fn is_woken(&mut self) -> bool {
            self.restraint.restore_limits(&[DVec3::ZERO; COUNT]);
            self.restraint.release_woken(false, &Self::velocities(0), &[true; COUNT])
        }
    }

    #[test]
    fn bodies_stay_restrained_until_half_of_the_fraction_is_left() {
        let mut body = Body::new();
        let restrained = [5, 6, 4, 3, 2, 5, 6].map(|resting| body.step(resting));
        assert_eq!(restrained, [false, true, true, true, false, false, true]);
    }

    #[test]
    fn bodies_that_wake_again_and_again_wait_twice_as_long_each_time() {
        let mut body = Body::new();
        let waits = [(); 5].map(|()| {
            let waited = (0..100).take_while(|_| !body.step(COUNT)).count();
            assert!(body.is_woken());
            waited
        });
        assert_eq!(waits, [0, 8, 16, 32, 64]);
    }

    #[test]
    fn memory_of_another_number_of_bodies_is_refused() {
        let mut body = Body::new();
        body.step(COUNT);
        let (x, memory) = ([DVec3::ZERO; COUNT], body.restraint.memory());
        let mut other = Body::new();
        for wrong in [vec![], memory[1..].to_vec(), [&memory[..], &memory].concat()] {
            assert!(!other.restraint.restore(&x, &wrong), "{wrong:?}");
            assert!(!other.restraint.is_engaged());
        }
        assert!(other.restraint.restore(&x, &memory) && other.restraint.is_engaged());
    }
}
