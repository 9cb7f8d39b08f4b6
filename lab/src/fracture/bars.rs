//! Stacked bars, as SVG text: the parts of each run's time or mass.

use std::fmt::Write as _;

use pliant_plot::plot::{csv_field, escape};
use pliant_plot::report::Figure;

/// One bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// At its left.
    pub name: String,
    /// From left to right.
    pub parts: Vec<f64>,
    /// At its right.
    pub note: String,
}

/// Bars that share a scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Above them.
    pub title: String,
    /// From the top down.
    pub bars: Vec<Bar>,
}

/// A chart of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// Above everything.
    pub title: String,
    /// Of parts, and their colours.
    pub legend: Vec<(String, &'static str)>,
    /// From the top down; each with its own scale.
    pub groups: Vec<Group>,
}

/// Pixels.
const WIDTH: f64 = 780.0;
const BAR: f64 = 18.0;
const STEP: f64 = 24.0;
const LEFT: f64 = 310.0;
const RIGHT: f64 = 120.0;
const INK: &str = "#111827";
const SOFT: &str = "#4B5563";
/// Pixels per letter.
const LETTER: f64 = 7.0;

impl Bars {
    /// The chart with its data.
    pub fn figure(&self, file: &str, caption: &str) -> Figure {
        Figure { file: file.into(), caption: caption.into(), svg: self.svg(), csv: Some(self.csv()) }
    }

    fn csv(&self) -> String {
        let mut text = String::from("group,bar,part,value\n");
        for group in &self.groups {
            for bar in &group.bars {
                for ((part, _), value) in self.legend.iter().zip(&bar.parts) {
                    let names = [&group.title, &bar.name, part].map(|name| csv_field(name)).join(",");
                    let _ = writeln!(text, "{names},{value:?}");
                }
            }
        }
        text
    }

    /// Names of parts with their places: x and row.
    fn places(&self) -> Vec<(f64, usize)> {
        let (mut x, mut row) = (20.0, 0);
        let place = |(name, _): &(String, &str)| {
            let width = 40.0 + LETTER * name.chars().count() as f64;
            if x + width > WIDTH - 10.0 {
                (x, row) = (20.0, row + 1);
            }
            let at = (x, row);
            x += width;
            at
        };
        self.legend.iter().map(place).collect()
    }

    fn svg(&self) -> String {
        let places = self.places();
        let rows = places.last().map_or(0, |place| place.1 + 1);
        let top = 44.0 + 20.0 * rows as f64;
        let bars: usize = self.groups.iter().map(|group| group.bars.len()).sum();
        let height = top + STEP * bars as f64 + 34.0 * self.groups.len() as f64 + 10.0;
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             font-family=\"system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif\" font-size=\"12\">\n\
             <title>{title}</title>\n<rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"10\" fill=\"#FFFFFF\" stroke=\"#E3E7EC\"/>\n\
             <text x=\"20\" y=\"30\" font-size=\"15.5\" font-weight=\"600\" fill=\"{INK}\">{title}</text>\n",
            WIDTH - 1.0,
            height - 1.0,
            title = escape(&self.title),
        );
        for ((name, colour), (x, row)) in self.legend.iter().zip(places) {
            let y = 42.0 + 20.0 * row as f64;
            let _ = writeln!(out, "<rect x=\"{x:.0}\" y=\"{y:.0}\" width=\"14\" height=\"12\" fill=\"{colour}\"/>");
            text(&mut out, (x + 20.0, y + 10.0), "start", INK, name);
        }
        let mut y = top;
        for group in &self.groups {
            y += 26.0;
            text(&mut out, (20.0, y), "start", INK, &group.title);
            y += 8.0;
            let total = |bar: &Bar| bar.parts.iter().filter(|part| part.is_finite()).sum::<f64>();
            let most = group.bars.iter().map(total).fold(f64::MIN_POSITIVE, f64::max);
            for bar in &group.bars {
                text(&mut out, (LEFT - 10.0, y + 13.0), "end", SOFT, &bar.name);
                let mut x = LEFT;
                for (part, (_, colour)) in bar.parts.iter().zip(&self.legend).filter(|(part, _)| part.is_finite()) {
                    let width = (WIDTH - LEFT - RIGHT) * part.max(0.0) / most;
                    let _ = writeln!(
                        out,
                        "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{BAR}\" fill=\"{colour}\"/>"
                    );
                    x += width;
                }
                text(&mut out, (x + 8.0, y + 13.0), "start", INK, &bar.note);
                y += STEP;
            }
        }
        out + "</svg>\n"
    }
}

fn text(out: &mut String, (x, y): (f64, f64), anchor: &str, colour: &str, words: &str) {
    let _ = writeln!(
        out,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{}</text>",
        escape(words)
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_are_as_long_as_their_parts() {
        let bar = |name: &str, parts: [f64; 2]| Bar { name: name.into(), parts: parts.to_vec(), note: "n".into() };
        let bars = Bars {
            title: "a < b".into(),
            legend: vec![("one".into(), "#111111"), ("two".into(), "#222222")],
            groups: vec![Group { title: "g".into(), bars: vec![bar("x", [1.0, 1.0]), bar("y", [0.5, f64::NAN])] }],
        };
        let figure = bars.figure("file", "caption");
        // 350 pixels for the longest
        assert_eq!(figure.svg.matches("width=\"175.0\"").count(), 2);
        assert_eq!(figure.svg.matches("width=\"87.5\"").count(), 1);
        assert!(figure.svg.contains("a &lt; b") && figure.svg.ends_with("</svg>\n"));
        assert!(figure.csv.unwrap().contains("g,x,one,1.0\n"));
    }
}
