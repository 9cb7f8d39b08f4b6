//! Sources and outlets of a fluid: particles that reach an outlet return to the end of the queue of a source.
//!
//! A source is a straight pipe: a lattice of particles, layer behind layer, that moves with the inflow velocity regardless of forces, up to the
//! mouth. There particles are released. A particle that is in an outlet at the end of a step becomes the next of the queue: it takes the next free
//! place of the last layer, one spacing behind the one before. If no particle is left in the queue, the source pauses. So particles keep their
//! indices, and their number is constant. Particles in the pipe act on their neighbours but ignore walls, so that the pipe may pass through one; its
//! mouth should be two spacings in front of it.

use std::ops::Range;

use glam::DVec3;
use pliant_core::State;

use super::settings::{FluidError, check};

/// A source with its outlets.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// The fluid's particles that take part.
    pub particles: Range<usize>,
    /// Number of particles in the pipe at the start, at the end of the range: whole layers, the first of them at the mouth.
    pub waiting: usize,
    /// Centres of the cells of the mouth, m.
    pub mouth: Vec<DVec3>,
    /// Inflow velocity, out of the pipe, m/s.
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

    /// Position of a place in the queue, m, at a time, s: layers follow each other, the first leaves half a spacing after the start.
    pub fn position(&self, slot: u64, time: f64) -> DVec3 {
        let (cells, direction) = (self.mouth.len() as u64, self.velocity.normalize_or_zero());
        let behind = ((slot / cells) as f64 + 0.5) * self.spacing - self.velocity.length() * time;
        self.mouth[(slot % cells) as usize] - direction * behind
    }

    /// Distance of a point in front of the mouth, m.
    fn ahead(&self, x: DVec3) -> f64 {
        (x - self.mouth[0]).dot(self.velocity.normalize_or_zero())
    }

    fn drains(&self, x: DVec3) -> bool {
        self.outlets.iter().any(|[low, high]| x.cmpge(*low).all() && x.cmple(*high).all())
    }
}

/// Runtime state of a stream.
#[derive(Clone, Debug)]
pub(super) struct Flow {
    stream: Stream,
    /// Whether each of the stream's particles is in the pipe.
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

    /// Resets to the initial state.
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

    /// Releases particles at the mouth and returns particles in an outlet to the queue; whether any particle was moved.
    pub fn recycle(&mut self, state: &mut State, free: &mut [bool]) -> bool {
        let (stream, mut moved) = (&self.stream, false);
        for (particle, held) in stream.particles.clone().zip(&mut self.held) {
            let x = state.x[particle];
            if *held {
                state.v[particle] = stream.velocity;
                *held = stream.ahead(x) < 0.0;
            } else if stream.drains(x) {
                // layers that have passed the mouth while the queue was empty are skipped
                let cells = stream.mouth.len() as u64;
                while stream.ahead(stream.position(self.next, state.time)) >= 0.0 {
                    self.next = (self.next / cells + 1) * cells;
                }
                state.x[particle] = stream.position(self.next, state.time);
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

    /// Returns how many numbers were read.
    pub fn restore(&mut self, memory: &[f64]) -> usize {
        let Some((next, held)) = memory.get(..=self.held.len()).and_then(<[f64]>::split_first) else { return 0 };
        self.next = *next as u64;
        self.held.iter_mut().zip(held).for_each(|(held, stored)| *held = *stored != 0.0);
        1 + self.held.len()
    }
}
