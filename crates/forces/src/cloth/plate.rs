//! Bending of a thin plate: `½ (θ - θ₀)ᵀ K (θ - θ₀)` of all angles between triangles, with the matrix K of `curvature.rs` and the derivatives of θ
//! in [`super::fold`]. The bending stiffness does not depend on the mesh, only the resolution does.
//!
//! The moment of a hinge is `m = K (θ - θ₀ + τ θ̇)`, with one relaxation time τ, and the force `-Σ m ∇θ`. It vanishes in rigid motion. As with
//! [`super::hinge`], angles jump by 2π where a sheet is folded through itself, and a hinge with a triangle of no area has no angle.
//!
//! The exact derivative is `-[∇θᵀ K (∇θ + τ ∇²θ v) + Σ m ∇²θ]`; the positive semi-definite kind is `-∇θᵀ K ∇θ`. Where one matrix of all damping and
//! stiffness is sufficient ([`Jacobian::merged`]), that is the one at rest, turned to the present normals. Couplings with particles beyond the
//! triangles around are weak.

use glam::{DVec2, DVec3};
use pliant_core::element::gather;
use pliant_core::rows::for_each_row;
use pliant_core::{
    DirtySet, Dissipative, ForceModel, ForceProperties, Incremental, Jacobian, JacobianKind, Rates, View,
};
use pliant_linalg::pattern::{Pattern, PatternBuilder};
use pliant_parallel::{Partials, for_each_chunk};
use thiserror::Error;

use super::curvature::AngleForm;
use super::fold::{Fold, wrapped};
use super::fold_lanes::{Turn, for_each_turn};
use super::patch::Mesh;
use super::plate_rows::{Bent, Incidence, Rows, whole};
use super::surface::SurfaceError;

/// Errors of plate bending.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum PlateError {
    /// It is no surface.
    #[error(transparent)]
    Surface(#[from] SurfaceError),
    /// It has no curvature there.
    #[error("a triangle has no area")]
    NoArea,
    /// No sheet is like that.
    #[error("bending stiffness and damping must be finite and not negative")]
    BadNumber,
}

/// Bending of one sheet.
#[derive(Debug)]
pub struct PlateBending {
    hinges: Vec<[u32; 4]>,
    rest_angles: Vec<f64>,
    form: AngleForm,
    /// τ, s.
    damping_time: f64,
    incidence: Incidence,
    rows: Rows,
    /// Triangles with hinges, all wound alike where the surface can be oriented, and the normals of particles.
    triangles: Vec<[u32; 3]>,
    normals: Vec<DVec3>,
    /// Hinges at the last evaluation of forces, with the angle `θ - θ₀`, and with damping `+ τ θ̇`.
    turns: Vec<Turn>,
    moments: Vec<f64>,
    is_stale: bool,
    /// Hinges that turned since, and hinges with changed moments.
    turned: DirtySet,
    changed: DirtySet,
    /// Scratch space for angles at other states.
    angles: Vec<f64>,
    bent: Bent,
    wanted: DirtySet,
    partials: Partials,
}

