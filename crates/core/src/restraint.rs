//! Adaptively restrained particles [Restrained]: a particle with little momentum is at rest, while its momentum goes on changing.
//!
//! A particle of momentum `p = m v` moves with the *effective velocity* `u = ∂T/∂p`, where T is its kinetic energy as long as v is fast and
//! becomes constant where v is slow: `H = Σ T(p) + V(q)` is conserved, and so is momentum. State and integrators keep v; force models are shown u.
//! With n = |v|, limits r < f, and `ρ = 1 - 10 s³ + 15 s⁴ - 6 s⁵` of the relative position s between them, all per unit mass:
//!
//! - [`Criterion::Energy`], eq. 3: s of `K = n²/2`; `T = (1 - ρ) K`, `u = g v`, `g = 1 - ρ - K ρ'`.
//! - [`Criterion::Momentum`], section 6.3: s of n; `T = (1 - ρ) n²/2`, `g = 1 - ρ - ½ n ρ'`.
//! - [`Criterion::Convex`] (ours): the velocity is chosen, not the energy: s of n, `u = (1 - ρ) v`, `T = ∫ (1 - ρ) n dn`.
//! - [`Criterion::Ramp`] (ours, the default): s of n, `u = s f v̂`, `T = ½ f (f - r) s²`: convex as well, and the simplest convex choice. The slope
//!   is at most `f/(f - r)`, which limits explicit steps. For implicit steps it acts as dry friction: `v = (f - r)/f u + r û`, a force of
//!   constant size that holds particles under a smaller load. Newton's method then needs a few corrections (`time/implicit/restrained.rs`), and
//!   many where u rises like s³, as with a spline.
//!
//! `∂u/∂v = g 1 + (R - g) v̂ v̂ᵀ` with the radial slope `R = g + n dg/dn`. For the first two criteria R is negative in the upper part of the
//! transition (u overshoots v and comes back), so the implicit scheme of the paper diverges; for the convex criteria R is never negative. (Eq. 10 of
//! the paper has `p pᵀ` where `pᵀp` belongs, which matters in more than one dimension.)
//!
//! Damping vanishes with u, so a particle that is only damped approaches r without reaching it. Section 4.2 therefore stops particles with
//! an effective speed below a limit, which is a limit of n as well ([`Limits::stop`]).

pub mod active_set;
pub mod active_system;
pub(crate) mod effective_view;
mod engage;

use std::sync::Arc;

use glam::{DMat3, DVec3};
use pliant_scalar::math;
use serde::{Deserialize, Serialize};

use self::engage::Group;

/// How the effective velocity follows from the momentum. See the file head.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Criterion {
    /// A convex kinetic energy of the simplest form.
    #[default]
    Ramp,
    /// A convex kinetic energy with the paper's spline.
    Convex,
    /// By kinetic energy, as in the paper.
    Energy,
    /// By the norm of the momentum, as in the paper.
    Momentum,
}

impl Criterion {
    /// All criteria.
    pub const ALL: [Self; 4] = [Self::Ramp, Self::Convex, Self::Energy, Self::Momentum];

    /// Whether the kinetic energy is convex: u then determines v.
    pub fn is_convex(self) -> bool {
        matches!(self, Self::Ramp | Self::Convex)
    }

    /// Difference between ½ n² and the kinetic energy of a freely moving particle, per unit mass: the energy not gained in the transition.
    fn missed(self, limits: &Limits) -> f64 {
        let Limits { restrained: r, full: f, .. } = *limits;
        match self {
            Self::Ramp => 0.5 * f * r,
            Self::Convex => 0.5 * f * f - convex_energy(f, r, f),
            Self::Energy | Self::Momentum => 0.0,
        }
    }
}

/// Speeds between which a particle is in transition, m/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// r: at this speed and below, the particle is at rest.
    pub restrained: f64,
    /// f: at this speed and above, it moves freely.
    pub full: f64,
    /// Below this speed, between r and f, it is at rest as well: its effective speed is negligible.
    pub stop: f64,
}

impl Limits {
    /// No particle is ever restrained.
    pub const NONE: Self = Self { restrained: 0.0, full: 0.0, stop: 0.0 };

