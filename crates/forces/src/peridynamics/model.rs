//! Bonds and their damage. Bonds break only where a step has been accepted ([`pliant_core::Stateful::begin_step`]), all overlong ones at once, so
//! that neither their order nor a rejected step leaves a trace; within a step the force depends on positions alone.

use glam::DVec3;

use super::families::{Families, LANES};
use super::fragments::Fragments;
use super::incremental::IncrementalState;
use super::lattice::Calibration;
use super::pass::{BLOCK, ParticleConstants, Place, Pulled};
use super::settings::{BrittleError, GrainBody, Law};

/// Distance below which the ends of a broken bond repel, as a fraction of the spacing.
pub(super) const NEAR: f64 = 0.9;

/// Step limits of breaking.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Breaking {
    /// Largest step after one in which a bond broke, s; `None`: the time in which a pressure wave crosses the smallest horizon. It determines how
    /// far a crack runs before bonds are evaluated again.
    pub step_after: Option<f64>,
    /// Largest overshoot of a bond's critical elongation within a step, as a fraction of it; `None`: unlimited. Cracks then depend on the step.
    pub overshoot: Option<f64>,
}

/// Peridynamic bodies, with consecutive particles.
pub struct Peridynamics {
    pub(super) first: usize,
    pub(super) bodies: Vec<GrainBody>,
    pub(super) constants: Vec<ParticleConstants>,
    pub(super) nature_of: Vec<u8>,
    pub(super) families: Families,
    pub(super) breaking: Breaking,
    /// Initially cut bonds: group and lane.
    cut: Vec<(usize, usize)>,
    /// `3/m` of each particle, and `K - 5/3 μ` of its body; empty without state-based bodies.
    pub(super) states: Vec<[f64; 2]>,
    pub(super) places: Vec<Place>,
    pub(super) pulled: Vec<Pulled>,
    /// `Σ β V e` of each particle.
    pub(super) dilated: Vec<f64>,
    /// Positions of the last evaluation; empty: none with the present bonds.
    pub(super) known: Vec<DVec3>,
    pub(super) incremental: IncrementalState,
    /// Index of each bond's block in the matrix, by group and lane.
    pub(super) positions: Vec<[u32; LANES]>,
    /// Energy of all broken bonds at the time they broke, J.
    pub(super) released: f64,
    /// Number of bonds broken since the start, each counted once.
    pub(super) broken: u64,
    pub(super) just_broke: bool,
    pub(super) fragments: Option<Fragments>,
    pub(super) longest_step: f64,
    pub(super) step_after: f64,
}

/// Largest number of bodies.
const MAX_BODIES: usize = 255;

impl Peridynamics {
    /// Bodies with consecutive particles, at the rest positions of the whole system.
    pub fn new(bodies: Vec<GrainBody>, rest: &[DVec3], breaking: Breaking) -> Result<Self, BrittleError> {
        let first = bodies.first().map_or(0, |body| body.particles.start);
        let mut end = first;
        for (k, body) in bodies.iter().enumerate() {
            body.check()?;
            let range = &body.particles;
            if range.start != end || range.end < range.start || range.end > rest.len() || k >= MAX_BODIES {
                return Err(BrittleError::NotInOrder { from: range.start, to: range.end });
            }
            end = range.end;
            if body.space.is_plane() {
                let z = || rest[range.clone()].iter().map(|x| x.z);
                let (low, high) = (z().fold(f64::INFINITY, f64::min), z().fold(f64::NEG_INFINITY, f64::max));
                if high - low > 1e-6 * body.spacing {
                    return Err(BrittleError::NotFlat { low, high });
                }
            }
        }
        check_breaking(&breaking)?;
        let rest = &rest[first..end];
        let families = Families::new(&bodies, rest)?;
        let constants = |body: &GrainBody| ParticleConstants {
            critical: Calibration::of(body).critical_stretch,
            near: NEAR * body.spacing,
            volume: body.space.volume(body.spacing),
        };
        let crossing = |body: &GrainBody| body.horizon / body.material.pressure_speed();
        let count = rest.len();
        let mut model = Self {
            first,
            constants: bodies.iter().map(constants).collect(),
            nature_of: (0..).zip(&bodies).flat_map(|(k, body)| body.particles.clone().map(move |_| k)).collect(),
            families,
            breaking,
            cut: Vec::new(),
            states: Vec::new(),
            places: vec![Place::default(); count],
            pulled: vec![Pulled::default(); count.div_ceil(BLOCK)],
            dilated: Vec::new(),
            known: Vec::new(),
            incremental: IncrementalState::new(count),
            positions: Vec::new(),
            released: 0.0,
            broken: 0,
            just_broke: false,
            fragments: None,
            longest_step: f64::INFINITY,
            step_after: breaking
                .step_after
                .unwrap_or_else(|| bodies.iter().map(crossing).fold(f64::INFINITY, f64::min)),
            bodies,
        };
        model.find_states();
        model.longest_step = model.stable_step();
        model.find_cuts(rest);
        model.mend();
        Ok(model)
    }