impl PlateBending {
    /// A sheet of triangles with its rest shape, the direction of the warp in each triangle (projected into its plane), and its bending stiffness
    /// where warp and weft are curved, N m. Triangles with all corners pinned as in a jaw are `rigid`: the sheet is clamped at their edges.
    /// `None` where there is nothing to bend.
    pub fn new(
        triangles: &[[u32; 3]],
        rest: &[DVec3],
        warp: impl Fn(usize) -> DVec3,
        rigid: impl Fn(usize) -> bool,
        bending: [f64; 2],
        damping_time: f64,
    ) -> Result<Option<Self>, PlateError> {
        let good = |value: f64| value >= 0.0 && value.is_finite();
        if !(bending.iter().all(|b| good(*b)) && good(damping_time)) {
            return Err(PlateError::BadNumber);
        }
        let mesh = Mesh::new(triangles, rest, (0..triangles.len()).map(rigid).collect())?.ok_or(PlateError::NoArea)?;
        if mesh.hinges.is_empty() || bending == [0.0; 2] {
            return Ok(None);
        }
        let frame = |t: usize| {
            let [a, b, c] = triangles[t].map(|n| rest[n as usize]);
            let x = (b - a).normalize();
            let y = (c - a).reject_from_normalized(x).normalize();
            let along = DVec2::new(warp(t).dot(x), warp(t).dot(y));
            (along.try_normalize().unwrap_or(DVec2::X), bending)
        };
        let form = AngleForm::new(&mesh, frame);
        let at = |nodes: &[u32; 4]| Fold::new(gather(*nodes, rest));
        let folds = mesh.hinges.iter().map(at).collect::<Option<Vec<_>>>().ok_or(PlateError::NoArea)?;
        let rest_angles = folds.iter().map(|fold| fold.angle).collect();
        let at_rest: Vec<_> = folds.iter().map(|fold| whole(fold.gradient())).collect();
        let incidence = Incidence::new(&mesh.hinges);
        let count = mesh.hinges.len();
        Ok(Some(Self {
            rows: Rows::new(&incidence, &mesh.hinges, &form, &at_rest),
            triangles: mesh.oriented(triangles),
            normals: vec![DVec3::ZERO; incidence.particles().len()],
            hinges: mesh.hinges,
            rest_angles,
            form,
            damping_time,
            incidence,
            turns: vec![Turn::default(); count],
            moments: vec![0.0; count],
            is_stale: true,
            turned: DirtySet::default(),
            changed: DirtySet::default(),
            angles: vec![0.0; count],
            bent: Bent::default(),
            wanted: DirtySet::default(),
            partials: Partials::default(),
        }))
    }

    /// Writes the hinges `first..first + turns.len()` at a state.
    fn write_turns(&self, first: usize, view: &View, turns: &mut [Turn]) {
        let hinges = &self.hinges[first..first + turns.len()];
        for_each_turn(hinges, |i| view.x[i], |k, turn| turns[k] = turn);
        for ((turn, nodes), rest) in turns.iter_mut().zip(hinges).zip(&self.rest_angles[first..]) {
            if turn.exists {
                turn.angle -= rest;
                if self.damping_time != 0.0 {
                    turn.angle += self.damping_time * rate(&turn.gradient, gather(*nodes, view.v));
                }
            }
        }
    }

    fn moment(&self, hinge: usize, turns: &[Turn]) -> f64 {
        self.form.row(hinge).map(|(j, k)| k * turns[j as usize].angle).sum()
    }

    fn force_on(&self, particle: usize) -> DVec3 {
        let mut total = DVec3::ZERO;
        for (hinge, place) in self.incidence.of(particle) {
            let [a, b, c] = self.turns[*hinge as usize].gradient;
            let gradient = if *place == 0 { -(a + b + c) } else { [a, b, c][*place as usize - 1] };
            total -= gradient * self.moments[*hinge as usize];
        }
        total
    }

    /// `sᵀ K s` of a number of each hinge; `write(model, first, numbers)` writes those from the hinge `first` on.
    fn square(&mut self, write: impl Fn(&Self, usize, &mut [f64]) + Sync) -> f64 {
        let mut angles = std::mem::take(&mut self.angles);
        for_each_chunk(&mut angles, |start, chunk| write(self, start, chunk));
        let form = &self.form;
        let sum = self.partials.sum(angles.len(), |range| range.map(|e| angles[e] * form.times(e, &angles)).sum());
        self.angles = angles;
        sum
    }

    /// Unit normals of particles, from the triangles around; zero where they cancel out.
    fn write_normals(&mut self, x: &[DVec3]) {
        let first = self.incidence.particles().start;
        self.normals.fill(DVec3::ZERO);
        for nodes in &self.triangles {
            let [a, b, c] = nodes.map(|n| x[n as usize]);
            let normal = (b - a).cross(c - a);
            nodes.iter().for_each(|n| self.normals[*n as usize - first] += normal);
        }
        self.normals.iter_mut().for_each(|normal| *normal = normal.normalize_or_zero());
    }