    /// Limits, with the smallest effective speed that counts as motion, m/s.
    pub fn new(criterion: Criterion, restrained: f64, full: f64, least: f64) -> Self {
        let limits = Self { restrained, full, stop: restrained };
        if full <= restrained {
            return limits;
        }
        let least = least.min(0.5 * full);
        if least <= 0.0 {
            return limits;
        }
        // u rises from zero at r, ever more steeply, to more than f
        const SAMPLES: u32 = 64;
        const HALVINGS: usize = 60;
        let is_there = |n: f64| criterion.response(n, &limits).gain * n >= least;
        let at = |k: u32| restrained + (full - restrained) * f64::from(k) / f64::from(SAMPLES);
        let k = (1..=SAMPLES).find(|k| is_there(at(*k))).unwrap_or(SAMPLES);
        let (mut low, mut stop) = (at(k - 1), at(k));
        for _ in 0..HALVINGS {
            let n = 0.5 * (low + stop);
            *(if is_there(n) { &mut stop } else { &mut low }) = n;
        }
        Self { stop, ..limits }
    }

    /// The limits scaled by a factor.
    pub fn times(self, factor: f64) -> Self {
        Self { restrained: self.restrained * factor, full: self.full * factor, stop: self.stop * factor }
    }
}

/// The response to a speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Response {
    /// g, a pure number: u = g v.
    pub gain: f64,
    /// R, a pure number: how u changes along v.
    pub radial: f64,
    /// T, J/kg.
    pub energy: f64,
}

/// Whether a particle moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Activity {
    /// Moves as without restraint.
    Active,
    /// Moves more slowly than without restraint.
    Transition,
    /// At rest.
    Restrained,
}

/// ρ, ρ' and ρ'' by the share s.
fn spline(s: f64) -> [f64; 3] {
    let one = 1.0 - s;
    [
        1.0 - s * s * s * (10.0 - 15.0 * s + 6.0 * s * s),
        -30.0 * s * s * one * one,
        -60.0 * s * (1.0 - 3.0 * s + 2.0 * s * s),
    ]
}

impl Criterion {
    /// The response to the speed n, m/s, between the limits, whether or not it is below [`Limits::stop`].
    pub fn response(self, n: f64, limits: &Limits) -> Response {
        let Limits { restrained: r, full: f, .. } = *limits;
        if n >= f {
            return Response { gain: 1.0, radial: 1.0, energy: 0.5 * n * n - self.missed(limits) };
        }
        if n <= r {
            return Response { gain: 0.0, radial: 0.0, energy: 0.0 };
        }
        match self {
            Self::Ramp => {
                let radial = f / (f - r);
                let u = radial * (n - r);
                Response { gain: u / n, radial, energy: 0.5 * u * (n - r) }
            }
            Self::Convex => {
                let [rho, slope, _] = spline((n - r) / (f - r));
                let gain = 1.0 - rho;
                Response { gain, radial: gain - n * slope / (f - r), energy: convex_energy(n, r, f) }
            }
            Self::Momentum => {
                let d = f - r;
                let [rho, slope, curve] = spline((n - r) / d);
                let (slope, curve) = (slope / d, curve / (d * d));
                let gain = 1.0 - rho - 0.5 * n * slope;
                Response { gain, radial: gain - n * (1.5 * slope + 0.5 * n * curve), energy: (1.0 - rho) * 0.5 * n * n }
            }
            Self::Energy => {
                let (k, d) = (0.5 * n * n, 0.5 * (f * f - r * r));
                let [rho, slope, curve] = spline((k - 0.5 * r * r) / d);
                let (slope, curve) = (slope / d, curve / (d * d));
                let gain = 1.0 - rho - k * slope;
                Response { gain, radial: gain - 2.0 * k * (2.0 * slope + k * curve), energy: (1.0 - rho) * k }
            }
        }
    }

    /// The largest radial slope between limits: explicit steps are shorter by its square root.
    pub fn steepest(self, limits: &Limits) -> f64 {
        const SAMPLES: u32 = 256;
        let at = |k: u32| limits.restrained + (limits.full - limits.restrained) * f64::from(k) / f64::from(SAMPLES);
        (0..=SAMPLES).map(|k| self.response(at(k), limits).radial).fold(1.0, f64::max)
    }
}

/// ∫ (1 - ρ) n dn from r to n ≤ f.
fn convex_energy(n: f64, r: f64, f: f64) -> f64 {
    let d = f - r;
    if d <= 0.0 {
        return 0.0;
    }
    let s = (n - r) / d;
    let s4 = s * s * s * s;
    d * (r * s4 * (2.5 - 3.0 * s + s * s) + d * s4 * s * (2.0 - 2.5 * s + 6.0 / 7.0 * s * s))
}

