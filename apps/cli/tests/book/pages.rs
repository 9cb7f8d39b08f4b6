//! Everything that the book says to type is typed here. `sh` blocks run line by line in a folder of their own for each page, `toml` blocks
//! are checked and run for two frames, links lead somewhere. Rust blocks are doctests of the `pliant` crate, Python blocks are run by
//! `book/tests/python_blocks.py`, `text` and `json` blocks are what programs print.
//!
//! A remark in the line before a block says what is special about it:
//!
//! - `<!-- not run: reason -->`: it cannot be; such blocks are listed below, so that none is added in passing;
//! - `<!-- exits with 2 -->`: that is what the page shows;
//! - `<!-- file: name.toml -->`: the scene is left there for the commands that follow;
//! - `<!-- fragment -->`: part of a scene, which is laid over a small one.

use crate::common;
use crate::markdown;

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{Folder, command, pliant, stderr, text};
use markdown::{Block, Page, pages, root};

/// Blocks that are not run, by page, in their order. Each has a reason on its page.
const NOT_RUN: &[(&str, usize)] = &[
    ("getting-started.md", 1),
    ("paper-adaptive.md", 1),
    ("paper-corotational.md", 1),
    ("paper-restrained.md", 1),
    ("paper-ropes.md", 1),
    ("python.md", 1),
];

/// Tables of scenes that are bodies.
const BODIES: [&str; 7] = ["springs", "pendulum", "cloth", "solid", "rope", "fluid", "peridynamic"];

/// What a fragment without a body is laid over.
const SMALL: &str = r#"
[[cloth]]
name = "sheet"
grid = { columns = 6, rows = 6, width = "30 cm", height = "30 cm", plane = "horizontal", origin = [-0.15, 0.5, -0.15] }
"#;

fn is_left_out(block: &Block) -> bool {
    block.remark.starts_with("not run:")
}

/// The words of a command line: quotes as in a shell, a comment ends it.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let (mut word, mut quote) = (None::<String>, None);
    for c in line.chars() {
        match (quote, c) {
            (Some(q), c) if c == q => quote = None,
            (Some(_), c) => word.get_or_insert_default().push(c),
            (None, '\'' | '"') => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => return words,
            (None, ' ') => words.extend(word.take()),
            (None, c) => word.get_or_insert_default().push(c),
        }
    }
    assert!(quote.is_none(), "a quote does not end: {line}");
    words.extend(word);
    words
}

fn run_line(line: &str, block: &Block, page: &Page, folder: &Folder) {
    let place = format!("{}:{}: {line}", page.name, block.line);
    let mut words = words(line);
    let program = ["cargo", "run", "--release", "--"];
    let skip = if words.starts_with(&program.map(str::to_owned)) { program.len() } else { 1 };
    assert!(skip > 1 || words[0] == "pliant", "{place}: only `pliant` and `cargo run --release --` can be run");
    let target = words.iter().position(|word| word == ">").map(|at| {
        let target = words[at + 1].clone();
        words.truncate(at);
        target
    });
    let output = command().args(&words[skip..]).current_dir(&folder.0).output().expect("the program can be started");
    let expected = block.remark.strip_prefix("exits with ").map_or(0, |code| code.parse().expect("a number"));
    assert_eq!(output.status.code(), Some(expected), "{place}\n{}", stderr(&output));
    if let Some(target) = target {
        folder.write(&target, output.stdout);
    }
}

/// Lays one table over another; arrays are replaced.
fn lay_over(base: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(toml::Value::Table(below)), toml::Value::Table(above)) => lay_over(below, above),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

