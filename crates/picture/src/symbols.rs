//! Symbols in drawings: coiled springs and pivots.

use glam::DVec3;
use pliant_scalar::math::sin_cos;

use crate::drawing::{Drawing, Rod};

const SEGMENTS_A_TURN: usize = 16;

/// A coil between two points.
#[derive(Clone, Copy, Debug)]
pub struct Coil {
    /// Its ends.
    pub ends: [DVec3; 2],
    /// Full turns.
    pub turns: usize,
    /// Radius of the coil, m.
    pub radius: f64,
    /// Radius of its wire, m.
    pub wire: f64,
    /// Straight pieces at the ends, m; shorter when the coil is.
    pub lead: f64,
    /// Number of its material.
    pub material: u32,
}

/// A unit vector across an axis that turns smoothly with it in the plane of x and y.
fn across(axis: DVec3) -> DVec3 {
    let other = if axis.z.abs() < 0.95 * axis.length() { DVec3::Z } else { DVec3::X };
    other.cross(axis).try_normalize().unwrap_or(DVec3::X)
}

impl Coil {
    /// Adds the coil as short rods.
    pub fn draw(&self, drawing: &mut Drawing) {
        let [from, to] = self.ends;
        let axis = to - from;
        let length = axis.length();
        let Some(direction) = axis.try_normalize() else { return };
        let (u, lead) = (across(axis), self.lead.min(0.25 * length));
        let v = direction.cross(u);
        let count = self.turns * SEGMENTS_A_TURN;
        let mut last = from;
        let mut rod = |to: DVec3| {
            let ends = [last, to];
            drawing.rods.push(Rod { ends, values: [0.0; 2], radius: self.wire, material: self.material });
            last = to;
        };
        rod(from + direction * lead);
        for k in 0..=count {
            let part = k as f64 / count as f64;
            let (sin, cos) = sin_cos(std::f64::consts::TAU * part * self.turns as f64);
            // The first and the last half turn grow out of the axis.
            let edge = (k.min(count - k) as f64 * 2.0 / SEGMENTS_A_TURN as f64).min(1.0);
            let out = (u * cos + v * sin) * (self.radius * edge);
            rod(from + direction * (lead + (length - 2.0 * lead) * part) + out);
        }
        rod(to);
    }
}
