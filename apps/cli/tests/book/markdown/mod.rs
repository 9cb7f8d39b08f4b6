//! The pages of the book, taken apart: code blocks with the remark before them, links, and tables between marks.
#![allow(dead_code)]

use std::path::{Path, PathBuf};

/// A fenced block of code.
#[derive(Clone, Debug)]
pub struct Block {
    /// Line of its first fence, from 1.
    pub line: usize,
    /// What stands behind the fence: `sh`, `toml`, …
    pub language: String,
    /// The remark in the line before, `<!-- … -->`, without its brackets; empty where there is none.
    pub remark: String,
    pub text: String,
}

/// A page of the book.
#[derive(Clone, Debug)]
pub struct Page {
    /// The file's name in `book/src`.
    pub name: String,
    pub path: PathBuf,
    pub text: String,
}

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All pages, by name.
pub fn pages() -> Vec<Page> {
    let folder = root().join("book/src");
    let mut pages: Vec<Page> = std::fs::read_dir(&folder)
        .expect("the book is there")
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "md"))
        .map(|path| {
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}"));
            Page { name, path, text }
        })
        .collect();
    pages.sort_by(|a, b| a.name.cmp(&b.name));
    pages
}

impl Page {
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<Block> = None;
        let mut before = "";
        for (k, line) in self.text.lines().enumerate() {
            match (&mut open, line.strip_prefix("```")) {
                (Some(block), None) => {
                    block.text.push_str(line);
                    block.text.push('\n');
                }
                (Some(_), Some(_)) => blocks.extend(open.take()),
                (None, Some(language)) => {
                    let remark = before.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")).unwrap_or("");
                    let [language, remark] = [language, remark].map(|text| text.trim().to_owned());
                    open = Some(Block { line: k + 1, language, remark, text: String::new() });
                }
                (None, None) => {}
            }
            before = line;
        }
        assert!(open.is_none(), "{}: a block of code does not end", self.name);
        blocks
    }

    /// Targets of `[…](target)` and `![…](target)`, outside of code.
    pub fn links(&self) -> Vec<String> {
        let mut links = Vec::new();
        let mut in_code = false;
        for line in self.text.lines() {
            in_code ^= line.starts_with("```");
            if in_code {
                continue;
            }
            let plain: String = line.split('`').step_by(2).collect();
            links.extend(plain.split("](").skip(1).filter_map(|rest| Some(rest.split_once(')')?.0.to_owned())));
        }
        links
    }

    /// Headings as the anchors that mdBook and forges make of them.
    pub fn anchors(&self) -> Vec<String> {
        let heading = |line: &str| line.starts_with('#').then(|| line.trim_start_matches('#').trim().to_lowercase());
        let plain = |text: String| -> String {
            text.chars()
                .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'))
                .map(|c| if c == ' ' { '-' } else { c })
                .collect()
        };
        self.text.lines().filter_map(heading).map(plain).collect()
    }
}