fn run_scene(block: &Block, page: &Page, folder: &Folder) {
    let place = format!("{}:{}", page.name, block.line);
    let mut scene: toml::Table = block.text.parse().unwrap_or_else(|error| panic!("{place}: {error}"));
    if block.remark == "fragment" {
        let mut base: toml::Table = "version = 1\n[time]\nuntil = 0.04".parse().expect("it is TOML");
        lay_over(&mut base, scene);
        if !BODIES.iter().any(|body| base.contains_key(*body)) {
            lay_over(&mut base, SMALL.parse().expect("it is TOML"));
        }
        scene = base;
    }
    let name = block.remark.strip_prefix("file:").map_or("scene-of-the-page.toml", str::trim);
    let contents = if block.remark == "fragment" { scene.to_string() } else { block.text.clone() };
    let path = folder.write(name, contents);
    // frames of fast scenes are microseconds apart
    let fps =
        scene["time"].get("fps").and_then(|fps| fps.as_float().or(Some(fps.as_integer()? as f64))).unwrap_or(60.0);
    let until = format!("{}", 2.0 / fps);
    let out = folder.join("frames-of-the-page");
    let flags = ["--until", until.as_str(), "--format", "none", "--quiet", "--force", "--output", text(&out)];
    let output = pliant(&[&["run", text(&path)][..], &flags].concat());
    assert_eq!(output.status.code(), Some(0), "{place}: {}", stderr(&output));
}

fn try_page(page: &Page) {
    let folder = Folder::new(&format!("book-{}", page.name));
    for block in page.blocks().iter().filter(|block| !is_left_out(block)) {
        match block.language.as_str() {
            "sh" => {
                for line in block.text.lines().filter(|line| !words(line).is_empty()) {
                    run_line(line, block, page, &folder);
                }
            }
            "toml" => run_scene(block, page, &folder),
            "rust" | "python" | "text" | "json" => {}
            other => panic!("{}:{}: nobody runs blocks of {other:?}", page.name, block.line),
        }
    }
}

#[test]
fn every_command_and_scene_of_the_book_works() {
    let pages = pages();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(page) = pages.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let start = std::time::Instant::now();
                    try_page(page);
                    println!("{}: {:.1} s", page.name, start.elapsed().as_secs_f64());
                }
            });
        }
    });
}

#[test]
fn blocks_that_are_not_run_are_listed_with_their_reasons() {
    let mut found = Vec::new();
    for page in pages() {
        let left_out: Vec<Block> = page.blocks().into_iter().filter(is_left_out).collect();
        for block in &left_out {
            let reason = block.remark.trim_start_matches("not run:").trim();
            println!("{}:{}: not run: {reason}", page.name, block.line);
            assert!(reason.split(' ').count() > 2, "{}:{}: say why it is not run", page.name, block.line);
        }
        if !left_out.is_empty() {
            found.push((page.name.clone(), left_out.len()));
        }
    }
    let listed: Vec<(String, usize)> = NOT_RUN.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    assert_eq!(found, listed, "blocks that nobody runs have come or gone: put that right in NOT_RUN");
}

