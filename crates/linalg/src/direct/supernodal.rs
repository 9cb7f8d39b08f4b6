//! Multifrontal Cholesky factorisation of a sparse matrix of 3x3 blocks.
//!
//! Columns are eliminated in dense fronts along the elimination tree [Davis]; a front takes what its children pass on, eliminates its pivots and passes
//! on the rest. Subtrees are eliminated in parallel. A front is always computed by the same sequence of operations, whichever thread does it.

use super::eliminate::{Window, eliminate};
use super::fronts::{Front, Fronts};
use super::kernels::Level;
use super::ordering::{Order, best_order};
use super::schedule::{Item, Schedule};
use super::substitute::{Backward, Forward};
use super::supernodes::Supernodes;
use super::symbolic::{CholeskyCost, Tree};
use super::{Factors, too_large};
use crate::block_csr::BlockCsr;
use crate::pattern::Pattern;
use crate::solver::SolveError;
use glam::DVec3;

/// Work below which subtrees are not given to another thread: operations of a factorisation, entries of the factor in a solve.
const FACTOR_APART: f64 = 3e5;
const SOLVE_APART: usize = 40_000;

/// The analysis of a pattern, and a factor.
pub(super) struct Supernodal {
    pub(super) level: Level,
    order: Order,
    fronts: Fronts,
    schedule: Schedule,
    cost: CholeskyCost,
    l: Vec<f64>,
    updates: Vec<f64>,
    vectors: Vec<f64>,
}

impl Supernodal {
    pub fn new() -> Self {
        Self {
            level: Level::widest(),
            order: Order::default(),
            fronts: Fronts::default(),
            schedule: Schedule::default(),
            cost: CholeskyCost::default(),
            l: Vec::new(),
            updates: Vec::new(),
            vectors: Vec::new(),
        }
    }

    /// Prepares for a pattern, all but the memory of a factor.
    pub fn plan(&mut self, pattern: &Pattern) -> Result<(), SolveError> {
        let (order, tree, cost) = best_order(pattern).map_err(|_| too_large(pattern))?;
        self.cost = cost;
        self.plan_with(pattern, order, &tree);
        Ok(())
    }

    /// Prepares for a pattern in a given order of elimination, with its tree.
    pub fn plan_with(&mut self, pattern: &Pattern, mut order: Order, tree: &Tree) {
        let supernodes = Supernodes::new(pattern, &mut order, tree);
        self.fronts = Fronts::new(pattern, &order, &supernodes);
        self.schedule = Schedule::new(&mut self.fronts);
        self.order = order;
    }

    /// The memory of a factor; what there is already is kept, because couplings of contact come and go.
    pub fn allocate(&mut self, pattern: &Pattern) -> Result<(), SolveError> {
        let [panels, memory, vectors] = [self.fronts.panels, self.schedule.memory, self.fronts.vectors];
        for (buffer, length) in [(&mut self.l, panels), (&mut self.updates, memory), (&mut self.vectors, vectors)] {
            if buffer.len() < length {
                buffer.try_reserve_exact(length - buffer.len()).map_err(|_| too_large(pattern))?;
                buffer.resize(length, 0.0);
            }
        }
        Ok(())
    }

    pub fn cost(&self) -> CholeskyCost {
        self.cost
    }
}

impl Factors for Supernodal {
    fn factor(&mut self, a: &BlockCsr) -> Result<(), SolveError> {
        let job = Factor { level: self.level, fronts: &self.fronts, schedule: &self.schedule, a };
        let (l, updates) = (Window { start: 0, data: &mut self.l }, Window { start: 0, data: &mut self.updates });
        let all = self.schedule.runs.last().map_or(0..0, |run| run.items.clone());
        job.items(&self.schedule.items[all], l, updates).map_err(|column| {
            let row = self.order.old.get(column / 3).map(|row| *row as usize);
            SolveError::Indefinite { row }
        })
    }

