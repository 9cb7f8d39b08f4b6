//! Light, ground, background and legend of a picture.

use glam::DVec3;

use crate::colour::{ColourMap, VIRIDIS, rgb};

/// A floor that shows only shadows and a soft grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ground {
    /// y, m.
    pub height: f64,
    /// Where the grid is strongest, m; its y means nothing.
    pub centre: DVec3,
    /// How far from there it is seen, m.
    pub reach: f64,
    /// Distance of its lines, m.
    pub spacing: f64,
}

/// The meaning of the colours.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// Such as `speed, m/s`.
    pub label: String,
    /// Values at the ends of the colour map.
    pub range: [f64; 2],
    /// The colours.
    pub map: ColourMap,
}

/// All settings of a picture besides its contents.
#[derive(Clone, Debug, PartialEq)]
pub struct Look {
    /// Background at the top, linear light.
    pub sky: DVec3,
    /// Background at the bottom, and the ground.
    pub floor: DVec3,
    /// Lines of the ground and letters.
    pub ink: DVec3,
    /// From the scene to the light; any length.
    pub light: DVec3,
    /// The floor, if there is one.
    pub ground: Option<Ground>,
    /// Colour map of mapped materials; drawn as a bar if it has a label.
    pub legend: Option<Legend>,
    /// Width of the fine lines on surfaces, m.
    pub wire: f64,
    /// Words in the lower left corner, such as the time.
    pub caption: String,
    /// How large the scene is, m: shadows are as soft as a part of it.
    pub size: f64,
}

impl Look {
    /// Bright, for paper and web pages.
    pub fn light() -> Self {
        Self {
            sky: rgb(251, 252, 254),
            floor: rgb(225, 226, 228),
            ink: rgb(72, 80, 94),
            light: DVec3::new(-0.26, 1.0, 0.34),
            ground: None,
            legend: None,
            wire: 0.0,
            caption: String::new(),
            size: 1.0,
        }
    }

    /// Dark, for slides.
    pub fn dark() -> Self {
        Self { sky: rgb(22, 25, 33), floor: rgb(52, 58, 70), ink: rgb(206, 212, 222), ..Self::light() }
    }

    /// The colour of a mapped value.
    pub(crate) fn mapped(&self, value: f64) -> DVec3 {
        let (map, [low, high]) =
            self.legend.as_ref().map_or((VIRIDIS, [0.0, 1.0]), |legend| (legend.map, legend.range));
        map.at((value - low) / (high - low))
    }
}

impl Default for Look {
    fn default() -> Self {
        Self::light()
    }
}

/// A round number of about `length`: 1, 2 or 5 times a power of ten.
pub fn round_length(length: f64) -> f64 {
    if !(length > 1e-90 && length < 1e90) {
        return 1.0;
    }
    let mut power = 1.0;
    while power > length {
        power /= 10.0;
    }
    while power * 10.0 <= length {
        power *= 10.0;
    }
    let first = length / power;
    power
        * if first < 1.5 {
            1.0
        } else if first < 3.5 {
            2.0
        } else if first < 7.5 {
            5.0
        } else {
            10.0
        }
}
/// A time, s, in a unit that suits an action of such a length, s.
pub(crate) fn caption(time: f64, until: f64) -> String {
    match until {
        // Fracture is over within a hundredth of a second.
        short if short > 0.0 && short < 1e-3 => format!("t = {:.1} us", 1e6 * time),
        short if short > 0.0 && short < 0.1 => format!("t = {:.2} ms", 1e3 * time),
        _ => format!("t = {time:.2} s"),
    }
}
