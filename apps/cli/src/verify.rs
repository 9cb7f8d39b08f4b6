//! `pliant verify`: whether the files of a result, or of a sweep, are there as they were written.

use std::path::PathBuf;

use clap::Args;
use pliant::integrity;

use crate::words::Changes;
use crate::{Outcome, print_line};

#[derive(Args)]
pub struct VerifyArgs {
    /// Folder of a result, or of a sweep
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub fn verify(args: &VerifyArgs) -> Outcome {
    let found = integrity::verify(&args.folder).map_err(|failure| Changes::default().failed(&failure))?;
    let (shown, files) = (args.folder.display(), found.files);
    print_line(&match found.is_complete {
        true => format!("{shown}: {files} files are as they were written"),
        false => format!("{shown}: unfinished; {files} files are as they were at the last checkpoint"),
    })
}