    fn solve(&mut self, b: &[DVec3], x: &mut [DVec3]) {
        for front in &self.fronts.fronts {
            let own = &mut self.vectors[front.vector..][..front.vector_length()];
            own.fill(0.0);
            let rows = &self.order.old[front.first / 3..][..front.width / 3];
            for (to, row) in own.as_chunks_mut::<3>().0.iter_mut().zip(rows) {
                *to = b[*row as usize].to_array();
            }
        }
        let job = Substitute { level: self.level, fronts: &self.fronts, schedule: &self.schedule, l: &self.l };
        let all = self.schedule.runs.last().map_or(0..0, |run| run.items.clone());
        let items = &self.schedule.items[all];
        job.items(true, items, Window { start: 0, data: &mut self.vectors });
        job.items(false, items, Window { start: 0, data: &mut self.vectors });
        for front in &self.fronts.fronts {
            let own = &self.vectors[front.vector..][..front.width];
            let rows = &self.order.old[front.first / 3..][..front.width / 3];
            for (from, row) in own.as_chunks::<3>().0.iter().zip(rows) {
                x[*row as usize] = DVec3::from_array(*from);
            }
        }
    }
}

struct Factor<'a> {
    level: Level,
    fronts: &'a Fronts,
    schedule: &'a Schedule,
    a: &'a BlockCsr,
}

impl Factor<'_> {
    /// Eliminates some subtrees, and reports the first failure in their order.
    fn items(&self, items: &[Item], mut l: Window<'_>, mut updates: Window<'_>) -> Result<(), usize> {
        let [first, .., last] = items else {
            return items.first().map_or(Ok(()), |item| self.item(item, l, updates));
        };
        let fronts = &self.fronts.fronts;
        let work: f64 = items.iter().map(|item| fronts[item.root].operations).sum();
        if work < FACTOR_APART || pliant_parallel::threads() == 1 {
            for item in items {
                let panels = self.panels(item.root, item.root);
                self.item(item, l.part(panels), updates.part(item.memory.clone()))?;
            }
            return Ok(());
        }
        let (left, right) = items.split_at(halfway(items, |item| fronts[item.root].operations));
        let cut = self.panels(right[0].root, last.root).start;
        let memory = right[0].memory.start;
        debug_assert!(first.memory.start >= updates.start);
        let (l_left, l_right) = l.data.split_at_mut(cut - l.start);
        let (updates_left, updates_right) = updates.data.split_at_mut(memory - updates.start);
        let (one, other) = rayon::join(
            || {
                let l = Window { start: l.start, data: l_left };
                self.items(left, l, Window { start: updates.start, data: updates_left })
            },
            || {
                let l = Window { start: cut, data: l_right };
                self.items(right, l, Window { start: memory, data: updates_right })
            },
        );
        one.and(other)
    }

    fn item(&self, item: &Item, mut l: Window<'_>, mut updates: Window<'_>) -> Result<(), usize> {
        let Some(run) = item.run else {
            for front in &self.fronts.fronts[self.fronts.fronts[item.root].subtree..=item.root] {
                self.front(front, &mut l, &mut updates, false)?;
            }
            return Ok(());
        };
        let run = &self.schedule.runs[run];
        let items = &self.schedule.items[run.items.clone()];
        if let (Some(first), Some(last)) = (items.first(), items.last()) {
            let panels = self.panels(first.root, last.root);
            self.items(items, l.part(panels), updates.part(first.memory.start..last.memory.end))?;
        }
        for &node in &self.schedule.path[run.path.clone()] {
            self.front(&self.fronts.fronts[node as usize], &mut l, &mut updates, pliant_parallel::threads() > 1)?;
        }
        Ok(())
    }

    fn front(&self, front: &Front, l: &mut Window<'_>, updates: &mut Window<'_>, shared: bool) -> Result<(), usize> {
        let panel = l.part(front.panel..front.panel + front.panel_length());
        eliminate(self.level, self.fronts, front, self.a, panel.data, updates, shared)
    }

    /// Where the panels of the subtrees from that of `first` to that of `last` are.
    fn panels(&self, first: usize, last: usize) -> std::ops::Range<usize> {
        let fronts = &self.fronts.fronts;
        let last = &fronts[last];
        fronts[fronts[first].subtree].panel..last.panel + last.panel_length()
    }
}

