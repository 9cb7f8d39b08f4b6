//! Known answers from textbooks, papers and experiments.

mod cloth;
mod contact;
mod fluid;
mod fracture;
mod knot;
mod plectoneme;
mod rope;
mod rope_contact;
mod rope_ring;
mod solid;
mod solid_dynamics;
mod start_gap;
mod suture;
mod ten_surfaces;
