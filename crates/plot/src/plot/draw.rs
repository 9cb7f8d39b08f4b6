//! The layout of a plot and its SVG elements.

use std::fmt::Write as _;

use super::axis::{Axis, Tick, Ticks};
use super::shapes::{LETTER, Look, looks, marker, number, stroke, text, text_width};
use super::thin::{self, Pixel};
use super::{Plot, Series, Style, escape};

const FONT: &str = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const INK: &str = "#111827";
const SOFT: &str = "#4B5563";

/// All series together draw about this many points, at some 12 bytes each.
const BUDGET: usize = 16_000;
/// More markers than this become dots.
const MANY: usize = 250;
const LEGEND_ROW: f64 = 20.0;

/// The area between the axes.
#[derive(Clone, Copy)]
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    /// Which plot of a picture it is: names in an SVG must be unique.
    number: usize,
}

impl Frame {
    fn clip(&self) -> String {
        if self.number == 0 { "c".to_owned() } else { format!("c{}", self.number) }
    }

    fn bottom(&self) -> f64 {
        self.top + self.height
    }

    fn right(&self) -> f64 {
        self.left + self.width
    }

    fn pixel(&self, (x, y): (&Axis, &Axis), point: (f64, f64)) -> Option<Pixel> {
        Some((self.left + x.place(point.0)? * self.width, self.bottom() - y.place(point.1)? * self.height))
    }
}

pub(super) fn svg(plot: &Plot, number_in_row: usize) -> String {
    let (width, height) = (f64::from(plot.size.0), f64::from(plot.size.1));
    let looks = looks(&plot.series);
    let mut x = match plot.x_names.len() {
        0 => Axis::fit(plot.series.iter().flat_map(|s| places(plot, s)), plot.log_x),
        count => Axis { log: false, from: -0.5, to: count as f64 - 0.5 },
    };
    let levels = plot.levels.iter().map(|level| level.0);
    let mut y = Axis::fit(plot.series.iter().flat_map(|s| shown(plot, s)).map(|p| p.1).chain(levels), plot.log_y);

    // Heights first: they decide how many labels the vertical axis has, and these how wide its margin is.
    let title = if plot.title.is_empty() { 0.0 } else { 26.0 };
    let legend = legend(plot, &looks, width - 40.0);
    let top = 16.0 + title + legend.len() as f64 * LEGEND_ROW + if legend.is_empty() { 6.0 } else { 10.0 };
    let bottom = height - if plot.x_label.is_empty() { 34.0 } else { 54.0 };
    let mut frame = Frame { left: 0.0, top, width: 0.0, height: (bottom - top).max(40.0), number: number_in_row };
    let y_room = (frame.height / if plot.log_y { 26.0 } else { 44.0 }) as usize;
    let widest = |ticks: &Ticks| ticks.major.iter().map(|tick| text_width(&tick.label)).fold(0.0, f64::max);
    // What the labels leave out stands above the axis.
    if !y.ticks(y_room).note.is_empty() {
        frame.top += 12.0;
        frame.height -= 12.0;
    }
    frame.left = 26.0 + if plot.y_label.is_empty() { 0.0 } else { 20.0 } + widest(&y.ticks(y_room)).min(0.3 * width);
    frame.width = (width - 24.0 - frame.left).max(60.0);
    if plot.equal && plot.log_x == plot.log_y {
        let ratio = ((y.to - y.from) / frame.height) / ((x.to - x.from) / frame.width);
        x = x.widened(ratio.max(1.0));
        y = y.widened((1.0 / ratio).max(1.0));
    }
    let x_room = (frame.width / if plot.log_x { 52.0 } else { 78.0 }) as usize;
    let x_ticks = if plot.x_names.is_empty() { x.ticks(x_room) } else { name_ticks(&x, &plot.x_names, frame.width) };

    let mut out = String::new();
    let _ = write!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         role=\"img\" font-family=\"{FONT}\" font-size=\"{LETTER}\">\n<title>{}</title>\n\
         <rect x=\"0.5\" y=\"0.5\" width=\"{}\" height=\"{}\" rx=\"10\" fill=\"#FFFFFF\" stroke=\"#E3E7EC\"/>\n",
        escape(&plot.title),
        width - 1.0,
        height - 1.0
    );
    if !plot.title.is_empty() {
        let size = 15.5_f64.min(15.5 * (width - 40.0) / (1.36 * text_width(&plot.title))).max(8.0);
        let attributes = format!("x=\"20\" y=\"30\" font-size=\"{size:.1}\" font-weight=\"600\" fill=\"{INK}\"");
        text(&mut out, &attributes, &plot.title);
    }
    draw_legend(&mut out, &legend, 16.0 + title);
    draw_axes(&mut out, plot, frame, (&x_ticks, &y.ticks(y_room)));
    let _ = writeln!(
        out,
        "<clipPath id=\"{}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>",
        frame.clip(),
        number(frame.left - 1.0),
        number(frame.top - 1.0),
        number(frame.width + 2.0),
        number(frame.height + 2.0)
    );
    let budget = BUDGET / plot.series.len().max(1);
    for on_top in [false, true] {
        for (series, look) in plot.series.iter().zip(&looks) {
            if series.style.is_marker() == on_top {
                draw_series(&mut out, series, *look, frame, (&x, &y), budget);
            }
        }
        if !on_top {
            draw_levels(&mut out, plot, frame, (&x, &y));
        }
    }
    if plot.series.iter().all(|series| shown(plot, series).next().is_none()) {
        let (x, y) = (number(frame.left + 0.5 * frame.width), number(frame.top + 0.5 * frame.height));
        text(&mut out, &format!("x=\"{x}\" y=\"{y}\" text-anchor=\"middle\" fill=\"{SOFT}\""), "no data");
    }
    out += "</svg>\n";
    out
}

