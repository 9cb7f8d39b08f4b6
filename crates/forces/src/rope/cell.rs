//! The isotropic rope: particles and elements along a centreline.

use glam::DVec3;
use pliant_core::ForceModel;
use pliant_geom::rope::{Centreline, Frames};
use pliant_scalar::math;
use std::f64::consts::TAU;

use super::{CellConstants, RopeError, RopeMaterial, calibrate};
use crate::constraint::angle::{Angle, Angles};
use crate::constraint::section::{SectionAngle, SectionAngles};
use crate::constraint::shear::{Shear, Shears};
use crate::constraint::torsion::{Torsion, Torsions};
use crate::constraint::volume::{Volume, Volumes};
use crate::spring::green::{GreenSpring, GreenSprings};
use crate::spring::linear::{Spring, Springs};

/// Largest share of a point's mass that its wings carry together.
const WINGS_MOST: f64 = 0.75;

/// The stress-free shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RestShape {
    /// Straight and untwisted, of its initial length.
    #[default]
    Straight,
    /// The initial shape, with its frames.
    Curve,
}

/// Settings of a rope.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RopeSpec {
    /// Its material.
    pub material: RopeMaterial,
    /// Its radius for contact and inertia, m.
    pub radius: f64,
    /// ρ: distance of the wings from the centreline, m; by default the rope's radius.
    pub section_radius: f64,
    /// The stress-free shape.
    pub rest: RestShape,
}

impl RopeSpec {
    /// A rope of a radius, m, that is straight at rest, with its wings on its surface.
    pub fn new(material: RopeMaterial, radius: f64) -> Self {
        Self { material, radius, section_radius: radius, rest: RestShape::Straight }
    }
}

/// Particles and elements of a rope.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rope {
    /// Positions, m.
    pub x: Vec<DVec3>,
    /// Masses, kg.
    pub masses: Vec<f64>,
    /// The particles of the centreline in order.
    pub centreline: Vec<u32>,
    /// Whether the last of them is joined to the first.
    pub is_closed: bool,
    /// For each point of the centreline the wing that defines its orientation.
    pub wings: Vec<u32>,
    /// Springs.
    pub springs: Vec<Spring>,
    /// Springs from the centreline to wings of the next section and back.
    pub ties: Vec<GreenSpring>,
    /// Angles at points.
    pub angles: Vec<Angle>,
    /// Constants of each segment; none of the paper's cell.
    pub cells: Vec<CellConstants>,
    /// Angles between sections that are clamped and the segments there.
    pub clamps: Vec<SectionAngle>,
    /// Shear of segments, of ropes that are curved at rest.
    pub shears: Vec<Shear>,
    /// Twist of segments.
    pub torsions: Vec<Torsion>,
    /// Tetrahedra that keep their volume: those of the paper's cell.
    pub volumes: Vec<Volume>,
}

impl Rope {
    /// The segments of the centreline in order.
    pub fn segments(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let closing = self.centreline.first().zip(self.centreline.last()).filter(|_| self.is_closed);
        self.centreline.windows(2).map(|pair| [pair[0], pair[1]]).chain(closing.map(|(first, last)| [*last, *first]))
    }

    /// The particles of the section at a point of the centreline, the point first.
    pub fn section(&self, point: usize) -> std::ops::Range<u32> {
        let each = (self.x.len() / self.centreline.len().max(1)) as u32;
        self.centreline[point]..self.centreline[point] + each
    }

