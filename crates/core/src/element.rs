//! Forces that are sums over small groups of particles: a kernel per element, and everything else (parallel loops, sums per
//! particle, assembly into the matrix) written here once.
//!
//! Two passes, both parallel, both with the same bits for any number of threads: every element writes its own result into its own
//! slot; then every particle adds up the slots of its elements in the order of element numbers. Nothing is shared, nothing is
//! atomic, and the sum of a particle does not depend on the order of execution.

use std::ops::Range;

use glam::{DMat3, DVec3};
use pliant_linalg::pattern::{Pattern, PatternBuilder};
use pliant_parallel::{Partials, for_each_chunk, for_each_chunk2};

use crate::capability::{Constrained, Dissipative, Incremental, Stretchable};
use crate::constraint::{Constraint, largest_error, sweep};
use crate::dirty_set::DirtySet;
use crate::force::{EnergyKind, ForceModel, ForceProperties, Rates, View};
use crate::jacobian::{Jacobian, JacobianKind, Merged};
use crate::rows::for_each_row;

/// The kernel of one element on `N` particles.
pub trait Element<const N: usize>: Send + Sync {
    /// All `N` forces in their most compact form (a spring needs one vector, not two).
    type Force: Copy + Default + Send + Sync;
    /// All `N × N` blocks of a derivative in their most compact form (a spring needs one matrix, not four).
    type Block: Copy + Default + Send + Sync;

    /// Catalog name of the model made of such elements.
    const NAME: &'static str;
    /// Whether the forces of an element sum to zero, and their torques as well.
    const INTERNAL: bool;
    /// Whether the elastic force is the derivative of [`Element::energy`]; where not, the model reports none.
    const CONSERVATIVE: bool = true;
    /// The energy entry that it is booked under.
    const ENERGY: EnergyKind = EnergyKind::Elastic;

    /// Whether it gives `∂f/∂x + c ∂f/∂v` as one block, see [`Element::write_merged`].
    const MERGES: bool = false;

