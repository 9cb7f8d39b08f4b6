//! Motion of an aggregate: its translation and, where the positions of the particles are known, a rotation about its centre.
//!
//! The two are a pair of rows of the coarse matrix, so that blocks stay 3x3 on all levels. A node at r from the centre of its
//! aggregate, which moves by t and rotates by θ, moves by t + θ × r, and rotates by θ too if it is an aggregate itself:
//!
//! ```text
//! P₀ = [ I  turn(r) ]  translation of the node        turn(r) θ = θ × r
//!      [ 0     I    ]  its rotation, if it has one
//! ```
//!
//! The next level repeats this with the centres for nodes, and rigid motions of the whole are represented exactly on all of
//! them. A QR factorisation of each aggregate, as for modes that are not known in closed form ([Vanek] section 4), would
//! only change the basis of the pair; the smoother inverts the blocks and is independent of their scale.

use super::aggregate::{NONE, Reach, square};
use crate::block_csr::BlockCsr;
use glam::{DMat3, DVec3};

/// Nodes whose spread across a line is less than this part (squared) of that along it do not determine a rotation about it.
const COLLINEAR: f64 = 1e-6;

/// The nodes of a level.
#[derive(Clone, Copy)]
pub(super) struct Nodes<'a> {
    /// Rows per node: its translation, and its rotation.
    pub per: usize,
    /// Their positions; empty where unknown.
    pub at: &'a [DVec3],
}

impl Nodes<'_> {
    /// What the structure of a transfer depends on.
    pub fn kind(&self) -> (usize, bool) {
        (self.per, !self.at.is_empty())
    }

    /// Reach of an aggregate from its root. One with rotations may be larger, and has to be, or the next matrix
    /// is as large as this one.
    pub fn reach(&self) -> Reach {
        if self.per == 1 && !self.at.is_empty() { Reach::Second } else { Reach::First }
    }

    /// Rows per node of the next level.
    pub fn coarse_per(&self) -> usize {
        if self.at.is_empty() { 1 } else { 2 }
    }
}

/// Positions of the aggregates; empty where unknown.
#[derive(Default)]
pub(super) struct Centres {
    /// The mean of an aggregate's nodes.
    pub at: Vec<DVec3>,
    members: Vec<u32>,
    /// Σ r rᵀ over its nodes.
    spread: Vec<DMat3>,
}

impl Centres {
    pub fn new(count: usize) -> Self {
        Self { at: vec![DVec3::ZERO; count], members: vec![0; count], spread: vec![DMat3::ZERO; count] }
    }

    /// Updates the centres from the nodes.
    pub fn update(&mut self, aggregate: &[u32], nodes: &[DVec3]) {
        let Self { at: centres, members, spread } = self;
        centres.fill(DVec3::ZERO);
        members.fill(0);
        spread.fill(DMat3::ZERO);
        let placed = || aggregate.iter().zip(nodes).filter(|(c, _)| **c != NONE);
        for (&c, at) in placed() {
            centres[c as usize] += *at;
            members[c as usize] += 1;
        }
        for (centre, members) in centres.iter_mut().zip(&*members) {
            *centre /= f64::from(*members);
        }
        for (&c, at) in placed() {
            let r = *at - centres[c as usize];
            spread[c as usize] += DMat3::from_cols(r * r.x, r * r.y, r * r.z);
        }
    }

    /// Adds stiffness to rotations that the particles of an aggregate do not determine: about the line of collinear ones,
    /// and any of a single one. Without it the coarse matrix is singular.
    pub fn hold_lost_rotations(&self, coarse: &mut BlockCsr) {
        for (c, spread) in self.spread.iter().enumerate() {
            let along = trace(spread);
            let lost = if along > 0.0 {
                // The sum of the products of pairs of eigenvalues: 0 on a line.
                let pairs = along * along - square(spread);
                if pairs > COLLINEAR * along * along {
                    continue;
                }
                *spread * (1.0 / along)
            } else {
                DMat3::IDENTITY
            };
            let rotation = coarse.pattern.diagonal[2 * c + 1] as usize;
            let own = trace(&coarse.values[rotation]);
            let scale = if own > 0.0 { own } else { trace(coarse.diagonal(2 * c)) };
            coarse.values[rotation] += lost * scale;
        }
    }
}

/// Displacement of the point at `r` from the centre by a small rotation θ: the matrix of θ × r.
pub(super) fn turn(r: DVec3) -> DMat3 {
    DMat3::from_cols(DVec3::new(0.0, -r.z, r.y), DVec3::new(r.z, 0.0, -r.x), DVec3::new(-r.y, r.x, 0.0))
}

fn trace(block: &DMat3) -> f64 {
    block.x_axis.x + block.y_axis.y + block.z_axis.z
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::PatternBuilder;
    use std::sync::Arc;

    #[test]
    fn turning_is_the_cross_product() {
        let (theta, r) = (DVec3::new(0.3, -1.0, 2.0), DVec3::new(-0.5, 4.0, 1.5));
        assert_eq!(turn(r) * theta, theta.cross(r));
    }

    #[test]
    fn only_rotations_that_cannot_be_told_are_held() {
        // A triangle, a line along x, a single particle, and one without an aggregate.
        let aggregate = [0, 0, 0, 1, 1, 2, NONE];
        let nodes = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X, 3.0 * DVec3::X, DVec3::Z, DVec3::ONE];
        let mut centres = Centres::new(3);
        centres.update(&aggregate, &nodes);
        assert_eq!(centres.at[1..], [2.0 * DVec3::X, DVec3::Z]);
        let mut coarse = BlockCsr::zeros(Arc::new(PatternBuilder::new(6).build()));
        coarse.values.fill(DMat3::IDENTITY);
        centres.hold_lost_rotations(&mut coarse);
        assert_eq!(*coarse.diagonal(1), DMat3::IDENTITY);
        assert_eq!(*coarse.diagonal(3), DMat3::from_diagonal(DVec3::new(4.0, 1.0, 1.0)));
        assert_eq!(*coarse.diagonal(5), DMat3::IDENTITY * 4.0);
    }
}
