//! Plots for numerical experiments, as SVG text.
//!
//! ```
//! # use pliant_plot::Plot;
//! let errors = [(1e-2, 3e-4), (1e-3, 3e-6), (1e-4, 3e-8)];
//! let svg = Plot::new("Convergence").x("step [s]").y("error [m]").log_x().log_y().line("Verlet", &errors).render();
//! assert!(svg.starts_with("<svg"));
//! ```
//!
//! Data series take the colours of Okabe and Ito, which colour-blind readers can tell apart, and differ in marker or dash
//! as well; dashed series and horizontal lines are references, in grey. A series that repeats a name shares its colour
//! and its place in the legend (a line with its points). Points that cannot be shown (not finite, or not positive on a
//! logarithmic axis) are gaps. The picture carries its own white ground, so it reads on light and dark pages alike.
//!
//! Written out by hand rather than through a plotting crate: sub-pixel coordinates, real dashes, readable logarithmic
//! ticks and thinned curves are most of the work in either case.

mod axis;
mod draw;
mod shapes;
mod thin;

/// The points of a series.
type Points = Vec<(f64, f64)>;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Line,
    Points,
    Dashed,
    Mark,
}

impl Style {
    /// Whether it is drawn as single places, on top of curves.
    fn is_marker(self) -> bool {
        matches!(self, Style::Points | Style::Mark)
    }
}

#[derive(Clone, Debug)]
struct Series {
    name: String,
    style: Style,
    points: Points,
}

/// A plot under construction; [`Plot::render`] draws it.
#[derive(Clone, Debug)]
pub struct Plot {
    title: String,
    x_label: String,
    y_label: String,
    log_x: bool,
    log_y: bool,
    equal: bool,
    x_names: Vec<String>,
    size: (u32, u32),
    series: Vec<Series>,
    levels: Vec<(f64, String)>,
}

impl Plot {
    /// An empty plot of 540 × 370 pixels.
    pub fn new(title: impl Into<String>) -> Self {
        Self {
            title: title.into(),
            x_label: String::new(),
            y_label: String::new(),
            log_x: false,
            log_y: false,
            equal: false,
            x_names: Vec::new(),
            size: (540, 370),
            series: Vec::new(),
            levels: Vec::new(),
        }
    }

    /// The label below the horizontal axis, with its unit: `time [s]`.
    pub fn x(mut self, label: impl Into<String>) -> Self {
        self.x_label = label.into();
        self
    }

    /// The label beside the vertical axis, with its unit: `position [m]`.
    pub fn y(mut self, label: impl Into<String>) -> Self {
        self.y_label = label.into();
        self
    }

    /// Makes the horizontal axis logarithmic.
    pub fn log_x(mut self) -> Self {
        self.log_x = true;
        self
    }

    /// Makes the vertical axis logarithmic.
    pub fn log_y(mut self) -> Self {
        self.log_y = true;
        self
    }

    /// Names in the place of numbers along the horizontal axis: the first stands at 0, the second at 1.
    pub fn x_names(mut self, names: Vec<String>) -> Self {
        self.x_names = names;
        self
    }

    /// One unit is as long on both axes, so that a circle is round. Needs both linear or both logarithmic.
    pub fn equal_axes(mut self) -> Self {
        self.equal = true;
        self
    }

    /// Width and height in pixels, at least 240 × 180.
    pub fn size(mut self, width: u32, height: u32) -> Self {
        self.size = (width.clamp(240, 4000), height.clamp(180, 4000));
        self
    }

    /// Adds a curve. An empty name stays out of the legend.
    pub fn line(self, name: impl Into<String>, points: &[(f64, f64)]) -> Self {
        self.with(name.into(), Style::Line, points)
    }

    /// Adds markers; dots if there are very many.
    pub fn points(self, name: impl Into<String>, points: &[(f64, f64)]) -> Self {
        self.with(name.into(), Style::Points, points)
    }

    /// Adds a dashed grey curve: an exact solution, a slope to compare with.
    pub fn dashed(self, name: impl Into<String>, points: &[(f64, f64)]) -> Self {
        self.with(name.into(), Style::Dashed, points)
    }

    /// Adds red crosses on the lower edge: places where there should be a value and is none.
    pub fn marks(self, name: impl Into<String>, places: &[f64]) -> Self {
        let points: Points = places.iter().map(|x| (*x, f64::NAN)).collect();
        self.with(name.into(), Style::Mark, &points)
    }

    /// Adds a horizontal line across the plot with its name on it: a tolerance, a limit.
    pub fn hline(mut self, value: f64, name: impl Into<String>) -> Self {
        self.levels.push((value, name.into()));
        self
    }

    fn with(mut self, name: String, style: Style, points: &[(f64, f64)]) -> Self {
        self.series.push(Series { name, style, points: points.to_vec() });
        self
    }

    /// The plot as SVG text, well below 300 kB whatever the data.
    pub fn render(&self) -> String {
        draw::svg(self, 0)
    }

    /// Several plots next to each other, as one picture.
    pub fn render_row(plots: &[Plot]) -> String {
        Self::render_rows(plots, plots.len())
    }

    /// The same in rows of a given length.
    pub fn render_rows(plots: &[Plot], columns: usize) -> String {
        let rows = || plots.chunks(columns.max(1));
        let tallest = |row: &[Plot]| row.iter().map(|plot| plot.size.1).max().unwrap_or(0);
        let width = rows().map(|row| row.iter().map(|plot| plot.size.0).sum::<u32>()).max().unwrap_or(0);
        let height: u32 = rows().map(tallest).sum();
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n"
        );
        let (mut number, mut y) = (0, 0);
        for row in rows() {
            let mut x = 0;
            for plot in row {
                out += &format!("<g transform=\"translate({x},{y})\">\n{}</g>\n", draw::svg(plot, number));
                x += plot.size.0;
                number += 1;
            }
            y += tallest(row);
        }
        out + "</svg>\n"
    }

    /// All the data, not thinned, as CSV with the columns `series,x,y`. Numbers read back to the same bits.
    pub fn to_csv(&self) -> String {
        let mut text = String::from("series,x,y\n");
        for series in &self.series {
            let name = csv_field(&series.name);
            for (x, y) in &series.points {
                text += &format!("{name},{x:?},{y:?}\n");
            }
        }
        for (value, name) in &self.levels {
            text += &format!("{},,{value:?}\n", csv_field(name));
        }
        text
    }
}

/// A field of a CSV file, quoted where that is needed.
pub fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// Text made safe for XML and HTML, inside of elements and of quoted attributes.
pub fn escape(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe += "&amp;",
            '<' => safe += "&lt;",
            '>' => safe += "&gt;",
            '"' => safe += "&quot;",
            '\'' => safe += "&#39;",
            // XML has no way to write the other control characters.
            '\n' | '\t' => safe.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => safe.push(' '),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests;
