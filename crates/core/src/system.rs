//! What does not change while steps are taken: masses, pins, bodies and the force models, with the sums over all models.

use std::sync::Arc;
use std::time::Instant;

use glam::{DMat3, DVec3};
use pliant_linalg::block_csr::BlockCsr;
use pliant_linalg::parallel::{Partials, for_each_chunk};
use pliant_linalg::pattern::{Pattern, PatternBuilder};
use thiserror::Error;

use crate::attempt::{ErrorAt, StepFailure};
use crate::body::Body;
use crate::clock::Clock;
use crate::fields::Fields;
use crate::force::{EnergyKind, ForceModel, FreeWay, Jacobian, JacobianKind, Rates, View};
use crate::ledger::{Account, Energy};
use crate::pins::Pin;
use crate::rows::for_each_row;
use crate::state::State;

/// Why a system could not be formed.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SystemError {
    /// A mass is not a positive finite number.
    #[error("particle {particle} has mass {mass}; a mass must be positive and finite")]
    BadMass {
        /// The particle.
        particle: usize,
        /// Its mass, kg.
        mass: f64,
    },
    /// A pin names a particle that does not exist.
    #[error("a pin holds particle {particle}, but there are only {count}")]
    BadPin {
        /// The particle named.
        particle: usize,
        /// How many there are.
        count: usize,
    },
}

/// Forces of contact at both ends of a step, N.
#[derive(Debug, Default)]
pub struct Contacts {
    /// At the start.
    pub start: Vec<DVec3>,
    /// At the end.
    pub end: Vec<DVec3>,
}

/// Particles with masses, some of them pinned, under forces.
pub struct System {
    masses: Vec<f64>,
    /// 1/m, and 0 for pinned particles: kicks do not move them.
    inverse_masses: Vec<f64>,
    free: Vec<bool>,
    pins: Vec<Pin>,
    moving_pins: bool,
    linear: bool,
    renews: bool,
    /// How often a model has changed since the system was formed, and the positions of the last time.
    revision: u64,
    reference: Vec<DVec3>,
    models: Vec<Box<dyn ForceModel>>,
    bodies: Vec<Body>,
    refinement: Vec<Vec<[u32; 3]>>,
    pattern: Arc<Pattern>,
    rates: Vec<Rates>,
    contacts: Contacts,
    /// Constant forces of this step besides those of the models, N; empty: none.
    fed_back: Vec<DVec3>,
    partials: Partials,
    /// Where the time went.
    pub clock: Clock,
}

impl System {
    /// Forms a system; looks up the matrix pattern of all models once.
    pub fn new(
        masses: Vec<f64>,
        pins: Vec<Pin>,
        models: Vec<Box<dyn ForceModel>>,
        bodies: Vec<Body>,
    ) -> Result<Self, SystemError> {
        let count = masses.len();
        if let Some(particle) = masses.iter().position(|m| !(m.is_finite() && *m > 0.0)) {
            return Err(SystemError::BadMass { particle, mass: masses[particle] });
        }
        if let Some(pin) = pins.iter().find(|p| p.particle >= count) {
            return Err(SystemError::BadPin { particle: pin.particle, count });
        }
        let mut free = vec![true; count];
        let mut inverse_masses: Vec<f64> = masses.iter().map(|m| m.recip()).collect();
        for pin in &pins {
            free[pin.particle] = false;
            inverse_masses[pin.particle] = 0.0;
        }
        let mut system = Self {
            moving_pins: pins.iter().any(|p| !p.path.is_fixed()),
            linear: false,
            renews: false,
            revision: 0,
            reference: Vec::new(),
            rates: vec![Rates::default(); count],
            contacts: Contacts::default(),
            fed_back: Vec::new(),
            masses,
            inverse_masses,
            free,
            pins,
            models,
            bodies,
            refinement: Vec::new(),
            pattern: Arc::new(PatternBuilder::new(count).build()),
            partials: Partials::default(),
            clock: Clock::default(),
        };
        system.couple();
        Ok(system)
    }

