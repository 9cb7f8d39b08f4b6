//! Rows of the matrix of [`super::plate`]: `∇θᵀ K ∇θ` and what belongs to it, particle by particle.
//!
//! A particle's row is `Σ_j u_j (∇θ_j)ᵀ` over all hinges j that its own hinges e are coupled with, `u_j = Σ_e K_ej ∂θ_e/∂x`: the sums are computed
//! first, so that every hinge is visited once.

use std::ops::Range;

use glam::{DMat3, DVec3};
use pliant_core::element::gather;
use pliant_core::{JacobianKind, Rates, View};
use pliant_linalg::pattern::Pattern;
use pliant_parallel::for_each_chunk;

use super::algebra::{norm, outer};
use super::curvature::AngleForm;
use super::fold::Fold;
use super::plate::rate;

/// The hinges of each particle.
#[derive(Debug)]
pub(super) struct Incidence {
    first: usize,
    start: Vec<u32>,
    list: Vec<(u32, u8)>,
}

impl Incidence {
    pub fn new(hinges: &[[u32; 4]]) -> Self {
        let nodes = || hinges.iter().flatten().map(|n| *n as usize);
        let first = nodes().min().unwrap_or(0);
        let end = nodes().max().map_or(first, |n| n + 1);
        let mut list: Vec<(u32, u32, u8)> = Vec::with_capacity(4 * hinges.len());
        for (e, hinge) in hinges.iter().enumerate() {
            list.extend((0..4).map(|place| (hinge[place as usize], e as u32, place)));
        }
        list.sort_unstable();
        let start = (first..=end).map(|node| list.partition_point(|e| (e.0 as usize) < node) as u32).collect();
        Self { first, start, list: list.into_iter().map(|(_, e, place)| (e, place)).collect() }
    }

    /// Range of particles with hinges.
    pub fn particles(&self) -> Range<usize> {
        self.first..self.first + self.start.len() - 1
    }

    /// The hinges of a particle, and its place in each.
    pub fn of(&self, particle: usize) -> &[(u32, u8)] {
        match particle.checked_sub(self.first) {
            Some(i) if i + 1 < self.start.len() => &self.list[self.start[i] as usize..self.start[i + 1] as usize],
            _ => &[],
        }
    }
}

/// Hinges at a state, with their terms of the matrix.
#[derive(Debug, Default)]
pub(super) struct Bent {
    folds: Vec<Fold>,
    angles: Vec<f64>,
    gradients: Vec<[DVec3; 4]>,
    /// `τ ∇²θ v` where it is needed.
    turnings: Vec<[DVec3; 4]>,
    moments: Vec<f64>,
    is_curved: bool,
}

impl Bent {
    /// `is_curved`: whether second derivatives are needed.
    pub fn resize(&mut self, count: usize, is_curved: bool, is_damped: bool) {
        self.is_curved = is_curved;
        self.folds.resize(count, Fold::default());
        self.angles.resize(count, 0.0);
        self.gradients.resize(count, [DVec3::ZERO; 4]);
        self.moments.resize(count, 0.0);
        if is_damped {
            self.turnings.resize(count, [DVec3::ZERO; 4]);
        }
    }

    /// Angles and gradients of some hinges, or of all; gradients alone where no second derivatives are needed.
    pub fn write(&mut self, hinges: &[[u32; 4]], rest: &[f64], damping_time: f64, view: &View, some: Option<&[u32]>) {
        if !self.is_curved {
            let fold = |e: usize| Fold::without_angle(gather(hinges[e], view.x)).unwrap_or_default();
            return each(&mut self.gradients, some, &|e| whole(fold(e).gradient()));
        }
        let fold = |e: usize| Fold::new(gather(hinges[e], view.x)).unwrap_or_default();
        each(&mut self.folds, some, &fold);
        let folds = &self.folds;
        each(&mut self.gradients, some, &|e| whole(folds[e].gradient()));
        let is_flat = |e: usize| folds[e].is_none();
        each(&mut self.angles, some, &|e| {
            let turning = if damping_time == 0.0 || is_flat(e) {
                0.0
            } else {
                damping_time * rate(&folds[e].gradient(), gather(hinges[e], view.v))
            };
            if is_flat(e) { 0.0 } else { folds[e].angle - rest[e] + turning }
        });
        if damping_time != 0.0 {
            let by = |e: usize| whole(folds[e].turning(gather(hinges[e], view.v)).map(|t| t * damping_time));
            each(&mut self.turnings, some, &by);
        }
    }