    /// Its particles.
    fn nodes(&self) -> [u32; N];
    /// Potential energy, J.
    fn energy(&self, x: [DVec3; N]) -> f64;
    /// Power of the damping force, W.
    fn viscous_power(&self, x: [DVec3; N], v: [DVec3; N]) -> f64;
    /// The mean over a straight path of `span` seconds with this state as its midpoint. Elements that damp the rate of one number (a length, an
    /// angle) use its actual change; its gradient at the midpoint does not give that when the element rotates far.
    fn mean_viscous_power(&self, x: [DVec3; N], v: [DVec3; N], _span: f64) -> f64 {
        self.viscous_power(x, v)
    }
    /// Force, N.
    fn force(&self, x: [DVec3; N], v: [DVec3; N]) -> Self::Force;
    /// Forces of several elements, for elements that compute them faster together: to the bits of [`Element::force`], for every grouping.
    #[inline]
    fn write_forces(elements: &[Self], view: &View, out: &mut [Self::Force])
    where
        Self: Sized,
    {
        for (element, force) in elements.iter().zip(out) {
            let nodes = element.nodes();
            *force = element.force(gather(nodes, view.x), gather(nodes, view.v));
        }
    }
    /// The force on node `a`.
    fn force_on(force: &Self::Force, a: usize) -> DVec3;
    /// `∂f/∂x` and `∂f/∂v`.
    fn jacobian(&self, x: [DVec3; N], v: [DVec3; N], kind: JacobianKind) -> (Self::Block, Self::Block);
    /// The block `∂f_a/∂x_b`.
    fn block(blocks: &Self::Block, a: usize, b: usize) -> DMat3;
    /// Derivatives of several elements; `damping` is empty where no element is damped.
    #[inline]
    fn write_blocks(
        elements: &[Self],
        view: &View,
        kind: JacobianKind,
        stiffness: &mut [Self::Block],
        damping: &mut [Self::Block],
    ) where
        Self: Sized,
    {
        for (e, (element, block)) in elements.iter().zip(stiffness).enumerate() {
            let nodes = element.nodes();
            let (of_x, of_v) = element.jacobian(gather(nodes, view.x), gather(nodes, view.v), kind);
            *block = of_x;
            if let Some(block) = damping.get_mut(e) {
                *block = of_v;
            }
        }
    }
    /// `∂f/∂x + c ∂f/∂v` of several elements, for those with [`Element::MERGES`]: half the memory of both apart.
    fn write_merged(_elements: &[Self], _view: &View, _kind: JacobianKind, _at: Merged, _out: &mut [Self::Block])
    where
        Self: Sized,
    {
        unreachable!("an element that merges says how")
    }
    /// Adds the blocks `∂f_a/∂x_b` of all b to their places.
    #[inline]
    fn add_row(blocks: &Self::Block, a: usize, places: [usize; N], values: &mut [DMat3]) {
        for (b, place) in places.into_iter().enumerate() {
            values[place] += Self::block(blocks, a, b);
        }
    }
    /// Norms of one diagonal block of stiffness and damping at a state, N/m and N s/m.
    fn rates(&self, x: [DVec3; N], v: [DVec3; N]) -> Rates;
    /// Absolute row sums of stiffness and damping, block by block, over the free particles: one per node. The default suits
    /// elements whose blocks have norms of about the same size on and off the diagonal.
    fn row_rates(&self, x: [DVec3; N], v: [DVec3; N], free: [bool; N]) -> [Rates; N] {
        let Rates { stiffness, damping } = self.rates(x, v);
        let partners = free.iter().filter(|free| **free).count() as f64;
        [Rates { stiffness: stiffness * partners, damping: damping * partners }; N]
    }
    /// Change of length between two states, m.
    fn stretch(&self, from: [DVec3; N], to: [DVec3; N]) -> Option<f64>;
    /// Its constraint for position-based projection, met when the element is undeformed; `None` if it has none.
    fn constraint(&self, _x: [DVec3; N]) -> Option<Constraint<N>> {
        None
    }
    /// Whether this element's force depends on velocity.
    fn is_damped(&self) -> bool;
    /// Whether its exact Jacobian is symmetric.
    fn is_symmetric(&self) -> bool;
    /// Whether its force is affine in positions and velocities; see [`ForceProperties::is_linear`].
    fn is_linear(&self) -> bool {
        false
    }
}

/// A force model made of many elements of one kind.
#[derive(Debug)]
pub struct Elements<E: Element<N>, const N: usize> {
    elements: Vec<E>,
    /// Particles `first..first + nodes` are used; `incident_start` is indexed from `first`.
    first: usize,
    incident_start: Vec<u32>,
    /// Element and place in it, in order of elements.
    incident: Vec<(u32, u32)>,
    /// For each incidence the positions of its `N` blocks in the matrix.
    positions: Vec<[u32; N]>,
    damped: bool,
    symmetric: bool,
    linear: bool,
    forces: Vec<E::Force>,
    /// Elements whose particles moved, and whether `forces` are not even those of the last state.
    changed: DirtySet,
    is_stale: bool,
    /// Elements changed since the last state.
    renewed: Vec<u32>,
    /// Elements whose derivatives are requested.
    wanted: DirtySet,
    stiffness: Vec<E::Block>,
    damping: Vec<E::Block>,
    partials: Partials,
}

impl<E: Element<N>, const N: usize> Elements<E, N> {
    /// A model of these elements.
    pub fn new(elements: Vec<E>) -> Self {
        let nodes = || elements.iter().flat_map(|e| e.nodes());
        let first = nodes().min().unwrap_or(0) as usize;
        let end = nodes().max().map_or(first, |n| n as usize + 1);
        let mut incident_start = vec![0_u32; end - first + 1];
        for node in nodes() {
            incident_start[node as usize - first + 1] += 1;
        }
        for i in 1..incident_start.len() {
            incident_start[i] += incident_start[i - 1];
        }
        let mut next = incident_start.clone();
        let mut incident = vec![(0, 0); elements.len() * N];
        for (e, element) in elements.iter().enumerate() {
            for (a, node) in element.nodes().into_iter().enumerate() {
                let slot = &mut next[node as usize - first];
                incident[*slot as usize] = (e as u32, a as u32);
                *slot += 1;
            }
        }
        let damped = elements.iter().any(Element::is_damped);
        let symmetric = elements.iter().all(Element::is_symmetric);
        let linear = elements.iter().all(Element::is_linear);
        let forces = vec![E::Force::default(); elements.len()];
        Self {
            elements,
            first,
            incident_start,
            incident,
            positions: Vec::new(),
            damped,
            symmetric,
            linear,
            forces,
            changed: DirtySet::default(),
            wanted: DirtySet::default(),
            is_stale: true,
            renewed: Vec::new(),
            stiffness: Vec::new(),
            damping: Vec::new(),
            partials: Partials::default(),
        }
    }