/// A factor of limits that depends on the position: what is seen less well may be restrained at higher speeds.
pub trait LevelOfDetail: std::fmt::Debug + Send + Sync {
    /// Factor of limits at a position, m.
    fn factor(&self, x: DVec3) -> f64;
}

/// The restraint of a system.
#[derive(Clone, Debug)]
pub struct Restraint {
    /// The kinetic energy.
    pub criterion: Criterion,
    /// Limits per particle.
    pub limits: Vec<Limits>,
    /// Time constant of the damping of the momentum of restrained particles, s; infinite: none.
    pub damping_time: f64,
    /// The largest radial slope of all particles: explicit steps are shorter by its square root.
    steepest: f64,
    /// Limits as given.
    given: Vec<Limits>,
    level_of_detail: Option<Arc<dyn LevelOfDetail>>,
    /// Bodies, and the share of each that must be at rest before any of it is restrained.
    groups: Vec<Group>,
    /// Whether any particle can be restrained in this step.
    is_engaged: bool,
    /// Particles without [`Limits::stop`] for now, each with the value to restore.
    kept_moving: Vec<(u32, f64)>,
}

impl Restraint {
    /// A restraint with limits of every particle.
    pub fn new(criterion: Criterion, limits: Vec<Limits>, damping_time: f64) -> Self {
        let groups = vec![Group::new(0..limits.len(), 0.0)];
        // mostly the same for all particles of a body; depends on the ratio of limits alone
        let mut others = limits.clone();
        others.dedup();
        let steepest = others.iter().map(|limits| criterion.steepest(limits)).fold(1.0, f64::max);
        Self {
            criterion,
            steepest,
            given: limits.clone(),
            limits,
            damping_time,
            level_of_detail: None,
            groups,
            is_engaged: true,
            kept_moving: Vec::new(),
        }
    }

    /// The largest radial slope of all particles.
    pub fn steepest(&self) -> f64 {
        self.steepest
    }

    /// The smallest speed at which a particle is restrained, m/s; infinite if no particle ever is.
    pub fn slowest(&self) -> f64 {
        let limits = self.limits.iter().map(|limits| limits.restrained).filter(|speed| *speed > 0.0);
        limits.fold(f64::INFINITY, f64::min)
    }

    /// Lets a moving particle go on moving, however slowly, until [`Restraint::restore_limits`]: the solution of an implicit step may have an
    /// effective speed below what counts as motion, and could not be found if velocities jumped there.
    pub fn keep_moving(&mut self, i: usize) {
        let Limits { restrained, stop, .. } = &mut self.limits[i];
        if *stop > *restrained {
            self.kept_moving.push((i as u32, *stop));
            *stop = *restrained;
        }
    }

    /// Restores all limits.
    pub fn restore_limits(&mut self, x: &[DVec3]) {
        if self.groups.iter().any(|group| group.is_released) {
            self.groups.iter_mut().for_each(|group| group.is_released = false);
            self.kept_moving.clear();
            return self.update_limits(x, true);
        }
        let Self { kept_moving, limits, .. } = self;
        kept_moving.drain(..).for_each(|(i, stop)| limits[i as usize].stop = stop);
    }

    /// Makes limits depend on the position.
    pub fn set_level_of_detail(&mut self, level_of_detail: Arc<dyn LevelOfDetail>) {
        self.level_of_detail = Some(level_of_detail);
    }

    /// Limits for a step that starts from here. `decided`: [`Restraint::update_groups`] reported a change.
    pub fn update_limits(&mut self, x: &[DVec3], decided: bool) {
        if !decided && self.level_of_detail.is_none() {
            return;
        }
        for Group { particles, is_engaged, .. } in &self.groups {
            for i in particles.clone() {
                let detail = self.level_of_detail.as_ref();
                let seen = || detail.map_or(self.given[i], |detail| self.given[i].times(detail.factor(x[i])));
                self.limits[i] = if *is_engaged { seen() } else { Limits::NONE };
            }
        }
    }