    /// Computes the constants of state-based bodies.
    fn find_states(&mut self) {
        if self.families.share.is_empty() {
            return;
        }
        self.states = (0..self.families.len())
            .map(|i| {
                let body = &self.bodies[self.nature_of[i] as usize];
                let moment: f64 =
                    self.families.bonds(i).map(|(g, l, _)| self.families.share[g][l] * self.families.rest[g][l]).sum();
                let beside = match body.law {
                    Law::StateBased => body.material.bulk() - 5.0 / 3.0 * body.material.shear(),
                    Law::BondBased => 0.0,
                };
                [3.0 / moment, beside]
            })
            .collect();
        self.dilated = vec![0.0; self.families.len()];
    }

    /// Stable step `√(2 m/Σ k)`: by Gershgorin's theorem no smaller step is unstable in an explicit scheme that allows `ω dt ≤ 2` [SillingAskari].
    /// The dilatation adds to the stiffness in the ratio of its modulus to that of the bonds.
    fn stable_step(&self) -> f64 {
        let of = |i: usize| {
            let body = &self.bodies[self.nature_of[i] as usize];
            let sum: f64 =
                self.families.bonds(i).map(|(group, lane, _)| self.families.stiffness[group][lane].abs()).sum();
            let states = self
                .states
                .get(i)
                .map_or(1.0, |[_, beside]| 1.0 + (beside / (5.0 / 3.0 * body.material.shear())).max(0.0));
            (2.0 * body.mass() / (sum * states)).sqrt()
        };
        (0..self.families.len()).map(of).fold(f64::INFINITY, f64::min)
    }

    fn find_cuts(&mut self, rest: &[DVec3]) {
        for i in 0..self.families.len() {
            let cracks = &self.bodies[self.nature_of[i] as usize].cracks;
            if cracks.is_empty() {
                continue;
            }
            // from the lower index to the higher, so that both ends have the same bits
            let crosses = |j: usize| cracks.iter().any(|crack| crack.cuts(rest[i.min(j)], rest[i.max(j)]));
            self.cut
                .extend(self.families.bonds(i).filter(|(_, _, j)| crosses(*j)).map(|(group, lane, _)| (group, lane)));
        }
    }

    /// Restores all bonds except the initially cut ones.
    pub(super) fn mend(&mut self) {
        self.families.stiffness.iter_mut().flatten().for_each(|k| *k = k.abs());
        for (group, lane) in &self.cut {
            self.families.stiffness[*group][*lane] *= -1.0;
        }
        (self.released, self.broken, self.just_broke) = (0.0, 0, false);
        self.changed();
    }

    /// Invalidates the evaluation after a change of bonds.
    pub(super) fn changed(&mut self) {
        self.known.clear();
        self.fragments = None;
    }

    /// The bodies.
    pub fn bodies(&self) -> &[GrainBody] {
        &self.bodies
    }

    /// Number of bonds, each counted once, broken or not.
    pub fn bonds(&self) -> usize {
        self.families.stiffness.iter().flatten().filter(|k| **k != 0.0).count() / 2
    }

    /// Number of bonds broken since the start.
    pub fn broken(&self) -> u64 {
        self.broken
    }

    /// Energy of broken bonds at the time they broke, J.
    pub fn released_energy(&self) -> f64 {
        self.released
    }

    /// Critical stretch s₀ of a body.
    pub fn critical_stretch(&self, body: usize) -> f64 {
        self.constants[body].critical
    }

    /// Energy to stretch all bonds across a crack to their critical stretch, J.
    pub fn energy_to_cut(&self, crack: &super::Crack, rest: &[DVec3]) -> f64 {
        let rest = &rest[self.first..];
        let mut energy = 0.0;
        for i in 0..self.families.len() {
            let critical = self.constants[self.nature_of[i] as usize].critical;
            for (group, lane, j) in self.families.bonds(i).filter(|(_, _, j)| *j > i) {
                if crack.cuts(rest[i], rest[j]) {
                    let long = critical * self.families.rest[group][lane];
                    energy += 0.5 * self.families.stiffness[group][lane].abs() * long * long;
                }
            }
        }
        energy
    }

