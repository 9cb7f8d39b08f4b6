//! Embeds every scene of the `scenes/` folder, so that adding a scene is adding a file.
//!
//! The folder beside this file is a link to the repository's, so that packages hold the scenes; where links are not checked out
//! as such, the repository's own is taken.

use std::fmt::Write as _;
use std::path::Path;

fn main() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders = [here.join("scenes"), here.join("../../scenes")];
    let folder =
        folders.iter().find(|folder| folder.is_dir()).expect("the scenes are in the package or in the repository");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .expect("the scenes folder can be read")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|file| file.strip_suffix(".toml").map(str::to_owned))
        .collect();
    names.sort();
    let mut code = String::from("&[\n");
    for name in names {
        let path = folder.join(format!("{name}.toml"));
        println!("cargo:rerun-if-changed={}", path.display());
        writeln!(code, "    ({name:?}, include_str!({:?})),", path.display().to_string()).expect("a string takes all");
    }
    code.push_str("]\n");
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("scenes.rs"), code).expect("OUT_DIR can be written");
}
