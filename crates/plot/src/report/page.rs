//! The page of a report.

use super::{Experiment, Figure, Part, Report, Table, Verdict, data_file};
use crate::plot::escape;
use crate::text::data;

const STYLE: &str = include_str!("page.css");

pub(super) fn html(report: &Report) -> String {
    let title = escape(&report.title);
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n\
         <body>\n<header id=\"top\">\n<h1>{title}</h1>\n"
    );
    if !report.intro_html.is_empty() {
        out += &format!("<div class=\"intro\">{}</div>\n", report.intro_html);
    }
    out += &made(&report.made);
    out += &contents(&report.parts);
    out += "</header>\n<main>\n";
    report.parts.iter().for_each(|part| out += &chapter(part));
    out += "</main>\n</body>\n</html>\n";
    out
}

fn made(made: &[(String, String)]) -> String {
    if made.is_empty() {
        return String::new();
    }
    let rows = made.iter().map(|(name, value)| format!("<dt>{}</dt><dd>{}</dd>", escape(name), escape(value)));
    format!("<dl class=\"made\">{}</dl>\n", rows.collect::<String>())
}

/// How many claims hold, and a line for each experiment.
fn contents(parts: &[Part]) -> String {
    let experiments: Vec<&Experiment> = parts.iter().flat_map(|part| &part.experiments).collect();
    if experiments.is_empty() {
        return "<p class=\"empty\">No experiments were run.</p>\n".to_owned();
    }
    let seconds = experiments.iter().map(|experiment| experiment.seconds).sum();
    let mut out = format!(
        "<ul class=\"totals\">\n{}<li><b>{}</b> of computing</li>\n</ul>\n<nav aria-label=\"Experiments\">\n",
        totals(&experiments),
        duration(seconds)
    );
    for Part { chapter, experiments, .. } in parts {
        out += &format!("<h2><a href=\"#{}\">{}</a></h2>\n<ol>\n", chapter.id, escape(chapter.title));
        for experiment in experiments {
            out += &format!(
                "<li>{}<a href=\"#{}\">{}</a><span class=\"seconds\">{}</span></li>\n",
                badge(experiment.verdict),
                experiment.id,
                escape(&experiment.title),
                duration(experiment.seconds)
            );
        }
        out += "</ol>\n";
    }
    out + "</nav>\n"
}

fn totals(experiments: &[&Experiment]) -> String {
    let mut out = String::new();
    for (verdict, one, many) in [
        (Verdict::Holds, "claim holds", "claims hold"),
        (Verdict::HoldsPartly, "claim holds in part", "claims hold in part"),
        (Verdict::Fails, "claim does not hold", "claims do not hold"),
    ] {
        let number = experiments.iter().filter(|experiment| experiment.verdict == verdict).count();
        if number > 0 {
            let words = if number == 1 { one } else { many };
            out += &format!("<li class=\"{}\"><b>{number}</b> {words}</li>\n", class(verdict));
        }
    }
    out
}

/// A page on paper: what it says, what it looks like, and its experiments.
fn chapter(part: &Part) -> String {
    let Part { chapter, still, experiments } = part;
    let mut out = format!("<article id=\"{}\">\n<header>\n<h2>{}</h2>\n", chapter.id, escape(chapter.title));
    if !chapter.source.is_empty() {
        out += &format!("<p class=\"source\">{}</p>\n", escape(chapter.source));
    }
    out += &format!("<p class=\"about\">{}</p>\n", escape(chapter.about));
    out += &format!("<ul class=\"totals\">\n{}</ul>\n", totals(&experiments.iter().collect::<Vec<_>>()));
    if let Some(png) = still {
        out += &format!(
            "<figure class=\"still\"><img src=\"{}\" alt=\"{1}\">\n<figcaption><code>pliant render {1} -o {1}.png</code></figcaption></figure>\n",
            data("image/png", png),
            escape(chapter.scene)
        );
    }
    out += "</header>\n";
    experiments.iter().for_each(|experiment| out += &section(experiment));
    out + "</article>\n"
}

/// A link to numbers that are in the page, under the name that they have beside it.
fn numbers(csv: &str, file: &str) -> String {
    let name = escape(&file.replace('/', "-"));
    format!(" <a class=\"data\" download=\"{name}\" href=\"{}\">CSV</a>", data("text/csv", csv.as_bytes()))
}

fn section(experiment: &Experiment) -> String {
    let Experiment { id, verdict, .. } = experiment;
    let mut out = format!(
        "<section id=\"{id}\" class=\"{}\">\n<h3><a href=\"#{id}\">{}</a></h3>\n\
         <p class=\"source\">{}<span class=\"seconds\">{}</span></p>\n\
         <div class=\"claim\"><p><span class=\"label\">Claim</span> {}</p>\n\
         <p class=\"verdict\">{} The claim {}.</p></div>\n",
        class(*verdict),
        escape(&experiment.title),
        escape(&experiment.paper),
        duration(experiment.seconds),
        escape(&experiment.claim),
        icon(*verdict),
        verdict.words()
    );
    if !experiment.summary_html.is_empty() {
        out += &format!("<div class=\"summary\">{}</div>\n", experiment.summary_html);
    }
    for (i, each) in experiment.tables.iter().enumerate() {
        out += &table(each, &format!("{id}/{}", data_file(i)));
    }
    if !experiment.plots.is_empty() {
        out += "<div class=\"figures\">\n";
        experiment.plots.iter().for_each(|each| out += &figure(each, id));
        out += "</div>\n";
    }
    out + "<p class=\"back\"><a href=\"#top\">↑ Contents</a></p>\n</section>\n"
}

