//! Sizes of drawn balls, rods and lines.

use std::borrow::Cow;

use glam::DVec3;
use pliant_core::{Body, BodyShape};

use super::SceneRenderer;
use crate::painter::Sizes;
use crate::styling::Styling;

/// Width of the line where a crack comes to the surface, in spacings of particles.
const CRACK_LINE: f64 = 0.14;

impl SceneRenderer {
    /// Sizes that must not change during the action.
    pub(super) fn measure(&mut self, points: &[DVec3]) {
        let at = |particle: u32| points.get(particle as usize).copied().unwrap_or(DVec3::NAN);
        for body in &self.bodies {
            let lengths = || {
                let edges = body.edges.iter().map(|[a, b]| (at(*a) - at(*b)).length());
                // sheets have no springs, and solids only some
                let sides = body.triangles.iter().filter(|_| body.is_solid || body.edges.is_empty());
                let edges = edges.chain(sides.map(|[a, b, _]| (at(*a) - at(*b)).length()));
                edges.chain(body.anchors.iter().map(|(a, place)| (at(*a) - *place).length())).filter(|l| l.is_finite())
            };
            let count = lengths().count();
            self.spacing.push(if count > 0 { lengths().sum::<f64>() / count as f64 } else { 0.0 });
            let plain = body.is_sheet() || body.is_tube();
            let lines = !plain || self.styling.show.springs == Some(true);
            let (triangles, places) = match body.fine_surface_among(points.len()) {
                Some(surface) => (&surface.triangles, Cow::Owned(surface.carry(points))),
                None => (&body.triangles, Cow::Borrowed(points)),
            };
            let corner = |k: u32| places.get(k as usize).copied().unwrap_or(DVec3::NAN);
            let sides = |corners: &[u32; 3]| if lines { quad_sides(corners.map(corner)) } else { 0 };
            self.wires.push(triangles.iter().map(sides).collect());
        }
    }

    /// Width of the fine lines on surfaces, m.
    pub(super) fn line_width(&self) -> f64 {
        let finest = self.spacing.iter().copied().filter(|s| *s > 0.0).fold(f64::MAX, f64::min);
        let wire = (0.07 * finest).min(0.004 * self.size());
        let grains = self.bodies.iter().filter(|body| is_shards(body, &self.styling)).filter_map(grain_spacing);
        grains.fold(wire, |wire, spacing| wire.min(CRACK_LINE * spacing))
    }

    /// Radii by body.
    pub(super) fn sizes(&self) -> impl Iterator<Item = Sizes> + '_ {
        let size = self.size();
        self.bodies.iter().enumerate().map(move |(k, body)| {
            if let Some(spacing) = grain_spacing(body) {
                let ball = (0.5 * spacing).max(0.002 * size);
                return Sizes { ball, rod: 0.36 * ball, spacing };
            }
            let spacing = match self.spacing.get(k) {
                Some(spacing) if *spacing > 0.0 => *spacing,
                _ => size / (body.particles.len().max(1) as f64).sqrt(),
            };
            let ball = (0.30 * spacing).clamp(0.003 * size, 0.055 * size);
            Sizes { ball, rod: 0.36 * ball, spacing }
        })
    }
}

/// Whether a body is drawn as the surfaces of its fragments.
pub(super) fn is_shards(body: &Body, styling: &Styling) -> bool {
    body.rubble.is_some() && styling.show.surface.unwrap_or(true)
}

/// Spacing of particles that fill space, m.
pub(super) fn grain_spacing(body: &Body) -> Option<f64> {
    match body.shape {
        BodyShape::Grains { spacing } => Some(spacing),
        _ => None,
    }
}

/// Sides of a triangle but the long one of a right angle: two halves of a rectangle are outlined as one.
fn quad_sides(p: [DVec3; 3]) -> u8 {
    let side2 = [(p[1] - p[2]).length_squared(), (p[2] - p[0]).length_squared(), (p[0] - p[1]).length_squared()];
    let sum: f64 = side2.iter().sum();
    let long = (0..3).find(|k| (2.0 * side2[*k] - sum).abs() < 0.05 * sum);
    long.map_or(0b111, |k| 0b111 & !(1 << k))
}