    /// Whether a particle with this v moves.
    pub fn activity(&self, i: usize, v: DVec3) -> Activity {
        let limits = &self.limits[i];
        match v.length_squared() {
            square if square >= limits.full * limits.full => Activity::Active,
            square if square <= limits.stop * limits.stop => Activity::Restrained,
            _ => Activity::Transition,
        }
    }

    /// u of a particle with this v.
    #[inline]
    pub fn effective(&self, i: usize, v: DVec3) -> DVec3 {
        match self.activity(i, v) {
            Activity::Active => v,
            Activity::Restrained => DVec3::ZERO,
            Activity::Transition => v * self.criterion.response(v.length(), &self.limits[i]).gain,
        }
    }

    /// T of a particle with this v, J/kg.
    pub fn energy(&self, i: usize, v: DVec3) -> f64 {
        self.criterion.response(v.length(), &self.limits[i]).energy
    }

    /// v of a particle that moves with u; for convex criteria only, and restrained if u is too small to be distinguished from rest.
    pub fn momentum(&self, i: usize, u: DVec3) -> DVec3 {
        let (limits, speed) = (&self.limits[i], u.length());
        if speed >= limits.full || speed == 0.0 {
            return u;
        }
        let (mut low, mut high) = (limits.stop, limits.full);
        if self.criterion.response(low, limits).gain * low >= speed {
            return u * (low / speed);
        }
        if self.criterion == Criterion::Ramp {
            return u * ((limits.restrained + speed * (1.0 - limits.restrained / limits.full)) / speed);
        }
        const HALVINGS: usize = 52;
        for _ in 0..HALVINGS {
            let n = 0.5 * (low + high);
            *(if self.criterion.response(n, limits).gain * n >= speed { &mut high } else { &mut low }) = n;
        }
        u * (high / speed)
    }

    /// Replaces ½|v - v̂|² in the merit function of an implicit step, J/kg: with `T*(u) = v·u - T(v)` of the effective velocity u it is
    /// `T*(u) - v̂·u`, up to a constant that makes both equal for freely moving particles.
    pub fn inertia(&self, i: usize, v: DVec3, v_hat: DVec3) -> f64 {
        if self.activity(i, v) == Activity::Active {
            return 0.5 * (v - v_hat).length_squared();
        }
        let missed = self.criterion.missed(&self.limits[i]);
        (v - v_hat).dot(self.effective(i, v)) - self.energy(i, v) + 0.5 * v_hat.length_squared() - missed
    }

    /// ∂u/∂v; `None` where it is the identity.
    pub fn slope(&self, i: usize, v: DVec3) -> Option<DMat3> {
        self.of_slope(i, v, |r| r)
    }

    /// The square root of ∂u/∂v for a convex criterion; `None` where it is the identity.
    pub fn root(&self, i: usize, v: DVec3) -> Option<DMat3> {
        self.of_slope(i, v, |r| r.max(0.0).sqrt())
    }

    fn of_slope(&self, i: usize, v: DVec3, of: impl Fn(f64) -> f64) -> Option<DMat3> {
        match self.activity(i, v) {
            Activity::Active => None,
            Activity::Restrained => Some(DMat3::ZERO),
            Activity::Transition => {
                let n = v.length();
                let Response { gain, radial, .. } = self.criterion.response(n, &self.limits[i]);
                let (along, across, way) = (of(radial), of(gain), v / n);
                let turned = way * (along - across);
                let outer = DMat3::from_cols(turned * way.x, turned * way.y, turned * way.z);
                Some(outer + DMat3::from_diagonal(DVec3::splat(across)))
            }
        }
    }

    /// Time for which a restrained particle stays restrained under a constant acceleration, s.
    pub fn wakes_in(&self, i: usize, v: DVec3, a: DVec3) -> f64 {
        let stop = self.limits[i].stop;
        if a == DVec3::ZERO {
            return f64::INFINITY;
        }
        if a.length() <= stop / self.damping_time {
            return f64::INFINITY;
        }
        // v(t) = v + (a - v/τ) τ σ with σ = 1 - exp(-t/τ): exp and ln of numbers near 1 would leave no digits for a long τ
        let pushed = leaves_at(v, a - v / self.damping_time, stop);
        if pushed.is_nan() {
            // the acceleration is not finite: an ordinary step reports it
            return 0.0;
        }
        if self.damping_time.is_infinite() {
            return pushed;
        }
        let sigma = pushed / self.damping_time;
        if sigma >= 1.0 { f64::INFINITY } else { -self.damping_time * math::ln_1p(-sigma) }
    }

