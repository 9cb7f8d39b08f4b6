//! Colours. Inside they are linear light; a picture stores their square root (gamma 2, close to sRGB, and exact everywhere).

use glam::DVec3;
use pliant_core::{Body, BodyShape};

/// A colour as picture programs write it, 0 to 255, as linear light.
pub const fn rgb(red: u8, green: u8, blue: u8) -> DVec3 {
    const fn linear(byte: u8) -> f64 {
        let value = byte as f64 / 255.0;
        value * value
    }
    DVec3::new(linear(red), linear(green), linear(blue))
}

/// Linear light as bytes.
pub fn to_bytes(colour: DVec3) -> [u8; 3] {
    colour.to_array().map(|value| {
        // NaN is black.
        let root = if value > 0.0 { value.min(1.0).sqrt() } else { 0.0 };
        (root * 255.0 + 0.5) as u8
    })
}

/// A colour map, indexed by numbers in 0..1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ColourMap(&'static [[u8; 3]]);

/// Blue over green to yellow; even in lightness, readable without colour vision. For amounts: speed, stress, damage, activity. The
/// darkest sixth of the well-known map is left out: shaded, it would be black.
pub const VIRIDIS: ColourMap = ColourMap(&[
    [66, 64, 134],
    [59, 82, 139],
    [51, 99, 141],
    [44, 114, 142],
    [38, 130, 142],
    [33, 145, 140],
    [31, 160, 136],
    [40, 174, 128],
    [63, 188, 115],
    [94, 201, 98],
    [132, 212, 75],
    [173, 220, 48],
    [216, 226, 25],
    [253, 231, 37],
]);

/// Blue over grey to red. For quantities with a centre: height about the start, tension against compression.
pub const COOL_WARM: ColourMap = ColourMap(&[
    [59, 76, 192],
    [98, 130, 234],
    [141, 176, 254],
    [184, 208, 249],
    [221, 221, 221],
    [245, 196, 173],
    [244, 154, 123],
    [222, 96, 77],
    [180, 4, 38],
]);

/// Free, in transition, restrained: blue, green and red, as in [Restrained].
pub const ACTIVITY: ColourMap = ColourMap(&[[44, 110, 214], [64, 170, 80], [206, 52, 44]]);

impl ColourMap {
    /// The colour of a number in 0..1 (below, above: the ends; NaN: the lower end), as linear light.
    pub fn at(self, value: f64) -> DVec3 {
        let last = self.0.len() - 1;
        let place = if value > 0.0 { value.min(1.0) } else { 0.0 } * last as f64;
        let below = (place as usize).min(last - 1);
        let part = place - below as f64;
        let channel = |k: usize| {
            let (a, b) = (f64::from(self.0[below][k]), f64::from(self.0[below + 1][k]));
            let value = (a + (b - a) * part) / 255.0;
            value * value
        };
        DVec3::new(channel(0), channel(1), channel(2))
    }
}

/// Colours that bodies take in turn: light enough to be shaded, far enough apart.
pub const BODY_COLOURS: [DVec3; 6] =
    [rgb(226, 92, 71), rgb(52, 120, 190), rgb(38, 158, 140), rgb(236, 170, 60), rgb(128, 96, 178), rgb(120, 160, 70)];

/// Particles of a fluid: always blue.
const DROPS: DVec3 = rgb(52, 120, 190);

/// The colour of a body, given its number among all: in pictures and on the page of the viewer.
pub fn of_body(number: usize, body: &Body) -> DVec3 {
    let is_fluid = matches!(body.shape, BodyShape::Grains { .. }) && body.rubble.is_none();
    if is_fluid { DROPS } else { BODY_COLOURS[number % BODY_COLOURS.len()] }
}

/// Rigid colliders.
pub const CLAY: DVec3 = rgb(204, 194, 181);

/// Light that deep water scatters back.
pub const WATER: DVec3 = rgb(18, 96, 152);

/// Springs and rods.
pub const STEEL: DVec3 = rgb(120, 128, 140);

/// Pins and anchors.
pub const CHARCOAL: DVec3 = rgb(58, 62, 72);