    /// Moments of the same.
    pub fn write_moments(&mut self, form: &AngleForm, some: Option<&[u32]>) {
        if !self.is_curved {
            return;
        }
        let angles = &self.angles;
        each(&mut self.moments, some, &|e| form.times(e, angles));
    }
}

/// Writes all entries, or some.
fn each<T: Send>(out: &mut [T], some: Option<&[u32]>, f: &(impl Fn(usize) -> T + Sync)) {
    match some {
        Some(list) => list.iter().for_each(|e| out[*e as usize] = f(*e as usize)),
        None => for_each_chunk(out, |start, chunk| {
            (start..).zip(chunk).for_each(|(e, value)| *value = f(e));
        }),
    }
}

/// Extends by the entry of corner 0: the sum over all corners is zero.
pub(super) fn whole([a, b, c]: [DVec3; 3]) -> [DVec3; 4] {
    [-(a + b + c), a, b, c]
}

/// A hinge in a particle's row.
#[derive(Clone, Copy, Debug)]
struct Coupled {
    hinge: u32,
    /// End of its terms.
    end: u32,
    /// Places of its corners among the columns of the row.
    places: [u16; 4],
}

/// Structure of the rows.
#[derive(Debug)]
pub(super) struct Rows {
    first: usize,
    /// Coupled hinges of a particle; terms begin where those of the hinge before end.
    start: Vec<u32>,
    coupled: Vec<Coupled>,
    /// `K_ej`, and which of the particle's hinges e is.
    terms: Vec<(f64, u32)>,
    column_start: Vec<u32>,
    columns: Vec<u32>,
    /// Positions of the columns in the matrix.
    positions: Vec<u32>,
    /// `Σ ∇θᵀ K ∇θ` at rest for each column, as a stiffness along the normals, N/m.
    normal: Vec<f64>,
    /// Scratch space for a row.
    row: Vec<[DMat3; 2]>,
}

impl Rows {
    /// `at_rest`: ∇θ of each hinge.
    pub fn new(incidence: &Incidence, hinges: &[[u32; 4]], form: &AngleForm, at_rest: &[[DVec3; 4]]) -> Self {
        let mut normal = Vec::new();
        let (mut start, mut column_start) = (vec![0], vec![0]);
        let (mut coupled, mut terms, mut columns) = (Vec::new(), Vec::new(), Vec::<u32>::new());
        let (mut pairs, mut own): (Vec<(u32, u32, f64)>, Vec<u32>) = Default::default();
        for particle in incidence.particles() {
            pairs.clear();
            own.clear();
            for (local, (e, _)) in incidence.of(particle).iter().enumerate() {
                pairs.extend(form.row(*e as usize).map(|(j, k)| (j, local as u32, k)));
            }
            pairs.sort_by_key(|(j, local, _)| (*j, *local));
            own.extend(pairs.iter().flat_map(|(j, ..)| hinges[*j as usize]));
            own.sort_unstable();
            own.dedup();
            normal.resize(columns.len() + own.len(), 0.0);
            let normals = &mut normal[columns.len()..];
            for group in pairs.chunk_by(|a, b| a.0 == b.0) {
                terms.extend(group.iter().map(|(_, local, k)| (*k, *local)));
                let place = |n: u32| own.binary_search(&n).expect("all corners are columns") as u16;
                let hinge = group[0].0;
                let places = hinges[hinge as usize].map(place);
                let left = group.iter().fold(DVec3::ZERO, |sum, (_, local, k)| {
                    let (e, place) = incidence.of(particle)[*local as usize];
                    sum + at_rest[e as usize][place as usize] * *k
                });
                for (place, gradient) in places.iter().zip(at_rest[hinge as usize]) {
                    normals[*place as usize] += left.dot(gradient);
                }
                coupled.push(Coupled { hinge, end: terms.len() as u32, places });
            }
            columns.extend_from_slice(&own);
            start.push(coupled.len() as u32);
            column_start.push(columns.len() as u32);
        }
        let longest = column_start.windows(2).map(|w| w[1] - w[0]).max().unwrap_or(0);
        let row = vec![[DMat3::ZERO; 2]; longest as usize];
        let first = incidence.particles().start;
        Self { first, start, coupled, terms, column_start, columns, positions: Vec::new(), normal, row }
    }

