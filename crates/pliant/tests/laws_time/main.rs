//! Laws of time integration: orders, stability, conservation, replay, the energy budget.

mod frames;
mod free_flight;
mod ledger;
mod live;
mod loads;
mod long_rope;
mod order;
mod post_step;
mod references;
mod replay;
mod rest;
mod solvers;
mod stability;
mod symplectic;
mod threads;
mod verified;
