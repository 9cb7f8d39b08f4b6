//! The shapes of one body: its surface, its springs and its particles.

use glam::DVec3;
use pliant_core::Body;
use pliant_geom::stuffing::{Anchor, FineSurface};

use crate::drawing::{Ball, Drawing, Rod, Triangle, Vertex};
use crate::styling::Show;
use crate::symbols::Coil;

/// Largest number of balls: more only cost time and are thinned out.
pub const MAX_BALLS: usize = 200_000;
/// The same for rods.
pub const MAX_RODS: usize = 400_000;
/// Largest number of springs of a body that are drawn as coils.
const FEW_SPRINGS: usize = 12;

/// Radius of the ball that marks a pinned point of a rope, in radii of the rope.
const SLEEVE: f64 = 1.25;

/// Pins are marked for a picture of at most this many times the size of their body.
const PIN_OF_A_PART: f64 = 3.0;

/// The largest ball that marks a pinned particle of a solid, in lengths of its edges.
const PIN_OF_A_SOLID: f64 = 0.2;

/// Lengths of a body's shapes, m.
#[derive(Clone, Copy)]
pub struct Sizes {
    /// Radius of balls.
    pub ball: f64,
    /// Radius of rods.
    pub rod: f64,
    /// Mean length of edges at the start.
    pub spacing: f64,
}

/// Draws one body.
pub struct Painter<'a> {
    pub body: &'a Body,
    /// Of all particles.
    pub points: &'a [DVec3],
    pub values: &'a [f64],
    pub pinned: &'a [bool],
    pub size: Sizes,
    /// Size of the whole action, m.
    pub whole: f64,
    /// Materials of the body, of springs, of pins.
    pub paint: u32,
    pub steel: u32,
    pub pin: u32,
    /// Whether the body is coloured by values.
    pub mapped: bool,
}