    /// The elements.
    pub fn elements(&self) -> &[E] {
        &self.elements
    }

    /// The elements, mutable in everything but their particles and declared properties.
    pub fn elements_mut(&mut self) -> &mut [E] {
        self.is_stale = true;
        &mut self.elements
    }

    /// The same, where only these are changed: only their particles become dirty.
    pub fn some_mut(&mut self, changed: impl IntoIterator<Item = u32>) -> &mut [E] {
        if !self.is_stale {
            self.renewed.extend(changed);
            // too many to list, or no evaluation for a while
            self.is_stale = self.renewed.len() > self.elements.len();
        }
        &mut self.elements
    }

    /// The elements of a particle, and its place in each.
    fn incidences(&self, particle: usize) -> &[(u32, u32)] {
        match particle.checked_sub(self.first) {
            Some(i) if i < self.incident_particles() => {
                &self.incident[self.incident_start[i] as usize..self.incident_start[i + 1] as usize]
            }
            _ => &[],
        }
    }

    /// Adds the requested rows of derivatives, from the elements that contribute to them.
    fn add_rows(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        let mut wanted = std::mem::take(&mut self.wanted);
        wanted.clear(self.elements.len());
        for row in &out.rows {
            self.incidences(*row as usize).iter().for_each(|(element, _)| wanted.add(*element));
        }
        wanted.sort();
        let merged = out.merged().filter(|_| E::MERGES);
        let is_apart = self.damped && merged.is_none();
        for run in runs(wanted.list()) {
            let elements = &self.elements[run.clone()];
            let stiffness = &mut self.stiffness[run.clone()];
            match merged {
                Some(c) => E::write_merged(elements, view, kind, c, stiffness),
                None => {
                    let damping = if is_apart { &mut self.damping[run] } else { &mut [][..] };
                    E::write_blocks(elements, view, kind, stiffness, damping);
                }
            }
        }
        self.wanted = wanted;
        for row in out.rows.iter().map(|row| *row as usize) {
            let Some(i) = row.checked_sub(self.first).filter(|i| *i < self.incident_particles()) else { continue };
            for k in self.incident_start[i] as usize..self.incident_start[i + 1] as usize {
                let (element, a) = (self.incident[k].0 as usize, self.incident[k].1 as usize);
                let places = self.positions[k].map(|position| position as usize);
                E::add_row(&self.stiffness[element], a, places, &mut out.stiffness.values);
                if is_apart {
                    E::add_row(&self.damping[element], a, places, &mut out.damping.values);
                }
            }
        }
    }

    fn incident_particles(&self) -> usize {
        self.incident_start.len() - 1
    }
}

/// Runs of consecutive numbers: elements may be faster together.
fn runs(mut sorted: &[u32]) -> impl Iterator<Item = Range<usize>> {
    std::iter::from_fn(move || {
        let first = *sorted.first()? as usize;
        let length = sorted.iter().zip(first..).take_while(|(e, expected)| **e as usize == *expected).count();
        sorted = &sorted[length..];
        Some(first..first + length)
    })
}

/// The rate of a number over a straight path of `span` seconds with a given midpoint, from its values at both ends.
pub fn mean_rate<const N: usize>(x: [DVec3; N], v: [DVec3; N], span: f64, number: impl Fn([DVec3; N]) -> f64) -> f64 {
    let end = |part: f64| std::array::from_fn(|a| x[a] + v[a] * (part * span));
    (number(end(0.5)) - number(end(-0.5))) / span
}

