//! Words and the colour bar, laid over the finished picture.

use crate::colour::to_bytes;
use crate::font::{ADVANCE, CAPITAL, HEIGHT, WIDTH, glyph};
use crate::image::Image;
use crate::look::{Legend, Look};

/// Draws the caption and the colour bar.
pub fn draw(image: &mut Image, look: &Look) {
    // Letters of about a 45th of the height, in half pixels.
    let scale = ((image.height as f64 / 42.0 / CAPITAL as f64 * 2.0).floor() * 0.5).max(1.0);
    let margin = (2.2 * scale * CAPITAL as f64).floor();
    let ink = to_bytes(look.ink);
    let line = scale * CAPITAL as f64;
    text(image, &look.caption, [margin, image.height as f64 - margin - line], scale, ink);
    if let Some(legend) = look.legend.as_ref().filter(|legend| !legend.label.is_empty()) {
        bar(image, legend, scale, margin, ink);
    }
}

/// A bar in the lower right corner: label above, numbers below its ends.
fn bar(image: &mut Image, legend: &Legend, scale: f64, margin: f64, ink: [u8; 3]) {
    let line = scale * CAPITAL as f64;
    let (width, height) = ((0.20 * image.width as f64).floor().max(40.0), (1.1 * line).floor());
    let left = (image.width as f64 - margin - width).floor();
    let bottom = (image.height as f64 - margin - line).floor();
    let top = bottom - (0.7 * line).floor() - height;
    for y in 0..height as i64 {
        for x in 0..width as i64 {
            let colour = to_bytes(legend.map.at((x as f64 + 0.5) / width));
            image.blend(left as i64 + x, top as i64 + y, colour, 1.0);
        }
    }
    text(image, &legend.label, [left, top - (1.6 * line).floor()], scale, ink);
    let [low, high] = legend.range.map(number);
    text(image, &low, [left, bottom], scale, ink);
    text(image, &high, [left + width - extent(&high, scale), bottom], scale, ink);
}

/// Three significant digits.
pub fn number(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e5).contains(&size) {
        return format!("{value:.1e}");
    }
    let digits = if size >= 100.0 {
        0
    } else if size >= 10.0 {
        1
    } else if size >= 1.0 {
        2
    } else {
        3
    };
    let text = format!("{value:.digits$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

fn extent(words: &str, scale: f64) -> f64 {
    let count = words.chars().count() as f64;
    (count * ADVANCE as f64 - (ADVANCE - WIDTH) as f64) * scale
}

/// Letters with their top left corner at a place. Dots are joined by interpolation, so that large letters have round corners.
fn text(image: &mut Image, words: &str, [left, top]: [f64; 2], scale: f64, ink: [u8; 3]) {
    for (k, letter) in words.chars().enumerate() {
        let dots = glyph(letter);
        let start = left + k as f64 * ADVANCE as f64 * scale;
        let cell = |x: i64, y: i64| {
            let inside = (0..WIDTH as i64).contains(&x) && (0..HEIGHT as i64).contains(&y);
            if inside && dots[y as usize] & (1 << (WIDTH as i64 - 1 - x)) != 0 { 1.0 } else { 0.0 }
        };
        let (columns, rows) = (((WIDTH + 2) as f64 * scale) as i64, ((HEIGHT + 2) as f64 * scale) as i64);
        for y in -(scale as i64)..rows {
            for x in -(scale as i64)..columns {
                let (u, v) = ((x as f64 + 0.5) / scale - 0.5, (y as f64 + 0.5) / scale - 0.5);
                let (i, j) = (u.floor(), v.floor());
                let (a, b) = (u - i, v - j);
                let (i, j) = (i as i64, j as i64);
                let upper = cell(i, j) * (1.0 - a) + cell(i + 1, j) * a;
                let lower = cell(i, j + 1) * (1.0 - a) + cell(i + 1, j + 1) * a;
                let cover = (((upper + (lower - upper) * b) - 0.5) * scale + 0.5).clamp(0.0, 1.0);
                if cover > 0.0 {
                    image.blend(start as i64 + x, top as i64 + y, ink, cover);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (2.34567, "2.35"),
            (0.05, "0.05"),
            (-12.34, "-12.3"),
            (1234.5, "1234"),
            (1e9, "1.0e9"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }
}
