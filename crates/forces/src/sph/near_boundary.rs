//! Particles near boundaries and their boundary contacts: the results of `boundary_index.rs`.
//!
//! Every particle with candidates has its own storage for contacts, so that one particle can be updated without the others.

use glam::DVec3;

use super::boundary_density::BoundaryDensity;
use super::neighbour_list::NOWHERE;

/// Boundary contacts per particle; further ones are ignored.
pub(super) const MAX_BOUNDARY_CONTACTS: usize = 8;

/// A boundary within reach of a particle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BoundaryContact {
    /// φ, m.
    pub distance: f64,
    /// Unit normal, away from the boundary.
    pub normal: DVec3,
    /// Derivatives with respect to φ of the product of all λ and of b, 1/m; never positive.
    pub(super) factor_slope: f64,
    pub(super) added_slope: f64,
    /// Nodes of the nearest boundary triangle, and their weights. No nodes: a plane.
    pub nodes: Option<[u32; 3]>,
    pub weights: [f64; 3],
    /// Index of the boundary: planes first, then other colliders, then sheets.
    pub boundary: u32,
}

/// Placeholder: no boundary within reach.
pub(super) const FAR: BoundaryContact = BoundaryContact {
    distance: f64::INFINITY,
    normal: DVec3::ZERO,
    factor_slope: 0.0,
    added_slope: 0.0,
    nodes: None,
    weights: [0.0; 3],
    boundary: 0,
};

/// `s = factor Σ V W + added`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pub factor: f64,
    pub added: f64,
}

impl Scale {
    /// No boundary within reach.
    pub const NONE: Self = Self { factor: 1.0, added: 0.0 };
}

impl BoundaryContact {
    /// ∂s/∂φ for a particle with compression s, 1/m.
    pub fn slope(&self, scale: Scale, s: f64) -> f64 {
        self.factor_slope * (s - scale.added) / scale.factor + self.added_slope
    }
}

/// A particle that may be near a boundary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NearBoundary {
    pub particle: u32,
    /// The product of all λ, and the sum of all b.
    pub scale: Scale,
    /// Range of its candidates.
    pub(super) candidates: [u32; 2],
    /// Range of its boundary contacts; the storage has room for all candidates' boundaries.
    pub(super) boundary_contacts: [u32; 2],
}

/// A block of particles with their candidates and boundary contacts.
#[derive(Clone, Debug, Default)]
pub(crate) struct BoundaryBlock {
    /// Particle, boundary, triangle; sorted by the first two.
    pub(super) candidates: Vec<[u32; 3]>,
    pub(super) boundary_contacts: Vec<BoundaryContact>,
    pub near_boundary: Vec<NearBoundary>,
    /// Index into `near_boundary` of each particle of the block.
    pub(super) slots: Vec<u32>,
}

impl BoundaryBlock {
    pub fn boundary_contacts(&self, near_boundary: &NearBoundary) -> &[BoundaryContact] {
        &self.boundary_contacts
            [near_boundary.boundary_contacts[0] as usize..near_boundary.boundary_contacts[1] as usize]
    }

    /// Allocates contact storage for the candidates; `fluids` are the block's particles.
    pub(super) fn make_room(&mut self, fluids: &[u32]) {
        let Self { candidates, boundary_contacts, near_boundary, slots } = self;
        near_boundary.clear();
        slots.clear();
        let (mut first, mut room) = (0, 0);
        for &particle in fluids {
            let rest = &candidates[first as usize..];
            let mine = &rest[..rest.iter().take_while(|candidate| candidate[0] == particle).count()];
            let last = first + mine.len() as u32;
            slots.push(if mine.is_empty() { NOWHERE } else { near_boundary.len() as u32 });
            if !mine.is_empty() {
                near_boundary.push(NearBoundary {
                    particle,
                    scale: Scale::NONE,
                    candidates: [first, last],
                    boundary_contacts: [room; 2],
                });
                room += mine.chunk_by(|a, b| a[1] == b[1]).count().min(MAX_BOUNDARY_CONTACTS) as u32;
            }
            first = last;
        }
        boundary_contacts.clear();
        boundary_contacts.resize(room as usize, FAR);
    }
}

/// Combined effect of a particle's boundary contacts on its compression.
pub(super) fn felt(law: &BoundaryDensity, boundary_contacts: &mut [BoundaryContact]) -> Scale {
    let mut scale = Scale::NONE;
    for contact in &*boundary_contacts {
        scale.factor *= law.factor(contact.distance)[0];
        scale.added += law.added(contact.distance)[0];
    }
    for contact in boundary_contacts {
        let [factor, slope] = law.factor(contact.distance);
        contact.factor_slope = scale.factor / factor * slope;
        contact.added_slope = law.added(contact.distance)[1];
    }
    scale
}
