//! What is drawn: triangles, rods (round lines with round ends) and balls, in flat arrays. World units, y up.

use glam::DVec3;

use crate::colour::WATER;

/// The reflectance of a primitive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Its colour, linear light.
    pub colour: DVec3,
    /// The colour of a surface seen from behind.
    pub back: DVec3,
    /// Colour by the values at its vertices and the look's colour map instead.
    pub mapped: bool,
    /// Strength of the highlight, 0 to 1.
    pub gloss: f64,
    /// Whether it darkens what lies behind it.
    pub casts_shadow: bool,
    /// Whether corners that lie on an edge keep it sharp.
    pub sharp: bool,
    /// Depth of visibility into it, m; zero: it is opaque. Only for triangles of closed surfaces, counter-clockwise from outside.
    pub sight: f64,
}

impl Material {
    /// One colour on both sides.
    pub fn plain(colour: DVec3, gloss: f64) -> Self {
        Self { colour, back: colour, mapped: false, gloss, casts_shadow: true, sharp: false, sight: 0.0 }
    }

    /// Coloured by values.
    pub fn mapped(gloss: f64) -> Self {
        Self { mapped: true, ..Self::plain(DVec3::ONE, gloss) }
    }

    /// A transparent material such as water.
    pub fn water(sight: f64) -> Self {
        Self { sight, ..Self::plain(WATER, 1.0) }
    }
}

/// A corner of triangles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Vertex {
    /// Its position.
    pub position: DVec3,
    /// Direction of the smooth surface; any length, zero for none.
    pub normal: DVec3,
    /// For the colour map.
    pub value: f64,
}

/// A piece of a surface, seen from both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// Numbers of its vertices.
    pub corners: [u32; 3],
    /// Number of its material.
    pub material: u32,
    /// Which sides get a fine line: bit k for the side opposite to corner k.
    pub wires: u8,
}

/// A round line with round ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rod {
    /// Its ends.
    pub ends: [DVec3; 2],
    /// Values at the ends.
    pub values: [f64; 2],
    /// m
    pub radius: f64,
    /// Number of its material.
    pub material: u32,
}

/// A ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ball {
    /// Its centre.
    pub centre: DVec3,
    /// m
    pub radius: f64,
    /// For the colour map.
    pub value: f64,
    /// Number of its material.
    pub material: u32,
}

/// Everything in a picture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// What primitives name by number.
    pub materials: Vec<Material>,
    /// Corners of triangles.
    pub vertices: Vec<Vertex>,
    /// Surfaces.
    pub triangles: Vec<Triangle>,
    /// Lines, ropes, springs.
    pub rods: Vec<Rod>,
    /// Particles.
    pub balls: Vec<Ball>,
}

/// Largest distance of drawn points: squares of coordinates must stay finite.
const FARTHEST: f64 = 1e100;

fn is_usable(point: DVec3) -> bool {
    point.abs().max_element() < FARTHEST
}

impl Drawing {
    /// Adds a material and returns its number.
    pub fn add_material(&mut self, material: Material) -> u32 {
        self.materials.push(material);
        self.materials.len() as u32 - 1
    }

    /// Removes what cannot be drawn: coordinates or radii that are not finite, indices of vertices or materials out of range.
    /// Returns the number of primitives removed.
    pub fn clean(&mut self) -> usize {
        let before = self.len();
        let (vertices, materials) = (&self.vertices, self.materials.len() as u32);
        let has_place = |corner: u32| vertices.get(corner as usize).is_some_and(|v| is_usable(v.position));
        self.triangles.retain(|t| t.material < materials && t.corners.into_iter().all(has_place));
        let is_radius = |radius: f64| radius > 0.0 && radius < FARTHEST;
        self.rods.retain(|r| r.material < materials && is_radius(r.radius) && r.ends.into_iter().all(is_usable));
        self.balls.retain(|b| b.material < materials && is_radius(b.radius) && is_usable(b.centre));
        before - self.len()
    }

    /// Number of primitives.
    pub fn len(&self) -> usize {
        self.triangles.len() + self.rods.len() + self.balls.len()
    }

    /// Whether the drawing is empty.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Surfaces that cast a shadow.
    pub(crate) fn casters(&self) -> impl Iterator<Item = &Triangle> {
        self.triangles.iter().filter(|t| self.materials[t.material as usize].casts_shadow)
    }

    /// Bounding balls of what casts a shadow, as centre and radius.
    pub(crate) fn extents(&self) -> impl Iterator<Item = (DVec3, f64)> + '_ {
        let corners = self.casters().flat_map(|t| t.corners).map(|c| (self.vertices[c as usize].position, 0.0));
        let rods = self.rods.iter().flat_map(|rod| rod.ends.map(|end| (end, rod.radius)));
        corners.chain(rods).chain(self.balls.iter().map(|ball| (ball.centre, ball.radius)))
    }
}