    /// Angles and derivatives of some hinges, or of all, for the matrix.
    fn bend(&mut self, view: &View, kind: JacobianKind, some: Option<&DirtySet>) {
        let mut bent = std::mem::take(&mut self.bent);
        bent.resize(self.hinges.len(), kind != JacobianKind::Psd, self.damping_time != 0.0);
        bent.write(&self.hinges, &self.rest_angles, self.damping_time, view, some.map(DirtySet::list));
        bent.write_moments(&self.form, some.map(DirtySet::list));
        self.bent = bent;
    }
}

/// θ̇
#[inline]
pub(super) fn rate(gradient: &[DVec3; 3], v: [DVec3; 4]) -> f64 {
    gradient[0].dot(v[1] - v[0]) + gradient[1].dot(v[2] - v[0]) + gradient[2].dot(v[3] - v[0])
}

impl ForceModel for PlateBending {
    fn name(&self) -> &'static str {
        "plate-bending"
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties {
            is_steady: true,
            merges_damping: true,
            depends_on_velocity: self.damping_time != 0.0,
            has_symmetric_jacobian: self.damping_time == 0.0,
            is_internal: true,
            ..ForceProperties::default()
        }
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        let write = |model: &Self, first: usize, out: &mut [f64]| {
            let (hinges, rest) = (&model.hinges[first..first + out.len()], &model.rest_angles[first..]);
            let angle = |k: usize, turn: Turn| if turn.exists { turn.angle - rest[k] } else { 0.0 };
            for_each_turn(hinges, |i| view.x[i], |k, turn| out[k] = angle(k, turn));
        };
        Some(0.5 * self.square(write))
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        self.is_stale = false;
        let mut turns = std::mem::take(&mut self.turns);
        for_each_chunk(&mut turns, |start, chunk| self.write_turns(start, view, chunk));
        let mut moments = std::mem::take(&mut self.moments);
        for_each_chunk(&mut moments, |start, chunk| {
            (start..).zip(chunk).for_each(|(e, moment)| *moment = self.moment(e, &turns));
        });
        (self.turns, self.moments) = (turns, moments);
        for_each_chunk(&mut out[self.incidence.particles()], |start, chunk| {
            let first = self.incidence.particles().start + start;
            (first..).zip(chunk).for_each(|(particle, total)| *total += self.force_on(particle));
        });
    }

    fn couple(&self, pattern: &mut PatternBuilder) {
        for particle in self.incidence.particles() {
            for column in self.rows.columns(particle).iter().filter(|column| **column as usize >= particle) {
                pattern.couple_weakly(particle, *column as usize);
            }
        }
    }

    fn bind(&mut self, pattern: &Pattern) {
        self.rows.bind(pattern);
    }

    fn add_jacobian(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        let merged = out.merged.filter(|_| self.damping_time != 0.0);
        if out.is_partial {
            let mut wanted = std::mem::take(&mut self.wanted);
            wanted.clear(self.hinges.len());
            for row in &out.rows {
                self.rows.hinges(*row as usize).for_each(|hinge| wanted.add(hinge));
            }
            wanted.sort();
            self.bend(view, kind, Some(&wanted));
            self.wanted = wanted;
            let is_apart = self.damping_time != 0.0 && merged.is_none();
            for row in &out.rows {
                let damping = if is_apart { &mut out.damping.values[..] } else { &mut [] };
                let blocks = (&mut out.stiffness.values[..], damping);
                self.rows.add(*row as usize, 0, &self.bent, &self.incidence, kind, (self.damping_time, merged), blocks);
            }
            return;
        }
        let pattern = out.stiffness.pattern.clone();
        let rows = self.incidence.particles();
        let values = pattern.row_start[rows.start] as usize..pattern.row_start[rows.end] as usize;
        if let (JacobianKind::Psd, Some(rate)) = (kind, out.merged) {
            self.write_normals(view.x);
            let (normals, scale) = (&self.normals[..], 1.0 + rate * self.damping_time);
            let blocks = &mut out.stiffness.values[values];
            return for_each_row(&pattern, rows, blocks, &mut [], &|row, first, stiffness, _| {
                self.rows.add_turned(row, first, normals, scale, stiffness);
            });
        }
        self.bend(view, kind, None);
        let is_apart = self.damping_time != 0.0 && merged.is_none();
        let damping = if is_apart { &mut out.damping.values[values.clone()] } else { &mut [][..] };
        for_each_row(&pattern, rows, &mut out.stiffness.values[values], damping, &|row, first, stiffness, damping| {
            let blocks = (stiffness, damping);
            self.rows.add(row, first, &self.bent, &self.incidence, kind, (self.damping_time, merged), blocks);
        });
    }

    fn add_rates(&mut self, view: &View, free: &[bool], out: &mut [Rates]) {
        self.bend(view, JacobianKind::Symmetric, None);
        for particle in self.incidence.particles() {
            let rates = self.rows.rates(particle, &self.bent, &self.incidence, self.damping_time, free);
            out[particle].stiffness += rates.stiffness;
            out[particle].damping += rates.damping;
        }
    }

    pliant_core::capabilities!(dissipative, incremental);
}