    /// Adds a force model. Only before a simulation is made of the system: integrators lay out their matrices once.
    pub fn add_model(&mut self, model: Box<dyn ForceModel>) {
        self.models.push(model);
        self.couple();
    }

    fn couple(&mut self) {
        let mut builder = PatternBuilder::new(self.len());
        self.models.iter().for_each(|model| model.couple(&mut builder));
        self.pattern = Arc::new(builder.build());
        self.models.iter_mut().for_each(|model| model.bind(&self.pattern));
        self.linear = self.models.iter().all(|model| model.is_linear());
        self.renews = self.models.iter().any(|model| model.renews());
        self.revision += 1;
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.masses.len()
    }

    /// Whether there is nothing to simulate.
    pub fn is_empty(&self) -> bool {
        self.masses.is_empty()
    }

    /// Masses, kg.
    pub fn masses(&self) -> &[f64] {
        &self.masses
    }

    /// 1/m, zero where pinned.
    pub fn inverse_masses(&self) -> &[f64] {
        &self.inverse_masses
    }

    /// Which particles are not pinned.
    pub fn free(&self) -> &[bool] {
        &self.free
    }

    /// All pins.
    pub fn pins(&self) -> &[Pin] {
        &self.pins
    }

    /// Whether any pin moves, or particles are held that do.
    pub fn has_moving_pins(&self) -> bool {
        self.moving_pins || self.renews
    }

    /// Named groups of particles.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Tells which particles were put between which two others, level by level from the coarsest: `[new, parent, parent]`.
    pub fn set_refinement(&mut self, levels: Vec<Vec<[u32; 3]>>) {
        self.refinement = levels;
    }

    /// What [`System::set_refinement`] told.
    pub fn refinement(&self) -> &[Vec<[u32; 3]>] {
        &self.refinement
    }

    /// The force models, in the order in which they are summed.
    pub fn models(&self) -> &[Box<dyn ForceModel>] {
        &self.models
    }

    /// Whether any force depends on velocities.
    pub fn depends_on_velocity(&self) -> bool {
        self.models.iter().any(|m| m.depends_on_velocity())
    }

    /// Whether all exact Jacobians are symmetric; those of contact do not count, as no order of accuracy is lost where there is none.
    pub fn has_symmetric_jacobian(&self) -> bool {
        self.models.iter().all(|m| m.has_symmetric_jacobian() || m.is_contact())
    }

    /// Whether all forces are affine in positions and velocities until the next [`System::begin_step`].
    pub fn is_linear(&self) -> bool {
        self.linear
    }

    /// Grows whenever a model changes. Of a linear system, derivatives of the force that were assembled at the same revision are the same.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// Of a linear system: positions at which the present revision began, as a hint for solvers that is a function of the derivatives'
    /// own past; empty before the first [`System::begin_step`].
    pub fn reference(&self) -> &[DVec3] {
        &self.reference
    }

    /// Puts pinned particles where they are at `time`.
    pub fn apply_pins(&self, time: f64, x: &mut [DVec3], v: &mut [DVec3]) {
        for pin in &self.pins {
            (x[pin.particle], v[pin.particle]) = pin.path.at(time);
        }
    }

    /// Overwrites `out` with the total force.
    pub fn forces(&mut self, view: &View, out: &mut [DVec3]) {
        let begun = Instant::now();
        out.fill(DVec3::ZERO);
        self.models.iter_mut().for_each(|model| model.add_force(view, out));
        out.iter_mut().zip(&self.fed_back).for_each(|(out, fed_back)| *out += *fed_back);
        self.clock.book(|clock| &mut clock.forces, begun);
    }

    /// Forces to be added as they are at every state until this is called again, one for each particle or none: what the response to
    /// collisions of one step gives to the next.
    pub fn feed_back(&mut self, forces: &[DVec3]) {
        self.fed_back.clear();
        self.fed_back.extend_from_slice(forces);
    }

    /// What [`System::feed_back`] was given.
    pub fn fed_back(&self) -> &[DVec3] {
        &self.fed_back
    }