    /// Clamps the rope at a point: its section prescribes the direction of the rope, as is right where the whole section is pinned (`calibrate.rs`).
    /// The angle between the segments there is removed: the rope bends independently on both sides of the section. Of the paper's cell nothing
    /// changes.
    pub fn clamp(&mut self, point: usize) -> Result<(), RopeError> {
        let (count, at) = (self.centreline.len(), self.centreline[point]);
        self.angles.retain(|angle| angle.vertex() != at);
        let next = (point + 1 < count || self.is_closed).then_some((point, (point + 1) % count, [at + 1, at + 2]));
        let last = (point > 0 || self.is_closed).then(|| (point + count - 1) % count);
        let last = last.map(|last| (last, last, [at + 2, at + 1]));
        for (segment, neighbour, [p, q]) in [next, last].into_iter().flatten() {
            let Some(k) = self.cells.get(segment) else { continue };
            let other = self.centreline[neighbour];
            let joins = |nodes: [u32; 2], wing: u32| nodes == [wing, other] || nodes == [other, wing];
            for tie in self.ties.iter_mut().filter(|tie| (1..=3).any(|wing| joins(tie.nodes, at + wing))) {
                tie.damping *= k.clamped_tie / tie.stiffness;
                tie.stiffness = k.clamped_tie;
            }
            for centre in self.springs.iter_mut().filter(|spring| joins(spring.nodes, at)) {
                let stiffness = centre.stiffness + k.clamped_centre;
                centre.damping *= stiffness / centre.stiffness;
                centre.stiffness = stiffness;
            }
            if k.angle > 0.0 {
                self.clamps.push(SectionAngle::new([at, p, q, other], 2.0 * k.angle)?);
            }
        }
        Ok(())
    }

    /// The force models of its elements; kinds without elements are left out.
    pub fn models(&self) -> Vec<Box<dyn ForceModel>> {
        let mut models: Vec<Box<dyn ForceModel>> = Vec::new();
        if !self.springs.is_empty() {
            models.push(Box::new(Springs::new(self.springs.clone())));
        }
        if !self.ties.is_empty() {
            models.push(Box::new(GreenSprings::new(self.ties.clone())));
        }
        if !self.angles.is_empty() {
            models.push(Box::new(Angles::new(self.angles.clone())));
        }
        if !self.clamps.is_empty() {
            models.push(Box::new(SectionAngles::new(self.clamps.clone())));
        }
        if !self.shears.is_empty() {
            models.push(Box::new(Shears::new(self.shears.clone())));
        }
        if !self.torsions.is_empty() {
            models.push(Box::new(Torsions::new(self.torsions.clone())));
        }
        if !self.volumes.is_empty() {
            models.push(Box::new(Volumes::new(self.volumes.clone())));
        }
        models
    }
}

/// Adds springs between particles of a rope.
pub(super) struct Binder<'a> {
    pub x: &'a [DVec3],
    pub first: u32,
    pub springs: Vec<Spring>,
}

impl Binder<'_> {
    /// A spring between two particles of the rope, N/m, with a relaxation time, s, and its rest length, m, or its initial length.
    pub fn spring(&mut self, a: u32, b: u32, stiffness: f64, time: f64, rest: Option<f64>) {
        let rest_length = rest.unwrap_or_else(|| (self.x[b as usize] - self.x[a as usize]).length());
        let nodes = [a + self.first, b + self.first];
        self.springs.push(Spring { nodes, rest_length, stiffness, damping: time * stiffness });
    }
}

/// The length of rope that belongs to each point: half of its segments, m.
pub(super) fn shares(line: &Centreline) -> Vec<f64> {
    let half = |segment: Option<usize>| segment.map_or(0.0, |k| 0.5 * line.edge(k).length());
    (0..line.points().len()).map(|p| half(line.before(p)) + half(line.after(p))).collect()
}

