//! A cell list: points sorted into cells of half a reach, so that all points within the reach of a place are a few runs of the sorted order.
//!
//! Cells are counted from the origin, whatever the points are, and only the box of cells that holds points is stored. Where that box would
//! have more than a few cells per point (a drop that flew away), it is folded: cells a whole number of box lengths apart share their entries;
//! a caller that checks distances is not affected. So memory is bounded by the number of points. Along an axis with a period the cells are
//! made to fit it, and the folding is the period itself. Points that are not finite, or more than 2⁴⁰ cells from the origin, are in no cell.

use std::ops::Range;

use glam::DVec3;

/// Cells within a reach.
const IN_REACH: i64 = 2;
/// Smallest number of cells of a folded axis, so that no cell is visited twice within ± [`IN_REACH`].
const MIN_FOLDED: i64 = 2 * IN_REACH + 2;
/// Rows of cells along x that are stored side by side along y before the next ones along z: what is near stays near in memory however wide
/// the box is.
const TILE: i64 = 8;
const FARTHEST: f64 = (1_u64 << 40) as f64;

/// One axis of the grid.
#[derive(Clone, Copy, Debug, Default)]
struct Axis {
    per_metre: f64,
    /// Number of cells of the period; 0: none.
    period: i64,
    low: i64,
    size: i64,
    folded: bool,
}

impl Axis {
    fn new(reach: f64, period: Option<f64>) -> Self {
        let edge = reach / IN_REACH as f64;
        match period {
            None => Self { per_metre: 1.0 / edge, ..Self::default() },
            Some(length) => {
                let cells = (length / edge).floor().max(1.0);
                Self { per_metre: cells / length, period: cells as i64, ..Self::default() }
            }
        }
    }

    /// The cell of a coordinate, before folding.
    #[inline]
    fn cell(&self, x: f64) -> i64 {
        // rounded down without `floor`, which is a library call on baseline instruction sets
        let (at, toward_zero) = (x * self.per_metre, (x * self.per_metre) as i64);
        toward_zero - i64::from(at < toward_zero as f64)
    }

    #[inline]
    fn stored(&self, cell: i64) -> i64 {
        if self.folded { cell.rem_euclid(self.size) } else { cell - self.low }
    }

    #[inline]
    fn stored_if_any(&self, cell: i64) -> Option<i64> {
        let stored = self.stored(cell);
        (0..self.size).contains(&stored).then_some(stored)
    }

    /// Cells from the first to the last, as up to two runs of stored ones.
    #[inline]
    fn runs(&self, first: i64, last: i64) -> [Range<i64>; 2] {
        if self.folded {
            let start = first.rem_euclid(self.size);
            let end = start + last - first + 1;
            [start..end.min(self.size), 0..(end - self.size).max(0)]
        } else {
            [(first - self.low).max(0)..(last - self.low + 1).min(self.size), 0..0]
        }
    }
}

/// The cell list of the points; see the module documentation.
#[derive(Clone, Debug, Default)]
pub struct CellGrid {
    axes: [Axis; 3],
    /// First entry of every cell in the sorted order; the last but one is where points in no cell begin.
    start: Vec<u32>,
    order: Vec<u32>,
    cell_of: Vec<u32>,
}

impl CellGrid {
    /// A grid for a reach in metres, with a period along some axes.
    pub fn new(reach: f64, periods: [Option<f64>; 3]) -> Self {
        Self { axes: periods.map(|period| Axis::new(reach, period)), ..Self::default() }
    }

    /// The shortest period that a grid of this reach can have, m.
    pub fn shortest_period(reach: f64) -> f64 {
        reach * MIN_FOLDED as f64 / IN_REACH as f64
    }

    /// The cell of a place, if it is in one.
    #[inline]
    fn locate(&self, p: DVec3) -> Option<[i64; 3]> {
        let [x, y, z] = &self.axes;
        let far = |axis: &Axis, x: f64| (x * axis.per_metre).abs();
        let is_in = far(x, p.x) < FARTHEST && far(y, p.y) < FARTHEST && far(z, p.z) < FARTHEST;
        is_in.then(|| [x.cell(p.x), y.cell(p.y), z.cell(p.z)])
    }

    /// The first entry of a row along x.
    #[inline]
    fn row(&self, y: i64, z: i64) -> i64 {
        let tile = y >> TILE.ilog2();
        ((tile * self.axes[2].size + z) * TILE + y - tile * TILE) * self.axes[0].size
    }

