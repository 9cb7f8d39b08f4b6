//! The colour of a pixel: the primitives that its samples see, their lighting, and the background.
//!
//! Light: a sky that is brighter above than below, one lamp with a shadow (diffuse, and a highlight after Blinn), all in linear light.

use glam::DVec3;

use crate::colour::rgb;
use crate::drawing::{Drawing, Material};
use crate::look::Look;
use crate::raster::{Ids, PATTERN, SAMPLES, Water};
use crate::setup::View;
use crate::shadow::Shadow;

/// Cosine between the normal of a triangle and that of a corner from which on the corner counts as sharp: that of 40 degrees.
const EDGE: f64 = 0.766;
pub(crate) const SKY_LIGHT: DVec3 = DVec3::new(0.54, 0.57, 0.62);
pub(crate) const BOUNCE_LIGHT: DVec3 = DVec3::new(0.40, 0.38, 0.37);
pub(crate) const LAMP: DVec3 = DVec3::new(0.60, 0.58, 0.53);
/// How dark a full shadow on the ground is.
const GROUND_SHADOW: f64 = 0.52;
/// How strong the ground's lines are.
const GROUND_LINES: f64 = 0.16;
/// How strong the lines on surfaces are.
const WIRES: f64 = 0.38;

/// The inputs of shading.
pub struct Shader<'a> {
    pub drawing: &'a Drawing,
    pub look: &'a Look,
    pub view: &'a View,
    pub shadow: &'a Shadow,
    pub height: f64,
}

/// A visible point.
pub(crate) struct Hit {
    pub point: DVec3,
    /// Towards the eye's side.
    pub normal: DVec3,
    pub colour: DVec3,
    pub gloss: f64,
    /// Light that a line on the surface takes away.
    line: f64,
}

