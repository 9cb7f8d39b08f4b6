//! Runs the program as a user would.
#![allow(dead_code)]

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder of its own that goes away with the test.
pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("pliant-test-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("the temporary folder can be written");
        Self(path)
    }

    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.join(name);
        std::fs::write(&path, contents).expect("the temporary folder can be written");
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn command() -> Command {
    Command::new(env!("CARGO_BIN_EXE_pliant"))
}

pub fn pliant(arguments: &[&str]) -> Output {
    command().args(arguments).output().expect("the program can be started")
}

pub fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn text(path: &Path) -> &str {
    path.to_str().expect("temporary paths are UTF-8")
}

/// The JSON object on the last line of standard output.
pub fn summary(output: &Output) -> serde_json::Value {
    let stdout = String::from_utf8_lossy(&output.stdout);
    let last = stdout.lines().last().unwrap_or_else(|| panic!("no output; stderr: {}", stderr(output)));
    serde_json::from_str(last).expect("the last line is JSON")
}

/// The rows of a probes.csv, header left out.
pub fn rows(path: &Path) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(path).expect("probes.csv is there");
    let number = |cell: &str| cell.parse().unwrap_or_else(|_| panic!("{cell:?} is no number"));
    text.lines().skip(1).map(|line| line.split(',').map(number).collect()).collect()
}