    /// Position-based projection: so many sweeps over the constraints of all models, each with a part of the correction.
    pub fn project(&self, sweeps: u32, part: f64, x: &mut [DVec3]) {
        for _ in 0..sweeps {
            self.models.iter().for_each(|model| model.project(&self.inverse_masses, part, x));
        }
    }

    /// The largest relative error of a constraint; `None` where no model has one.
    pub fn constraint_error(&self, view: &View) -> Option<f64> {
        let errors = self.models.iter().filter_map(|model| model.constraint_error(view));
        errors.reduce(|a, b| if b > a || b.is_nan() { b } else { a })
    }

    /// Lets models hold, let go and move particles; whether anybody was put elsewhere.
    pub fn renew(&mut self, state: &mut State) -> bool {
        if !self.renews {
            return false;
        }
        let mut moved = false;
        for model in &mut self.models {
            moved |= model.renew(state, &mut self.free);
        }
        let all = self.inverse_masses.iter_mut().zip(&self.masses).zip(&self.free);
        all.for_each(|((weight, mass), free)| *weight = if *free { mass.recip() } else { 0.0 });
        moved
    }

    /// Whether a model needs [`System::confine`].
    pub fn confines(&self) -> bool {
        self.models.iter().any(|model| model.confines())
    }

    /// Changes velocities so that what is incompressible stays so over a step; what that did to the kinetic energy, J, and how many
    /// iterations it took.
    pub fn confine(&mut self, view: &View, dt: f64, v: &mut [DVec3]) -> Result<(f64, u64), StepFailure> {
        if !self.confines() {
            return Ok((0.0, 0));
        }
        let (begun, before, mut iterations) = (Instant::now(), self.kinetic(v), 0);
        for model in &mut self.models {
            iterations += model.confine(view, dt, &self.inverse_masses, v)?;
        }
        self.clock.book(|clock| &mut clock.linear, begun);
        Ok((self.kinetic(v) - before, iterations))
    }

    /// Overwrites `v` with velocities at which nothing that touches approaches.
    pub fn respond(&mut self, view: &View, v: &mut [DVec3]) {
        v.copy_from_slice(view.v);
        let weights = &self.inverse_masses;
        self.models.iter_mut().for_each(|model| model.respond(view, weights, v));
    }

    /// Kinetic energy, J.
    pub fn kinetic(&mut self, v: &[DVec3]) -> f64 {
        let masses = &self.masses;
        self.partials.sum(masses.len(), |range| range.map(|i| 0.5 * masses[i] * v[i].length_squared()).sum())
    }

    /// Potential energy of all models; infinite where inadmissible.
    pub fn potential(&mut self, view: &View) -> f64 {
        let begun = Instant::now();
        let energy = self.models.iter_mut().filter_map(|model| model.energy(view)).sum();
        self.clock.book(|clock| &mut clock.forces, begun);
        energy
    }

    /// Potential energy of one model, by its number among [`System::models`].
    pub fn energy_of(&mut self, model: usize, view: &View) -> Option<f64> {
        self.models.get_mut(model)?.energy(view)
    }

    /// Potential of all velocity-dependent forces that have one.
    pub fn dissipation(&mut self, view: &View) -> f64 {
        self.models.iter_mut().map(|model| model.dissipation(view)).sum()
    }

