//! The commands of the program.

mod bad_input;
#[path = "../common/mod.rs"]
mod common;
mod convert;
mod crawl;
mod integrity;
mod kill;
mod lock;
mod odd_files;
mod pairs;
mod render;
mod reproduce;
mod sweep;
mod threads;
mod verified;
mod warnings;
