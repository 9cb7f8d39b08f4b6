//! The repository: documents that name what exists, packages that are complete.

mod documents;
mod functions;
mod packages;