    /// Energy at the positions last evaluated, J.
    pub(super) fn energy_there(&self) -> f64 {
        let bonds: f64 = self.pulled.iter().map(|block| block.out.iter().map(|out| out.0[3]).sum::<f64>()).sum();
        let volume = |i: usize| self.constants[self.nature_of[i] as usize].volume;
        let dilated = self.states.iter().zip(&self.dilated).enumerate().map(|(i, ([three, beside], sum))| {
            let theta = three * sum;
            0.5 * beside * theta * theta * volume(i)
        });
        bonds + dilated.sum::<f64>()
    }

    /// Breaks all overlong bonds at the positions last evaluated; whether there was any.
    pub(super) fn break_overlong(&mut self) -> bool {
        let mut found = Vec::new();
        // least stretch per particle, computed on demand
        let mut squeezed = Vec::new();
        let Families { other, stiffness, rest, .. } = &self.families;
        for i in 0..self.families.len() {
            if !self.pulled[i / BLOCK].overlong[i % BLOCK] {
                continue;
            }
            let constants = self.nature_of[i] as usize;
            let (critical, toughening) =
                (self.constants[constants].critical, self.bodies[constants].material.toughening);
            if toughening > 0.0 {
                squeezed.resize(self.families.len(), f64::NAN);
            }
            let mut least = |i: usize| {
                if squeezed[i].is_nan() {
                    squeezed[i] = self.least_stretch(i, |i, j| self.length(i, j));
                }
                squeezed[i]
            };
            for (group, lane) in self.families.groups(i).flat_map(|group| (0..LANES).map(move |lane| (group, lane))) {
                if stiffness[group][lane] <= 0.0 {
                    continue;
                }
                let (j, rest) = (other[group][lane] as usize, rest[group][lane]);
                let long = self.length(i, j) - rest;
                if long > critical * rest {
                    // the weaker end counts, so that both ends agree
                    let least = if toughening > 0.0 { least(i).max(least(j)) } else { 0.0 };
                    if long > (critical - toughening * least) * rest {
                        found.push((i, group, lane));
                    }
                }
            }
        }
        if found.is_empty() {
            return false;
        }
        let before = self.energy_there();
        for (_, group, lane) in &found {
            self.families.stiffness[*group][*lane] *= -1.0;
        }
        self.broken += found.len() as u64 / 2;
        self.fragments = None;
        self.evaluate_around(found.iter().map(|(particle, ..)| *particle));
        self.released += before - self.energy_there();
        true
    }

    pub(super) fn length(&self, i: usize, j: usize) -> f64 {
        let ([ax, ay, az, _], [bx, by, bz, _]) = (self.places[i].0, self.places[j].0);
        let (dx, dy, dz) = (bx - ax, by - ay, bz - az);
        (dx * dx + dy * dy + dz * dz).sqrt()
    }

    /// The least stretch of a particle's intact bonds at these lengths; never positive.
    pub(super) fn least_stretch(&self, i: usize, length: impl Fn(usize, usize) -> f64) -> f64 {
        let stretch = |(group, lane, j): (usize, usize, usize)| {
            let rest = self.families.rest[group][lane];
            let holds = self.families.stiffness[group][lane] > 0.0;
            if holds { (length(i, j) - rest) / rest } else { 0.0 }
        };
        self.families.bonds(i).map(stretch).fold(0.0, f64::min)
    }

    /// Damage: the fraction of each particle's bonds that is broken.
    pub fn damage(&self) -> Vec<f64> {
        let of = |i: usize| {
            let (mut all, mut holding) = (0.0, 0.0);
            for (group, lane, _) in self.families.bonds(i) {
                let (k, rest) = (self.families.stiffness[group][lane], self.families.rest[group][lane]);
                all += k.abs() * rest;
                holding += k.max(0.0) * rest;
            }
            1.0 - holding / all
        };
        (0..self.families.len()).map(of).collect()
    }

    /// The fragments.
    pub fn fragments(&mut self) -> &Fragments {
        let families = &self.families;
        self.fragments.get_or_insert_with(|| {
            Fragments::new(families.len(), |join| {
                for i in 0..families.len() {
                    for group in families.groups(i) {
                        for lane in 0..LANES {
                            let j = families.other[group][lane];
                            if families.stiffness[group][lane] > 0.0 && j as usize > i {
                                join(i as u32, j);
                            }
                        }
                    }
                }
            })
        })
    }
}

fn check_breaking(breaking: &Breaking) -> Result<(), BrittleError> {
    if let Some(step) = breaking.step_after {
        super::settings::positive("the step after breaking", step)?;
    }
    if let Some(overshoot) = breaking.overshoot {
        super::settings::positive("the overshoot", overshoot)?;
    }
    Ok(())
}
