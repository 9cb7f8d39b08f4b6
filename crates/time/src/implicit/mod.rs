//! Implicit schemes. All of them solve the same stage equation ([`stage`]); they differ in its coefficients.

pub mod backward_euler;
pub mod bdf;
mod conserve;
mod convergence;
mod free_flight;
pub mod generalized_alpha;
mod line_search;
mod linear;
mod low_rank;
pub mod newmark;
mod newton;
mod restrained;
mod rigid;
pub mod stage;
pub mod tr_bdf2;
