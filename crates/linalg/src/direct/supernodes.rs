//! Supernodes: columns of the factor with nearly the same rows, eliminated together in one dense front.
//!
//! Fundamental supernodes are read from the column counts [Davis]. A child is then merged into its parent where the zeros that this adds cost
//! less than a front of its own; the times of both are counted, not measured, so the fronts are a function of the pattern alone.

use super::ordering::Order;
use super::symbolic::{NONE, Tree, postorder};
use crate::pattern::Pattern;
use std::ops::Range;

/// Columns eliminated together, and the rows below them; all in blocks, in the order of elimination.
#[derive(Clone, Debug)]
pub(super) struct Supernode {
    /// The first column.
    pub first: u32,
    /// Number of columns.
    pub pivots: u32,
    /// Where the rows below the pivots are in [`Supernodes::rows`].
    pub rows: Range<usize>,
    /// [`NONE`] for a root.
    pub parent: u32,
    /// First node of its subtree, which is everything from there to the node itself.
    pub subtree: u32,
}

impl Supernode {
    /// The column after the last pivot.
    pub fn end(&self) -> u32 {
        self.first + self.pivots
    }

    /// Scalar columns.
    pub fn width(&self) -> usize {
        3 * self.pivots as usize
    }

    /// Scalar rows below the pivots.
    pub fn height(&self) -> usize {
        3 * self.rows.len()
    }
}

/// All supernodes, in postorder.
#[derive(Default)]
pub(super) struct Supernodes {
    pub nodes: Vec<Supernode>,
    /// Block rows of all fronts below their pivots.
    pub rows: Vec<u32>,
}

// The time of a front, in operations: of its columns and of its rows beside the products, and of the front itself.
const PER_FRONT: f64 = 6e3;
const PER_COLUMN: f64 = 300.0;
const PER_ENTRY: f64 = 8.0;

/// Time of a front of `k` columns with `r` rows below them, in blocks.
fn time(k: u32, r: u32) -> f64 {
    let (k, r) = (3.0 * f64::from(k), 3.0 * f64::from(r));
    let products = k * (k * k / 3.0 + r * k + r * r);
    products + PER_ENTRY * (0.5 * r * r + k * r + 0.5 * k * k) + PER_COLUMN * k + PER_FRONT
}

impl Supernodes {
    /// Of a pattern with a tree; renumbers the order so that the columns of every supernode are consecutive.
    pub fn new(pattern: &Pattern, order: &mut Order, tree: &Tree) -> Self {
        let n = tree.parent.len();
        // fundamental supernodes: first column, number of columns, rows below
        let (mut groups, mut group_of) = (Vec::<[u32; 3]>::new(), Vec::with_capacity(n));
        for j in 0..n {
            let joins = j > 0 && tree.parent[j - 1] == j as u32 && tree.count[j - 1] == tree.count[j] + 1;
            if !joins {
                groups.push([j as u32, 0, 0]);
            }
            group_of.push(groups.len() as u32 - 1);
            let group = groups.last_mut().expect("one was pushed");
            group[1] += 1;
            group[2] = tree.count[j] - 1;
        }
        let last = |[first, columns, _]: &[u32; 3]| (first + columns - 1) as usize;
        let above = |j: usize| if tree.parent[j] == NONE { NONE } else { group_of[tree.parent[j] as usize] };
        let mut parent: Vec<u32> = groups.iter().map(|group| above(last(group))).collect();

        // Relaxed: `pivots` of a group and of all that merged into it; `into` is the group it merged into.
        let mut pivots: Vec<u32> = groups.iter().map(|group| group[1]).collect();
        let mut into = vec![NONE; groups.len()];
        let (mut child, mut sibling) = (vec![NONE; groups.len()], vec![NONE; groups.len()]);
        for s in 0..groups.len() {
            // Children are numbered below their parents: all of them, with all that they took in, are known. The last is the first of the list.
            let mut kept = NONE;
            let mut c = child[s];
            while c != NONE {
                let at = c as usize;
                c = sibling[at];
                let (own, rows) = (groups[at][2], groups[s][2]);
                let apart = time(pivots[at], own) + time(pivots[s], rows);
                if time(pivots[at] + pivots[s], rows) <= apart {
                    pivots[s] += pivots[at];
                    into[at] = s as u32;
                    // Its children, which it did not take in, are tried by s as well.
                    let mut grandchild = child[at];
                    while grandchild != NONE {
                        let next = std::mem::replace(&mut sibling[grandchild as usize], c);
                        parent[grandchild as usize] = s as u32;
                        c = grandchild;
                        grandchild = next;
                    }
                } else {
                    sibling[at] = kept;
                    kept = at as u32;
                }
            }
            child[s] = kept;
            if parent[s] != NONE {
                sibling[s] = std::mem::replace(&mut child[parent[s] as usize], s as u32);
            }
        }
        Self::number(pattern, order, &groups, &parent, &into, &pivots)
    }

