//! Linear elasticity in lagged frames: `e = sym(RᵀF) - I` with R fixed during a step, from the start of the step or of an earlier one. Frames are
//! updated at every step, or at a given interval; then all at once, or staggered, so that the work per step is even.
//!
//! Between two updates the force is linear in the positions, with a constant matrix: one solve per step, for any scheme. The cost is at the updates:
//! the energy jumps there, angular momentum is only approximately conserved, and frames that lag by more than some ten degrees are inaccurate. R is
//! the polar rotation of the element's own deformation gradient or of that of a *coarse ancestor* with corners that are particles too: then whole
//! families turn together, and refinement adds detail without adding frames, as in section 7.3 of the paper on corotational elements [Corotational].

mod coarse_green;
mod families;
mod tetrahedron;

use glam::{DMat3, DVec3};
use pliant_core::element::gather;
use pliant_core::{
    DirtySet, Dissipative, Element, Elements, ForceModel, ForceProperties, Incremental, Jacobian, JacobianKind, Rates,
    Stateful, Stretchable, View,
};
use pliant_linalg::pattern::{Pattern, PatternBuilder};
use pliant_parallel::{Partials, for_each_chunk};

use self::coarse_green::CoarseGreen;
use self::families::Families;
use self::tetrahedron::FramedTetrahedron;
use super::material::{Lame, SolidMaterial};
use super::model::{SolidError, rest_of};
use super::polar;
use super::tetrahedron::RestTetrahedron;

/// An element with a prescribed rotation.
trait Turned: Element<4> {
    fn turn(&mut self, rotation: DMat3);
}

/// A tetrahedron that defines the rotation of its family.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Frame {
    nodes: [u32; 4],
    rest: RestTetrahedron,
    /// R of the last update.
    rotation: DMat3,
    /// Index of the interval of the last update since time 0, shifted by the phase; NaN before the first update.
    taken: f64,
    phase: f64,
    /// Whether it was updated at the last call of `begin_step`,
    changed: bool,
    /// and whether its rotation changed.
    turned: bool,
}

/// Update schedule of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Updates {
    /// Update at the first step that begins at or after each multiple of this, s; 0: at every step.
    pub interval: f64,
    /// Whether the frames are staggered evenly over the interval.
    pub spread: bool,
}

/// Phases of staggered frames: multiples of the golden section are evenly spread for any count, and far apart for neighbours.
const GOLDEN: f64 = 0.618_033_988_749_894_8;

/// Elements in families of equal size, each with a frame.
struct Framed<E: Turned> {
    elements: Elements<E, 4>,
    /// The summed matrix of large families.
    families: Option<Families>,
    frames: Vec<Frame>,
    /// Elements per frame.
    family: usize,
    /// Update interval, s; 0: every step.
    interval: f64,
    /// Particles of families that have turned since forces were evaluated last; only with a summed matrix.
    turned: DirtySet,
    partials: Partials,
}

/// Smallest family with a summed matrix. Below, there are hardly fewer blocks to rotate than elements have.
const LARGE_FAMILY: usize = 8;

/// A solid with the frames of `coarse` tetrahedra: frame `k` belongs to the elements `k n .. (k + 1) n`, with n elements per frame. For frames per
/// element pass the same tetrahedra twice.
pub fn framed(
    tetrahedra: &[[u32; 4]],
    coarse: &[[u32; 4]],
    rest: &[DVec3],
    material: &SolidMaterial,
    updates: Updates,
) -> Result<Box<dyn ForceModel>, SolidError> {
    let family = tetrahedra.len() / coarse.len().max(1);
    if family == 0 || family * coarse.len() != tetrahedra.len() {
        return Err(SolidError::Families { elements: tetrahedra.len(), coarse: coarse.len() });
    }
    if !material.is_possible() {
        return Err(SolidError::BadMaterial);
    }
    let element =
        |(t, nodes): (usize, &[u32; 4])| Ok(FramedTetrahedron::new(*nodes, rest_of((t, nodes), rest)?, material));
    let elements = tetrahedra.iter().enumerate().map(element).collect::<Result<Vec<_>, _>>()?;
    let families = (family >= LARGE_FAMILY)
        .then(|| material.damping_time())
        .flatten()
        .map(|time| Families::new(&elements, family, time, rest));
    let mut model = Framed { families, ..Framed::new(elements, coarse, rest, updates)? };
    model.turned.clear(rest.len());
    model.turn_elements();
    Ok(Box::new(model))
}