    fn span(&self, particle: usize) -> Range<usize> {
        match particle.checked_sub(self.first) {
            Some(i) if i + 1 < self.start.len() => self.start[i] as usize..self.start[i + 1] as usize,
            _ => 0..0,
        }
    }

    fn column_span(&self, particle: usize) -> Range<usize> {
        let i = particle - self.first;
        self.column_start[i] as usize..self.column_start[i + 1] as usize
    }

    /// Columns of a particle's row.
    pub fn columns(&self, particle: usize) -> &[u32] {
        &self.columns[self.column_span(particle)]
    }

    /// Hinges that contribute to its row.
    pub fn hinges(&self, particle: usize) -> impl Iterator<Item = u32> {
        self.coupled[self.span(particle)].iter().map(|coupled| coupled.hinge)
    }

    pub fn bind(&mut self, pattern: &Pattern) {
        self.positions.clear();
        for i in 0..self.start.len() - 1 {
            let particle = self.first + i;
            let at =
                |column: &u32| pattern.find(particle, *column as usize).expect("couple() announced every pair") as u32;
            let columns = self.column_start[i] as usize..self.column_start[i + 1] as usize;
            self.positions.extend(self.columns[columns].iter().map(at));
        }
    }

    /// Calls `f(column's place, block of ∂f/∂x, block of ∇θᵀ K ∇θ)`.
    fn for_each_block(
        &self,
        particle: usize,
        bent: &Bent,
        incidence: &Incidence,
        kind: JacobianKind,
        is_damped: bool,
        mut f: impl FnMut(usize, DMat3, DMat3),
    ) {
        let span = self.span(particle);
        let own = incidence.of(particle);
        let mut term = if span.start == 0 { 0 } else { self.coupled[span.start - 1].end as usize };
        let has_turning = bent.is_curved && is_damped;
        let is_symmetric = kind == JacobianKind::Symmetric;
        for coupled in &self.coupled[span] {
            let (mut left, mut turned) = (DVec3::ZERO, DVec3::ZERO);
            for (k, local) in &self.terms[term..coupled.end as usize] {
                let (e, place) = own[*local as usize];
                left += bent.gradients[e as usize][place as usize] * *k;
                if has_turning && is_symmetric {
                    turned += bent.turnings[e as usize][place as usize] * (0.5 * *k);
                }
            }
            term = coupled.end as usize;
            let j = coupled.hinge as usize;
            // its own hinge: the place in it
            let place = own.binary_search_by_key(&coupled.hinge, |(e, _)| *e).ok().filter(|_| bent.is_curved);
            let turnings = place.map(|at| bent.folds[j].turnings_at(own[at].1 as usize));
            for b in 0..4 {
                let gradient = bent.gradients[j][b];
                let square = outer(left, gradient);
                let mut block = square;
                if has_turning {
                    let share = if is_symmetric { 0.5 } else { 1.0 };
                    block += outer(left * share, bent.turnings[j][b]) + outer(turned, gradient);
                }
                if let Some(turnings) = &turnings {
                    block += turnings[b] * bent.moments[j];
                }
                f(coupled.places[b] as usize, block, square);
            }
        }
    }

