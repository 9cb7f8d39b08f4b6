//! A folder with the results of the experiments: one page, the plots, and the data behind both.
//!
//! ```text
//! index.html             contents with verdicts, then a chapter per paper, with each experiment: claim, verdict, tables, plots
//! <id>/<plot>.svg        each plot, and
//! <id>/<plot>.csv        every point in it
//! <id>/data.csv          the first table; data-2.csv, … the others
//! <id>/experiment.json   all of it, for a run that goes on with the report
//! ```
//!
//! The page is self-contained, pictures and data included: no script, no network, no other file, so that it can be sent by mail. Files are
//! written beside their final names and renamed, the page last, so a reader never sees half of one.

pub mod kept;
mod page;

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::plot::{Plot, csv_field};

/// The verdict on a paper's claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Verdict {
    /// We found what the paper says.
    Holds,
    /// The direction is right, but a number, a range or a condition is not.
    HoldsPartly,
    /// We found something else.
    Fails,
}

impl Verdict {
    /// The verdict in one or two words: `holds`, `holds in part`, `does not hold`.
    pub fn words(self) -> &'static str {
        match self {
            Self::Holds => "holds",
            Self::HoldsPartly => "holds in part",
            Self::Fails => "does not hold",
        }
    }
}

/// A table of text; columns with nothing but numbers are set as numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    caption: String,
    headers: Vec<String>,
    rows: Vec<(Vec<String>, bool)>,
}

impl Table {
    /// A table without rows.
    pub fn new<H: Into<String>>(caption: impl Into<String>, headers: impl IntoIterator<Item = H>) -> Self {
        Self { caption: caption.into(), headers: headers.into_iter().map(Into::into).collect(), rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row<C: Into<String>>(mut self, cells: impl IntoIterator<Item = C>) -> Self {
        self.push(cells);
        self
    }

    /// Adds a row that stands out: the one to look at.
    pub fn emphasized_row<C: Into<String>>(mut self, cells: impl IntoIterator<Item = C>) -> Self {
        self.rows.push((cells.into_iter().map(Into::into).collect(), true));
        self
    }

    /// Adds a row in a loop.
    pub fn push<C: Into<String>>(&mut self, cells: impl IntoIterator<Item = C>) {
        self.rows.push((cells.into_iter().map(Into::into).collect(), false));
    }

    /// The table as CSV, headers first.
    pub fn to_csv(&self) -> String {
        let line = |cells: &[String]| cells.iter().map(|cell| csv_field(cell)).collect::<Vec<_>>().join(",") + "\n";
        std::iter::once(&self.headers)
            .chain(self.rows.iter().map(|(cells, _)| cells))
            .map(|cells| line(cells))
            .collect()
    }
}

/// A plot in the report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Figure {
    /// The name of the file, without folder or ending.
    pub file: String,
    /// What to see in it.
    pub caption: String,
    /// The picture.
    pub svg: String,
    /// The data in it, as CSV.
    pub csv: Option<String>,
}

impl Figure {
    /// The picture of a plot, and its data.
    pub fn new(file: impl Into<String>, caption: impl Into<String>, plot: &Plot) -> Self {
        Self { file: file.into(), caption: caption.into(), svg: plot.render(), csv: Some(plot.to_csv()) }
    }
}

/// One claim, and what we found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Experiment {
    /// Names the folder and the place on the page: letters, digits, `-` and `_`.
    pub id: String,
    /// The heading.
    pub title: String,
    /// The paper and place that the claim comes from.
    pub paper: String,
    /// The claim, in a sentence.
    pub claim: String,
    /// What became of it.
    pub verdict: Verdict,
    /// What we did and found, as HTML. The only text here that is not escaped.
    pub summary_html: String,
    /// Numbers.
    pub tables: Vec<Table>,
    /// Pictures.
    pub plots: Vec<Figure>,
    /// How long it took, in seconds.
    pub seconds: f64,
}

/// A chapter of a report: a paper, or a goal of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chapter {
    /// The place on the page.
    pub id: &'static str,
    /// The heading.
    pub title: &'static str,
    /// Its authors, and where it appeared; empty where it is a goal of ours.
    pub source: &'static str,
    /// What it says, in a sentence or two.
    pub about: &'static str,
    /// The built-in scene that shows it.
    pub scene: &'static str,
}

/// A chapter with its experiments.
#[derive(Clone, Debug)]
struct Part {
    chapter: &'static Chapter,
    /// A picture of its scene, as PNG.
    still: Option<Vec<u8>>,
    experiments: Vec<Experiment>,
}