/// θ times the excess of Green's measure over the linear one on the coarse level: used beside [`framed`] with the same `coarse` and `updates`.
pub fn coarse_green(
    coarse: &[[u32; 4]],
    rest: &[DVec3],
    material: &SolidMaterial,
    updates: Updates,
    theta: f64,
) -> Result<Box<dyn ForceModel>, SolidError> {
    let lame = Lame { mu: theta * material.lame.mu, lambda: theta * material.lame.lambda };
    if !lame.is_positive() {
        return Err(SolidError::BadMaterial);
    }
    let element = |(t, nodes): (usize, &[u32; 4])| {
        let rest = rest_of((t, nodes), rest)?;
        Ok(CoarseGreen { nodes: *nodes, rest, lame, rotation: DMat3::IDENTITY })
    };
    let elements = coarse.iter().enumerate().map(element).collect::<Result<Vec<_>, _>>()?;
    Ok(Box::new(Framed::new(elements, coarse, rest, updates)?))
}

impl<E: Turned> Framed<E> {
    fn new(elements: Vec<E>, coarse: &[[u32; 4]], rest: &[DVec3], updates: Updates) -> Result<Self, SolidError> {
        let Updates { interval, spread } = updates;
        if !(interval >= 0.0 && interval.is_finite()) {
            return Err(SolidError::BadInterval);
        }
        let frame = |(t, nodes): (usize, &[u32; 4])| {
            let (rest, rotation) = (rest_of((t, nodes), rest)?, DMat3::IDENTITY);
            let phase = if spread { (t as f64 * GOLDEN).fract() } else { 0.0 };
            Ok(Frame { nodes: *nodes, rest, rotation, taken: f64::NAN, phase, changed: true, turned: true })
        };
        let frames = coarse.iter().enumerate().map(frame).collect::<Result<Vec<_>, _>>()?;
        let family = elements.len() / frames.len().max(1);
        let elements = Elements::new(elements);
        let turned = DirtySet::default();
        Ok(Self { elements, families: None, frames, family, interval, turned, partials: Partials::default() })
    }

    fn turn_elements(&mut self) {
        let (frames, family) = (&self.frames, self.family);
        let turned = frames.iter().enumerate().filter(|(_, frame)| frame.turned);
        let those = turned.flat_map(|(k, _)| (k * family) as u32..((k + 1) * family) as u32);
        if self.families.is_some() {
            let elements = self.elements.elements();
            those.clone().for_each(|e| elements[e as usize].nodes().into_iter().for_each(|n| self.turned.add(n)));
        }
        for_each_chunk(self.elements.some_mut(those), |start, chunk| {
            for (t, element) in (start..).zip(chunk) {
                if frames[t / family].changed {
                    element.turn(frames[t / family].rotation);
                }
            }
        });
        if let Some(families) = &mut self.families {
            families.turn(frames);
        }
    }
}

/// Tolerance in intervals: a step that begins this close before an update time counts as beginning at it.
const EARLY: f64 = 1e-9;

