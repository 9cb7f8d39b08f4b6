//! Shadows: the scene seen from the light (parallel rays), as a map of heights towards it. What lies lower than the map is in shadow.
//! On surfaces the comparison is averaged over a few texels; for the ground, which lies below everything, the map's silhouette is blurred
//! by an amount that grows with how far the shadow falls.

use glam::DVec3;
use rayon::prelude::*;

use crate::drawing::Drawing;
use crate::setup::{Edge, SUBPIXEL, edges};

/// Texels of the map's side.
const SIDE: usize = 1024;
/// Texels of the blurred silhouettes' side.
const SMALL: usize = SIDE / 2;
/// A texel of the silhouettes that is all covered.
const FULL: u16 = 16384;
/// Rows of the map that a thread fills at a time.
const BAND: usize = 64;

/// The scene seen from the light.
pub struct Shadow {
    across: DVec3,
    along: DVec3,
    /// Unit vector to the light.
    pub light: DVec3,
    origin: [f64; 2],
    texel: f64,
    height: Vec<f32>,
    /// Silhouette, 0 to `FULL`: little blurred, much blurred, and this times the height of what casts the shadow in `range`.
    soft: [Vec<u16>; 3],
    range: [f64; 2],
}

/// The filled region, in texels.
enum Shape {
    Triangle { edges: [Edge; 3], plane: [f64; 3], rows: [f64; 2], columns: [f64; 2] },
    Round { from: [f64; 2], to: [f64; 2], heights: [f64; 2], radius: f64, rise: f64 },
}

impl Shadow {
    /// Draws the map. `softness` is the radius of the blur, m.
    pub fn new(drawing: &Drawing, light: DVec3, softness: f64) -> Self {
        let light = light.try_normalize().unwrap_or(DVec3::Y);
        let across = across(light);
        let along = light.cross(across);
        let (mut low, mut high) = ([f64::MAX; 3], [f64::MIN; 3]);
        for (point, radius) in drawing.extents() {
            for (k, axis) in [across, along, light].into_iter().enumerate() {
                low[k] = low[k].min(point.dot(axis) - radius);
                high[k] = high[k].max(point.dot(axis) + radius);
            }
        }
        // Room for the blur on all sides.
        let extent = (high[0] - low[0]).max(high[1] - low[1]).max(1e-12) + 6.0 * softness;
        let texel = extent / SIDE as f64;
        let origin = [0, 1].map(|k| 0.5 * (low[k] + high[k]) - 0.5 * extent);
        let range = [low[2], high[2]];
        let mut shadow = Self {
            across,
            along,
            light,
            origin,
            texel,
            height: vec![f32::MIN; SIDE * SIDE],
            soft: [Vec::new(), Vec::new(), Vec::new()],
            range,
        };
        shadow.fill(drawing);
        shadow.soften(softness);
        shadow
    }

    fn place(&self, point: DVec3) -> [f64; 2] {
        [(point.dot(self.across) - self.origin[0]) / self.texel, (point.dot(self.along) - self.origin[1]) / self.texel]
    }

    fn shapes(&self, drawing: &Drawing) -> Vec<Shape> {
        let triangle = |corners: [DVec3; 3]| {
            let p = corners.map(|corner| self.place(corner));
            let h = corners.map(|corner| corner.dot(self.light));
            let (ux, uy, vx, vy) = (p[1][0] - p[0][0], p[1][1] - p[0][1], p[2][0] - p[0][0], p[2][1] - p[0][1]);
            let area = ux * vy - uy * vx;
            let (a, b) = (h[1] - h[0], h[2] - h[0]);
            let (slope_x, slope_y) = ((a * vy - b * uy) / area, (b * ux - a * vx) / area);
            let plane = [slope_x, slope_y, h[0] - slope_x * p[0][0] - slope_y * p[0][1]];
            let ends = |k: usize| [p[0][k].min(p[1][k]).min(p[2][k]), p[0][k].max(p[1][k]).max(p[2][k])];
            // Seen edge on it casts nearly no shadow, and its slope is inaccurate.
            let edges = edges(p).filter(|_| area.abs() > 1e-3)?;
            Some(Shape::Triangle { edges, plane, rows: ends(1), columns: ends(0) })
        };
        let round = |ends: [DVec3; 2], radius: f64| Shape::Round {
            from: self.place(ends[0]),
            to: self.place(ends[1]),
            heights: ends.map(|end| end.dot(self.light)),
            // A line thinner than a texel still casts a shadow.
            radius: (radius / self.texel).max(0.6),
            rise: radius,
        };
        let surfaces = drawing.casters();
        surfaces
            .filter_map(|t| triangle(t.corners.map(|corner| drawing.vertices[corner as usize].position)))
            .chain(drawing.rods.iter().map(|rod| round(rod.ends, rod.radius)))
            .chain(drawing.balls.iter().map(|ball| round([ball.centre; 2], ball.radius)))
            .collect()
    }