/// The experiments of one run.
#[derive(Clone, Debug)]
pub struct Report {
    title: String,
    intro_html: String,
    /// What it was made with: a name and a value each.
    made: Vec<(String, String)>,
    /// In the order of the page.
    chapters: &'static [Chapter],
    parts: Vec<Part>,
}

impl Report {
    /// A report without experiments, with the chapters that they may have, in order.
    pub fn new(title: impl Into<String>, chapters: &'static [Chapter]) -> Self {
        Self { title: title.into(), intro_html: String::new(), made: Vec::new(), chapters, parts: Vec::new() }
    }

    /// Sets the text below the title, as HTML that is not escaped.
    pub fn intro(mut self, html: impl Into<String>) -> Self {
        self.intro_html = html.into();
        self
    }

    /// Records what it was made with: the command, the machine.
    pub fn made_with(mut self, made: Vec<(String, String)>) -> Self {
        self.made = made;
        self
    }

    fn part(&mut self, chapter: &'static Chapter) -> &mut Part {
        let chapters = self.chapters;
        let order = |id: &str| chapters.iter().position(|one| one.id == id);
        let at = self.parts.partition_point(|part| order(part.chapter.id) < order(chapter.id));
        if self.parts.get(at).is_none_or(|part| part.chapter.id != chapter.id) {
            self.parts.insert(at, Part { chapter, still: None, experiments: Vec::new() });
        }
        &mut self.parts[at]
    }

    /// Adds an experiment; they appear in this order in their chapters.
    pub fn push(&mut self, chapter: &'static Chapter, experiment: Experiment) {
        self.part(chapter).experiments.push(experiment);
    }

    /// Shows a picture at the head of a chapter, as PNG.
    pub fn show(&mut self, chapter: &'static Chapter, still: Vec<u8>) {
        self.part(chapter).still = Some(still);
    }

    /// How long all experiments together took to compute, as the page says it.
    pub fn computing(&self) -> String {
        page::duration(self.experiments().map(|experiment| experiment.seconds).sum())
    }

    /// The experiments so far.
    pub fn experiments(&self) -> impl Iterator<Item = &Experiment> {
        self.parts.iter().flat_map(|part| &part.experiments)
    }

    /// Writes the folder, making it if need be. Other files in it stay. Errors name the path.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        self.check_names()?;
        make_folder(folder)?;
        for experiment in self.experiments() {
            let inner = folder.join(&experiment.id);
            make_folder(&inner)?;
            for (i, table) in experiment.tables.iter().enumerate() {
                write_file(&inner.join(data_file(i)), &table.to_csv())?;
            }
            for figure in &experiment.plots {
                write_file(&inner.join(format!("{}.svg", figure.file)), &figure.svg)?;
                if let Some(csv) = &figure.csv {
                    write_file(&inner.join(format!("{}.csv", figure.file)), csv)?;
                }
            }
            kept::keep(folder, experiment)?;
        }
        write_file(&folder.join("index.html"), &page::html(self))
    }

    /// Names become paths, so they must be plain and must not meet.
    fn check_names(&self) -> io::Result<()> {
        let wrong = |message: String| Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        let plain =
            |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        let mut ids = HashSet::new();
        for Experiment { id, plots, tables, .. } in self.experiments() {
            if !plain(id) {
                return wrong(format!("experiment \"{id}\": an id has only letters, digits, - and _"));
            }
            if !ids.insert(id) {
                return wrong(format!("experiment \"{id}\" is in the report twice"));
            }
            let mut files: HashSet<String> = (0..tables.len()).map(data_file).collect();
            for Figure { file, .. } in plots {
                if !plain(file) {
                    return wrong(format!("plot \"{file}\" of {id}: a name has only letters, digits, - and _"));
                }
                if !files.insert(format!("{file}.csv")) {
                    return wrong(format!("{id} would write {file}.csv twice"));
                }
            }
        }
        Ok(())
    }
}

/// The file of an experiment's table.
fn data_file(index: usize) -> String {
    if index == 0 { "data.csv".to_owned() } else { format!("data-{}.csv", index + 1) }
}

fn make_folder(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder).map_err(|error| named(folder, &error))
}

fn write_file(path: &Path, text: &str) -> io::Result<()> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(".part");
    fs::write(&unfinished, text).and_then(|()| fs::rename(&unfinished, path)).map_err(|error| named(path, &error))
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests;
