//! What a plot is made of: the looks of series, strokes, markers and text, as SVG elements.

use std::fmt::Write as _;

use super::thin::Pixel;
use super::{Series, Style, escape};

/// Okabe and Ito's colours, without the yellow that white paper swallows.
const COLOURS: [&str; 7] = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#333333"];
/// Greys of reference curves, and their dashes.
const GREYS: [&str; 2] = ["#4B5563", "#8B95A3"];
const DASHES: [&str; 3] = ["7 4", "2 3.5", "9 3 2 3"];
/// Dashes that set curves apart once the colours begin again.
const ROUNDS: [&str; 3] = ["", "8 3", "3 3"];

/// The colour of what is missing; no series has it.
pub(super) const MISSING: &str = "#C1121F";
/// The marker of what is missing.
const CROSS: usize = usize::MAX;

/// Letters are this high, in pixels.
pub(super) const LETTER: f64 = 12.0;

/// The look of a series.
#[derive(Clone, Copy)]
pub(super) struct Look {
    pub colour: &'static str,
    pub dash: &'static str,
    pub marker: usize,
}

/// A look for each series: the same for the same name, colours for data, greys for references.
pub(super) fn looks(series: &[Series]) -> Vec<Look> {
    let mut looks: Vec<Look> = Vec::new();
    let (mut data, mut references) = (0, 0);
    for (i, one) in series.iter().enumerate() {
        let same = (0..i).find(|&j| !one.name.is_empty() && series[j].name == one.name);
        let look = match same {
            Some(j) => looks[j],
            None if one.style == Style::Mark => Look { colour: MISSING, dash: "", marker: CROSS },
            None if one.style == Style::Dashed => {
                references += 1;
                let i = references - 1;
                Look { colour: GREYS[(i / DASHES.len()) % GREYS.len()], dash: DASHES[i % DASHES.len()], marker: i }
            }
            None => {
                data += 1;
                let i = data - 1;
                Look { colour: COLOURS[i % COLOURS.len()], dash: ROUNDS[(i / COLOURS.len()) % ROUNDS.len()], marker: i }
            }
        };
        let dash = if one.style == Style::Dashed && look.dash.is_empty() { DASHES[0] } else { look.dash };
        looks.push(Look { dash, ..look });
    }
    looks
}

/// Open polygons in the colour and dash of a series.
pub(super) fn stroke(out: &mut String, pieces: &[Vec<Pixel>], look: Look, width: f64, more: &str) {
    let mut d = String::new();
    for piece in pieces {
        for (i, (x, y)) in piece.iter().enumerate() {
            let _ = write!(d, "{}{},{}", if i == 0 { 'M' } else { ' ' }, number(*x), number(*y));
        }
    }
    let dash = if look.dash.is_empty() { String::new() } else { format!(" stroke-dasharray=\"{}\"", look.dash) };
    let _ = writeln!(
        out,
        "<path d=\"{d}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\" \
         stroke-linecap=\"{}\"{dash}{more}/>",
        look.colour,
        if look.dash.is_empty() { "round" } else { "butt" }
    );
}

/// One marker: circle, square, triangle, diamond, cross, by the number of the series.
pub(super) fn marker(out: &mut String, look: Look, (x, y): Pixel) {
    let at = format!("M{},{}", number(x), number(y));
    if look.marker == CROSS {
        let d = format!("{at}m-4.5,-4.5l9,9m0,-9l-9,9");
        let _ = writeln!(out, "<path d=\"{d}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2.4\"/>", look.colour);
        return;
    }
    let d = match look.marker % 5 {
        0 => format!("{at}m-3.9,0a3.9,3.9 0 1,0 7.8,0a3.9,3.9 0 1,0 -7.8,0z"),
        1 => format!("{at}m-3.5,-3.5h7v7h-7z"),
        2 => format!("{at}m0,-4.6l4.3,7.6h-8.6z"),
        3 => format!("{at}m0,-4.9l4.9,4.9l-4.9,4.9l-4.9,-4.9z"),
        _ => format!("{at}m-1.5,-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z"),
    };
    let _ = writeln!(out, "<path d=\"{d}\" fill=\"{}\" stroke=\"#FFFFFF\" stroke-width=\"1\"/>", look.colour);
}

/// A text, unless it is empty.
pub(super) fn text(out: &mut String, attributes: &str, text: &str) {
    if !text.is_empty() {
        let _ = writeln!(out, "<text {attributes}>{}</text>", escape(text));
    }
}

/// A coordinate with one decimal at most.
pub(super) fn number(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

/// The width of a text in pixels, as a typical sans-serif font sets it at the size of labels.
pub(super) fn text_width(text: &str) -> f64 {
    let width = |c: char| match c {
        'i' | 'j' | 'l' | 't' | 'f' | 'r' | 'I' | '.' | ',' | ':' | ';' | '\'' | '|' | '!' | '(' | ')' | '[' | ']' => {
            0.34
        }
        '⁰'..='⁹' | '⁻' | '¹' | '²' | '³' => 0.42,
        'm' | 'w' | 'M' | 'W' => 0.88,
        'A'..='Z' => 0.68,
        c if (c as u32) > 0x2E80 => 1.05,
        _ => 0.58,
    };
    text.chars().map(width).sum::<f64>() * LETTER
}