fn table(table: &Table, file: &str) -> String {
    let columns = table.rows.iter().map(|(cells, _)| cells.len()).fold(table.headers.len(), usize::max);
    let numeric: Vec<bool> = (0..columns).map(|column| is_numeric(table, column)).collect();
    // names are not to be broken, sentences are
    let is_short =
        |column: usize| table.rows.iter().filter_map(|(cells, _)| cells.get(column)).all(|c| c.chars().count() <= 28);
    let short: Vec<bool> = (0..columns).map(is_short).collect();
    let row = |cells: &[String], tag: &str| -> String {
        let cell = |column: usize| {
            let class = match (numeric[column], short[column]) {
                (true, _) => " class=\"number\"",
                (_, true) => " class=\"name\"",
                _ => " class=\"words\"",
            };
            let scope = if tag == "th" { " scope=\"col\"" } else { "" };
            let text = cells.get(column).map_or("", String::as_str);
            format!("<{tag}{scope}{class}>{}</{tag}>", escape(text))
        };
        (0..columns).map(cell).collect()
    };
    let mut out = format!(
        "<figure class=\"table\">\n<figcaption>{}{}</figcaption>\n\
         <div class=\"scroll\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n",
        escape(&table.caption),
        numbers(&table.to_csv(), file),
        row(&table.headers, "th")
    );
    for (cells, emphasis) in &table.rows {
        let class = if *emphasis { " class=\"emphasis\"" } else { "" };
        out += &format!("<tr{class}>{}</tr>\n", row(cells, "td"));
    }
    out + "</tbody>\n</table></div>\n</figure>\n"
}

/// Every cell that says something starts like a number, and there is one.
fn is_numeric(table: &Table, column: usize) -> bool {
    let cells = table.rows.iter().filter_map(|(cells, _)| cells.get(column));
    let mut said = cells.map(|cell| cell.trim()).filter(|cell| !matches!(*cell, "" | "-" | "–" | "—")).peekable();
    let starts = |cell: &str| {
        let bare = cell.trim_start_matches(['+', '-', '−', '±', '<', '>', '≤', '≥', '≈', '~', '.', ' ']);
        bare.starts_with(|c: char| c.is_ascii_digit()) || matches!(bare, "∞" | "inf" | "NaN")
    };
    said.peek().is_some() && said.all(starts)
}

fn figure(figure: &Figure, id: &str) -> String {
    let (file, caption) = (format!("{id}/{}", figure.file), escape(&figure.caption));
    let csv = figure.csv.as_ref().map_or(String::new(), |csv| numbers(csv, &format!("{file}.csv")));
    format!(
        "<figure><img src=\"{}\" alt=\"{caption}\"{}>\n<figcaption>{caption}{csv}</figcaption></figure>\n",
        data("image/svg+xml", figure.svg.as_bytes()),
        dimensions(&figure.svg)
    )
}

/// Width and height of a picture for its element, so that the page does not jump while it loads.
fn dimensions(svg: &str) -> String {
    let value = |name: &str| {
        let rest = svg.split_once(name)?.1;
        rest.split_once('"')?.0.parse::<u32>().ok()
    };
    match (value(" width=\""), value(" height=\"")) {
        (Some(width), Some(height)) => format!(" width=\"{width}\" height=\"{height}\""),
        _ => String::new(),
    }
}

fn class(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Holds => "holds",
        Verdict::HoldsPartly => "partly",
        Verdict::Fails => "fails",
    }
}

/// The verdict as a shape, for readers who cannot distinguish the colours.
fn icon(verdict: Verdict) -> String {
    let shape = match verdict {
        Verdict::Holds => "M4.5 8.3l2.4 2.4 4.6-5",
        Verdict::HoldsPartly => "M4.6 8h6.8",
        Verdict::Fails => "M5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6",
    };
    format!(
        "<svg class=\"icon\" viewBox=\"0 0 16 16\" aria-hidden=\"true\"><circle cx=\"8\" cy=\"8\" r=\"7.5\"/>\
         <path d=\"{shape}\"/></svg>"
    )
}

fn badge(verdict: Verdict) -> String {
    format!("<span class=\"badge {}\">{} {}</span>", class(verdict), icon(verdict), verdict.words())
}

pub(super) fn duration(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() || s < 0.0 => "–".to_owned(),
        s if s < 0.0995 => format!("{:.0} ms", s * 1e3),
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 119.5 => format!("{s:.0} s"),
        s => format!("{:.0} min", s / 60.0),
    }
}