/// A rope along a centreline. Its particles are numbered from `first`: point k of the centreline is `first + 4k`, its wings follow it.
pub fn rope(line: &Centreline, frames: &Frames, spec: &RopeSpec, first: u32) -> Result<Rope, RopeError> {
    line.check_radius(spec.radius)?;
    let RopeSpec { material, section_radius: rho, rest, .. } = *spec;
    let (x, masses) = particles(line, frames, spec)?;
    let mut rope = Rope { x, masses, is_closed: line.is_closed(), ..Rope::default() };
    let points = line.points().len() as u32;
    rope.centreline = (0..points).map(|k| first + 4 * k).collect();
    rope.wings = (0..points).map(|k| first + 4 * k + 1).collect();
    let straight = rest == RestShape::Straight;
    let mut binder = Binder { x: &rope.x, first, springs: Vec::new() };
    let mut sections = vec![0.0; points as usize];
    let mut angles = vec![0.0; points as usize];
    for segment in 0..line.segments() {
        let (i, j) = line.ends(segment);
        let length = line.edge(segment).length();
        let k = calibrate(&material, length, rho, rest)?;
        rope.cells.push(k);
        let (ri, rj) = (4 * i as u32, 4 * j as u32);
        binder.spring(ri, rj, k.centre, material.stretch_damping, Some(length));
        // ties damp all of the bending, of which they carry a share
        let tie_time = material.bend_damping / k.tie_share;
        for wing in 1..=3 {
            for [a, b] in [[ri, rj + wing], [ri + wing, rj]] {
                let laid_out = (rope.x[b as usize] - rope.x[a as usize]).length();
                let rest_length = if straight { math::hypot(length, rho) } else { laid_out };
                let nodes = [a + first, b + first];
                rope.ties.push(GreenSpring { nodes, rest_length, stiffness: k.tie, damping: tie_time * k.tie });
            }
            if k.along > 0.0 {
                binder.spring(ri + wing, rj + wing, k.along, material.stretch_damping, None);
            }
            if k.shear > 0.0 {
                let nodes = [ri, ri + wing, rj, rj + wing];
                let rest = Shear::measure(nodes.map(|n| rope.x[n as usize]), length);
                rope.shears.push(Shear::new(nodes.map(|n| first + n), length, rest, k.shear)?);
            }
            let nodes = [ri, rj, ri + wing, rj + wing];
            let twist = if straight { 0.0 } else { Torsion::twist(nodes.map(|n| rope.x[n as usize])).unwrap_or(0.0) };
            let torsion = Torsion::new(nodes.map(|n| first + n), length, twist, k.torsion)?;
            rope.torsions.push(torsion.damped(material.twist_damping)?);
        }
        for end in [i, j] {
            // each segment brings half of the springs of its two sections, and of the angles there
            sections[end] += 0.5 * k.section;
            angles[end] += 0.5 * k.angle;
        }
    }
    for (k, section) in sections.iter().enumerate() {
        let r = 4 * k as u32;
        for wing in 1..=3 {
            binder.spring(r, r + wing, *section, material.stretch_damping, Some(rho));
            let edge = 3_f64.sqrt() * rho;
            binder.spring(r + wing, r + wing % 3 + 1, *section, material.stretch_damping, Some(edge));
        }
        if let (true, Some(before), Some(after)) = (angles[k] > 0.0, line.before(k), line.after(k)) {
            let nodes = [k, line.ends(before).0, line.ends(after).1].map(|n| first + 4 * n as u32);
            rope.angles.push(Angle::new(nodes, 0.0, angles[k])?);
        }
    }
    rope.springs = binder.springs;
    Ok(rope)
}

