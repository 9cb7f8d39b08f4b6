//! What manifests say holds: no dependency that nothing uses, and every package says what it is and under which licences.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The folders of all crates, the Python package's too.
fn crates() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        ["apps/cli", "apps/viewer", "apps/python", "lab", "benches"].map(|name| root().join(name)).into();
    let parts = std::fs::read_dir(root().join("crates")).expect("the crates can be listed");
    found.extend(parts.map(|entry| entry.expect("an entry can be read").path()).filter(|path| path.is_dir()));
    assert!(found.len() > 14, "fewer crates than there were: {found:?}");
    found
}

/// The lines of a section of a manifest. Sections are plain tables here; a test of names needs no parser.
fn section<'a>(manifest: &'a str, name: &str) -> Vec<&'a str> {
    let header = format!("[{name}]");
    let lines = manifest.lines().skip_while(|line| *line != header).skip(1);
    lines.take_while(|line| !line.starts_with('[')).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}

/// Dependencies by the names that they have in code, but for those below a comment that says `not used` and why, up to an empty line.
fn dependencies(manifest: &str, name: &str) -> Vec<String> {
    let (plain, table) = (format!("[{name}]"), format!("[{name}."));
    let (mut header, mut is_excused, mut found) = ("", false, Vec::new());
    for line in manifest.lines() {
        if line.is_empty() || line.starts_with('#') {
            is_excused = !line.is_empty() && (is_excused || line.to_lowercase().starts_with("# not used"));
            continue;
        }
        let named = match line.starts_with('[') {
            true => line.strip_prefix(&table),
            false => (header == plain).then_some(line),
        };
        if line.starts_with('[') {
            header = line;
        }
        found.extend(named.filter(|_| !is_excused).and_then(|line| line.split(['.', ' ', '=', ']']).next()));
    }
    found.iter().map(|name| name.replace('-', "_")).collect()
}

/// The code below folders, without comments that fill a line.
fn code(folders: &[PathBuf]) -> String {
    let mut text = String::new();
    for folder in folders {
        for entry in std::fs::read_dir(folder).into_iter().flatten() {
            let path = entry.expect("an entry can be read").path();
            if path.is_dir() {
                text += &code(&[path]);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let file = read(&path);
                file.lines().filter(|line| !line.trim_start().starts_with("//")).for_each(|line| {
                    text += line;
                    text.push('\n');
                });
            }
        }
    }
    text
}

/// Whether code names a crate: `name::`, `use name;`, `use name as`.
fn names(code: &str, name: &str) -> bool {
    code.match_indices(name).any(|(at, _)| {
        let before = code[..at].chars().next_back();
        let after = &code[at + name.len()..];
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
            && ["::", ";", " as "].iter().any(|follows| after.starts_with(follows))
    })
}

#[test]
fn every_dependency_is_used() {
    let mut unused = Vec::new();
    for folder in crates() {
        let manifest = read(&folder.join("Cargo.toml"));
        let source = code(&[folder.join("src")]);
        let tests = code(&["tests", "examples", "benches"].map(|name| folder.join(name))) + &source;
        let own = dependencies(&manifest, "dependencies");
        for name in own.iter().filter(|name| !names(&source, name)) {
            unused.push(format!("{}: {name} in src", folder.display()));
        }
        for name in dependencies(&manifest, "dev-dependencies") {
            if !names(&tests, &name) || own.contains(&name) {
                unused.push(format!("{}: {name} for tests", folder.display()));
            }
        }
    }
    assert!(unused.is_empty(), "nothing needs {unused:#?}");
    let manifest = read(&root().join("Cargo.toml"));
    let shared = dependencies(&manifest, "workspace.dependencies");
    assert!(shared.len() > 20, "fewer dependencies than there were: {shared:?}");
    let manifests: String = crates().iter().map(|folder| read(&folder.join("Cargo.toml"))).collect();
    for line in section(&manifest, "workspace.dependencies") {
        let name = line.split(' ').next().expect("a line has a beginning");
        assert!(manifests.contains(&format!("\n{name}.workspace = true")), "no crate takes {name} from the workspace");
    }
}

#[test]
fn packages_say_what_they_are() {
    let mut told = Vec::new();
    for folder in crates() {
        let manifest = read(&folder.join("Cargo.toml"));
        let package = section(&manifest, "package");
        if package.contains(&"publish = false") {
            continue;
        }
        let value = |key: &str| package.iter().find(|line| line.split([' ', '.']).next() == Some(key));
        for key in ["description", "license", "rust-version", "categories", "keywords", "readme", "exclude"] {
            assert!(value(key).is_some(), "{}: no {key}", folder.display());
        }
        told.push(value("description").expect("it was asked for").to_string());
        for licence in ["LICENSE-MIT", "LICENSE-APACHE"] {
            // the licence itself or, where links are not checked out as such, the path to it
            let text = read(&folder.join(licence));
            let path = text.ends_with(licence) && text.starts_with("../");
            assert!(path || text == read(&root().join(licence)), "{}: {licence} is no link", folder.display());
        }
    }
    told.sort();
    let all = told.len();
    told.dedup();
    assert_eq!((told.len(), all), (19, 19), "every package has a description of its own");
}

/// What sources embed from outside of their crate is not in its package, nor is what stands in folders that are left out.
#[test]
fn sources_embed_only_what_is_packaged() {
    let mut embedded = 0;
    for folder in crates() {
        let mut found = Vec::new();
        embeds(&folder.join("src"), 0, &mut found);
        embedded += found.len();
        for (file, depth, path) in found {
            let up = path.matches("../").count();
            let inside = up <= depth && !(up == depth && path.contains("../tests/"));
            assert!(inside, "{} embeds {path}, which its package does not hold", file.display());
        }
    }
    assert!(embedded > 10, "the search for what is embedded finds nothing any more");
}

/// Every `include_str!` and `include_bytes!` below a folder: the file, how many folders it lies below the crate's, the path that it names.
fn embeds(folder: &Path, depth: usize, found: &mut Vec<(PathBuf, usize, String)>) {
    for entry in std::fs::read_dir(folder).expect("sources can be listed") {
        let path = entry.expect("an entry can be read").path();
        if path.is_dir() {
            embeds(&path, depth + 1, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = read(&path);
            for opening in ["include_str!(\"", "include_bytes!(\""] {
                let named = text.split(opening).skip(1).filter_map(|rest| rest.split('"').next());
                found.extend(named.map(|name| (path.clone(), depth + 1, name.to_owned())));
            }
        }
    }
}

#[test]
fn the_changelog_has_the_version() {
    let manifest = read(&root().join("Cargo.toml"));
    let version = section(&manifest, "workspace.package").iter().find_map(|line| line.strip_prefix("version = "));
    let version = version.expect("the workspace has a version").trim_matches('"');
    let changelog = read(&root().join("CHANGELOG.md"));
    assert!(changelog.contains(&format!("\n## {version} (")), "CHANGELOG.md says nothing of {version}");
    for line in section(&manifest, "workspace.dependencies").iter().filter(|line| line.contains("path = ")) {
        assert!(line.contains(&format!("version = \"{version}\"")), "another version than {version}: {line}");
    }
}