#[test]
fn links_and_pictures_lead_somewhere() {
    let pages = pages();
    for page in &pages {
        let folder = page.path.parent().expect("a page lies in a folder");
        for link in page.links() {
            if link.starts_with("https://") || link.starts_with("http://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { page.path.clone() } else { folder.join(file) };
            assert!(target.exists(), "{}: {link} is not there", page.name);
            if anchor.is_empty() {
                continue;
            }
            let name = target.file_name().expect("a link leads to a file").to_string_lossy().into_owned();
            if let Some(other) = pages.iter().find(|other| other.name == name) {
                assert!(other.anchors().iter().any(|a| a == anchor), "{}: no heading for {link}", page.name);
            }
        }
    }
}

#[test]
fn every_page_is_in_the_summary_and_in_plain_view() {
    let pages = pages();
    let summary = pages.iter().find(|page| page.name == "SUMMARY.md").expect("the book has a summary");
    let listed = summary.links();
    for page in pages.iter().filter(|page| page.name != "SUMMARY.md") {
        assert!(listed.contains(&page.name), "SUMMARY.md does not list {}", page.name);
        assert!(page.text.starts_with("# "), "{} does not begin with its title", page.name);
    }
    let size: u64 = walk(&root().join("book/src"));
    assert!(size < 1_500_000, "the book has grown to {size} bytes: pictures should be small");
}

/// Files of the repository that pages name, in the text.
#[test]
fn files_that_are_named_exist() {
    let tops = ["crates/", "apps/", "lab/", "benches/", "book/", "scenes/", "tests/"];
    for page in pages() {
        let text: String = page.text.split("```").step_by(2).collect();
        for name in text.split('`').filter(|quoted| !quoted.contains(' ')) {
            let named = tops.iter().any(|top| name.starts_with(top));
            assert!(!named || root().join(name).exists(), "{} names {name}, which is not there", page.name);
        }
    }
}

/// `[Key]` in the text is a citation of REFERENCES.bib.
#[test]
fn citations_are_in_the_references() {
    let references = std::fs::read_to_string(root().join("REFERENCES.bib")).expect("the references are there");
    let mut count = 0;
    for page in pages() {
        let text: String = page.text.split("```").step_by(2).flat_map(|part| part.split('`').step_by(2)).collect();
        for part in text.split('[').skip(1) {
            let Some((key, rest)) = part.split_once(']') else { continue };
            let is_key =
                key.starts_with(|c: char| c.is_ascii_uppercase()) && key.chars().all(|c| c.is_ascii_alphanumeric());
            if is_key && key != "Key" && !rest.starts_with('(') {
                assert!(references.contains(&format!("{{{key},")), "{}: [{key}] is not in REFERENCES.bib", page.name);
                count += 1;
            }
        }
    }
    assert!(count > 10, "only {count} citations");
}

/// Figures lie in folders of the experiments that drew them, and their pages say how to draw them again.
#[test]
fn figures_are_those_of_experiments() {
    for page in pages() {
        for link in page.links() {
            let Some((experiment, _)) = link.strip_prefix("figures/").and_then(|rest| rest.split_once('/')) else {
                continue;
            };
            let entry = pliant_lab::experiments().iter().find(|entry| entry.id == experiment);
            let entry = entry.unwrap_or_else(|| panic!("{}: {link} is of no experiment", page.name));
            let told =
                [entry.id, entry.paper].iter().any(|name| page.text.contains(&format!("pliant reproduce {name}")));
            let listed = page.text.lines().any(|line| line.starts_with("pliant reproduce") && line.contains(entry.id));
            assert!(told || listed, "{}: nothing says how {link} is made", page.name);
        }
    }
}

fn walk(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).expect("the folder can be read");
    let size = |path: std::path::PathBuf| match path.is_dir() {
        true => walk(&path),
        false => path.metadata().map_or(0, |data| data.len()),
    };
    entries.map(|entry| size(entry.expect("the folder can be read").path())).sum()
}

/// Rust blocks are doctests of the `pliant` crate, Python blocks those of one page that has its own runner.
#[test]
fn blocks_of_other_languages_are_run_elsewhere() {
    let library = std::fs::read_to_string(root().join("crates/pliant/src/lib.rs")).expect("the library is there");
    for page in pages() {
        let has = |language: &str| page.blocks().iter().any(|block| block.language == language);
        if has("rust") {
            // the page itself or, where links are not checked out as such, the path to it
            let link = std::fs::read_to_string(root().join("crates/pliant").join(&page.name)).unwrap_or_default();
            assert!(
                link == page.text || link == format!("../../book/src/{}", page.name),
                "crates/pliant/{0} is no link to book/src/{0}",
                page.name
            );
            let include = format!("include_str!(\"../{}\")", page.name);
            assert!(
                library.contains(&include),
                "crates/pliant/src/lib.rs does not test the Rust blocks of {}",
                page.name
            );
        }
        assert!(!has("python") || page.name == "python.md", "{}: Python blocks belong on python.md", page.name);
    }
}