    /// A state's energies and powers, for the ledger. `force` must be the force at that state if any pin moves.
    pub fn account(&mut self, state: &State, force: &[DVec3]) -> Account {
        let view = state.view();
        let kinetic = self.kinetic(view.v);
        let mut energy = Energy { kinetic, ..Energy::default() };
        let (mut viscous_power, mut contact_power, mut released) = (0.0, 0.0, 0.0);
        for model in &mut self.models {
            let potential = model.energy(&view).unwrap_or(0.0);
            match model.energy_kind() {
                EnergyKind::Elastic => energy.elastic += potential,
                EnergyKind::Gravity => energy.gravity += potential,
            }
            released += model.released();
            let (lost, brought) = (model.viscous_power(&view), model.external_power(&view));
            if model.is_contact() {
                contact_power += lost + brought;
            } else {
                viscous_power += lost + brought;
            }
        }
        let mut account = Account { energy, viscous_power, contact_power, released, ..Account::default() };
        if self.moving_pins {
            for pin in &self.pins {
                let v = view.v[pin.particle];
                account.force_power_on_pins += force[pin.particle].dot(v);
                account.pinned_kinetic += 0.5 * self.masses[pin.particle] * v.length_squared();
            }
        }
        if self.renews && !force.is_empty() {
            // those that are held move without being pinned: their velocities do not change
            let pinned: f64 = self.pins.iter().map(|pin| force[pin.particle].dot(view.v[pin.particle])).sum();
            let held =
                (0..self.len()).filter(|i| !self.free[*i]).map(|i| force[i].dot(view.v[i])).sum::<f64>() - pinned;
            account.force_power_on_pins += held;
        }
        account
    }

    /// Overwrites `out` with what models know of particles at a view and files of frames show; see [`ForceModel::write_fields`].
    pub fn write_fields(&mut self, view: &View, out: &mut Fields) {
        out.begin(self.len());
        self.models.iter_mut().for_each(|model| model.write_fields(view, out));
    }

    /// Total linear momentum, kg m/s.
    pub fn momentum(&self, state: &State) -> DVec3 {
        self.masses.iter().zip(&state.v).map(|(m, v)| *v * *m).sum()
    }

    /// Storage for the derivatives of the force.
    pub fn new_jacobian(&self) -> Jacobian {
        Jacobian {
            stiffness: BlockCsr::zeros(self.pattern.clone()),
            damping: BlockCsr::zeros(self.pattern.clone()),
            has_damping: false,
            merged: None,
            loose: Vec::new(),
            places: Vec::new(),
            ordered: Vec::new(),
        }
    }

    /// Storage for one matrix on the system's pattern.
    pub fn new_matrix(&self) -> BlockCsr {
        BlockCsr::zeros(self.pattern.clone())
    }

    /// Overwrites `out` with the derivatives of the total force.
    pub fn assemble(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        out.merged = None;
        self.assemble_into(view, kind, out);
    }

    /// The same for one γ only: `K + D/γ` takes the place of `K` for the models that can, which saves passes over memory.
    pub fn assemble_merged(&mut self, view: &View, kind: JacobianKind, gamma: f64, out: &mut Jacobian) {
        out.merged = Some(1.0 / gamma);
        self.assemble_into(view, kind, out);
    }

    fn assemble_into(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        let begun = Instant::now();
        let is_merged = out.merged.is_some();
        let writes =
            |m: &dyn ForceModel| m.depends_on_velocity() && !m.is_contact() && !(is_merged && m.merges_damping());
        out.has_damping = self.models.iter().any(|m| writes(&**m));
        out.stiffness.values.fill(DMat3::ZERO);
        if out.has_damping {
            out.damping.values.fill(DMat3::ZERO);
        }
        out.loose.clear();
        self.models.iter_mut().for_each(|model| model.add_jacobian(view, kind, out));
        out.tidy_loose();
        self.clock.book(|clock| &mut clock.derivatives, begun);
    }