impl Shader<'_> {
    /// The mean colour of a pixel's samples.
    pub fn pixel(&self, x: f64, y: f64, ids: &Ids, water: Option<&Water>) -> DVec3 {
        let Some(water) = water.filter(|water| water.ids != [0; SAMPLES]) else {
            return self.opaque(x, y, ids, [false; SAMPLES]);
        };
        let mut colour = DVec3::ZERO;
        let mut done = [false; SAMPLES];
        for s in 0..SAMPLES {
            if done[s] {
                continue;
            }
            let others = water.ids.map(|id| id != water.ids[s]);
            (0..SAMPLES).filter(|t| !others[*t]).for_each(|t| done[t] = true);
            let under = self.opaque(x, y, ids, others);
            let Some(number) = (water.ids[s] as usize).checked_sub(1) else {
                colour += under;
                continue;
            };
            let members = || (0..SAMPLES).filter(|t| !others[*t]);
            let count = members().count() as f64;
            let length = members().map(|t| water.length[t]).sum::<f64>() / count;
            // only the background is seen along the refracted ray
            let ground = members().all(|t| ids[t] == 0);
            let under = if ground { None } else { Some(under * (SAMPLES as f64 / count)) };
            colour += self.through(number, x, y, under, length) * (count / SAMPLES as f64);
        }
        colour
    }

    /// The opaque primitives that the remaining samples see, as their part of the pixel. Every visible primitive is shaded
    /// once, in the middle of its samples.
    fn opaque(&self, x: f64, y: f64, ids: &Ids, left_out: [bool; SAMPLES]) -> DVec3 {
        let mut colour = DVec3::ZERO;
        let mut done = left_out;
        for s in 0..SAMPLES {
            if done[s] {
                continue;
            }
            let (mut count, mut sum) = (0, [0, 0]);
            for t in s..SAMPLES {
                if ids[t] == ids[s] && !done[t] {
                    done[t] = true;
                    count += 1;
                    sum = [sum[0] + PATTERN[t][0], sum[1] + PATTERN[t][1]];
                }
            }
            let place = |k: usize| f64::from(sum[k]) / (256.0 * f64::from(count));
            let (sx, sy) = if count == SAMPLES as i32 { (x, y) } else { (x + place(0), y + place(1)) };
            colour += self.seen(ids[s], sx, sy) * (f64::from(count) / SAMPLES as f64);
        }
        colour
    }

    fn seen(&self, id: u32, x: f64, y: f64) -> DVec3 {
        let ray = self.view.world_ray(x, y);
        let hit = match (id as usize).checked_sub(1) {
            None => return self.behind(self.view.eye, ray, 0.0, 1.0, y),
            Some(k) if k < self.drawing.triangles.len() => self.on_triangle(k, ray),
            Some(k) => self.on_round(k - self.drawing.triangles.len(), ray),
        };
        let (light, to_eye) = (self.shadow.light, -ray.normalize());
        let facing = hit.normal.dot(light);
        let lit = if facing > 0.0 { self.shadow.on_surface(hit.point, hit.normal) } else { 0.0 };
        let sky = 0.5 + 0.5 * hit.normal.y;
        let ambient = BOUNCE_LIGHT + (SKY_LIGHT - BOUNCE_LIGHT) * sky;
        let diffuse = facing.max(0.0) * lit;
        let shine = hit.normal.dot((light + to_eye).normalize_or_zero()).max(0.0);
        let shine = power_32(shine) * hit.gloss * lit;
        let body = hit.colour * (ambient + LAMP * diffuse) * (1.0 - WIRES * hit.line);
        body + LAMP * shine
    }

    pub(crate) fn on_triangle(&self, number: usize, ray: DVec3) -> Hit {
        let triangle = &self.drawing.triangles[number];
        let material = self.drawing.materials[triangle.material as usize];
        let corners = triangle.corners.map(|corner| &self.drawing.vertices[corner as usize]);
        let p = corners.map(|corner| corner.position);
        let (u, v, o) = (p[1] - p[0], p[2] - p[0], self.view.eye - p[0]);
        let flat = u.cross(v);
        // o + t d = b1 u + b2 v
        let (d_cross_v, o_cross_u) = (ray.cross(v), o.cross(u));
        let scale = 1.0 / u.dot(d_cross_v);
        let b1 = (o.dot(d_cross_v) * scale).clamp(0.0, 1.0);
        let b2 = (ray.dot(o_cross_u) * scale).clamp(0.0, 1.0 - b1);
        let (b1, b2) = if b1.is_finite() && b2.is_finite() { (b1, b2) } else { (1.0 / 3.0, 1.0 / 3.0) };
        let part = [1.0 - b1 - b2, b1, b2];
        let mix = |f: &dyn Fn(usize) -> DVec3| f(0) * part[0] + f(1) * part[1] + f(2) * part[2];
        let point = mix(&|k| p[k]);
        // A corner with neighbours in very different directions lies on a sharp edge.
        let corner = |k: usize| {
            let smooth = corners[k].normal;
            let (length, own) = (smooth.length(), flat.length());
            if material.sharp && smooth.dot(flat) < EDGE * length * own { flat * (length / own) } else { smooth }
        };
        let normal = mix(&corner).try_normalize().unwrap_or_else(|| flat.normalize_or_zero());
        let behind = flat.dot(ray) > 0.0;
        // The smooth normal follows the side of the flat one that is seen.
        let normal = if normal.dot(ray) > 0.0 { -normal } else { normal };
        let value = (0..3).map(|k| corners[k].value * part[k]).sum();
        let colour = if behind && !material.mapped { material.back } else { self.colour(&material, value) };
        let line = self.wires(triangle.wires, &p, &part, flat.length(), ray, point);
        Hit { point, normal, colour, gloss: material.gloss, line }
    }

    /// How much of a pixel the fine lines cover: b · 2A / side is the distance from a side.
    fn wires(&self, wires: u8, p: &[DVec3; 3], part: &[f64; 3], twice_area: f64, ray: DVec3, point: DVec3) -> f64 {
        if wires == 0 || self.look.wire <= 0.0 {
            return 0.0;
        }
        let depth = (point - self.view.eye).dot(self.view.forward);
        let pixel = depth / self.view.focal;
        // Seen obliquely a pixel covers more of the surface.
        let slant = (p[1] - p[0]).cross(p[2] - p[0]).dot(ray).abs() / (twice_area * ray.length());
        let pixel = pixel / slant.max(0.25);
        let half = 0.5 * self.look.wire;
        let mut most = 0.0_f64;
        for k in (0..3).filter(|k| wires & (1 << k) != 0) {
            let side = (p[(k + 1) % 3] - p[(k + 2) % 3]).length();
            let distance = part[k] * twice_area / side;
            let cover = ((half - distance) / pixel + 0.5).clamp(0.0, 1.0) * (2.0 * half / pixel).min(1.0);
            most = most.max(cover);
        }
        most
    }

    fn on_round(&self, number: usize, ray: DVec3) -> Hit {
        let rods = &self.drawing.rods;
        let (ends, values, radius, material) = match rods.get(number) {
            Some(rod) => (rod.ends, rod.values, rod.radius, rod.material),
            None => {
                let ball = &self.drawing.balls[number - rods.len()];
                ([ball.centre; 2], [ball.value; 2], ball.radius, ball.material)
            }
        };
        let material = self.drawing.materials[material as usize];
        let eye = self.view.eye;
        let setup = crate::setup::RoundSetup::bare(ends[0] - eye, ends[1] - eye, radius);
        let inverse = setup.hit(ray, true).unwrap_or(0.0);
        let point = if inverse > 0.0 { eye + ray / inverse } else { ends[0] };
        let axis = ends[1] - ends[0];
        let length2 = axis.dot(axis);
        let part = if length2 > 0.0 { ((point - ends[0]).dot(axis) / length2).clamp(0.0, 1.0) } else { 0.0 };
        let normal = (point - ends[0] - axis * part).normalize_or_zero();
        let normal = if normal.dot(ray) > 0.0 { -normal } else { normal };
        let colour = self.colour(&material, values[0] + (values[1] - values[0]) * part);
        Hit { point, normal, colour, gloss: material.gloss, line: 0.0 }
    }

    fn colour(&self, material: &Material, value: f64) -> DVec3 {
        if material.mapped { self.look.mapped(value) } else { material.colour }
    }

    /// Background, and the ground as a part of it that shows shadows and lines, along a ray that starts at a multiple of its length from the eye.
    /// `dark` is the visible part of the shadows.
    pub(crate) fn behind(&self, from: DVec3, ray: DVec3, gone: f64, dark: f64, y: f64) -> DVec3 {
        let look = self.look;
        let down = (y / self.height).clamp(0.0, 1.0);
        let paper = look.sky + (look.floor - look.sky) * (down * down * (3.0 - 2.0 * down));
        let Some(ground) = look.ground else { return paper };
        let t = (ground.height - from.y) / ray.y;
        if !(t > 0.0 && t < 1e6 * ground.reach) {
            return paper;
        }
        let point = from + ray * t;
        let away = (point - ground.centre) * DVec3::new(1.0, 0.0, 1.0) / ground.reach;
        let away2 = away.dot(away);
        let near = 1.0 / (1.0 + away2 * away2);
        let shadow = dark * self.shadow.on_ground(point, 0.6 * look.size);
        let lines = self.grid(ray, gone + t, point, ground.spacing) * near;
        let colour = paper + (look.ink - paper) * (GROUND_LINES * lines);
        colour * (DVec3::ONE - (DVec3::ONE - rgb(112, 118, 134)) * (GROUND_SHADOW * shadow / 0.78))
    }

    /// How much of a pixel lines of the ground cover, 0 to 1.
    fn grid(&self, ray: DVec3, t: f64, point: DVec3, spacing: f64) -> f64 {
        // The point moves by dP = (dd - d dd.y / d.y) t when the ray moves by dd.
        let moved = |axis: DVec3| (axis - ray * (axis.y / ray.y)) * (t / self.view.focal);
        let (by_x, by_y) = (moved(self.view.right), moved(self.view.up));
        let width = 0.012 * spacing;
        let cover = |place: f64, pixel: f64| {
            let cell = place / spacing;
            let distance = (cell - (cell + 0.5).floor()).abs() * spacing;
            let pixel = pixel.max(1e-12 * spacing);
            let cover = ((0.5 * width - distance) / pixel + 0.5).clamp(0.0, 1.0);
            // Beyond a few pixels per line they only flicker.
            cover * (width / pixel).min(1.0) * (1.5 - 3.0 * pixel / spacing).clamp(0.0, 1.0)
        };
        let (x, z) = (cover(point.x, by_x.x.abs() + by_y.x.abs()), cover(point.z, by_x.z.abs() + by_y.z.abs()));
        x.max(z)
    }
}

pub(crate) fn power_32(x: f64) -> f64 {
    let x4 = (x * x) * (x * x);
    let x16 = (x4 * x4) * (x4 * x4);
    x16 * x16
}