impl Dissipative for PlateBending {
    fn viscous_power(&mut self, view: &View) -> f64 {
        if self.damping_time == 0.0 {
            return 0.0;
        }
        let write = |model: &Self, first: usize, out: &mut [f64]| {
            let hinges = &model.hinges[first..first + out.len()];
            let turning =
                |k: usize, turn: Turn| if turn.exists { rate(&turn.gradient, gather(hinges[k], view.v)) } else { 0.0 };
            for_each_turn(hinges, |i| view.x[i], |k, turn| out[k] = turning(k, turn));
        };
        -self.damping_time * self.square(write)
    }

    fn mean_viscous_power(&mut self, midway: &View, span: f64) -> f64 {
        if self.damping_time == 0.0 {
            return 0.0;
        }
        // as in `mean_turning`: NaN marks hinges that begin without an angle
        let at = |part: f64| move |i: usize| midway.x[i] + midway.v[i] * (part * span);
        let write = |model: &Self, first: usize, out: &mut [f64]| {
            let hinges = &model.hinges[first..first + out.len()];
            for_each_turn(hinges, at(-0.5), |k, turn| out[k] = if turn.exists { turn.angle } else { f64::NAN });
            for_each_turn(hinges, at(0.5), |k, turn| {
                let exists = turn.exists && !out[k].is_nan();
                out[k] = if exists { wrapped(turn.angle - out[k]) / span } else { 0.0 };
            });
        };
        -self.damping_time * self.square(write)
    }
}

impl Incremental for PlateBending {
    fn mark_dirty(&mut self, _view: &View, moved: &DirtySet, out: &mut DirtySet) {
        if self.is_stale {
            return out.add_all();
        }
        self.turned.clear(self.hinges.len());
        self.changed.clear(self.hinges.len());
        for particle in moved.list() {
            self.incidence.of(*particle as usize).iter().for_each(|(hinge, _)| self.turned.add(*hinge));
        }
        self.turned.sort();
        for hinge in self.turned.list() {
            self.form.row(*hinge as usize).for_each(|(j, _)| self.changed.add(j));
        }
        self.changed.sort();
        self.changed.list().iter().for_each(|e| self.hinges[*e as usize].into_iter().for_each(|n| out.add(n)));
    }

    fn update_force(&mut self, view: &View, reached: &[u32], out: &mut [DVec3]) {
        let mut turns = std::mem::take(&mut self.turns);
        for hinge in self.turned.list().iter().map(|hinge| *hinge as usize) {
            self.write_turns(hinge, view, &mut turns[hinge..=hinge]);
        }
        self.turns = turns;
        for hinge in self.changed.list() {
            self.moments[*hinge as usize] = self.moment(*hinge as usize, &self.turns);
        }
        for particle in reached {
            out[*particle as usize] += self.force_on(*particle as usize);
        }
    }
}