    fn fill(&mut self, drawing: &Drawing) {
        let shapes = self.shapes(drawing);
        let mut bins: Vec<Vec<u32>> = vec![Vec::new(); SIDE / BAND];
        for (number, shape) in (0..).zip(&shapes) {
            let [first, last] = match shape {
                Shape::Triangle { rows, .. } => *rows,
                Shape::Round { from, to, radius, .. } => [from[1].min(to[1]) - radius, from[1].max(to[1]) + radius],
            };
            let band = |row: f64| (row.max(0.0) as usize / BAND).min(SIDE / BAND - 1);
            bins[band(first)..=band(last)].iter_mut().for_each(|bin| bin.push(number));
        }
        self.height.par_chunks_mut(BAND * SIDE).zip(bins).enumerate().for_each(|(band, (rows, bin))| {
            bin.iter().for_each(|number| fill_shape(&shapes[*number as usize], band * BAND, rows));
        });
    }

    fn soften(&mut self, softness: f64) {
        let (mut mask, mut weighted) = (vec![0_u16; SMALL * SMALL], vec![0_u16; SMALL * SMALL]);
        let (height, [low, high]) = (&self.height, self.range);
        mask.par_iter_mut().zip(weighted.par_iter_mut()).enumerate().for_each(|(k, (mask, weighted))| {
            let (x, y) = (k % SMALL * 2, k / SMALL * 2);
            for texel in [y * SIDE + x, y * SIDE + x + 1, (y + 1) * SIDE + x, (y + 1) * SIDE + x + 1] {
                if height[texel] > f32::MIN {
                    *mask += FULL / 4;
                    let part = (f64::from(height[texel]) - low) / (high - low).max(1e-300);
                    *weighted += (part.clamp(0.0, 1.0) * f64::from(FULL / 4)) as u16;
                }
            }
        });
        let radius = (softness / (2.0 * self.texel)) as usize;
        let (little, much) = ((radius / 4).max(1), radius.max(1));
        self.soft = [blur(&mask, little), blur(&mask, much), blur(&weighted, much)];
    }

    /// How much light arrives at a point of a surface, 0 to 1, with the surface's normal towards the light's side.
    pub fn on_surface(&self, point: DVec3, normal: DVec3) -> f64 {
        // Away from the surface, so that it does not shade itself.
        let lifted = point + normal * (2.5 * self.texel) + self.light * (1.5 * self.texel);
        let [x, y] = self.place(lifted);
        let height = lifted.dot(self.light) as f32;
        let (x, y) = (x - 0.5, y - 0.5);
        if !(x >= 2.0 && y >= 2.0 && x < SIDE as f64 - 4.0 && y < SIDE as f64 - 4.0) {
            return 1.0;
        }
        let (column, row) = (x as usize, y as usize);
        let (part_x, part_y) = ((x - column as f64) as f32, (y - row as f64) as f32);
        // A box of four texels that slides smoothly.
        let (wide, tall) = ([1.0 - part_x, 1.0, 1.0, 1.0, part_x], [1.0 - part_y, 1.0, 1.0, 1.0, part_y]);
        let mut lit = 0.0;
        for (dy, weight_y) in tall.into_iter().enumerate() {
            let start = (row + dy - 1) * SIDE + column - 1;
            let texels = &self.height[start..start + 5];
            let sum: f32 = texels.iter().zip(wide).map(|(t, w)| if *t <= height { w } else { 0.0 }).sum();
            lit += sum * weight_y;
        }
        f64::from(lit / 16.0)
    }