impl Painter<'_> {
    /// Adds the body's shapes; notes what is left out.
    pub fn draw(&self, show: Show, wires: &[u8], drawing: &mut Drawing, notes: &mut Vec<String>) {
        let has_surface = !wires.is_empty() && show.surface.unwrap_or(true);
        if has_surface {
            self.surface(wires, drawing);
        }
        if show.springs.unwrap_or(!has_surface) {
            self.springs(has_surface, drawing, notes);
        }
        self.particles(show.particles.unwrap_or(!has_surface), has_surface, drawing, notes);
    }

    fn surface(&self, wires: &[u8], drawing: &mut Drawing) {
        let first = drawing.vertices.len() as u32;
        let vertex = |(position, value): (DVec3, f64)| Vertex { position, normal: DVec3::ZERO, value };
        let (triangles, start) = if let Some(surface) = self.body.fine_surface_among(self.points.len()) {
            let (places, values) = (surface.carry(self.points), surface.carry(self.values));
            drawing.vertices.extend(places.into_iter().zip(values).map(vertex));
            (&surface.triangles, 0)
        } else {
            let range = self.body.particles.start..self.body.particles.end.min(self.points.len());
            drawing.vertices.extend(range.clone().map(|i| vertex((self.points[i], self.values[i]))));
            (&self.body.triangles, range.start as u32)
        };
        let count = drawing.vertices.len() as u32 - first;
        let inside = |corner: &u32| (start..start + count).contains(corner);
        let all = triangles.iter().zip(wires).filter(|(corners, _)| corners.iter().all(inside));
        for (corners, wires) in all {
            let corners = corners.map(|corner| corner - start + first);
            let p = corners.map(|corner| drawing.vertices[corner as usize].position);
            let normal = (p[1] - p[0]).cross(p[2] - p[0]);
            if normal.is_finite() {
                corners.iter().for_each(|corner| drawing.vertices[*corner as usize].normal += normal);
            }
            drawing.triangles.push(Triangle { corners, material: self.paint, wires: *wires });
        }
    }

    fn springs(&self, thin: bool, drawing: &mut Drawing, notes: &mut Vec<String>) {
        let (body, size) = (self.body, self.size);
        let at = |i: u32| self.points.get(i as usize).copied().unwrap_or(DVec3::NAN);
        let value = |i: u32| self.values.get(i as usize).copied().unwrap_or(0.0);
        let few = body.edges.len() + body.anchors.len() <= FEW_SPRINGS && size.spacing > 5.0 * size.ball;
        let coil = |[from, to]: [DVec3; 2]| Coil {
            // It ends at the surface of the ball, not in its middle.
            ends: [from, to - (to - from) * (0.9 * size.ball / (to - from).length()).min(0.3)],
            turns: ((size.spacing / (0.75 * size.ball)) as usize).clamp(5, 12),
            radius: 0.5 * size.ball,
            wire: 0.11 * size.ball,
            lead: 0.9 * size.ball,
            material: self.steel,
        };
        for (particle, place) in &body.anchors {
            if few {
                coil([*place, at(*particle)]).draw(drawing);
            } else {
                let ends = [*place, at(*particle)];
                drawing.rods.push(Rod { ends, values: [0.0; 2], radius: size.rod, material: self.steel });
            }
            drawing.balls.push(Ball { centre: *place, radius: 0.42 * size.ball, value: 0.0, material: self.pin });
        }
        if few {
            body.edges.iter().for_each(|edge| coil(edge.map(at)).draw(drawing));
            return;
        }
        let stride = body.edges.len().div_ceil(MAX_RODS).max(1);
        if stride > 1 {
            notes.push(format!("{}: only one spring in {stride} of {} is drawn", body.name, body.edges.len()));
        }
        let (radius, material) =
            (if thin { 0.3 * size.rod } else { size.rod }, if self.mapped { self.paint } else { self.steel });
        drawing.rods.extend(body.edges.iter().step_by(stride).map(|edge| Rod {
            ends: edge.map(at),
            values: edge.map(value),
            radius,
            material,
        }));
    }

    fn particles(&self, show: bool, has_surface: bool, drawing: &mut Drawing, notes: &mut Vec<String>) {
        let (body, size) = (self.body, self.size);
        let range = body.particles.start..body.particles.end.min(self.points.len());
        let stride = range.len().div_ceil(MAX_BALLS).max(1);
        if show && stride > 1 {
            notes.push(format!("{}: only one particle in {stride} of {} is drawn", body.name, range.len()));
        }
        // a mark must be visible in a picture of everything, and must not hide a body that is a small part of it
        let [low, high] = self.points[range.clone()]
            .iter()
            .fold([DVec3::INFINITY, DVec3::NEG_INFINITY], |[low, high], x| [low.min(*x), high.max(*x)]);
        let visible = (0.5 * size.ball).max(0.0055 * self.whole.min(PIN_OF_A_PART * low.distance(high)));
        // a solid shows its pins in rows, which must not hide it where it is a small part of the picture
        let on_surface = if body.is_solid { visible.min(PIN_OF_A_SOLID * size.spacing) } else { visible };
        let surface = self.body.fine_surface_among(self.points.len()).filter(|_| has_surface);
        if let Some(surface) = surface {
            self.pins_of(surface, on_surface, drawing);
        }
        for i in range.clone() {
            let pinned = self.is_pinned(i);
            let shown = show && (i - range.start) % stride == 0;
            let shown = shown || (pinned && has_surface && surface.is_none());
            if !shown {
                continue;
            }
            let (radius, material) = match pinned {
                true if has_surface => (on_surface, self.pin),
                true => (if range.len() <= 3 { 0.42 } else { 1.15 } * size.ball, self.pin),
                false => (size.ball, self.paint),
            };
            drawing.balls.push(Ball { centre: self.points[i], radius, value: self.values[i], material });
        }
    }

    /// A ball just thicker than a rope about every pinned point of its axis, and a rod between two in a row: a needle, or a grip.
    fn sleeves(&self, surface: &FineSurface, drawing: &mut Drawing) {
        let at = |particle: u32| self.points[particle as usize];
        let thickness = |anchor: &Anchor| anchor.carry(self.points).distance(at(anchor.corners[0]));
        let radius = SLEEVE * surface.vertices.iter().map(thickness).fold(0.0, f64::max);
        let mut axis: Vec<u32> = self.body.edges.iter().flatten().copied().collect();
        axis.sort_unstable();
        axis.dedup();
        for centre in axis.into_iter().filter(|particle| self.is_pinned(*particle as usize)).map(at) {
            drawing.balls.push(Ball { centre, radius, value: 0.0, material: self.pin });
        }
        let is_held = |edge: &&[u32; 2]| edge.iter().all(|particle| self.is_pinned(*particle as usize));
        drawing.rods.extend(self.body.edges.iter().filter(is_held).map(|edge| Rod {
            ends: edge.map(at),
            values: [0.0; 2],
            radius,
            material: self.pin,
        }));
    }

    fn is_pinned(&self, particle: usize) -> bool {
        self.pinned.get(particle).copied().unwrap_or(false)
    }

    /// Marks where a fine surface is held, as many as particles hold it: those lie below it, most of them.
    fn pins_of(&self, surface: &FineSurface, radius: f64, drawing: &mut Drawing) {
        if self.body.is_tube() {
            return self.sleeves(surface, drawing);
        }
        let holding = self.body.particles.clone().filter(|i| self.is_pinned(*i)).count();
        let held = surface.all_of(|particle| self.is_pinned(particle as usize));
        let held: Vec<&Anchor> = surface.vertices.iter().zip(held).filter(|(_, held)| *held).map(|(v, _)| v).collect();
        let stride = held.len().div_ceil(holding.max(1)).max(1);
        drawing.balls.extend(held.iter().step_by(stride).map(|anchor| Ball {
            centre: anchor.carry(self.points),
            radius,
            value: 0.0,
            material: self.pin,
        }));
    }
}