/// Where a list is cut into two of nearly the same work, neither empty.
fn halfway(items: &[Item], work: impl Fn(&Item) -> f64) -> usize {
    let total: f64 = items.iter().map(&work).sum();
    let mut sum = 0.0;
    let cut = items.iter().position(|item| {
        sum += work(item);
        sum >= 0.5 * total
    });
    (cut.unwrap_or(0) + 1).min(items.len() - 1)
}

struct Substitute<'a> {
    level: Level,
    fronts: &'a Fronts,
    schedule: &'a Schedule,
    l: &'a [f64],
}

impl Substitute<'_> {
    fn items(&self, forward: bool, items: &[Item], mut vectors: Window<'_>) {
        let [_, .., last] = items else {
            return items
                .iter()
                .for_each(|item| self.item(forward, item, vectors.part(self.vectors(item.root, item.root))));
        };
        let work = |item: &Item| {
            let fronts = &self.fronts.fronts;
            let root = &fronts[item.root];
            (root.panel + root.panel_length() - fronts[root.subtree].panel) as f64
        };
        if items.iter().map(work).sum::<f64>() < SOLVE_APART as f64 || pliant_parallel::threads() == 1 {
            return items
                .iter()
                .for_each(|item| self.item(forward, item, vectors.part(self.vectors(item.root, item.root))));
        }
        let (left, right) = items.split_at(halfway(items, work));
        let cut = self.vectors(right[0].root, last.root).start;
        let (vectors_left, vectors_right) = vectors.data.split_at_mut(cut - vectors.start);
        rayon::join(
            || self.items(forward, left, Window { start: vectors.start, data: vectors_left }),
            || self.items(forward, right, Window { start: cut, data: vectors_right }),
        );
    }

    fn item(&self, forward: bool, item: &Item, mut vectors: Window<'_>) {
        let fronts = &self.fronts.fronts;
        let Some(run) = item.run else {
            let subtree = &fronts[fronts[item.root].subtree..=item.root];
            if forward {
                subtree.iter().for_each(|front| self.forward(front, &mut vectors));
            } else {
                subtree.iter().rev().for_each(|front| self.backward(front, &mut vectors));
            }
            return;
        };
        let run = &self.schedule.runs[run];
        let items = &self.schedule.items[run.items.clone()];
        let path = self.schedule.path[run.path.clone()].iter().map(|node| &fronts[*node as usize]);
        if !forward {
            path.clone().rev().for_each(|front| self.backward(front, &mut vectors));
        }
        if let (Some(first), Some(last)) = (items.first(), items.last()) {
            self.items(forward, items, vectors.part(self.vectors(first.root, last.root)));
        }
        if forward {
            path.for_each(|front| self.forward(front, &mut vectors));
        }
    }

    fn forward(&self, front: &Front, vectors: &mut Window<'_>) {
        let (below, rest) = vectors.data.split_at_mut(front.vector - vectors.start);
        let own = &mut rest[..front.vector_length()];
        let panel = &self.l[front.panel..][..front.panel_length()];
        self.level.run(Forward { fronts: self.fronts, front, panel, below, start: vectors.start, own });
    }

    fn backward(&self, front: &Front, vectors: &mut Window<'_>) {
        let (below, rest) = vectors.data.split_at_mut(front.vector - vectors.start);
        let own = &mut rest[..front.vector_length()];
        let panel = &self.l[front.panel..][..front.panel_length()];
        self.level.run(Backward { fronts: self.fronts, front, panel, below, start: vectors.start, own });
    }

    /// Where the parts of the subtrees from that of `first` to that of `last` are.
    fn vectors(&self, first: usize, last: usize) -> std::ops::Range<usize> {
        let fronts = &self.fronts.fronts;
        let last = &fronts[last];
        fronts[fronts[first].subtree].vector..last.vector + last.vector_length()
    }
}