/// The entries of some nodes.
#[inline]
pub fn gather<const N: usize>(nodes: [u32; N], values: &[DVec3]) -> [DVec3; N] {
    nodes.map(|n| values[n as usize])
}

impl<E: Element<N>, const N: usize> ForceModel for Elements<E, N> {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties {
            energy_kind: E::ENERGY,
            is_steady: true,
            merges_damping: E::MERGES,
            depends_on_velocity: self.damped,
            has_symmetric_jacobian: self.symmetric,
            is_linear: self.linear,
            is_internal: E::INTERNAL,
            ..ForceProperties::default()
        }
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        if !E::CONSERVATIVE {
            return None;
        }
        let elements = &self.elements;
        Some(
            self.partials
                .sum(elements.len(), |range| elements[range].iter().map(|e| e.energy(gather(e.nodes(), view.x))).sum()),
        )
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        self.is_stale = false;
        self.renewed.clear();
        let elements = &self.elements;
        for_each_chunk(&mut self.forces, |start, chunk| {
            E::write_forces(&elements[start..start + chunk.len()], view, chunk);
        });
        let (forces, starts, incident) = (&self.forces, &self.incident_start, &self.incident);
        for_each_chunk(&mut out[self.first..self.first + starts.len() - 1], |start, chunk| {
            for (i, total) in (start..).zip(chunk) {
                for (element, place) in &incident[starts[i] as usize..starts[i + 1] as usize] {
                    *total += E::force_on(&forces[*element as usize], *place as usize);
                }
            }
        });
    }

    fn couple(&self, pattern: &mut PatternBuilder) {
        for element in &self.elements {
            let nodes = element.nodes();
            for a in 0..N {
                for b in a..N {
                    pattern.couple(nodes[a] as usize, nodes[b] as usize);
                }
            }
        }
    }

    fn bind(&mut self, pattern: &Pattern) {
        let at = |row: u32, column: u32| {
            pattern.find(row as usize, column as usize).expect("couple() announced every pair of an element") as u32
        };
        self.positions = self
            .incident
            .iter()
            .map(|(element, place)| {
                let nodes = self.elements[*element as usize].nodes();
                nodes.map(|column| at(nodes[*place as usize], column))
            })
            .collect();
        self.stiffness = vec![Default::default(); self.elements.len()];
        self.damping = vec![Default::default(); if self.damped { self.elements.len() } else { 0 }];
    }

    fn add_jacobian(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        if out.is_partial {
            return self.add_rows(view, kind, out);
        }
        let elements = &self.elements;
        let merged = out.merged().filter(|_| E::MERGES);
        let is_apart = self.damped && merged.is_none();
        if let Some(c) = merged {
            for_each_chunk(&mut self.stiffness, |start, chunk| {
                E::write_merged(&elements[start..start + chunk.len()], view, kind, c, chunk);
            });
        } else if self.damped {
            for_each_chunk2(&mut self.stiffness, &mut self.damping, |start, stiffness, damping| {
                E::write_blocks(&elements[start..start + stiffness.len()], view, kind, stiffness, damping);
            });
        } else {
            for_each_chunk(&mut self.stiffness, |start, chunk| {
                E::write_blocks(&elements[start..start + chunk.len()], view, kind, chunk, &mut []);
            });
        }
        let pattern = out.stiffness.pattern.clone();
        let rows = self.first..self.first + self.incident_particles();
        let values = pattern.row_start[rows.start] as usize..pattern.row_start[rows.end] as usize;
        let damping = if is_apart { &mut out.damping.values[values.clone()] } else { &mut [][..] };
        let (starts, incident, positions) = (&self.incident_start, &self.incident, &self.positions);
        let (of_x, of_v) = (&self.stiffness, &self.damping);
        for_each_row(&pattern, rows, &mut out.stiffness.values[values], damping, &|row, first, stiffness, damping| {
            for k in starts[row - self.first] as usize..starts[row - self.first + 1] as usize {
                let (element, a) = (incident[k].0 as usize, incident[k].1 as usize);
                let places = positions[k].map(|position| position as usize - first);
                E::add_row(&of_x[element], a, places, stiffness);
                if !damping.is_empty() {
                    E::add_row(&of_v[element], a, places, damping);
                }
            }
        });
    }

    fn add_rates(&mut self, view: &View, free: &[bool], out: &mut [Rates]) {
        for element in &self.elements {
            let nodes = element.nodes();
            // Pinned partners are not part of the system.
            let rates =
                element.row_rates(gather(nodes, view.x), gather(nodes, view.v), nodes.map(|n| free[n as usize]));
            for (node, rates) in nodes.into_iter().zip(rates) {
                out[node as usize].stiffness += rates.stiffness;
                out[node as usize].damping += rates.damping;
            }
        }
    }

    fn as_dissipative(&mut self) -> Option<&mut dyn Dissipative> {
        Some(self)
    }

    fn as_incremental(&mut self) -> Option<&mut dyn Incremental> {
        Some(self)
    }

    fn as_constrained(&self) -> Option<&dyn Constrained> {
        Some(self)
    }

    fn as_stretchable(&self) -> Option<&dyn Stretchable> {
        Some(self)
    }
}

