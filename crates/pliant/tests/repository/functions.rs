//! Physics calls no elementary function of the C library, directly or through glam: its bits differ between systems. `pliant_scalar::math` has them.

use std::path::{Path, PathBuf};

/// The crates on which the bits of a state depend.
const CRATES: [&str; 7] = ["core", "display", "forces", "geom", "linalg", "parallel", "time"];

/// Functions of `f64`, as methods and as paths.
const OF_NUMBERS: &[&str] = &[
    "sin", "cos", "tan", "sin_cos", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
    "exp", "exp2", "exp_m1", "ln", "ln_1p", "log", "log2", "log10", "powf", "cbrt", "hypot",
];

/// Functions of glam that call them.
const OF_GLAM: &[&str] = &[
    "from_axis_angle",
    "from_scaled_axis",
    "from_rotation_x",
    "from_rotation_y",
    "from_rotation_z",
    "from_angle",
    "from_euler",
    "to_euler",
    "to_axis_angle",
    "to_scaled_axis",
    "angle_between",
    "angle_to",
    "to_angle",
    "slerp",
    "rotate_towards",
    "rotate_x",
    "rotate_y",
    "rotate_z",
];

/// The sources below a module's folder that are compiled outside tests.
fn sources(folder: &Path, found: &mut Vec<(PathBuf, String)>) {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut of_tests = Vec::new();
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for path in entries.map(|entry| entry.expect("an entry can be read").path()) {
        if path.is_dir() {
            folders.push(path);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = std::fs::read_to_string(&path).expect("a source can be read");
            let declared = text.split("#[cfg(test)]\n").skip(1).filter_map(|rest| {
                let (name, _) =
                    rest.trim_start_matches("pub(crate) ").strip_prefix("mod ")?.lines().next()?.split_once(';')?;
                // the module of `a.rs` is in `a/`, that of `mod.rs` and `lib.rs` beside it
                let stem = path.file_stem().unwrap_or_default();
                let beside = ["mod", "lib", "main"].iter().any(|name| stem == *name);
                Some(if beside { folder.join(name) } else { folder.join(stem).join(name) })
            });
            of_tests.extend(declared);
            files.push((path, text));
        }
    }
    for inner in folders {
        sources(&inner, found);
    }
    found.extend(files);
    found.retain(|(path, _)| {
        !of_tests.iter().any(|module| path.with_extension("") == *module || path.starts_with(module))
    });
}

/// The code of a file without comments and without its tests, which are its last module.
fn code(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_tests = |rest: &str| rest.lines().next().is_some_and(|line| line.starts_with("mod ") && line.ends_with('{'));
    let ends = text.match_indices("#[cfg(test)]\n").find(|(at, head)| is_tests(&text[at + head.len()..]));
    let lines = text[..ends.map_or(text.len(), |(at, _)| at)].lines().enumerate();
    lines.map(|(at, line)| (at + 1, line.split("//").next().unwrap_or_default()))
}

/// Whether a line calls a function as a method or by its path, but not our own.
fn calls(line: &str, name: &str) -> bool {
    line.match_indices(name).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + name.len()..]);
        let is_path = ["f64::", "f32::", "DQuat::", "DMat3::", "DMat2::", "DVec2::", "DVec3::"]
            .iter()
            .any(|of| before.ends_with(of));
        (before.ends_with('.') && after.starts_with('('))
            || (is_path && !after.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
    })
}

#[test]
fn physics_has_no_function_of_the_c_library() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for name in CRATES {
        sources(&root.join("crates").join(name).join("src"), &mut found);
    }
    assert!(found.len() > 200, "fewer sources than there were: {}", found.len());
    let mut faults = Vec::new();
    for (path, text) in &found {
        for (at, line) in code(text) {
            let called = OF_NUMBERS.iter().chain(OF_GLAM).find(|name| calls(line, name));
            faults.extend(called.map(|name| format!("{}:{at}: {name}", path.display())));
        }
    }
    assert!(faults.is_empty(), "use `pliant_scalar::math`:\n{}", faults.join("\n"));
}

#[test]
fn calls_are_recognised() {
    assert!(
        calls("let y = (0.5 * x).sin();", "sin")
            && calls("x.map(f64::cos)", "cos")
            && calls("DQuat::from_rotation_x(a)", "from_rotation_x")
    );
    assert!(
        !calls("math::sin(x)", "sin")
            && !calls("self.cos", "cos")
            && !calls("x.cosine()", "cos")
            && !calls("a.sin_cos()", "sin")
    );
}
