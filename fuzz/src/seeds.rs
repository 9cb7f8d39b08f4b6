//! The first inputs of a target: the files of its folder in `corpus`, and the built-in scenes.

use std::path::{Path, PathBuf};

/// First inputs in the order of their names; `root` is the folder of the repository.
///
/// # Panics
/// If there are none, or they cannot be read.
pub fn seeds(root: &Path, target: &str) -> Vec<Vec<u8>> {
    let mut found = files(&root.join("fuzz/corpus").join(target));
    if target == "scene" {
        // Small scenes are built; the built-in ones, of which there are many more, are only checked.
        found = vec![found; 8].concat();
        found.extend(files(&root.join("scenes")));
    }
    assert!(!found.is_empty(), "{target} has no first inputs");
    found
}

fn files(folder: &Path) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut names: Vec<_> =
        entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|path| path.is_file()).collect();
    names.sort();
    let read = |path: PathBuf| std::fs::read(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    names.into_iter().map(read).collect()
}
