//! Where a fluid comes from and where it goes: particles that reach an outlet are put back at the end of the queue in front of a source.
//!
//! A source is a straight pipe: a lattice of particles, layer behind layer, that moves with the inflow velocity whatever pushes it, up to the mouth.
//! There particles are let go. Whoever is in an outlet where a step has ended becomes the next of the queue: the next free place of the last layer,
//! one spacing behind the one before. If all are on their way the source pauses. So particles keep their numbers, and their number stays. Particles in
//! the pipe push their neighbours but feel no walls, so that the pipe may come through one; its mouth should be two spacings in front of it.

use std::ops::Range;

use glam::DVec3;
use pliant_core::State;

use super::settings::{FluidError, check};

/// A source with its outlets.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// The fluid's particles that take part.
    pub particles: Range<usize>,
    /// Those that wait in the pipe at the start, at the end of the range: whole layers, the first of them at the mouth.
    pub waiting: usize,
    /// Middles of the cells of the mouth, m.
    pub mouth: Vec<DVec3>,
    /// Velocity of the inflow, m/s: out of the pipe.
    pub velocity: DVec3,
    /// Distance of layers, m.
    pub spacing: f64,
    /// Boxes, m: their lowest and highest corners.
    pub outlets: Vec<[DVec3; 2]>,
}

impl Stream {
    pub(super) fn check(&self, count: usize) -> Result<(), FluidError> {
        check("the speed of a source", self.velocity.length(), false)?;
        check("the spacing of a source", self.spacing, false)?;
        let (from, to) = (self.particles.start, self.particles.end);
        if to > count || self.waiting > self.particles.len() {
            return Err(FluidError::NoSuchParticles { from, to, count });
        }
        let range = "at least one cell";
        if self.mouth.is_empty() {
            return Err(FluidError::OutOfRange { what: "the mouth of a source", value: 0.0, range });
        }
        Ok(())
    }

    /// Where the particle of a place in the queue is, m, at a time, s: layers follow each other, the first leaves half a spacing after the start.
    pub fn place(&self, slot: u64, time: f64) -> DVec3 {
        let (cells, direction) = (self.mouth.len() as u64, self.velocity.normalize_or_zero());
        let behind = ((slot / cells) as f64 + 0.5) * self.spacing - self.velocity.length() * time;
        self.mouth[(slot % cells) as usize] - direction * behind
    }

    /// How far a place is in front of the mouth, m.
    fn ahead(&self, x: DVec3) -> f64 {
        (x - self.mouth[0]).dot(self.velocity.normalize_or_zero())
    }

    fn drains(&self, x: DVec3) -> bool {
        self.outlets.iter().any(|[low, high]| x.cmpge(*low).all() && x.cmple(*high).all())
    }
}

/// A stream that is under way.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    stream: Stream,
    /// Which of the stream's particles are in the pipe.
    held: Vec<bool>,
    /// The next place of the queue.
    next: u64,
}

impl Flow {
    pub fn new(stream: Stream) -> Self {
        let mut flow = Self { stream, held: Vec::new(), next: 0 };
        flow.forget();
        flow
    }

    /// As at the start.
    pub fn forget(&mut self) {
        let (count, waiting) = (self.stream.particles.len(), self.stream.waiting);
        self.held = (0..count).map(|k| k >= count - waiting).collect();
        self.next = waiting as u64;
    }

    /// Particles in the pipe.
    pub fn held(&self) -> impl Iterator<Item = usize> {
        let all = self.stream.particles.clone().zip(&self.held);
        all.filter(|(_, held)| **held).map(|(particle, _)| particle)
    }

    /// Lets go whoever is at the mouth and takes back whoever is in an outlet; whether anybody was moved.
    pub fn renew(&mut self, state: &mut State, free: &mut [bool]) -> bool {
        let (stream, mut moved) = (&self.stream, false);
        for (particle, held) in stream.particles.clone().zip(&mut self.held) {
            let x = state.x[particle];
            if *held {
                state.v[particle] = stream.velocity;
                *held = stream.ahead(x) < 0.0;
            } else if stream.drains(x) {
                // layers that have passed the mouth while nobody waited are lost
                let cells = stream.mouth.len() as u64;
                while stream.ahead(stream.place(self.next, state.time)) >= 0.0 {
                    self.next = (self.next / cells + 1) * cells;
                }
                state.x[particle] = stream.place(self.next, state.time);
                state.v[particle] = stream.velocity;
                self.next += 1;
                (*held, moved) = (true, true);
            }
            free[particle] = !*held;
        }
        moved
    }

    pub fn remember(&self, memory: &mut Vec<f64>) {
        memory.push(self.next as f64);
        memory.extend(self.held.iter().map(|held| f64::from(*held)));
    }

    /// How many numbers it took.
    pub fn restore(&mut self, memory: &[f64]) -> usize {
        let Some((next, held)) = memory.get(..=self.held.len()).and_then(<[f64]>::split_first) else { return 0 };
        self.next = *next as u64;
        self.held.iter_mut().zip(held).for_each(|(held, stored)| *held = *stored != 0.0);
        1 + self.held.len()
    }
}