    /// Writes `M - γ D - γ² K` with the identity in the rows of pinned particles and nothing in their columns. Loose blocks widen the
    /// matrix's pattern; it is a function of the Jacobian alone, never of matrices before.
    pub fn write_system_matrix(&self, jacobian: &Jacobian, gamma: f64, out: &mut BlockCsr) {
        if jacobian.loose.is_empty() {
            if !Arc::ptr_eq(&out.pattern, &self.pattern) {
                out.pattern = self.pattern.clone();
                out.values.resize(self.pattern.blocks(), DMat3::ZERO);
            }
        } else {
            let pairs = jacobian.loose.iter().map(|block| (block.row, block.column));
            let pattern = self.pattern.with(pairs);
            if *out.pattern != pattern {
                out.pattern = Arc::new(pattern);
                out.values.resize(out.pattern.blocks(), DMat3::ZERO);
            }
        }
        let (base, pattern) = (&*self.pattern, out.pattern.clone());
        let (stiffness, damping) = (&jacobian.stiffness.values, &jacobian.damping.values);
        let gamma2 = gamma * gamma;
        for_each_row(&pattern, 0..self.len(), &mut out.values, &mut [], &|row, offset, values, _| {
            let values = &mut values[pattern.row_start[row] as usize - offset..];
            let columns = &pattern.columns[pattern.row(row)];
            values[..columns.len()].fill(DMat3::ZERO);
            if !self.free[row] {
                values[pattern.diagonal[row] as usize - pattern.row_start[row] as usize] = DMat3::IDENTITY;
                return;
            }
            let mut at = 0;
            for p in base.row(row) {
                let column = base.columns[p] as usize;
                while columns[at] as usize != column {
                    at += 1;
                }
                if self.free[column] {
                    let scaled = stiffness[p] * -gamma2;
                    values[at] = if jacobian.has_damping { scaled - damping[p] * gamma } else { scaled };
                }
                if row == column {
                    values[at] += DMat3::from_diagonal(DVec3::splat(self.masses[row]));
                }
            }
            let first = jacobian.loose.partition_point(|block| (block.row as usize) < row);
            at = 0;
            for block in jacobian.loose[first..].iter().take_while(|block| block.row as usize == row) {
                while columns[at] != block.column {
                    at += 1;
                }
                if self.free[block.column as usize] {
                    values[at] -= block.stiffness * gamma2 + block.damping * gamma;
                }
            }
        });
    }

    /// Whether any model is one of contact.
    pub fn has_contact(&self) -> bool {
        self.models.iter().any(|m| m.is_contact())
    }

    /// The forces of contact alone at two states, if there can be any; lend them back with [`System::give_back`].
    pub fn contact_at_ends(&mut self, from: &View, to: &View) -> Option<Contacts> {
        if !self.has_contact() {
            return None;
        }
        let mut contacts = std::mem::take(&mut self.contacts);
        for (view, out) in [(from, &mut contacts.start), (to, &mut contacts.end)] {
            out.clear();
            out.resize(self.masses.len(), DVec3::ZERO);
            self.models.iter_mut().filter(|m| m.is_contact()).for_each(|model| model.add_force(view, out));
        }
        Some(contacts)
    }

    /// Takes back what [`System::contact_at_ends`] lent, so that its memory is used again.
    pub fn give_back(&mut self, contacts: Contacts) {
        self.contacts = contacts;
    }

    /// Tells all models from which state the next steps start; whether the force at that state may now be another one.
    pub fn begin_step(&mut self, from: &View) -> bool {
        let mut changed = false;
        for model in &mut self.models {
            changed |= model.begin_step(from);
        }
        let first = self.linear && self.reference.len() != from.x.len();
        self.revision += u64::from(changed || first);
        if self.linear && (changed || first) {
            self.reference.clear();
            self.reference.extend_from_slice(from.x);
        }
        changed
    }

    /// The longest step that may follow, after the last [`System::begin_step`], s.
    pub fn longest_next_step(&self) -> f64 {
        self.models.iter().map(|model| model.longest_next_step()).fold(f64::INFINITY, f64::min)
    }

    /// Lets all models forget what earlier states left behind.
    pub fn forget(&mut self) {
        self.models.iter_mut().for_each(|model| model.forget());
        self.reference.clear();
    }

    /// What a restart must know of earlier states besides the point, as plain numbers.
    pub fn memory(&self) -> Vec<f64> {
        let models: Vec<f64> = self.models.iter().flat_map(|model| model.memory()).collect();
        if models.is_empty() {
            return models;
        }
        self.reference.iter().flat_map(|x| x.to_array()).chain(models).collect()
    }