/// The points that both axes can show.
fn shown<'a>(plot: &'a Plot, series: &'a Series) -> impl Iterator<Item = (f64, f64)> + 'a {
    let axis = |log| Axis { log, from: 0.0, to: 1.0 };
    let (x, y) = (axis(plot.log_x && plot.x_names.is_empty()), axis(plot.log_y));
    series.points.iter().copied().filter(move |point| x.measure(point.0).is_some() && y.measure(point.1).is_some())
}

/// Where a series has something on the horizontal axis: marks have no height.
fn places<'a>(plot: &'a Plot, series: &'a Series) -> impl Iterator<Item = f64> + 'a {
    let marks = if series.style == Style::Mark { &series.points[..] } else { &[] };
    shown(plot, series).chain(marks.iter().copied()).map(|point| point.0)
}

/// A tick for each name; only every few if there are many, and shortened to their place.
fn name_ticks(axis: &Axis, names: &[String], width: f64) -> Ticks {
    const LEAST: f64 = 36.0;
    let stride = (names.len() as f64 * LEAST / width).ceil().max(1.0) as usize;
    let room = width * stride as f64 / names.len() as f64 - 6.0;
    let label = |name: &str| {
        let mut kept = name.to_owned();
        while text_width(&kept) > room.max(LEAST - 6.0) && kept.pop().is_some() {}
        if kept.len() < name.len() {
            kept.pop();
            kept.push('…');
        }
        kept
    };
    let tick = |(k, name): (usize, &String)| Some(Tick { at: axis.place(k as f64)?, label: label(name) });
    Ticks { major: names.iter().enumerate().step_by(stride).filter_map(tick).collect(), ..Ticks::default() }
}

/// A legend entry: where it starts, its name, and the series that share the name.
struct Entry<'a> {
    x: f64,
    name: &'a str,
    parts: Vec<(Style, Look)>,
}

impl Entry<'_> {
    /// The width of the sample: short for a marker alone.
    fn sample(&self) -> f64 {
        if self.parts.iter().all(|(style, _)| style.is_marker()) { 10.0 } else { 24.0 }
    }
}

/// The legend as rows no wider than `width`.
fn legend<'a>(plot: &'a Plot, looks: &[Look], width: f64) -> Vec<Vec<Entry<'a>>> {
    let mut entries: Vec<Entry<'a>> = Vec::new();
    for (series, look) in plot.series.iter().zip(looks).filter(|(series, _)| !series.name.is_empty()) {
        let part = (series.style, *look);
        match entries.iter_mut().find(|entry| entry.name == series.name) {
            Some(entry) => entry.parts.push(part),
            None => entries.push(Entry { x: 0.0, name: &series.name, parts: vec![part] }),
        }
    }
    let mut rows: Vec<Vec<Entry<'a>>> = Vec::new();
    let mut x = f64::INFINITY;
    for mut entry in entries {
        let size = entry.sample() + 8.0 + text_width(entry.name);
        if x + size > width {
            rows.push(Vec::new());
            x = 0.0;
        }
        entry.x = x;
        x += size + 20.0;
        rows.last_mut().expect("a row was opened").push(entry);
    }
    rows
}