    /// Numbers the merged groups in postorder, and their columns with them, and finds their rows.
    fn number(
        pattern: &Pattern,
        order: &mut Order,
        groups: &[[u32; 3]],
        parent: &[u32],
        into: &[u32],
        pivots: &[u32],
    ) -> Self {
        let mut member_of: Vec<u32> = (0..groups.len() as u32).collect();
        for s in (0..groups.len()).rev() {
            if into[s] != NONE {
                member_of[s] = member_of[into[s] as usize];
            }
        }
        // The tree of what is kept, in postorder.
        let mut outer = vec![NONE; groups.len()];
        for s in 0..groups.len() {
            if into[s] == NONE && parent[s] != NONE {
                outer[s] = member_of[parent[s] as usize];
            }
        }
        let mut node_of = vec![NONE; groups.len()];
        let mut nodes: Vec<Supernode> = Vec::new();
        for s in postorder(&outer) {
            let s = s as usize;
            if into[s] == NONE {
                node_of[s] = nodes.len() as u32;
                let first = nodes.last().map_or(0, Supernode::end);
                nodes.push(Supernode { first, pivots: pivots[s], rows: 0..0, parent: outer[s], subtree: NONE });
            }
        }
        let mut next: Vec<u32> = nodes.iter().map(|node| node.first).collect();
        let mut post = vec![0; order.old.len()];
        for (s, &[first, columns, _]) in groups.iter().enumerate() {
            let next = &mut next[node_of[member_of[s] as usize] as usize];
            for column in first..first + columns {
                post[*next as usize] = column;
                *next += 1;
            }
        }
        order.then(&post);
        for s in 0..nodes.len() {
            let node = &mut nodes[s];
            if node.parent != NONE {
                node.parent = node_of[node.parent as usize];
            }
            if node.subtree == NONE {
                node.subtree = s as u32;
            }
            let (parent, subtree) = (node.parent, node.subtree);
            if parent != NONE {
                let above = &mut nodes[parent as usize];
                above.subtree = above.subtree.min(subtree);
            }
        }
        let mut supernodes = Self { nodes, rows: Vec::new() };
        supernodes.find_rows(pattern, order);
        supernodes
    }

    /// The rows of a front are those of its columns in the matrix and those that its children pass on.
    fn find_rows(&mut self, pattern: &Pattern, order: &Order) {
        let n = order.old.len();
        let mut seen = vec![NONE; n];
        let (mut child, mut sibling) = (vec![NONE; self.nodes.len()], vec![NONE; self.nodes.len()]);
        for s in 0..self.nodes.len() {
            let (node, start) = (self.nodes[s].clone(), self.rows.len());
            for column in node.first..node.end() {
                for p in pattern.row(order.old[column as usize] as usize) {
                    let row = order.new[pattern.columns[p] as usize];
                    if row >= node.end() && seen[row as usize] != s as u32 {
                        seen[row as usize] = s as u32;
                        self.rows.push(row);
                    }
                }
            }
            let mut c = child[s];
            while c != NONE {
                for at in self.nodes[c as usize].rows.clone() {
                    let row = self.rows[at];
                    if row >= node.end() && seen[row as usize] != s as u32 {
                        seen[row as usize] = s as u32;
                        self.rows.push(row);
                    }
                }
                c = sibling[c as usize];
            }
            self.rows[start..].sort_unstable();
            self.nodes[s].rows = start..self.rows.len();
            if node.parent != NONE {
                sibling[s] = std::mem::replace(&mut child[node.parent as usize], s as u32);
            }
        }
    }
}