impl<E: Element<N>, const N: usize> Dissipative for Elements<E, N> {
    fn viscous_power(&mut self, view: &View) -> f64 {
        if !self.damped {
            return 0.0;
        }
        let elements = &self.elements;
        self.partials.sum(elements.len(), |range| {
            let power = |e: &E| e.viscous_power(gather(e.nodes(), view.x), gather(e.nodes(), view.v));
            elements[range].iter().map(power).sum()
        })
    }

    fn mean_viscous_power(&mut self, midway: &View, span: f64) -> f64 {
        if !self.damped {
            return 0.0;
        }
        let elements = &self.elements;
        self.partials.sum(elements.len(), |range| {
            let power = |e: &E| e.mean_viscous_power(gather(e.nodes(), midway.x), gather(e.nodes(), midway.v), span);
            elements[range].iter().map(power).sum()
        })
    }
}

impl<E: Element<N>, const N: usize> Incremental for Elements<E, N> {
    fn mark_dirty(&mut self, _view: &View, moved: &DirtySet, out: &mut DirtySet) {
        if self.is_stale {
            return out.add_all();
        }
        let mut changed = std::mem::take(&mut self.changed);
        changed.clear(self.elements.len());
        self.renewed.iter().for_each(|element| changed.add(*element));
        for particle in moved.list() {
            self.incidences(*particle as usize).iter().for_each(|(element, _)| changed.add(*element));
        }
        changed.sort();
        changed.list().iter().for_each(|e| self.elements[*e as usize].nodes().into_iter().for_each(|n| out.add(n)));
        self.changed = changed;
    }

    fn update_force(&mut self, view: &View, reached: &[u32], out: &mut [DVec3]) {
        self.renewed.clear();
        for run in runs(self.changed.list()) {
            E::write_forces(&self.elements[run.clone()], view, &mut self.forces[run]);
        }
        for particle in reached {
            for (element, place) in self.incidences(*particle as usize) {
                out[*particle as usize] += E::force_on(&self.forces[*element as usize], *place as usize);
            }
        }
    }
}

impl<E: Element<N>, const N: usize> Constrained for Elements<E, N> {
    fn project(&self, weights: &[f64], part: f64, x: &mut [DVec3]) {
        sweep(&self.elements, weights, part, x);
    }

    fn constraint_error(&self, view: &View) -> Option<f64> {
        largest_error(&self.elements, view.x)
    }
}

impl<E: Element<N>, const N: usize> Stretchable for Elements<E, N> {
    fn stretch(&self, from: &View, to: &View) -> Option<f64> {
        let changes = self.elements.iter().map(|e| e.stretch(gather(e.nodes(), from.x), gather(e.nodes(), to.x)));
        changes.flatten().reduce(|a, b| if b > a || b.is_nan() { b } else { a })
    }
}
