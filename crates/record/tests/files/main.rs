//! Files that are written and read.

mod atomic;
mod checkpoint;
mod common;
mod exports;
mod fragments;
mod growing;
mod vtu;
mod vtu_read;
