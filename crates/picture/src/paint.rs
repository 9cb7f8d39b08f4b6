//! Materials of bodies.

use glam::DVec3;
use pliant_core::Body;

use crate::colour::of_body;
use crate::drawing::Material;

/// How much of a crack's colour is that of the body; the rest is white.
const TINT: f64 = 0.4;

/// The material of one body.
pub struct Paint<'a> {
    /// Of the body, among all.
    pub number: usize,
    pub body: &'a Body,
    /// Whether it is coloured by values.
    pub mapped: bool,
}

impl Paint<'_> {
    fn colour(&self) -> DVec3 {
        of_body(self.number, self.body)
    }

    /// Of its outside.
    pub fn outside(&self) -> Material {
        let colour = self.colour();
        let material = match self.mapped {
            true => Material::mapped(0.12),
            // Cloth is dull, and its other side nearly the same.
            false if self.body.is_sheet() => {
                Material { back: colour * 0.82 + DVec3::splat(0.10), ..Material::plain(colour, 0.04) }
            }
            false => Material { back: colour * 0.6 + DVec3::splat(0.25), ..Material::plain(colour, 0.22) },
        };
        // Fragments come with edges between vertices of their own; all else of them is smooth.
        Material { sharp: self.body.is_solid && self.body.rubble.is_none(), ..material }
    }

    /// Of the faces of its cracks: paler, to distinguish the former inside from the outside. Fresh cracks are dull.
    pub fn crack(&self) -> Material {
        match self.mapped {
            true => Material::mapped(0.05),
            false => Material::plain(self.colour() * TINT + DVec3::splat(1.0 - TINT), 0.05),
        }
    }
}
