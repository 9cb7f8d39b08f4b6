//! Particles near boundaries, and what they feel of them: what `shore.rs` finds.
//!
//! Everyone who may be near has a place of its own for what it touches, so that one of them can be looked at again without the others.

use glam::DVec3;

use super::list::NOWHERE;
use super::wall::WallLaw;

/// Boundaries that a particle can feel at once; of more, the last ones are left out.
pub(super) const MOST: usize = 8;

/// A boundary that a particle feels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Touch {
    /// φ, m.
    pub distance: f64,
    /// From the boundary, of length 1.
    pub normal: DVec3,
    /// Derivatives with respect to φ of the product of all λ and of b, 1/m; not above zero.
    pub(super) factor_slope: f64,
    pub(super) added_slope: f64,
    /// Nodes of the boundary there, and their shares. No nodes: a plane.
    pub nodes: Option<[u32; 3]>,
    pub weights: [f64; 3],
    /// Which boundary: planes first, then other colliders, then sheets.
    pub boundary: u32,
}

/// Nothing is near.
pub(super) const FAR: Touch = Touch {
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
    /// Far from all boundaries.
    pub const NONE: Self = Self { factor: 1.0, added: 0.0 };
}

impl Touch {
    /// ∂s/∂φ for a particle with compression s, 1/m.
    pub fn slope(&self, scale: Scale, s: f64) -> f64 {
        self.factor_slope * (s - scale.added) / scale.factor + self.added_slope
    }
}

/// A particle that may be near a boundary.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wet {
    pub particle: u32,
    /// The product of all λ, and the sum of all b.
    pub scale: Scale,
    /// Its candidates.
    pub(super) candidates: [u32; 2],
    /// What it touches; there is room for all that it may.
    pub(super) touches: [u32; 2],
}

/// Some particles, who may be near them, and who is.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShoreBlock {
    /// Particle, boundary, triangle; sorted by the first two.
    pub(super) candidates: Vec<[u32; 3]>,
    pub(super) touches: Vec<Touch>,
    pub wet: Vec<Wet>,
    /// Which of those who may be near each particle is.
    pub(super) slots: Vec<u32>,
}

impl ShoreBlock {
    pub fn touches(&self, wet: &Wet) -> &[Touch] {
        &self.touches[wet.touches[0] as usize..wet.touches[1] as usize]
    }

    /// Makes room for what candidates may touch; `fluids` are the block's.
    pub(super) fn make_room(&mut self, fluids: &[u32]) {
        let Self { candidates, touches, wet, slots } = self;
        wet.clear();
        slots.clear();
        let (mut first, mut room) = (0, 0);
        for &particle in fluids {
            let rest = &candidates[first as usize..];
            let mine = &rest[..rest.iter().take_while(|candidate| candidate[0] == particle).count()];
            let last = first + mine.len() as u32;
            slots.push(if mine.is_empty() { NOWHERE } else { wet.len() as u32 });
            if !mine.is_empty() {
                wet.push(Wet { particle, scale: Scale::NONE, candidates: [first, last], touches: [room; 2] });
                room += mine.chunk_by(|a, b| a[1] == b[1]).count().min(MOST) as u32;
            }
            first = last;
        }
        touches.clear();
        touches.resize(room as usize, FAR);
    }
}

/// What the boundaries that a particle touches do to its compression together.
pub(super) fn felt(law: &WallLaw, touches: &mut [Touch]) -> Scale {
    let mut scale = Scale::NONE;
    for touch in &*touches {
        scale.factor *= law.factor(touch.distance)[0];
        scale.added += law.added(touch.distance)[0];
    }
    for touch in touches {
        let [factor, slope] = law.factor(touch.distance);
        touch.factor_slope = scale.factor / factor * slope;
        touch.added_slope = law.added(touch.distance)[1];
    }
    scale
}
