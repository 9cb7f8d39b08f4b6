//! Plots for numerical experiments, as SVG text.
//!
//! ```
//! # use pliant_lab::plot::Plot;
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
        let width: u32 = plots.iter().map(|plot| plot.size.0).sum();
        let height = plots.iter().map(|plot| plot.size.1).max().unwrap_or(0);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">\n"
        );
        let mut x = 0;
        for (k, plot) in plots.iter().enumerate() {
            out += &format!("<g transform=\"translate({x},0)\">\n{}</g>\n", draw::svg(plot, k));
            x += plot.size.0;
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
pub(crate) fn csv_field(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}

/// Text made safe for XML and HTML, inside of elements and of quoted attributes.
pub(crate) fn escape(text: &str) -> String {
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
mod tests {
    use super::*;

    fn wave(count: usize) -> Vec<(f64, f64)> {
        (0..count).map(|i| (i as f64 * 1e-3, (i as f64 * 0.37).sin())).collect()
    }

    /// Crude, but catches tags left open and text that was not escaped.
    fn assert_well_formed(svg: &str) {
        let mut open: Vec<&str> = Vec::new();
        for tag in svg.split('<').skip(1) {
            let tag = tag.split_once('>').expect("a tag ends").0;
            if let Some(name) = tag.strip_prefix('/') {
                assert_eq!(open.pop(), Some(name), "{svg}");
            } else if !tag.ends_with('/') {
                open.push(tag.split(' ').next().unwrap_or_default());
            }
        }
        assert!(open.is_empty());
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }

    #[test]
    fn every_combination_is_well_formed() {
        let odd = [(f64::NAN, 1.0), (1.0, f64::INFINITY), (-1.0, -1.0), (0.0, 0.0), (2.0, 3.0), (1e308, 1e-308)];
        for points in [&[][..], &[(1.0, 1.0)], &wave(50), &odd] {
            for bits in 0..8 {
                let mut plot = Plot::new("Ä <b>\"title\" & 'more'\u{1}").x("x <m>").y("y & z").hline(0.5, "level <1>");
                plot = plot.line("a", points).points("b", points).dashed("c", points).line("", points);
                plot = if bits & 1 > 0 { plot.log_x() } else { plot };
                plot = if bits & 2 > 0 { plot.log_y() } else { plot };
                plot = if bits & 4 > 0 { plot.equal_axes().size(1, 1) } else { plot };
                assert_well_formed(&plot.render());
            }
        }
        assert_well_formed(&Plot::new("").render());
    }

    #[test]
    fn large_data_make_small_pictures() {
        let noise: Vec<(f64, f64)> = (0..100_000_u64)
            .map(|i| {
                let hash = (i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
                ((hash >> 40) as f64, (hash & 0xFF_FFFF) as f64)
            })
            .collect();
        let mut plot = Plot::new("noise");
        for name in ["a", "b", "c", "d"] {
            plot = plot.line(name, &noise).points(name, &noise);
        }
        let svg = plot.render();
        assert!(svg.len() < 300_000, "{}", svg.len());
        assert!(Plot::new("wave").line("w", &wave(1_000_000)).render().len() < 120_000);
    }

    #[test]
    fn a_repeated_name_has_one_legend_entry_and_one_colour() {
        let svg = Plot::new("").line("same", &wave(9)).points("same", &wave(9)).line("other", &wave(9)).render();
        assert_eq!(svg.matches(">same<").count(), 1);
        assert!(svg.contains("#0072B2") && svg.contains("#D55E00") && !svg.contains("#009E73"));
    }

    #[test]
    fn the_data_come_back() {
        let csv = Plot::new("").line("a, \"b\"", &[(0.1, f64::NAN)]).hline(2.0, "l").to_csv();
        assert_eq!(csv, "series,x,y\n\"a, \"\"b\"\"\",0.1,NaN\nl,,2.0\n");
    }

    #[test]
    fn names_on_an_axis_and_plots_in_a_row() {
        let names: Vec<String> =
            ["rk4", "a name that is far too long for the place it has got, is it not?"].map(String::from).to_vec();
        let plot = Plot::new("").x_names(names).line("a", &[(0.0, 1.0), (1.0, 2.0)]);
        let svg = plot.render();
        assert!(svg.contains(">rk4<") && svg.contains("…<"), "{svg}");
        let row =
            Plot::render_row(&[plot.clone(), plot.clone().log_x().x_names((0..500).map(|k| k.to_string()).collect())]);
        assert_well_formed(&row);
        assert_eq!(row.matches("<clipPath id=\"c\"").count(), 1, "each plot has a clip of its own");
        assert_eq!(row.matches("<clipPath id=\"c1\"").count(), 1);
    }

    #[test]
    fn text_is_made_safe() {
        assert_eq!(escape("a<b & \"c\" 'd'\u{7}"), "a&lt;b &amp; &quot;c&quot; &#39;d&#39; ");
    }
}
