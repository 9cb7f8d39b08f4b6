//! What the documents say is there is there.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Everything between back quotes that looks like a path.
#[test]
fn every_path_in_architecture_exists() {
    let text = read(&root().join("ARCHITECTURE.md")) + &read(&root().join("book/src/glossary.md"));
    let quoted = text.split('`').skip(1).step_by(2);
    let tops = ["crates", "apps", "lab", "benches", "scenes", "book"];
    let paths: Vec<&str> =
        quoted.filter(|q| tops.iter().any(|top| q == top || q.starts_with(&format!("{top}/")))).collect();
    assert!(paths.len() > 20, "the page names fewer paths than it did: {paths:?}");
    for path in paths {
        assert!(root().join(path).exists(), "ARCHITECTURE.md or the glossary names {path}, which is not there");
    }
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a source folder can be read") {
        let path = entry.expect("a folder entry can be read").path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "target") {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// `[Key]` with a capital in a comment is a citation; it must be in REFERENCES.bib, and every entry there must be cited.
#[test]
fn citations_and_references_match() {
    let bib = read(&root().join("REFERENCES.bib"));
    let known: BTreeSet<&str> =
        bib.lines().filter_map(|line| line.strip_prefix('@')?.split_once('{')?.1.strip_suffix(',')).collect();
    let mut files = Vec::new();
    ["crates", "apps", "lab"].iter().for_each(|top| sources(&root().join(top), &mut files));
    let mut cited = BTreeSet::new();
    for file in &files {
        let text = read(file);
        for comment in text.lines().filter_map(|line| line.trim_start().strip_prefix("//")) {
            for part in comment.split('[').skip(1) {
                let Some((key, rest)) = part.split_once(']') else { continue };
                let is_key = key.len() > 3
                    && key.starts_with(|c: char| c.is_ascii_uppercase())
                    && key.chars().all(|c| c.is_ascii_alphanumeric())
                    && !rest.starts_with('(');
                if is_key {
                    assert!(known.contains(key), "{}: [{key}] is not in REFERENCES.bib", file.display());
                    cited.insert(key.to_owned());
                }
            }
        }
    }
    for key in known {
        assert!(cited.contains(key), "nothing cites [{key}]");
    }
}

/// The names of the README's commands are those of real scenes.
#[test]
fn the_readme_runs_scenes_that_exist() {
    let text = read(&root().join("README.md"));
    let runs: Vec<&str> =
        text.lines().filter_map(|line| line.split_once("run --release -- run ")?.1.split_whitespace().next()).collect();
    assert!(!runs.is_empty());
    for name in runs {
        assert!(pliant::scene::builtin::find(name).is_some(), "README.md runs {name}, which is no built-in scene");
    }
}

/// Words that this project does not use: for people where particles are meant, out of use, or invented where the field has a term (see the glossary).
const AVOIDED: [&str; 15] = [
    "nobody",
    "somebody",
    "everybody",
    "anybody",
    "whoever",
    "anew",
    "reckoned",
    "nevertheless",
    "leash",
    "gaze",
    "free_way",
    "middling",
    "untold",
    "strayed",
    "stirred",
];

fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display())) {
        let path = entry.expect("a folder entry can be read").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if path.is_dir() && !["target", "tests", "node_modules", "__pycache__"].contains(&name) {
            texts(&path, found);
        } else if [".rs", ".md", ".toml", ".js", ".py", ".pyi", ".html"].iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
}

/// The text of code, book, scenes and pages; tests are left out, this list among them.
#[test]
fn texts_use_the_terms_of_the_field() {
    let mut files: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name)).into();
    ["crates", "apps", "lab", "benches", "book", "scenes"].iter().for_each(|top| texts(&root().join(top), &mut files));
    assert!(files.len() > 500, "fewer files than there were: {}", files.len());
    let mut found = Vec::new();
    for file in &files {
        for (number, line) in read(file).lines().enumerate() {
            let line = line.to_lowercase();
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let avoided = words.filter(|word| AVOIDED.contains(word));
            found.extend(avoided.map(|word| format!("{}:{}: {word}", file.display(), number + 1)));
        }
    }
    assert!(found.is_empty(), "{} words that the glossary has terms for:\n{}", found.len(), found.join("\n"));
}
