//! The part of a simulation that does not change while steps are taken: masses, pins, bodies and the force models, with the sums over all models.

mod bounds;
mod constraints;
mod contact;
mod energy;
mod matrix;

use std::sync::Arc;
use std::time::Instant;

use glam::DVec3;
use pliant_linalg::pattern::{Pattern, PatternBuilder};
use pliant_parallel::{Cost, Partials, for_each_chunk, for_each_chunk_of};
use thiserror::Error;

pub use self::bounds::Bounds;
pub use self::constraints::Constraints;
pub use self::contact::{ContactQueries, Contacts};
pub use self::energy::Energies;
pub use self::matrix::Matrices;
use crate::attempt::{ErrorAt, StepFailure};
use crate::body::Body;
use crate::capability::Stateful;
use crate::clock::Clock;
use crate::fields::Fields;
use crate::force::{ForceModel, Rates, View};
use crate::pins::Pin;
use crate::restraint::active_set::{ActiveSet, ActiveSetMut};
use crate::restraint::effective_view::Rest;
use crate::restraint::{Activity, Restraint};
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

/// Particles with masses, some of them pinned, under forces.
pub struct System {
    pub(crate) masses: Vec<f64>,
    /// 1/m, and 0 for pinned particles: kicks do not move them.
    pub(crate) inverse_masses: Vec<f64>,
    pub(crate) free: Vec<bool>,
    pub(crate) pins: Vec<Pin>,
    moving_pins: bool,
    linear: bool,
    has_emitters: bool,
    /// Number of model changes since the system was formed, and the positions at the last one.
    revision: u64,
    reference: Vec<DVec3>,
    pub(crate) models: Vec<Box<dyn ForceModel>>,
    bodies: Vec<Body>,
    refinement: Vec<Vec<[u32; 3]>>,
    pub(crate) pattern: Arc<Pattern>,
    rates: Vec<Rates>,
    contacts: Contacts,
    /// Counts the steps that were begun, attempts included.
    begun_steps: u64,
    /// Constant forces of this step in addition to those of the models, N; empty: none.
    pub(crate) fed_back: Vec<DVec3>,
    pub(crate) partials: Partials,
    /// Mean positions and velocities of the last step, for its energy budget.
    midway: [Vec<DVec3>; 2],
    pub(crate) restraint: Option<Restraint>,
    pub(crate) kinetic_jump: f64,
    pub(crate) rest: Rest,
    /// Wall-clock times.
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
            has_emitters: false,
            revision: 0,
            reference: Vec::new(),
            rates: vec![Rates::default(); count],
            contacts: Contacts::default(),
            begun_steps: 0,
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
            midway: Default::default(),
            restraint: None,
            kinetic_jump: 0.0,
            rest: Rest::default(),
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
        self.rest.forget();
        self.models.iter().for_each(|model| model.couple(&mut builder));
        self.pattern = Arc::new(builder.build());
        self.models.iter_mut().for_each(|model| model.bind(&self.pattern));
        self.linear = self.models.iter().all(|model| model.properties().is_linear);
        self.has_emitters = self.models.iter().any(|model| model.has_emitters());
        self.revision += 1;
    }

    /// Its energies and powers.
    pub fn energies(&mut self) -> Energies<'_> {
        Energies(self)
    }

    /// Bounds on the step length.
    pub fn bounds(&mut self) -> Bounds<'_> {
        Bounds(self)
    }

    /// Queries of all contact models.
    pub fn contact(&mut self) -> ContactQueries<'_> {
        ContactQueries(self)
    }

    /// The constraints of all models.
    pub fn constraints(&self) -> Constraints<'_> {
        Constraints(self)
    }

    /// Matrices of implicit schemes.
    pub fn matrices(&self) -> Matrices<'_> {
        Matrices(self)
    }

    /// Which particles move, and how: all of them in a system without restraint.
    pub fn active_set(&self) -> ActiveSet<'_> {
        ActiveSet(self)
    }

    /// The active set within an implicit stage.
    pub fn active_set_mut(&mut self) -> ActiveSetMut<'_> {
        ActiveSetMut(self)
    }

    /// Number of particles.
    pub fn len(&self) -> usize {
        self.masses.len()
    }

    /// Whether there are no particles.
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

    /// Whether any pin moves, or held particles move.
    pub fn has_moving_pins(&self) -> bool {
        self.moving_pins || self.has_emitters
    }

    /// Named groups of particles.
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Sets which particles were inserted between which two others, level by level from the coarsest: `[new, parent, parent]`.
    pub fn set_refinement(&mut self, levels: Vec<Vec<[u32; 3]>>) {
        self.refinement = levels;
    }

    /// The refinement given to [`System::set_refinement`].
    pub fn refinement(&self) -> &[Vec<[u32; 3]>] {
        &self.refinement
    }

    /// The force models, in the order in which they are summed.
    pub fn models(&self) -> &[Box<dyn ForceModel>] {
        &self.models
    }

    /// Whether any force depends on velocities.
    pub fn depends_on_velocity(&self) -> bool {
        self.models.iter().any(|m| m.properties().depends_on_velocity)
    }

    /// Whether all exact Jacobians are symmetric; those of contact do not count, as no order of accuracy is lost without contact.
    pub fn has_symmetric_jacobian(&self) -> bool {
        self.models.iter().map(|m| m.properties()).all(|m| m.has_symmetric_jacobian || m.is_contact)
    }

    /// Whether something in the system breaks by strain.
    pub fn breaks(&self) -> bool {
        self.models.iter().any(|m| m.properties().breaks)
    }

    /// Whether all forces are affine in positions and velocities until the next [`System::begin_step`].
    pub fn is_linear(&self) -> bool {
        self.linear
    }

    /// Grows whenever a model changes. For a linear system, derivatives of the force assembled at the same revision are equal.
    pub fn revision(&self) -> u64 {
        self.revision
    }

    /// For a linear system: positions at which the present revision began, as a hint for solvers that depends on the history of the derivatives
    /// alone; empty before the first [`System::begin_step`].
    pub fn reference(&self) -> &[DVec3] {
        &self.reference
    }

    /// Places pinned particles at their positions at `time`, s.
    pub fn apply_pins(&self, time: f64, x: &mut [DVec3], v: &mut [DVec3]) {
        for pin in &self.pins {
            (x[pin.particle], v[pin.particle]) = pin.path.at(time);
        }
    }

    /// Sets forces that are added unchanged at every state until the next call, one per particle or none: feedback of the collision response
    /// of one step to the next.
    pub fn feed_back(&mut self, forces: &[DVec3]) {
        self.fed_back.clear();
        self.fed_back.extend_from_slice(forces);
    }

    /// The forces given to [`System::feed_back`].
    pub fn fed_back(&self) -> &[DVec3] {
        &self.fed_back
    }

    /// Lets models hold, release and move particles; returns whether any particle was moved.
    pub fn emit_and_recycle(&mut self, state: &mut State) -> bool {
        if !self.has_emitters {
            return false;
        }
        let mut moved = false;
        for model in self.models.iter_mut().filter_map(|model| model.as_emitter()) {
            moved |= model.emit_and_recycle(state, &mut self.free);
        }
        let all = self.inverse_masses.iter_mut().zip(&self.masses).zip(&self.free);
        all.for_each(|((weight, mass), free)| *weight = if *free { mass.recip() } else { 0.0 });
        moved
    }

    /// Whether a model needs [`System::project_velocities`].
    pub fn is_incompressible(&self) -> bool {
        self.models.iter().any(|model| model.is_incompressible())
    }

    /// Changes velocities so that incompressible fluids stay so over a step; returns the change of the kinetic energy, J, and the number of
    /// iterations.
    pub fn project_velocities(&mut self, view: &View, dt: f64, v: &mut [DVec3]) -> Result<(f64, u64), StepFailure> {
        if !self.is_incompressible() {
            return Ok((0.0, 0));
        }
        let (begun, before, mut iterations) = (Instant::now(), self.energies().kinetic(v), 0);
        for model in self.models.iter_mut().filter_map(|model| model.as_incompressible()) {
            iterations += model.project_velocities(view, dt, &self.inverse_masses, v)?;
        }
        self.clock.book(|clock| &mut clock.linear, begun);
        Ok((self.energies().kinetic(v) - before, iterations))
    }

    /// Whether any model is a contact model.
    pub fn has_contact(&self) -> bool {
        self.models.iter().any(|m| m.properties().is_contact)
    }

    /// Whether forces depend on time only through the motion of particles.
    pub fn is_steady(&self) -> bool {
        self.fed_back.is_empty() && self.models.iter().all(|model| model.properties().is_steady)
    }

    /// Announces to all models the state from which the next steps start; returns whether the force at that state may have changed.
    pub fn begin_step(&mut self, from: &View) -> bool {
        let others = self.choose_restrained(from);
        self.begin_models(from, others)
    }

    fn stateful(&self) -> impl Iterator<Item = &dyn Stateful> {
        self.models.iter().filter_map(|model| model.as_stateful())
    }

    fn begin_models(&mut self, from: &View, mut changed: bool) -> bool {
        self.begun_steps += 1;
        self.with_effective_view(from, |system, from| {
            for model in system.models.iter_mut().filter_map(|model| model.as_stateful_mut()) {
                changed |= model.begin_step(from);
            }
        });
        let first = self.linear && self.reference.len() != from.x.len();
        self.revision += u64::from(changed || first);
        if self.linear && (changed || first) {
            self.reference.clear();
            self.reference.extend_from_slice(from.x);
        }
        changed
    }

    /// The longest step that may follow, after the last [`System::begin_step`], s.
    pub fn max_next_step(&self) -> f64 {
        self.stateful().map(|model| model.max_next_step()).fold(f64::INFINITY, f64::min)
    }

    /// Drops the history of all models.
    pub fn forget(&mut self) {
        self.models.iter_mut().filter_map(|model| model.as_stateful_mut()).for_each(|model| model.reset());
        self.rest.forget();
        self.reference.clear();
    }

    /// History that a restart needs in addition to the point, as plain numbers.
    pub fn memory(&self) -> Vec<f64> {
        let restraint = self.restraint.as_ref().map_or(Vec::new(), |restraint| restraint.memory());
        let models: Vec<f64> = self.stateful().flat_map(|model| model.memory()).collect();
        if models.is_empty() && restraint.is_empty() {
            return models;
        }
        let reference = self.reference.iter().flat_map(|x| x.to_array());
        [restraint.len() as f64].into_iter().chain(restraint).chain(reference).chain(models).collect()
    }

    /// Continues from a state with what [`System::memory`] returned there.
    pub fn restore(&mut self, from: &View, memory: &[f64]) {
        let count = memory.first().map_or(0, |count| *count as usize);
        let (of_restraint, memory) = memory.get(1..).and_then(|rest| rest.split_at_checked(count)).unwrap_or_default();
        // a live edit may come from a system with another restraint, or none
        if self.restraint.as_mut().is_some_and(|restraint| restraint.restore(from.x, of_restraint)) {
            self.begin_models(from, true);
        } else {
            self.begin_step(from);
        }
        self.rest.forget();
        let Some((positions, mut rest)) = memory.split_at_checked(3 * self.reference.len()) else { return };
        for (x, stored) in self.reference.iter_mut().zip(positions.as_chunks::<3>().0) {
            *x = DVec3::from_array(*stored);
        }
        for model in self.models.iter_mut().filter_map(|model| model.as_stateful_mut()) {
            rest = rest.get(model.restore(rest)..).unwrap_or_default();
        }
        self.revision += 1;
    }

    /// Overwrites `out` with the total force.
    pub fn forces(&mut self, view: &View, out: &mut [DVec3]) {
        let begun = Instant::now();
        match self.restraint() {
            None => self.all_forces(view, out),
            Some(_) => self.restrained_forces(view, out),
        }
        self.clock.book(|clock| &mut clock.forces, begun);
    }

    /// The sum over all models and particles.
    pub(crate) fn all_forces(&mut self, view: &View, out: &mut [DVec3]) {
        self.rest.forget();
        out.fill(DVec3::ZERO);
        self.models.iter_mut().for_each(|model| model.add_force(view, out));
        out.iter_mut().zip(&self.fed_back).for_each(|(out, fed_back)| *out += *fed_back);
    }

    /// `out = x + dt v`; under restraint with the effective velocity.
    pub fn drift(&self, out: &mut [DVec3], x: &[DVec3], dt: f64, v: &[DVec3]) {
        let moves = self.active_set();
        for_each_chunk_of(Cost::Heavy, out, |start, chunk| {
            for (i, out) in (start..).zip(chunk) {
                *out = x[i] + moves.effective(i, v[i]) * dt;
            }
        });
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

    /// Overwrites `out` with the fields of particles at a view, for frame files; see [`crate::Observable`].
    pub fn write_fields(&mut self, view: &View, out: &mut Fields) {
        out.begin(self.len());
        self.with_effective_view(view, |system, view| {
            system
                .models
                .iter_mut()
                .filter_map(|model| model.as_observable())
                .for_each(|model| model.write_fields(view, out));
        });
        if self.restraint.is_some() {
            let number = |(i, v): (usize, &DVec3)| match self.active_set().activity(i, *v) {
                Activity::Active => 0.0,
                Activity::Transition => 1.0,
                Activity::Restrained => 2.0,
            };
            out.field(Fields::ACTIVITY).iter_mut().zip(view.v.iter().enumerate().map(number)).for_each(|(a, b)| *a = b);
        }
    }

    /// Largest change of an element's length between two states, m; `None` if no model has a length.
    pub fn stretch(&self, from: &View, to: &View) -> Option<f64> {
        let models = self.models.iter().filter_map(|model| model.as_stretchable());
        let changes = models.filter_map(|model| model.stretch(from, to));
        changes.reduce(|a, b| if b > a || b.is_nan() { b } else { a })
    }
}