    /// Sorts points by cell; within a cell they stay in the order of `members`.
    pub fn sort(&mut self, x: &[DVec3], members: &[u32]) {
        let (mut low, mut high) = ([i64::MAX; 3], [i64::MIN; 3]);
        for cell in members.iter().filter_map(|&id| self.locate(x[id as usize])) {
            for k in 0..3 {
                (low[k], high[k]) = (low[k].min(cell[k]), high[k].max(cell[k]));
            }
        }
        self.lay_out(low, high, members.len());
        let cells = self.cells() as usize;
        self.start.clear();
        self.start.resize(cells + 2, 0);
        self.cell_of.clear();
        for &id in members {
            let [ax, ay, az] = &self.axes;
            let place = self.locate(x[id as usize]);
            let stored = place.map(|[i, j, k]| self.row(ay.stored(j), az.stored(k)) + ax.stored(i));
            let cell = stored.map_or(cells, |cell| cell as usize);
            self.cell_of.push(cell as u32);
            self.start[cell] += 1;
        }
        let mut sum = 0;
        for start in &mut self.start {
            (*start, sum) = (sum, sum + *start);
        }
        self.order.resize(members.len(), 0);
        for (&id, &cell) in members.iter().zip(&self.cell_of) {
            let at = &mut self.start[cell as usize];
            self.order[*at as usize] = id;
            *at += 1;
        }
        // every start has moved to the start of the next cell
        self.start.copy_within(0..cells + 1, 1);
        self.start[0] = 0;
    }

    /// The number of stored entries.
    fn cells(&self) -> i64 {
        let [x, y, z] = self.axes.map(|axis| axis.size);
        x.saturating_mul(y.saturating_add(TILE - 1) / TILE * TILE).saturating_mul(z)
    }

    /// Chooses the stored box; capacity is reserved for the largest possible one, so that sorting again never allocates.
    fn lay_out(&mut self, low: [i64; 3], high: [i64; 3], points: usize) {
        let most = 8 * points as i64 + 4096;
        for (k, axis) in self.axes.iter_mut().enumerate() {
            // no point is in a cell: one empty cell
            let (low, high) = if low[k] > high[k] { (0, 0) } else { (low[k], high[k]) };
            (axis.low, axis.size, axis.folded) = (low, high - low + 1, false);
            if axis.period > 0 {
                (axis.low, axis.size, axis.folded) = (0, axis.period, true);
            }
        }
        while self.cells() > most {
            let foldable = self.axes.iter_mut().filter(|axis| axis.period == 0 && axis.size > MIN_FOLDED);
            let Some(longest) = foldable.max_by_key(|axis| axis.size) else { break };
            (longest.size, longest.folded) = ((longest.size / 2).max(MIN_FOLDED), true);
        }
        let room = most.max(self.cells()) as usize + 2;
        self.start.reserve(room.saturating_sub(self.start.len()));
        self.cell_of.reserve(points.saturating_sub(self.cell_of.len()));
    }

    /// The points, cell after cell; those in no cell are last.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The number of points in cells.
    pub fn located(&self) -> usize {
        let cells = self.start.len().saturating_sub(2);
        self.start.get(cells).map_or(0, |&start| start as usize)
    }

    /// The cell of a place; `None` for places outside all cells.
    #[inline]
    pub fn cell(&self, p: DVec3) -> Option<[i64; 3]> {
        self.locate(p)
    }

    /// The centre of a cell.
    #[inline]
    pub fn middle(&self, cell: [i64; 3]) -> DVec3 {
        DVec3::from_array([0, 1, 2].map(|k| (cell[k] as f64 + 0.5) / self.axes[k].per_metre))
    }

    /// Calls `f` with runs of the sorted order that together hold every point within the reach of any place in a cell, none of them twice,
    /// and others.
    #[inline]
    pub fn for_each_run(&self, [i, j, k]: [i64; 3], mut f: impl FnMut(Range<usize>)) {
        if self.order.is_empty() {
            return;
        }
        let [ax, ay, az] = &self.axes;
        for z in k - IN_REACH..=k + IN_REACH {
            let Some(row) = az.stored_if_any(z) else { continue };
            for y in j - IN_REACH..=j + IN_REACH {
                let Some(column) = ay.stored_if_any(y) else { continue };
                let base = self.row(column, row);
                for run in ax.runs(i - IN_REACH, i + IN_REACH) {
                    if run.start < run.end {
                        let (from, to) = ((base + run.start) as usize, (base + run.end) as usize);
                        let run = self.start[from] as usize..self.start[to] as usize;
                        if !run.is_empty() {
                            f(run);
                        }
                    }
                }
            }
        }
    }
}