impl<E: Turned> ForceModel for Framed<E> {
    fn name(&self) -> &'static str {
        E::NAME
    }

    fn properties(&self) -> ForceProperties {
        ForceProperties {
            energy_kind: self.elements.properties().energy_kind,
            is_steady: self.interval == 0.0,
            depends_on_velocity: self.elements.properties().depends_on_velocity,
            has_symmetric_jacobian: self.elements.properties().has_symmetric_jacobian,
            is_linear: self.elements.properties().is_linear,
            is_internal: self.elements.properties().is_internal,
            ..ForceProperties::default()
        }
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        match &self.families {
            Some(families) => Some(families.energy(view, &mut self.partials)),
            None => self.elements.energy(view),
        }
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        match &self.families {
            Some(families) => families.add_force(view, out),
            None => self.elements.add_force(view, out),
        }
        self.turned.clear(view.x.len());
    }

    fn couple(&self, pattern: &mut PatternBuilder) {
        self.elements.couple(pattern);
    }

    fn bind(&mut self, pattern: &Pattern) {
        match &mut self.families {
            Some(families) => families.bind(pattern),
            None => self.elements.bind(pattern),
        }
    }

    fn add_jacobian(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        match &self.families {
            Some(families) => families.add_jacobian(out),
            None => self.elements.add_jacobian(view, kind, out),
        }
    }

    fn add_rates(&mut self, view: &View, free: &[bool], out: &mut [Rates]) {
        match &self.families {
            Some(families) => families.add_rates(free, out),
            None => self.elements.add_rates(view, free, out),
        }
    }

    pliant_core::capabilities!(dissipative, stateful, incremental, stretchable);
}

impl<E: Turned> Dissipative for Framed<E> {
    fn viscous_power(&mut self, view: &View) -> f64 {
        match &self.families {
            Some(families) => families.viscous_power(view, &mut self.partials),
            None => self.elements.viscous_power(view),
        }
    }
}

impl<E: Turned> Stateful for Framed<E> {
    fn begin_step(&mut self, from: &View) -> bool {
        let interval = self.interval;
        for_each_chunk(&mut self.frames, |_, frames| {
            for frame in frames {
                // NaN without an interval, like `taken` before the first update
                let now = (from.time / interval + frame.phase + EARLY).floor();
                frame.changed = interval == 0.0 || now != frame.taken;
                if frame.changed {
                    let rotation = polar::rotation(&frame.rest.gradient(gather(frame.nodes, from.x)));
                    frame.taken = now;
                    frame.turned = rotation != frame.rotation;
                    frame.rotation = rotation;
                } else {
                    frame.turned = false;
                }
            }
        });
        let changed = self.frames.iter().any(|frame| frame.changed);
        if changed {
            self.turn_elements();
        }
        changed
    }

    fn reset(&mut self) {
        self.frames.iter_mut().for_each(|frame| frame.taken = f64::NAN);
    }

    fn memory(&self) -> Vec<f64> {
        if self.interval == 0.0 {
            return Vec::new();
        }
        let numbers = |frame: &Frame| std::iter::once(frame.taken).chain(frame.rotation.to_cols_array());
        self.frames.iter().flat_map(numbers).collect()
    }

    fn restore(&mut self, memory: &[f64]) -> usize {
        if self.interval == 0.0 {
            return 0;
        }
        for (frame, [taken, rotation @ ..]) in self.frames.iter_mut().zip(memory.as_chunks::<10>().0) {
            frame.taken = *taken;
            frame.rotation = DMat3::from_cols_array(rotation);
            (frame.changed, frame.turned) = (true, true);
        }
        self.turn_elements();
        10 * self.frames.len()
    }
}

impl<E: Turned> Incremental for Framed<E> {
    fn mark_dirty(&mut self, view: &View, moved: &DirtySet, out: &mut DirtySet) {
        match &self.families {
            Some(families) => {
                out.extend(self.turned.list());
                families.reach(moved, out);
            }
            None => self.elements.mark_dirty(view, moved, out),
        }
    }

    fn update_force(&mut self, view: &View, reached: &[u32], out: &mut [DVec3]) {
        match &self.families {
            Some(families) => families.update_force(view, reached, out),
            None => self.elements.update_force(view, reached, out),
        }
        self.turned.clear(view.x.len());
    }
}

impl<E: Turned> Stretchable for Framed<E> {
    fn stretch(&self, from: &View, to: &View) -> Option<f64> {
        self.elements.stretch(from, to)
    }
}