    /// v, m/s, of a restrained particle after a time, s, under an acceleration, m/s².
    pub fn damped(&self, v: DVec3, acceleration: DVec3, dt: f64) -> DVec3 {
        // v' = a - v/τ
        let gone = -math::exp_m1(-dt / self.damping_time);
        let pushed = if self.damping_time.is_finite() { self.damping_time * gone } else { dt };
        v - v * gone + acceleration * pushed
    }
}

/// Time at which a velocity that starts inside a ball and changes at a constant rate leaves it: the positive root of |v + rate t|² = radius², in
/// the form without cancellation.
fn leaves_at(v: DVec3, rate: DVec3, radius: f64) -> f64 {
    let (square, half, inside) = (rate.length_squared(), v.dot(rate), (radius * radius - v.length_squared()).max(0.0));
    let root = (half * half + square * inside).sqrt();
    if half > 0.0 { inside / (root + half) } else { (root - half) / square }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(criterion: Criterion) -> Limits {
        Limits::new(criterion, 0.4, 1.3, 0.0)
    }

    fn one(criterion: Criterion) -> Restraint {
        Restraint::new(criterion, vec![limits(criterion)], f64::INFINITY)
    }

    const WAY: DVec3 = DVec3::new(0.48, -0.6, 0.64);

    /// u = ∂T/∂v and the slope of u, by central differences in space.
    #[test]
    fn velocities_and_slopes_are_derivatives() {
        for criterion in Criterion::ALL {
            let restraint = one(criterion);
            for n in [0.2, 0.41, 0.6, 0.9, 1.2, 1.29, 1.5] {
                let (v, h) = (WAY * n, 1e-6);
                let u = restraint.effective(0, v);
                let slope = restraint.slope(0, v).unwrap_or(DMat3::IDENTITY);
                assert!(slope.abs_diff_eq(slope.transpose(), 1e-14));
                for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                    let by_energy = (restraint.energy(0, v + axis * h) - restraint.energy(0, v - axis * h)) / (2.0 * h);
                    assert!((by_energy - u.dot(axis)).abs() < 2e-9, "{criterion:?} {n}: {by_energy} {}", u.dot(axis));
                    let by_u =
                        (restraint.effective(0, v + axis * h) - restraint.effective(0, v - axis * h)) / (2.0 * h);
                    assert!((by_u - slope * axis).length() < 2e-8, "{criterion:?} {n}: {by_u} {}", slope * axis);
                }
            }
        }
    }

    /// The table of slopes for er/ef = 0.05 and 0.5: -5.83, 5.80 and -31.2, 25.9 by energy, -1.52, 3.53 and -24.6, 26.0 by momentum.
    #[test]
    fn slopes_overshoot_but_for_the_convex_one() {
        let extremes = |criterion: Criterion, ratio: f64| {
            let limits = Limits::new(criterion, ratio.sqrt(), 1.0, 0.0);
            let at =
                |k: i32| criterion.response(ratio.sqrt() + (1.0 - ratio.sqrt()) * f64::from(k) / 1e4, &limits).radial;
            (0..=10_000).map(at).fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), r| (a.min(r), b.max(r)))
        };
        for (criterion, ratio, low, high) in [
            (Criterion::Energy, 0.05, -5.83, 5.80),
            (Criterion::Energy, 0.5, -31.2, 25.9),
            (Criterion::Momentum, 0.05, -1.52, 3.53),
            (Criterion::Momentum, 0.5, -24.6, 26.0),
        ] {
            let (lowest, highest) = extremes(criterion, ratio);
            assert!((lowest / low - 1.0).abs() < 5e-3 && (highest / high - 1.0).abs() < 5e-3, "{lowest} {highest}");
        }
        for ratio in [0.0, 0.05, 0.5, 0.9_f64] {
            assert!(extremes(Criterion::Convex, ratio).0 >= 0.0);
            let steepest = 1.0 / (1.0 - ratio.sqrt());
            let (lowest, highest) = extremes(Criterion::Ramp, ratio);
            assert!(lowest >= 0.0 && highest <= steepest * (1.0 + 1e-12), "{ratio}: {lowest} {highest}");
        }
    }

    #[test]
    fn momenta_lead_to_their_velocities() {
        for criterion in [Criterion::Ramp, Criterion::Convex] {
            let restraint = one(criterion);
            for speed in [0.01, 0.3, 1.0, 1.29, 2.0] {
                let v = restraint.momentum(0, WAY * speed);
                assert!((restraint.effective(0, v) - WAY * speed).length() < 1e-14, "{criterion:?}: {speed}");
            }
        }
    }

    #[test]
    fn roots_are_roots() {
        let restraint = one(Criterion::Convex);
        for n in [0.1, 0.5, 0.8, 1.25] {
            let (root, slope) = (restraint.root(0, WAY * n).unwrap(), restraint.slope(0, WAY * n).unwrap());
            assert!((root * root).abs_diff_eq(slope, 1e-14));
        }
        assert!(restraint.root(0, WAY * 1.3).is_none());
    }

    /// The printed R, with `p pᵀ ρ_pp` for `pᵀp ρ_pp`, is off by 0.44 at m = 0.7, p = (0.5, -0.4, 0.3), er = 0.05, ef = 1.
    #[test]
    fn the_misprint_matters() {
        let (m, p, low, high): (f64, DVec3, f64, f64) = (0.7, DVec3::new(0.5, -0.4, 0.3), 0.05, 1.0);
        let speed = |energy: f64| (2.0 * energy / m).sqrt();
        let limits = Limits::new(Criterion::Energy, speed(low), speed(high), 0.0);
        let restraint = Restraint::new(Criterion::Energy, vec![limits], f64::INFINITY);
        let right = restraint.slope(0, p / m).unwrap();
        let (k, d) = (p.length_squared() / (2.0 * m), high - low);
        let [rho, slope, curve] = spline((k - low) / d);
        let (slope, curve) = (slope / d, curve / (d * d));
        let outer = DMat3::from_cols(p * p.x, p * p.y, p * p.z);
        let of_rho = outer * (curve / (m * m)) + DMat3::IDENTITY * (slope / m);
        let common = DMat3::IDENTITY * (1.0 - rho) - outer * (2.0 * slope / m);
        let (printed, mended) = (common - outer * of_rho * 0.5, common - of_rho * (0.5 * p.length_squared()));
        assert!(mended.abs_diff_eq(right, 1e-13), "{mended} {right}");
        let off = (printed - right).to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
        assert!((off - 0.44).abs() < 0.01, "{off}");
    }

    #[test]
    fn wakes_when_its_speed_says_so() {
        let (v, a) = (DVec3::new(0.1, -0.2, 0.05), DVec3::new(0.3, 0.5, -0.1));
        let at = |damping_time: f64| Restraint { damping_time, ..one(Criterion::Convex) };
        let never = at(f64::INFINITY).wakes_in(0, v, a);
        for damping_time in [f64::INFINITY, 1e300, 1e15, 1e9, 1e4, 4.0, 1.0] {
            let restraint = at(damping_time);
            let t = restraint.wakes_in(0, v, a);
            let later = restraint.damped(v, a, t);
            assert!(t > 0.0 && (later.length() - 0.4).abs() < 1e-15, "{damping_time}: {t} {later}");
            assert!(restraint.damped(v, a, 0.99 * t).length() < 0.4);
            // fading delays it by about t²/2τ
            assert!((t - never).abs() <= t * (8.0 * f64::EPSILON + t / damping_time), "{damping_time}: {t} {never}");
        }
        // |f| τ below the limit: never
        assert_eq!(Restraint { damping_time: 0.5, ..one(Criterion::Convex) }.wakes_in(0, v, a), f64::INFINITY);
        assert_eq!(one(Criterion::Convex).wakes_in(0, v, DVec3::ZERO), f64::INFINITY);
    }

    #[test]
    fn slow_particles_stop() {
        for criterion in Criterion::ALL {
            let limits = Limits::new(criterion, 0.4, 1.3, 0.02);
            let restraint = Restraint::new(criterion, vec![limits], f64::INFINITY);
            let speed = restraint.effective(0, WAY * (limits.stop * (1.0 + 1e-9))).length();
            assert!((speed - 0.02).abs() < 1e-6, "{criterion:?} {speed}");
            assert_eq!(restraint.effective(0, WAY * (limits.stop * (1.0 - 1e-9))), DVec3::ZERO);
        }
        assert_eq!(Limits::new(Criterion::Convex, 0.0, 0.0, 0.1), Limits::NONE);
    }
}