    /// How dark the ground is at a point, 0 to 1; the farther it is below what casts the shadow, the softer. `scale` is the distance at
    /// which the shadow is softest, m.
    pub fn on_ground(&self, point: DVec3, scale: f64) -> f64 {
        let [x, y] = self.place(point).map(|value| 0.5 * value - 0.5);
        let last = (SMALL - 2) as f64;
        if !(x >= 0.0 && y >= 0.0 && x < last && y < last) {
            return 0.0;
        }
        let (column, row) = (x as usize, y as usize);
        let (part_x, part_y) = (x - column as f64, y - row as f64);
        let at = row * SMALL + column;
        let mix = |values: [f64; 4]| {
            let top = values[0] + (values[1] - values[0]) * part_x;
            let bottom = values[2] + (values[3] - values[2]) * part_x;
            top + (bottom - top) * part_y
        };
        let corners = [at, at + 1, at + SMALL, at + SMALL + 1];
        let [sharp, soft, weighted] =
            [0, 1, 2].map(|k| mix(corners.map(|c| f64::from(self.soft[k][c]))) / f64::from(FULL));
        let part = if soft > 0.0 { weighted / soft } else { 0.0 };
        let distance = self.range[0] + (self.range[1] - self.range[0]) * part - point.dot(self.light);
        let blend = (distance / scale).clamp(0.0, 1.0);
        sharp + (soft - sharp) * blend
    }
}

fn fill_shape(shape: &Shape, first_row: usize, rows: &mut [f32]) {
    let last_row = first_row + rows.len() / SIDE;
    let range = |low: f64, high: f64, first: usize, last: usize| {
        (low.floor().max(first as f64) as usize).min(last)..((high + 1.0).floor().max(0.0) as usize).clamp(first, last)
    };
    match shape {
        Shape::Triangle { edges, plane, rows: [top, bottom], columns: [left, right] } => {
            let pixel = SUBPIXEL as i64;
            for y in range(*top, *bottom, first_row, last_row) {
                let middle_y = y as i64 * pixel + pixel / 2;
                for x in range(*left, *right, 0, SIDE) {
                    let middle_x = x as i64 * pixel + pixel / 2;
                    if edges.iter().all(|edge| edge.a * middle_x + edge.b * middle_y + edge.c >= 0) {
                        let height = plane[0] * (x as f64 + 0.5) + plane[1] * (y as f64 + 0.5) + plane[2];
                        let texel = &mut rows[(y - first_row) * SIDE + x];
                        *texel = texel.max(height as f32);
                    }
                }
            }
        }
        Shape::Round { from, to, heights, radius, rise } => {
            let (dx, dy) = (to[0] - from[0], to[1] - from[1]);
            let length2 = dx * dx + dy * dy;
            for y in range(from[1].min(to[1]) - radius, from[1].max(to[1]) + radius, first_row, last_row) {
                for x in range(from[0].min(to[0]) - radius, from[0].max(to[0]) + radius, 0, SIDE) {
                    let (px, py) = (x as f64 + 0.5 - from[0], y as f64 + 0.5 - from[1]);
                    let part = if length2 > 0.0 { ((px * dx + py * dy) / length2).clamp(0.0, 1.0) } else { 0.0 };
                    let (ex, ey) = (px - part * dx, py - part * dy);
                    let inside = 1.0 - (ex * ex + ey * ey) / (radius * radius);
                    if inside >= 0.0 {
                        let height = heights[0] + (heights[1] - heights[0]) * part + rise * inside.sqrt();
                        let texel = &mut rows[(y - first_row) * SIDE + x];
                        *texel = texel.max(height as f32);
                    }
                }
            }
        }
    }
}

/// Two box blurs in each direction, which is nearly a bell curve; sums of integers, so the order of adding does not matter.
fn blur(mask: &[u16], radius: usize) -> Vec<u16> {
    let mut image = mask.to_vec();
    for _ in 0..2 {
        for _ in 0..2 {
            // Rows are blurred and written as columns: twice is both directions, and upright again.
            let mut rows = image.clone();
            rows.par_chunks_mut(SMALL).for_each(|row| blur_row(row, radius));
            image.par_chunks_mut(SMALL).enumerate().for_each(|(column, out)| {
                out.iter_mut().enumerate().for_each(|(row, value)| *value = rows[row * SMALL + column]);
            });
        }
    }
    image
}

fn blur_row(row: &mut [u16], radius: usize) {
    let old: Vec<u32> = row.iter().map(|value| u32::from(*value)).collect();
    let width = 2 * radius as u32 + 1;
    let mut sum: u32 = old.iter().take(radius).sum();
    for (k, value) in row.iter_mut().enumerate() {
        sum += old.get(k + radius).copied().unwrap_or(0);
        *value = ((sum + width / 2) / width) as u16;
        if k >= radius {
            sum -= old[k - radius];
        }
    }
}

/// A unit vector across another one.
fn across(direction: DVec3) -> DVec3 {
    let axis = if direction.x.abs() < 0.7 { DVec3::X } else { DVec3::Z };
    axis.cross(direction).try_normalize().unwrap_or(DVec3::Z)
}
