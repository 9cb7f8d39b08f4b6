//! `pliant new`: a commented scene to start from.

use std::io::Write as _;

use clap::Args;

use crate::{Outcome, print_line};

#[derive(Args)]
pub struct NewArgs {
    /// Name of the scene; the file is NAME.toml
    name: String,
}

const STARTER: &str = include_str!("starter.toml");

pub fn new(args: &NewArgs) -> Outcome {
    let file = if args.name.ends_with(".toml") { args.name.clone() } else { format!("{}.toml", args.name) };
    let cannot = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::AlreadyExists => (format!("{file} is there already; choose another name"), 2),
        _ => (format!("cannot write {file}: {error}"), 2),
    };
    let mut out = std::fs::File::create_new(&file).map_err(cannot)?;
    out.write_all(STARTER.as_bytes()).map_err(cannot)?;
    print_line(&format!("{file} written; run it with: pliant run {file}"))
}
