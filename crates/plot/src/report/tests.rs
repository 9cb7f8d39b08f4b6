//! What is written, and what is refused.

use std::path::PathBuf;

use super::*;

const CHAPTERS: &[Chapter] = &[
    Chapter {
        id: "intro",
        title: "Introduction",
        source: "Author, Title",
        about: "It begins.",
        scene: "orbiting-ball",
    },
    Chapter { id: "fluid", title: "Fluids", source: "", about: "They flow.", scene: "dam-break" },
];

fn chapter(id: &str) -> Option<&'static Chapter> {
    CHAPTERS.iter().find(|chapter| chapter.id == id)
}

/// A folder of its own for a test, removed at the end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("pliant-report-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        Self(folder)
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn experiment(id: &str) -> Experiment {
    let plot = Plot::new("P <1>").line("a", &[(0.0, 1.0), (1.0, 2.0)]);
    Experiment {
        id: id.to_owned(),
        title: "Title & <more>".to_owned(),
        paper: "Paper \"2\"".to_owned(),
        claim: "x < y".to_owned(),
        verdict: Verdict::HoldsPartly,
        summary_html: "<p>kept <em>as is</em></p>".to_owned(),
        tables: vec![
            Table::new("Steps & <such>", ["scheme", "steps"]).row(["a<b", "10"]).emphasized_row(["c", "200"]),
            Table::new("More", ["n"]).row(["1"]),
        ],
        plots: vec![Figure::new("curve", "A \"curve\"", &plot)],
        seconds: 1.25,
    }
}

#[test]
fn the_folder_holds_page_pictures_and_data() {
    let folder = Scratch::new("folder");
    let mut report = Report::new("Report <1>", CHAPTERS).intro("<p>hello</p>");
    let [fluid, intro] = ["fluid", "intro"].map(|id| chapter(id).unwrap());
    report.push(fluid, experiment("one"));
    report.push(intro, Experiment { verdict: Verdict::Fails, ..experiment("two") });
    report.show(fluid, b"picture".to_vec());
    let report = report.made_with(vec![("Machine".into(), "a <b>".into())]);
    report.write(&folder.0).unwrap();
    report.write(&folder.0).unwrap();
    let page = folder.read("index.html");
    for part in [
        "<title>Report &lt;1&gt;</title>",
        "<p>hello</p>",
        "<a href=\"#one\">Title &amp; &lt;more&gt;</a>",
        "x &lt; y",
        "The claim holds in part.",
        "The claim does not hold.",
        "<p>kept <em>as is</em></p>",
        "<td class=\"name\">a&lt;b</td><td class=\"number\">10</td>",
        "<tr class=\"emphasis\"><td class=\"name\">c</td>",
        "<dt>Machine</dt><dd>a &lt;b&gt;</dd>",
        "download=\"one-data.csv\" href=\"data:text/csv;base64,",
        "download=\"two-data-2.csv\" href=\"data:text/csv;base64,bgoxCg==\"",
        "<img src=\"data:image/png;base64,cGljdHVyZQ==\" alt=\"dam-break\">",
        "<img src=\"data:image/svg+xml;base64,",
        "alt=\"A &quot;curve&quot;\" width=\"540\" height=\"370\">",
        "download=\"one-curve.csv\"",
        "1.2 s",
    ] {
        assert!(page.contains(part), "{part}\n{page}");
    }
    let addresses = page.split("href=\"").chain(page.split("src=\"")).filter(|rest| !rest.starts_with("<!doctype"));
    for address in addresses {
        assert!(address.starts_with("data:") || address.starts_with('#'), "the page needs another file: {address:.60}");
    }
    let places = ["id=\"intro\"", "id=\"two\"", "id=\"fluid\"", "id=\"one\""].map(|id| page.find(id).unwrap());
    assert!(places.is_sorted(), "chapters are in the order of the papers");
    assert_eq!(folder.read("one/data.csv"), "scheme,steps\na<b,10\nc,200\n");
    assert_eq!(folder.read("two/data-2.csv"), "n\n1\n");
    assert!(folder.read("one/curve.svg").starts_with("<svg"));
    assert_eq!(folder.read("one/curve.csv"), "series,x,y\na,0.0,1.0\na,1.0,2.0\n");
    let left = fs::read_dir(folder.0.join("one")).unwrap();
    assert!(left.flatten().all(|entry| !entry.file_name().to_string_lossy().ends_with(".part")));
}

#[test]
fn an_empty_report_is_a_page() {
    let folder = Scratch::new("empty");
    Report::new("Nothing", CHAPTERS).write(&folder.0).unwrap();
    assert!(folder.read("index.html").contains("No experiments were run."));
}

#[test]
fn names_that_make_no_path_are_refused() {
    let folder = Scratch::new("names");
    let message = |change: &dyn Fn(&mut Experiment), count: usize| {
        let mut report = Report::new("R", CHAPTERS);
        for _ in 0..count {
            let mut one = experiment("one");
            change(&mut one);
            report.push(chapter("intro").unwrap(), one);
        }
        let error = report.write(&folder.0).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput);
        error.to_string()
    };
    assert!(message(&|one| one.id = "../x".to_owned(), 1).contains("\"../x\""));
    assert!(message(&|one| one.id = String::new(), 1).contains("letters"));
    assert!(message(&|_| {}, 2).contains("twice"));
    assert!(message(&|one| one.plots[0].file = "a/b".to_owned(), 1).contains("\"a/b\""));
    assert!(message(&|one| one.plots[0].file = "data".to_owned(), 1).contains("data.csv twice"));
    assert!(!folder.0.exists(), "refused before anything is written");
}

#[test]
fn errors_name_the_path() {
    let folder = Scratch::new("errors");
    fs::create_dir_all(&folder.0).unwrap();
    fs::write(folder.0.join("one"), "in the way").unwrap();
    let mut report = Report::new("R", CHAPTERS);
    report.push(chapter("intro").unwrap(), experiment("one"));
    let error = report.write(&folder.0).unwrap_err().to_string();
    assert!(error.contains(&folder.0.join("one").display().to_string()), "{error}");
}

#[test]
fn csv_is_quoted_where_it_must_be() {
    let table = Table::new("t", ["a,b", "c"]).row(["say \"x\"", "two\nlines"]);
    assert_eq!(table.to_csv(), "\"a,b\",c\n\"say \"\"x\"\"\",\"two\nlines\"\n");
}
