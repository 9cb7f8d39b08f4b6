//! The colour of water: the background, dimmed along the path through it; light scattered back from its depth; and the sky reflected in its surface,
//! the more the flatter the view (after Schlick).

use glam::DVec3;

use crate::shade::{BOUNCE_LIGHT, LAMP, SKY_LIGHT, Shader, power_32};

/// Index of refraction of air over that of water.
const BEND: f64 = 0.75;
/// Reflectance at normal incidence.
const MIRROR: f64 = 0.02;
/// Absorption of red, green and blue relative to that of light as a whole.
const FADE: DVec3 = DVec3::new(2.4, 0.9, 0.55);
/// The sky that is reflected, high up and at the horizon.
const ZENITH: DVec3 = DVec3::new(0.95, 1.0, 1.05);
const HORIZON: DVec3 = DVec3::new(0.62, 0.71, 0.79);
/// The visible part of the shadow on the ground below the water that casts it: water transmits light.
const SHADOW: f64 = 0.3;
/// Largest reflectance: dents of a particle's size would else have bright rims.
const MAX_MIRROR: f64 = 0.55;

impl Shader<'_> {
    /// The light through a triangle behind which the ray is inside for this multiple of its length. `under` is the light from behind, or `None` for
    /// ground and background, which are seen along the refracted ray.
    pub(crate) fn through(&self, number: usize, x: f64, y: f64, under: Option<DVec3>, length: f64) -> DVec3 {
        let ray = self.view.world_ray(x, y);
        let material = self.drawing.materials[self.drawing.triangles[number].material as usize];
        let hit = self.on_triangle(number, ray);
        let (toward, stretch) = (ray.normalize_or_zero(), ray.length());
        let cosine = (-toward.dot(hit.normal)).clamp(0.0, 1.0);
        let under = under.unwrap_or_else(|| {
            let sine2 = BEND * BEND * (1.0 - cosine * cosine);
            let bent = toward * BEND + hit.normal * (BEND * cosine - (1.0 - sine2).sqrt());
            let gone = (hit.point - self.view.eye).length();
            self.behind(hit.point, bent, gone, SHADOW, y)
        });
        let way = (length * stretch).max(0.0) / material.sight;
        let left = (FADE * way).to_array().map(fade);
        let left = DVec3::from_array(left);

        let light = self.shadow.light;
        let facing = hit.normal.dot(light);
        let lit = if facing > 0.0 { self.shadow.on_surface(hit.point, hit.normal) } else { 0.0 };
        let ambient = BOUNCE_LIGHT + (SKY_LIGHT - BOUNCE_LIGHT) * (0.5 + 0.5 * hit.normal.y);
        let depth = hit.colour * (ambient + LAMP * (facing.max(0.0) * lit));
        let body = under * left + depth * (DVec3::ONE - left);

        let grazing = 1.0 - cosine;
        let square = grazing * grazing;
        let mirror = (MIRROR + (1.0 - MIRROR) * square * square * grazing).min(MAX_MIRROR);
        let reflected = toward + hit.normal * (2.0 * cosine);
        let height = reflected.y.clamp(0.0, 1.0);
        let sky = HORIZON + (ZENITH - HORIZON) * height;
        let shine = hit.normal.dot((light - toward).normalize_or_zero()).max(0.0);
        let (wide, narrow) = (power_32(shine), power_32(power_32(shine)));
        body * (1.0 - mirror) + sky * mirror + LAMP * ((0.25 * wide + 1.2 * narrow) * material.gloss * lit)
    }
}

/// About e^-x, from exact operations alone.
fn fade(x: f64) -> f64 {
    let root = 1.0 / (1.0 + x / 8.0);
    let square = root * root;
    (square * square) * (square * square)
}
