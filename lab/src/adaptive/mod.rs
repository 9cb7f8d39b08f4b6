//! adaptive
pub mod method;
pub mod problem;
pub mod run;
pub mod scan;
