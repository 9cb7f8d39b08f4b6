//! Which fronts are eliminated by one thread, and where their updates are.
//!
//! Subtrees with little work are *tasks*: their fronts are taken one after another, and their updates share a stack. Above them, a *run* is a path of fronts
//! from the top of a subtree down to where two or more subtrees with much work meet; first all that hangs on the path is eliminated, in parallel, then the path,
//! with dense kernels that use all threads. Updates on a path take turns in two buffers. All of this is a function of the tree, not of the threads.

use super::fronts::Fronts;
use std::ops::Range;

/// A task has at most this fraction of all operations, or this many.
const TASK: f64 = 1.0 / 24.0;
const SMALL_TASK: f64 = 5e5;

/// A subtree to be eliminated.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// Its root.
    pub root: usize,
    /// How; `None` for a task.
    pub run: Option<usize>,
    /// Its part of the memory of updates.
    pub memory: Range<usize>,
}

/// A path of fronts and what hangs on it.
#[derive(Clone, Debug, Default)]
pub(super) struct Run {
    /// In [`Schedule::items`], in postorder.
    pub items: Range<usize>,
    /// In [`Schedule::path`], from the bottom.
    pub path: Range<usize>,
}

/// All of the work.
#[derive(Default)]
pub(super) struct Schedule {
    pub items: Vec<Item>,
    /// The last one has all roots as its items, and no path.
    pub runs: Vec<Run>,
    pub path: Vec<u32>,
    /// Scalars of the memory of updates.
    pub memory: usize,
}

impl Schedule {
    /// Also sets where the updates of the fronts are.
    pub fn new(fronts: &mut Fronts) -> Self {
        let n = fronts.fronts.len();
        // The stack of a subtree: its update, then those of its children, then that of the child being eliminated.
        let mut stack = vec![0; n];
        for s in 0..n {
            let (mut before, mut most) = (0, 0);
            for &child in &fronts.children[fronts.fronts[s].children.clone()] {
                most = most.max(before + stack[child as usize]);
                before += fronts.fronts[child as usize].update_length();
            }
            stack[s] = fronts.fronts[s].update_length() + most;
        }
        let mut is_child = vec![false; n];
        fronts.children.iter().for_each(|child| is_child[*child as usize] = true);
        let roots: Vec<usize> = (0..n).filter(|s| !is_child[*s]).collect();
        let total: f64 = roots.iter().map(|s| fronts.fronts[*s].operations).sum();
        let mut build = Build { schedule: Self::default(), fronts, stack, task: SMALL_TASK.max(TASK * total) };
        let run = build.run(Vec::new(), roots, 0);
        build.schedule.runs.push(run);
        build.schedule
    }
}

struct Build<'a> {
    schedule: Schedule,
    fronts: &'a mut Fronts,
    stack: Vec<usize>,
    task: f64,
}

impl Build<'_> {
    fn is_task(&self, node: usize) -> bool {
        self.fronts.fronts[node].operations <= self.task
    }

    /// A run whose memory starts at `memory`; its end becomes that of the schedule. Runs are nested only where work divides, which limits their depth.
    fn run(&mut self, path: Vec<u32>, mut roots: Vec<usize>, mut memory: usize) -> Run {
        // the two buffers of a path: its top has the first
        let mut buffers = [0; 2];
        for (k, &node) in path.iter().rev().enumerate() {
            buffers[k % 2] = buffers[k % 2].max(self.fronts.fronts[node as usize].update_length());
        }
        for (k, &node) in path.iter().rev().enumerate() {
            self.fronts.fronts[node as usize].update = memory + (k % 2) * buffers[0];
        }
        memory += buffers[0] + buffers[1];
        roots.sort_unstable();
        let mut items = Vec::with_capacity(roots.len());
        for root in roots {
            let start = memory;
            let run = if self.is_task(root) {
                self.place(root, memory);
                memory += self.stack[root];
                None
            } else {
                let (path, hanging) = self.path(root);
                let run = self.run(path, hanging, memory);
                memory = self.schedule.memory;
                self.schedule.runs.push(run);
                Some(self.schedule.runs.len() - 1)
            };
            items.push(Item { root, run, memory: start..memory });
        }
        let schedule = &mut self.schedule;
        schedule.memory = memory;
        let (first_item, first_node) = (schedule.items.len(), schedule.path.len());
        schedule.items.extend(items);
        schedule.path.extend(path);
        Run { items: first_item..schedule.items.len(), path: first_node..schedule.path.len() }
    }

    /// The path from a node down to where its work divides or ends, from the bottom, and the other subtrees on it.
    fn path(&self, root: usize) -> (Vec<u32>, Vec<usize>) {
        let (mut path, mut hanging, mut node) = (Vec::new(), Vec::new(), root);
        loop {
            path.push(node as u32);
            let children = self.fronts.children[self.fronts.fronts[node].children.clone()].iter().map(|c| *c as usize);
            let mut large = children.clone().filter(|child| !self.is_task(*child));
            match (large.next(), large.next()) {
                (Some(only), None) => {
                    hanging.extend(children.filter(|child| *child != only));
                    node = only;
                }
                _ => {
                    hanging.extend(children);
                    break;
                }
            }
        }
        path.reverse();
        (path, hanging)
    }

    /// Places the updates of a task on a stack.
    fn place(&mut self, root: usize, memory: usize) {
        self.fronts.fronts[root].update = memory;
        // parents before children
        for s in (self.fronts.fronts[root].subtree..=root).rev() {
            let front = &self.fronts.fronts[s];
            let mut next = front.update + front.update_length();
            for at in front.children.clone() {
                let child = &mut self.fronts.fronts[self.fronts.children[at] as usize];
                child.update = next;
                next += child.update_length();
            }
        }
    }
}
