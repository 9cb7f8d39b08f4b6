//! Where everything is: blocks of the matrix and updates of children in the fronts, fronts in memory.
//!
//! A front of `width` columns has the pivot rows and `height` rows below. Its part of L, the *panel*, is cut into strips of [`STRIP`] rows; in a strip the
//! rows of one column are adjacent. That is what the kernels read, whatever the width of a vector. Strips of pivot rows come first and are filled up with
//! zeros, then those of the rows below. What the front passes on to its parent, the *update*, is a square of columns; its lower triangle is used.

use super::ordering::Order;
use super::supernodes::Supernodes;
use super::symbolic::NONE;
use crate::pattern::Pattern;
use std::ops::Range;

/// Rows of a strip.
pub(super) const STRIP: usize = 8;

/// A block of the matrix in a front.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Its position among the blocks of the matrix.
    pub block: u32,
    /// Its place in the front, in blocks.
    pub row: u32,
    pub column: u32,
}

/// Consecutive rows of an update that are consecutive in the update of the parent.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stretch {
    pub from: u32,
    pub to: u32,
    pub length: u32,
}

/// One front.
#[derive(Clone, Debug, Default)]
pub(super) struct Front {
    /// First scalar column.
    pub first: usize,
    /// Scalar columns.
    pub width: usize,
    /// Scalar rows below the pivots.
    pub height: usize,
    /// First node of its subtree.
    pub subtree: usize,
    /// Where its panel starts.
    pub panel: usize,
    /// Where its update starts.
    pub update: usize,
    /// Where its part of a solution starts: the pivots and the rows below, both filled up to strips.
    pub vector: usize,
    /// Its blocks of the matrix.
    pub entries: Range<usize>,
    /// Its children in [`Fronts::children`].
    pub children: Range<usize>,
    /// Its rows in [`Fronts::places`].
    pub places: Range<usize>,
    /// How many of its scalar rows are pivots of the parent.
    pub eliminated: usize,
    /// The other ones in [`Fronts::stretches`].
    pub stretches: Range<usize>,
    /// Operations of its subtree.
    pub operations: f64,
}

impl Front {
    /// Operations of its own.
    pub fn own_operations(&self) -> f64 {
        let (k, r) = (self.width as f64, self.height as f64);
        k * (k * k / 3.0 + r * k + r * r)
    }

    /// Strips of pivot rows.
    pub fn pivot_strips(&self) -> usize {
        self.width.div_ceil(STRIP)
    }

    /// Strips of rows below.
    pub fn lower_strips(&self) -> usize {
        self.height.div_ceil(STRIP)
    }

    /// Scalars of the panel.
    pub fn panel_length(&self) -> usize {
        STRIP * self.width * (self.pivot_strips() + self.lower_strips())
    }

    /// Rows of the update, and the distance of its columns.
    pub fn side(&self) -> usize {
        STRIP * self.lower_strips()
    }

    /// Scalars of the update.
    pub fn update_length(&self) -> usize {
        self.side() * self.side()
    }

    /// Scalars of its part of a solution.
    pub fn vector_length(&self) -> usize {
        STRIP * (self.pivot_strips() + self.lower_strips())
    }

    /// Place of a scalar row of the front in its part of a solution.
    pub fn place(&self, row: usize) -> usize {
        if row < self.width { row } else { STRIP * self.pivot_strips() + row - self.width }
    }
}

/// All fronts, in postorder.
#[derive(Default)]
pub(super) struct Fronts {
    pub fronts: Vec<Front>,
    pub entries: Vec<Entry>,
    pub children: Vec<u32>,
    /// Of each scalar row below the pivots: its [place](Front::place) in the parent.
    pub places: Vec<u32>,
    pub stretches: Vec<Stretch>,
    /// Scalars of all panels and of all parts of a solution.
    pub panels: usize,
    pub vectors: usize,
}

impl Fronts {
    pub fn new(pattern: &Pattern, order: &Order, supernodes: &Supernodes) -> Self {
        let mut all = Self::default();
        let nodes = &supernodes.nodes;
        let mut local = vec![NONE; order.old.len()];
        let mut lists = Lists::new(nodes.len());
        for (s, node) in nodes.iter().enumerate() {
            for (k, row) in
                (node.first..node.end()).chain(supernodes.rows[node.rows.clone()].iter().copied()).enumerate()
            {
                local[row as usize] = k as u32;
            }
            let mut front = Front {
                first: 3 * node.first as usize,
                width: node.width(),
                height: node.height(),
                subtree: node.subtree as usize,
                panel: all.panels,
                vector: all.vectors,
                ..Front::default()
            };
            front.operations = front.own_operations();
            let start = all.entries.len();
            for column in node.first..node.end() {
                for p in pattern.row(order.old[column as usize] as usize) {
                    let row = order.new[pattern.columns[p] as usize];
                    if row >= column {
                        let (row, column) = (local[row as usize], column - node.first);
                        all.entries.push(Entry { block: p as u32, row, column });
                    }
                }
            }
            front.entries = start..all.entries.len();
            let start = all.children.len();
            all.children.extend(lists.of(s));
            front.children = start..all.children.len();
            for at in front.children.clone() {
                let child = all.children[at] as usize;
                front.operations += all.fronts[child].operations;
                all.connect(
                    child,
                    &front,
                    supernodes.rows[nodes[child].rows.clone()].iter().map(|row| local[*row as usize]),
                );
            }
            if node.parent != NONE {
                lists.put(s, node.parent as usize);
            }
            all.panels += front.panel_length();
            all.vectors += front.vector_length();
            all.fronts.push(front);
        }
        all
    }

    /// Finds the rows of a child in its parent.
    fn connect(&mut self, child: usize, parent: &Front, rows: impl Iterator<Item = u32>) {
        let (places, stretches) = (self.places.len(), self.stretches.len());
        let mut eliminated = 0;
        for (k, row) in rows.enumerate() {
            let row = 3 * row as usize;
            for r in row..row + 3 {
                self.places.push(parent.place(r) as u32);
            }
            if row < parent.width {
                eliminated += 3;
                continue;
            }
            let (from, to) = (3 * k as u32, (row - parent.width) as u32);
            match self.stretches[stretches..].last_mut() {
                Some(last) if last.to + last.length == to => last.length += 3,
                _ => self.stretches.push(Stretch { from, to, length: 3 }),
            }
        }
        let front = &mut self.fronts[child];
        front.places = places..self.places.len();
        front.stretches = stretches..self.stretches.len();
        front.eliminated = eliminated;
    }
}

/// Lists of the children of all nodes.
struct Lists {
    first: Vec<u32>,
    last: Vec<u32>,
    next: Vec<u32>,
}

impl Lists {
    fn new(n: usize) -> Self {
        Self { first: vec![NONE; n], last: vec![NONE; n], next: vec![NONE; n] }
    }

    fn put(&mut self, node: usize, parent: usize) {
        let last = std::mem::replace(&mut self.last[parent], node as u32);
        if last == NONE {
            self.first[parent] = node as u32;
        } else {
            self.next[last as usize] = node as u32;
        }
    }

    fn of(&self, parent: usize) -> impl Iterator<Item = u32> + use<'_> {
        let mut node = self.first[parent];
        std::iter::from_fn(move || {
            let this = (node != NONE).then_some(node)?;
            node = self.next[this as usize];
            Some(this)
        })
    }
}
