//! The page of a report.

use super::{Experiment, Figure, Report, Table, Verdict, data_file};
use crate::plot::escape;

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
    out += &contents(&report.experiments);
    out += "</header>\n<main>\n";
    report.experiments.iter().for_each(|experiment| out += &section(experiment));
    out += "</main>\n</body>\n</html>\n";
    out
}

/// How many claims hold, and a line for each experiment.
fn contents(experiments: &[Experiment]) -> String {
    if experiments.is_empty() {
        return "<p class=\"empty\">No experiments were run.</p>\n".to_owned();
    }
    let count = |verdict| experiments.iter().filter(|experiment| experiment.verdict == verdict).count();
    let mut out = String::from("<ul class=\"totals\">\n");
    for (verdict, one, many) in [
        (Verdict::Holds, "claim holds", "claims hold"),
        (Verdict::HoldsPartly, "claim holds in part", "claims hold in part"),
        (Verdict::Fails, "claim does not hold", "claims do not hold"),
    ] {
        let number = count(verdict);
        if number > 0 {
            let words = if number == 1 { one } else { many };
            out += &format!("<li class=\"{}\"><b>{number}</b> {words}</li>\n", class(verdict));
        }
    }
    let seconds = experiments.iter().map(|experiment| experiment.seconds).sum();
    out +=
        &format!("<li><b>{}</b> of computing</li>\n</ul>\n<nav aria-label=\"Experiments\">\n<ol>\n", duration(seconds));
    for experiment in experiments {
        out += &format!(
            "<li>{}<a href=\"#{}\">{}</a><span class=\"paper\">{}</span><span class=\"seconds\">{}</span></li>\n",
            badge(experiment.verdict),
            experiment.id,
            escape(&experiment.title),
            escape(&experiment.paper),
            duration(experiment.seconds)
        );
    }
    out + "</ol>\n</nav>\n"
}

fn section(experiment: &Experiment) -> String {
    let Experiment { id, verdict, .. } = experiment;
    let mut out = format!(
        "<section id=\"{id}\" class=\"{}\">\n<h2><a href=\"#{id}\">{}</a></h2>\n\
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
    let row = |cells: &[String], tag: &str| -> String {
        let cell = |column: usize| {
            let class = if numeric[column] { " class=\"number\"" } else { "" };
            let scope = if tag == "th" { " scope=\"col\"" } else { "" };
            let text = cells.get(column).map_or("", String::as_str);
            format!("<{tag}{scope}{class}>{}</{tag}>", escape(text))
        };
        (0..columns).map(cell).collect()
    };
    let mut out = format!(
        "<figure class=\"table\">\n<figcaption>{} <a class=\"data\" href=\"{file}\">CSV</a></figcaption>\n\
         <div class=\"scroll\"><table>\n<thead><tr>{}</tr></thead>\n<tbody>\n",
        escape(&table.caption),
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
    let data = match figure.csv {
        Some(_) => format!(" <a class=\"data\" href=\"{file}.csv\">CSV</a>"),
        None => String::new(),
    };
    format!(
        "<figure><a href=\"{file}.svg\"><img src=\"{file}.svg\" alt=\"{caption}\" loading=\"lazy\"{}></a>\n\
         <figcaption>{caption}{data}</figcaption></figure>\n",
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

/// The verdict as a shape, for readers to whom the colours look alike.
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

fn duration(seconds: f64) -> String {
    match seconds {
        s if !s.is_finite() || s < 0.0 => "–".to_owned(),
        s if s < 0.0995 => format!("{:.0} ms", s * 1e3),
        s if s < 9.95 => format!("{s:.1} s"),
        s if s < 119.5 => format!("{s:.0} s"),
        s => format!("{:.0} min", s / 60.0),
    }
}