    /// Continues from a state with what [`System::memory`] gave there.
    pub fn restore(&mut self, from: &View, memory: &[f64]) {
        self.begin_step(from);
        let Some((positions, mut rest)) = memory.split_at_checked(3 * self.reference.len()) else { return };
        for (x, stored) in self.reference.iter_mut().zip(positions.as_chunks::<3>().0) {
            *x = DVec3::from_array(*stored);
        }
        for model in &mut self.models {
            rest = rest.get(model.restore(rest)..).unwrap_or_default();
        }
        self.revision += 1;
    }

    /// How much of the straight way between two states can be gone before something would pass through something else.
    pub fn free_way(&mut self, from: &View, to: &View) -> FreeWay {
        let begun = Instant::now();
        let ways = self.models.iter_mut().map(|model| model.free_way(from, to));
        let way = ways.reduce(|a, b| if b.fraction < a.fraction { b } else { a }).unwrap_or(FreeWay::CLEAR);
        self.clock.book(|clock| &mut clock.free_ways, begun);
        way
    }

    /// Largest Euclidean norm of `f(i, 1/m)` over particles that are not pinned; zero when all are.
    pub fn max_over_free(&mut self, f: impl Fn(usize, f64) -> DVec3 + Sync) -> ErrorAt {
        let (free, weights) = (&self.free, &self.inverse_masses);
        let norm = |i: usize| if free[i] { f(i, weights[i]).length() } else { 0.0 };
        let (particle, metres) = self.partials.max(free.len(), norm).unwrap_or((0, 0.0));
        ErrorAt { metres, particle }
    }

    /// `out[i] = f(i)` for all particles, in parallel.
    pub fn fill(out: &mut [DVec3], f: impl Fn(usize) -> DVec3 + Sync) {
        for_each_chunk(out, |start, chunk| {
            for (i, value) in (start..).zip(chunk) {
                *value = f(i);
            }
        });
    }

    /// A bound of |λ| of the first-order system, 1/s: for stiffness `k/m = ω²` and damping `c/m = d` every eigenvalue has
    /// |λ| ≤ (d + √(d² + 4ω²)) / 2, which is ω without damping. A scheme with stability limit L on oscillators takes dt ≤ L / |λ|
    /// (exact for symplectic Euler: dt² ω² + 2 dt d = 4).
    pub fn frequency_bound(&mut self, view: &View) -> f64 {
        self.frequency_bound_of(view, |_| true)
    }

    /// The same without the models for which [`System::step_limit`] says all.
    pub fn frequency_bound_besides_limits(&mut self, view: &View) -> f64 {
        self.frequency_bound_of(view, |model| !model.limits_steps())
    }

    fn frequency_bound_of(&mut self, view: &View, counts: impl Fn(&dyn ForceModel) -> bool) -> f64 {
        let mut rates = std::mem::take(&mut self.rates);
        rates.fill(Rates::default());
        let models = self.models.iter_mut().filter(|model| counts(&***model));
        models.for_each(|model| model.add_rates(view, &self.free, &mut rates));
        let bound = |rate: &Rates, inverse_mass: f64| {
            let (omega2, d) = (rate.stiffness * inverse_mass, rate.damping * inverse_mass);
            0.5 * (d + (d * d + 4.0 * omega2).sqrt())
        };
        let largest = rates.iter().zip(&self.inverse_masses).map(|(r, w)| bound(r, *w)).fold(0.0, f64::max);
        self.rates = rates;
        largest
    }

    /// The longest step that all models allow, s; `force` is that at the state, or empty.
    pub fn step_limit(&mut self, view: &View, force: &[DVec3]) -> f64 {
        let weights = &self.inverse_masses;
        let limits = self.models.iter_mut().map(|model| model.step_limit(view, force, weights));
        limits.fold(f64::INFINITY, f64::min)
    }

    /// Largest change of an element's length between two states, m; `None` when no model has a length.
    pub fn stretch(&self, from: &View, to: &View) -> Option<f64> {
        let changes = self.models.iter().filter_map(|model| model.stretch(from, to));
        changes.reduce(|a, b| if b > a || b.is_nan() { b } else { a })
    }
}
