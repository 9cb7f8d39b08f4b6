//! Orders of elimination.
//!
//! They are found on the graph of particles, with a third of the nodes and a ninth of the edges of the scalar graph. Operations of nested dissection, in
//! those of minimum degree: sheets of 25 to 200 a side with 18 neighbours a row 1.06 to 1.30, ropes 3 to 3.7, lattices of 10, 14 and 20 a side 0.89, 0.94
//! and 0.70, a folded sheet of 60 x 60 with contacts 1.24 (60 of them) to 0.80 (400). So where a factorisation costs enough to make up for a second order,
//! both are counted and the cheaper one is taken.

use super::dissection::dissection;
use super::symbolic::{CholeskyCost, Tree};
use crate::pattern::Pattern;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::amd;
use faer::sparse::{FaerError, SymbolicSparseColMatRef};

/// An order of elimination of the particles.
#[derive(Clone, Default)]
pub(super) struct Order {
    /// `old[new]`
    pub old: Vec<u32>,
    /// `new[old]`
    pub new: Vec<u32>,
}

impl Order {
    /// From `old[new]`.
    pub fn from_old(old: Vec<u32>) -> Self {
        let mut new = vec![0; old.len()];
        for (k, &old) in old.iter().enumerate() {
            new[old as usize] = k as u32;
        }
        Self { old, new }
    }

    /// Takes number `post[k]` of this order at place k.
    pub fn then(&mut self, post: &[u32]) {
        let old = post.iter().map(|&k| self.old[k as usize]).collect();
        *self = Self::from_old(old);
    }
}

/// Operations per block of the matrix above which nested dissection is tried as well: it then takes less than a sixth of the time of a factorisation.
const LARGE: f64 = 30e3;

/// The better of the known orders for this pattern, its tree, and what it costs.
pub(super) fn best_order(pattern: &Pattern) -> Result<(Order, Tree, CholeskyCost), FaerError> {
    let mut order = minimum_degree(pattern)?;
    let tree = Tree::new(pattern, &mut order);
    let cost = tree.cost();
    if cost.factor > LARGE * pattern.blocks() as f64 {
        let mut other = dissection(pattern)?;
        let other_tree = Tree::new(pattern, &mut other);
        let other_cost = other_tree.cost();
        if other_cost.factor < cost.factor {
            return Ok((other, other_tree, other_cost));
        }
    }
    Ok((order, tree, cost))
}

/// Approximate minimum degree on the block pattern.
pub(super) fn minimum_degree(pattern: &Pattern) -> Result<Order, FaerError> {
    let n = pattern.rows();
    // The pattern is symmetric: its rows are its columns.
    let graph = SymbolicSparseColMatRef::new_checked(n, n, &pattern.row_start, None, &pattern.columns);
    let need = amd::order_scratch::<u32>(n, pattern.blocks());
    let mut memory = MemBuffer::try_new(need)?;
    let (mut old, mut new) = (vec![0; n], vec![0; n]);
    let control = amd::Control::default();
    amd::order(&mut old, &mut new, graph, control, MemStack::new(&mut memory))?;
    Ok(Order { old, new })
}
