//! The book: every command and program in it, and its tables.

#[path = "../common/mod.rs"]
mod common;
mod markdown;
mod pages;
mod tables;
