//! Fragments of a body, and whether two results are of the same kind.
//!
//! Cracks are chaotic: particles moved by a tenth of a spacing break differently. A run is of the same kind as several with different seeds where
//! what it broke lies within their scatter, widened by half of it on either side: one more seed would often lie outside of what five span.

/// Fragments are compared by the mass in classes of size: single particles, then by powers of four.
pub const CLASSES: [&str; 8] = ["dust", "2–3", "4–15", "16–63", "64–255", "256–1023", "1024–4095", "4096 and more"];
/// Fragments of more particles than this are counted.
pub const SMALL: usize = 3;
/// How much bands are widened, in widths,
const WIDER: f64 = 0.5;
/// and at least: as a part of the energy,
const MIN_ENERGY: f64 = 0.02;
/// and of the whole mass.
const MIN_MASS: f64 = 0.02;

/// The fragments of a body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Pieces {
    /// Particles of each fragment, the largest first.
    pub sizes: Vec<usize>,
}

/// The class of a size.
fn class(size: usize) -> usize {
    if size <= 1 { 0 } else { (size.ilog2() as usize / 2 + 1).min(CLASSES.len() - 1) }
}

impl Pieces {
    /// From the number of each particle's fragment.
    pub fn from_numbers(numbers: &[f64]) -> Self {
        let most = numbers.iter().map(|number| *number as usize).max().unwrap_or(0);
        let mut sizes = vec![0; most + 1];
        numbers.iter().for_each(|number| sizes[*number as usize] += 1);
        sizes.retain(|size| *size > 0);
        sizes.sort_unstable_by(|a, b| b.cmp(a));
        Self { sizes }
    }

    fn total(&self) -> f64 {
        self.sizes.iter().sum::<usize>().max(1) as f64
    }

    /// How many are above the size of crumbs.
    pub fn fragments(&self) -> usize {
        self.sizes.iter().filter(|size| **size > SMALL).count()
    }

    /// The part of the mass in the largest one.
    pub fn largest(&self) -> f64 {
        self.sizes.first().copied().unwrap_or(0) as f64 / self.total()
    }

    /// The part of the mass in each class.
    pub fn shares(&self) -> [f64; CLASSES.len()] {
        let mut shares = [0.0; CLASSES.len()];
        self.sizes.iter().for_each(|size| shares[class(*size)] += *size as f64 / self.total());
        shares
    }

    /// How many there are in each class.
    pub fn counts(&self) -> [usize; CLASSES.len()] {
        let mut counts = [0; CLASSES.len()];
        self.sizes.iter().for_each(|size| counts[class(*size)] += 1);
        counts
    }
}

/// The range of a quantity over some runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// The smallest.
    pub low: f64,
    /// The largest.
    pub high: f64,
}

impl Band {
    /// The range of values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Self {
        let start = Self { low: f64::INFINITY, high: f64::NEG_INFINITY };
        values.into_iter().fold(start, |band, v| Self { low: band.low.min(v), high: band.high.max(v) })
    }

    /// The range widened, by at least this much on either side.
    fn widened(&self, least: f64) -> Self {
        let slack = (WIDER * (self.high - self.low)).max(least);
        Self { low: self.low - slack, high: self.high + slack }
    }

    /// Whether a value is in it.
    fn holds(&self, value: f64) -> bool {
        value >= self.low && value <= self.high
    }
}

/// The ranges over runs of different seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Scatter {
    /// Energy of broken bonds, J.
    pub energy: Band,
    /// Fragments that are no crumbs.
    pub fragments: Band,
    /// The part of the mass in the largest.
    pub largest: Band,
    /// The part of the mass in each class.
    pub shares: [Band; CLASSES.len()],
}

/// The quantities of a run outside of a scatter.
#[derive(Clone, Debug, PartialEq)]
pub struct Strangeness {
    /// Whether its energy does.
    pub energy: bool,
    /// Classes of which it does.
    pub classes: Vec<&'static str>,
}

impl Scatter {
    /// Of energies and pieces.
    pub fn of(runs: &[(f64, &Pieces)]) -> Self {
        let share = |k: usize| Band::of(runs.iter().map(|run| run.1.shares()[k]));
        Self {
            energy: Band::of(runs.iter().map(|run| run.0)),
            fragments: Band::of(runs.iter().map(|run| run.1.fragments() as f64)),
            largest: Band::of(runs.iter().map(|run| run.1.largest())),
            shares: std::array::from_fn(share),
        }
    }

    /// Energies within the widened scatter, J.
    pub fn fair_energies(&self) -> Band {
        self.energy.widened(MIN_ENERGY * self.energy.high)
    }

    /// The quantities of a run outside.
    pub fn strange(&self, energy: f64, pieces: &Pieces) -> Strangeness {
        let shares = pieces.shares();
        let out = |k: &usize| !self.shares[*k].widened(MIN_MASS).holds(shares[*k]);
        Strangeness {
            energy: !self.fair_energies().holds(energy),
            classes: (0..CLASSES.len()).filter(out).map(|k| CLASSES[k]).collect(),
        }
    }
}

impl Strangeness {
    /// Whether there are none.
    pub fn is_none(&self) -> bool {
        !self.energy && self.classes.is_empty()
    }

    /// For a cell of a table.
    pub fn words(&self) -> String {
        let energy = self.energy.then_some("energy");
        let all: Vec<&str> = energy.into_iter().chain(self.classes.iter().copied()).collect();
        if all.is_empty() { "yes".into() } else { format!("no: {}", all.join(", ")) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_fall_into_powers_of_four() {
        let of = [1, 2, 3, 4, 15, 16, 63, 64, 255, 256, 1023, 1024, 4095, 4096, 1 << 20].map(class);
        assert_eq!(of, [0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]);
        let pieces = Pieces::from_numbers(&[1.0, 1.0, 1.0, 1.0, 2.0, 3.0, 3.0, 7.0]);
        assert_eq!(pieces.sizes, [4, 2, 1, 1]);
        assert_eq!((pieces.fragments(), pieces.largest()), (1, 0.5));
        assert_eq!(pieces.shares()[..4], [0.25, 0.25, 0.5, 0.0]);
        assert_eq!(Pieces::from_numbers(&[]).largest(), 0.0);
    }

    #[test]
    fn runs_within_the_scatter_are_of_the_same_kind() {
        let pieces = |dust: usize| Pieces { sizes: std::iter::once(100 - dust).chain(vec![1; dust]).collect() };
        let (few, many) = (pieces(10), pieces(20));
        let scatter = Scatter::of(&[(1.0, &few), (1.2, &many)]);
        assert!(scatter.strange(1.29, &pieces(24)).is_none());
        assert_eq!(scatter.strange(1.31, &pieces(15)), Strangeness { energy: true, classes: vec![] });
        assert_eq!(scatter.strange(1.1, &pieces(30)).words(), "no: dust, 64–255");
        // where all are the same, a fiftieth is allowed
        let scatter = Scatter::of(&[(1.0, &few), (1.0, &few)]);
        assert!(scatter.strange(1.015, &pieces(11)).is_none() && !scatter.strange(1.03, &pieces(10)).is_none());
    }
}