fn draw_legend(out: &mut String, rows: &[Vec<Entry<'_>>], top: f64) {
    for (i, row) in rows.iter().enumerate() {
        let y = top + 8.0 + i as f64 * LEGEND_ROW;
        for entry in row {
            let (x, sample) = (20.0 + entry.x, entry.sample());
            for (style, look) in &entry.parts {
                if style.is_marker() {
                    marker(out, *look, (x + 0.5 * sample, y));
                } else {
                    stroke(out, &[vec![(x, y), (x + sample, y)]], *look, 2.0, "");
                }
            }
            text(
                out,
                &format!("x=\"{}\" y=\"{}\" fill=\"{INK}\"", number(x + sample + 8.0), number(y + 4.0)),
                entry.name,
            );
        }
    }
}

fn draw_axes(out: &mut String, plot: &Plot, frame: Frame, (x, y): (&Ticks, &Ticks)) {
    let (left, right, top, bottom) = (frame.left, frame.right(), frame.top, frame.bottom());
    let across = |at: f64| number(left + at * frame.width);
    let up = |at: f64| number(bottom - at * frame.height);
    let mut grid = |colour: &str, xs: &mut dyn Iterator<Item = f64>, ys: &mut dyn Iterator<Item = f64>| {
        let mut d = String::new();
        xs.for_each(|at| d += &format!("M{},{}V{}", across(at), number(bottom), number(top)));
        ys.for_each(|at| d += &format!("M{},{}H{}", number(left), up(at), number(right)));
        let _ = writeln!(out, "<path d=\"{d}\" fill=\"none\" stroke=\"{colour}\"/>");
    };
    grid("#F1F3F6", &mut x.minor.iter().copied(), &mut y.minor.iter().copied());
    grid("#DDE2E8", &mut x.major.iter().map(|tick| tick.at), &mut y.major.iter().map(|tick| tick.at));
    let _ = writeln!(
        out,
        "<path d=\"M{l},{t}V{b}H{r}\" fill=\"none\" stroke=\"#8B95A3\" stroke-width=\"1.2\"/>",
        l = number(left),
        t = number(top),
        b = number(bottom),
        r = number(right)
    );
    for tick in &x.major {
        let attributes = format!("x=\"{}\" y=\"{}\" text-anchor=\"middle\"", across(tick.at), number(bottom + 17.0));
        text(out, &format!("{attributes} fill=\"{SOFT}\""), &tick.label);
    }
    for tick in &y.major {
        let y = number(bottom - tick.at * frame.height + 4.0);
        text(out, &format!("x=\"{}\" y=\"{y}\" text-anchor=\"end\" fill=\"{SOFT}\"", number(left - 7.0)), &tick.label);
    }
    let small = format!("fill=\"{SOFT}\" font-size=\"11\"");
    let note_y = bottom + if plot.x_label.is_empty() { 30.0 } else { 37.0 };
    text(out, &format!("x=\"{}\" y=\"{}\" text-anchor=\"end\" {small}", number(right), number(note_y)), &x.note);
    text(out, &format!("x=\"{}\" y=\"{}\" {small}", number(left - 4.0), number(top - 6.0)), &y.note);
    let label = format!("text-anchor=\"middle\" font-size=\"13\" fill=\"{INK}\"");
    let middle = number(0.5 * (left + right));
    text(out, &format!("x=\"{middle}\" y=\"{}\" {label}", number(bottom + 39.0)), &plot.x_label);
    let turned = format!("transform=\"translate(25,{}) rotate(-90)\"", number(0.5 * (top + bottom)));
    text(out, &format!("{turned} {label}"), &plot.y_label);
}

fn draw_levels(out: &mut String, plot: &Plot, frame: Frame, axes: (&Axis, &Axis)) {
    for (value, name) in &plot.levels {
        let Some(at) = axes.1.place(*value) else { continue };
        let y = frame.bottom() - at * frame.height;
        let look = Look { colour: "#6B7280", dash: "4 4", marker: 0 };
        stroke(out, &[vec![(frame.left, y), (frame.right(), y)]], look, 1.2, "");
        let text_y = if y - frame.top > 18.0 { y - 5.0 } else { y + 14.0 };
        // The halo keeps the name readable on top of curves.
        let halo = "stroke=\"#FFFFFF\" stroke-width=\"4\" stroke-linejoin=\"round\" paint-order=\"stroke\"";
        let place = format!("x=\"{}\" y=\"{}\" text-anchor=\"end\"", number(frame.right() - 6.0), number(text_y));
        text(out, &format!("{place} font-size=\"11\" fill=\"{SOFT}\" {halo}"), name);
    }
}

fn draw_series(out: &mut String, series: &Series, look: Look, frame: Frame, axes: (&Axis, &Axis), budget: usize) {
    let clip = format!(" clip-path=\"url(#{})\"", frame.clip());
    let pixels: Vec<Option<Pixel>> = series.points.iter().map(|point| frame.pixel(axes, *point)).collect();
    match series.style {
        Style::Points => {
            let places = thin::markers(&pixels, budget);
            if places.len() <= MANY {
                places.iter().for_each(|place| marker(out, look, *place));
            } else {
                // A line of no length with round ends is a dot, in fewer bytes than a circle.
                let d: String = places.iter().map(|(x, y)| format!("M{},{}h0", number(*x), number(*y))).collect();
                let colour = look.colour;
                let _ = writeln!(
                    out,
                    "<path d=\"{d}\" stroke=\"{colour}\" stroke-width=\"2.6\" stroke-linecap=\"round\" opacity=\"0.75\"/>"
                );
            }
        }
        Style::Mark => {
            let across = series.points.iter().filter_map(|point| axes.0.place(point.0));
            for x in across.map(|at| frame.left + at * frame.width) {
                let thin = Look { dash: "2 4", ..look };
                stroke(out, &[vec![(x, frame.top), (x, frame.bottom())]], thin, 1.0, "");
                marker(out, look, (x, frame.bottom()));
            }
        }
        Style::Line => stroke(out, &thin::line(&pixels, budget), look, 1.9, &clip),
        Style::Dashed => stroke(out, &thin::line(&pixels, budget), look, 1.6, &clip),
    }
}
