//! The elimination tree of a block pattern, the number of blocks in each column of its factor, and their cost.
//!
//! Liu's tree with path compression and the column counts of Gilbert, Ng and Peyton, both in nearly linear time in the blocks of the matrix, never in
//! those of the factor; [Davis], chapter 4.

use super::ordering::Order;
use crate::pattern::Pattern;

/// No node.
pub(super) const NONE: u32 = u32::MAX;

/// Operations that a factorisation and a solve with it take, counted from the pattern: multiplications and additions, one each for every product.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CholeskyCost {
    /// Of the factorisation.
    pub factor: f64,
    /// Of one forward and one backward substitution.
    pub solve: f64,
    /// Scalars of the factor.
    pub entries: f64,
}

/// The elimination tree in postorder.
#[derive(Default)]
pub(super) struct Tree {
    /// [`NONE`] for a root.
    pub parent: Vec<u32>,
    /// Blocks in each column of the factor, with that on the diagonal.
    pub count: Vec<u32>,
}

impl Tree {
    /// The tree of a pattern; makes the order a postorder of it, which changes nothing but the numbers.
    pub fn new(pattern: &Pattern, order: &mut Order) -> Self {
        let parent = parents(pattern, order);
        let post = postorder(&parent);
        let n = parent.len();
        let mut rank = vec![0; n];
        for (k, &j) in post.iter().enumerate() {
            rank[j as usize] = k as u32;
        }
        let relabelled = |j: u32| if j == NONE { NONE } else { rank[j as usize] };
        let parent = post.iter().map(|&j| relabelled(parent[j as usize])).collect();
        order.then(&post);
        let mut tree = Self { parent, count: Vec::new() };
        tree.count(pattern, order);
        tree
    }

    /// Operations and entries of the factor, without the zeros that supernodes add.
    pub fn cost(&self) -> CholeskyCost {
        let mut cost = CholeskyCost::default();
        for &count in &self.count {
            let rows = 3.0 * f64::from(count);
            for rows in [rows, rows - 1.0, rows - 2.0] {
                cost.factor += rows * rows;
                cost.entries += rows;
            }
        }
        cost.solve = 4.0 * cost.entries;
        cost
    }

    fn count(&mut self, pattern: &Pattern, order: &Order) {
        let parent = &self.parent;
        let n = parent.len();
        let [mut first, mut latest, mut leaf] = std::array::from_fn(|_| vec![NONE; n]);
        let mut ancestor: Vec<u32> = (0..n as u32).collect();
        let mut count = vec![0_i32; n];
        for k in 0..n {
            count[k] = i32::from(first[k] == NONE);
            let mut j = k as u32;
            while j != NONE && first[j as usize] == NONE {
                first[j as usize] = k as u32;
                j = parent[j as usize];
            }
        }
        for j in 0..n {
            if parent[j] != NONE {
                count[parent[j] as usize] -= 1;
            }
            for p in pattern.row(order.old[j] as usize) {
                let i = order.new[pattern.columns[p] as usize] as usize;
                // Is j a leaf of the subtree of row i?
                if i <= j || latest[i] != NONE && first[j] <= latest[i] {
                    continue;
                }
                latest[i] = first[j];
                count[j] += 1;
                let before = std::mem::replace(&mut leaf[i], j as u32);
                if before != NONE {
                    let common = root(&mut ancestor, before);
                    count[common as usize] -= 1;
                }
            }
            if parent[j] != NONE {
                ancestor[j] = parent[j];
            }
        }
        for j in 0..n {
            if parent[j] != NONE {
                count[parent[j] as usize] += count[j];
            }
        }
        self.count = count.into_iter().map(|count| count as u32).collect();
    }
}

fn root(ancestor: &mut [u32], from: u32) -> u32 {
    let mut root = from;
    while ancestor[root as usize] != root {
        root = ancestor[root as usize];
    }
    let mut j = from;
    while j != root {
        j = std::mem::replace(&mut ancestor[j as usize], root);
    }
    root
}

fn parents(pattern: &Pattern, order: &Order) -> Vec<u32> {
    let n = pattern.rows();
    let (mut parent, mut ancestor) = (vec![NONE; n], vec![NONE; n]);
    for j in 0..n as u32 {
        for p in pattern.row(order.old[j as usize] as usize) {
            let mut i = order.new[pattern.columns[p] as usize];
            while i < j {
                let next = std::mem::replace(&mut ancestor[i as usize], j);
                if next == NONE {
                    parent[i as usize] = j;
                    break;
                }
                i = next;
            }
        }
    }
    parent
}

/// Nodes of a forest with children before parents, and subtrees in one piece.
pub(super) fn postorder(parent: &[u32]) -> Vec<u32> {
    let n = parent.len();
    let (mut child, mut sibling, mut roots) = (vec![NONE; n], vec![NONE; n], NONE);
    for j in (0..n).rev() {
        let list = if parent[j] == NONE { &mut roots } else { &mut child[parent[j] as usize] };
        sibling[j] = std::mem::replace(list, j as u32);
    }
    let mut post = Vec::with_capacity(n);
    let mut next = roots;
    let mut open = Vec::new();
    loop {
        while next != NONE {
            open.push(next);
            next = child[next as usize];
        }
        let Some(node) = open.pop() else { break };
        post.push(node);
        next = sibling[node as usize];
    }
    post
}
