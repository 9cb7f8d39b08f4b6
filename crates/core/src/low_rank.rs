//! Terms of rank one in the derivative of the force: `∂f/∂x = Σ s g gᵀ`. They couple all of their particles with each other, and a matrix that
//! held them would be full. The pressure of an enclosed gas is one: g is the gradient of the volume, and s = dp/dV.

use glam::DVec3;

/// See the file head.
#[derive(Clone, Debug, Default)]
pub struct LowRank {
    /// The slope of each term, and the end of its entries.
    terms: Vec<(f64, usize)>,
    entries: Vec<(u32, DVec3)>,
}

/// One of the terms.
#[derive(Clone, Copy, Debug)]
pub struct RankOne<'a> {
    /// s; not positive in models that pull back.
    pub slope: f64,
    /// Particles with their g.
    pub gradient: &'a [(u32, DVec3)],
}

impl LowRank {
    /// Removes all terms; memory stays.
    pub fn clear(&mut self) {
        self.terms.clear();
        self.entries.clear();
    }

    /// Adds a term.
    pub fn add(&mut self, slope: f64, gradient: impl Iterator<Item = (u32, DVec3)>) {
        self.entries.extend(gradient);
        self.terms.push((slope, self.entries.len()));
    }

    /// The terms, in the order in which they were added.
    pub fn terms(&self) -> impl Iterator<Item = RankOne<'_>> {
        let starts = std::iter::once(0).chain(self.terms.iter().map(|(_, end)| *end));
        let rows = starts.zip(&self.terms);
        rows.map(|(start, (slope, end))| RankOne { slope: *slope, gradient: &self.entries[start..*end] })
    }

    /// Adds `Σ s g (g·dx)` to `out`.
    pub fn add_product(&self, dx: &[DVec3], out: &mut [DVec3]) {
        for term in self.terms() {
            let along = term.slope * term.dot(dx);
            term.gradient.iter().for_each(|(i, g)| out[*i as usize] += *g * along);
        }
    }
}

impl RankOne<'_> {
    /// `g·y`.
    pub fn dot(&self, y: &[DVec3]) -> f64 {
        self.gradient.iter().map(|(i, g)| g.dot(y[*i as usize])).sum()
    }
}