/// Sections and their masses: together the rope's mass, and the wings its polar inertia `½ m R²` of a solid rope as far as they may.
fn particles(line: &Centreline, frames: &Frames, spec: &RopeSpec) -> Result<(Vec<DVec3>, Vec<f64>), RopeError> {
    let rho = spec.section_radius;
    for (what, value) in [("radius of the section", rho), ("mass per length", spec.material.mass_per_length)] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(RopeError::NotPositive { what, value });
        }
    }
    let wings = (0.5 * (spec.radius / rho).powi(2)).min(WINGS_MOST);
    let (mut x, mut masses) = (Vec::new(), Vec::new());
    for (k, (point, share)) in line.points().iter().zip(shares(line)).enumerate() {
        let mass = share * spec.material.mass_per_length;
        x.push(*point);
        masses.push(mass * (1.0 - wings));
        for wing in 0..3 {
            x.push(*point + frames.at(k, TAU * f64::from(wing) / 3.0) * rho);
            masses.push(mass * wings / 3.0);
        }
    }
    Ok((x, masses))
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_core::Element;
    use pliant_geom::rope::{BadRope, Curve};

    fn spec() -> RopeSpec {
        RopeSpec::new(RopeMaterial::solid(1e7, 0.3, 1200.0, 5e-3).damped(1e-3), 5e-3)
    }

    #[test]
    fn masses_are_those_of_the_rope() {
        for (curve, n) in [(Curve::Line { from: DVec3::ZERO, to: DVec3::X }, 20), (Curve::Ring { radius: 0.3 }, 60)] {
            let line = curve.centreline(n).unwrap();
            let rope = rope(&line, &Frames::new(&line, 0.0), &spec(), 7).unwrap();
            let mass = spec().material.mass_per_length * line.length();
            assert!((rope.masses.iter().sum::<f64>() / mass - 1.0).abs() < 1e-14);
            // polar inertia of the wings
            let inertia: f64 =
                (0..rope.x.len()).map(|p| rope.masses[p] * (rope.x[p] - rope.x[p / 4 * 4]).length_squared()).sum();
            assert!((inertia / (0.5 * mass * 25e-6) - 1.0).abs() < 1e-12);
            assert_eq!((rope.x.len(), rope.centreline.len()), (4 * line.points().len(), line.points().len()));
            assert_eq!((rope.centreline[1], rope.wings[1]), (11, 12));
            assert_eq!((rope.torsions.len(), rope.springs.len()), (3 * n, n + 6 * line.points().len()));
            assert_eq!(rope.ties.len(), 6 * n);
            assert_eq!(rope.angles.len(), if line.is_closed() { n } else { n - 1 });
        }
    }

    #[test]
    fn clamps_take_the_place_of_angles() {
        for (curve, closed) in
            [(Curve::Line { from: DVec3::ZERO, to: DVec3::X }, false), (Curve::Ring { radius: 0.3 }, true)]
        {
            let line = curve.centreline(20).unwrap();
            for (point, sides) in
                [(0, 1 + usize::from(closed)), (7, 2), (line.points().len() - 1, 1 + usize::from(closed))]
            {
                let mut rope = rope(&line, &Frames::new(&line, 0.0), &spec(), 3).unwrap();
                let angles = rope.angles.len();
                rope.clamp(point).unwrap();
                assert_eq!((angles - rope.angles.len(), rope.clamps.len()), (sides - 1, sides), "{point}");
                // laid out as it is clamped: nothing is bent but what the curve turns in half a segment, up to how evenly points are spread
                let turn = if closed { std::f64::consts::PI / 20.0 } else { 0.0 };
                let place = |n: u32| rope.x[n as usize - 3];
                for clamp in &rope.clamps {
                    let expected = 4.0 * rope.cells[0].angle * (0.5 * turn).tan().powi(2);
                    let found = clamp.energy(clamp.nodes().map(place));
                    assert!(
                        (found - expected).abs() <= 1e-4 * expected + 1e-12 * rope.cells[0].angle,
                        "{point}: {found} {expected}"
                    );
                }
            }
        }
        let line = Curve::Line { from: DVec3::ZERO, to: DVec3::X }.centreline(20).unwrap();
        let curved = RopeSpec { rest: RestShape::Curve, ..spec() };
        let mut rope = rope(&line, &Frames::new(&line, 0.0), &curved, 0).unwrap();
        rope.clamp(0).unwrap();
        assert!(rope.clamps.is_empty(), "springs along the wings do it");
    }

    #[test]
    fn bad_ropes_are_named() {
        let line = Curve::Ring { radius: 4e-3 }.centreline(30).unwrap();
        let error = rope(&line, &Frames::new(&line, 0.0), &spec(), 0).unwrap_err();
        assert!(matches!(error, RopeError::Curve(BadRope::TooThick { .. })), "{error}");
        let line = Curve::Ring { radius: 0.1 }.centreline(30).unwrap();
        let bad = RopeSpec { section_radius: 0.0, ..spec() };
        assert!(rope(&line, &Frames::new(&line, 0.0), &bad, 0).is_err());
    }
}