    /// Calls `f(column's place, u, ∇θ)` for every product `u ∇θᵀ` of `scale ∇θᵀ K ∇θ`.
    #[inline]
    fn add_squares(
        &self,
        particle: usize,
        bent: &Bent,
        incidence: &Incidence,
        scale: f64,
        mut f: impl FnMut(usize, DVec3, DVec3),
    ) {
        let span = self.span(particle);
        let own = incidence.of(particle);
        let mut term = if span.start == 0 { 0 } else { self.coupled[span.start - 1].end as usize };
        for coupled in &self.coupled[span] {
            let mut left = DVec3::ZERO;
            for (k, local) in &self.terms[term..coupled.end as usize] {
                let (e, place) = own[*local as usize];
                left += bent.gradients[e as usize][place as usize] * *k;
            }
            term = coupled.end as usize;
            left *= scale;
            let gradients = &bent.gradients[coupled.hinge as usize];
            for (place, gradient) in coupled.places.iter().zip(gradients) {
                f(*place as usize, left, *gradient);
            }
        }
    }

    /// Adds a row to its places; `damping` is τ, and 1/γ where both matrices are to be one.
    #[expect(clippy::too_many_arguments)]
    pub fn add(
        &self,
        particle: usize,
        first: usize,
        bent: &Bent,
        incidence: &Incidence,
        kind: JacobianKind,
        (damping_time, merged): (f64, Option<f64>),
        (stiffness, damping): (&mut [DMat3], &mut [DMat3]),
    ) {
        if self.span(particle).is_empty() {
            return;
        }
        let positions = &self.positions[self.column_span(particle)];
        let share = merged.map_or(0.0, |c| c * damping_time);
        if !bent.is_curved && damping.is_empty() {
            return self.add_squares(particle, bent, incidence, 1.0 + share, |column, left, gradient| {
                let block = &mut stiffness[positions[column] as usize - first];
                *block -= outer(left, gradient);
            });
        }
        self.for_each_block(particle, bent, incidence, kind, damping_time != 0.0, |column, block, square| {
            let at = positions[column] as usize - first;
            stiffness[at] -= block;
            if share != 0.0 {
                stiffness[at] -= square * share;
            }
            if !damping.is_empty() {
                damping[at] -= square * damping_time;
            }
        });
    }

    /// Adds a row of the matrix at rest, turned to the normals of the particles: `-scale Σ k n mᵀ`. It is positive semi-definite, and of the true one it
    /// lacks what is of second order in the angles of hinges and in strains.
    pub fn add_turned(&self, particle: usize, first: usize, normals: &[DVec3], scale: f64, stiffness: &mut [DMat3]) {
        if self.span(particle).is_empty() {
            return;
        }
        let span = self.column_span(particle);
        let own = normals[particle - self.first] * -scale;
        let columns = self.columns[span.clone()].iter().zip(&self.normal[span.clone()]);
        for ((column, k), position) in columns.zip(&self.positions[span]) {
            stiffness[*position as usize - first] += outer(own * *k, normals[*column as usize - self.first]);
        }
    }

    /// Sums of the norms of a row's blocks over free columns.
    pub fn rates(
        &mut self,
        particle: usize,
        bent: &Bent,
        incidence: &Incidence,
        damping_time: f64,
        free: &[bool],
    ) -> Rates {
        if self.span(particle).is_empty() {
            return Rates::default();
        }
        let mut row = std::mem::take(&mut self.row);
        let columns = self.columns(particle);
        row[..columns.len()].fill([DMat3::ZERO; 2]);
        let is_damped = damping_time != 0.0;
        self.for_each_block(particle, bent, incidence, JacobianKind::Symmetric, is_damped, |column, block, square| {
            row[column][0] += block;
            row[column][1] += square;
        });
        let mut rates = Rates::default();
        for (_, [block, square]) in columns.iter().zip(&row).filter(|(column, _)| free[**column as usize]) {
            rates.stiffness += norm(block);
            rates.damping += damping_time * norm(square);
        }
        self.row = row;
        rates
    }
}
