//! A force of one's own: a well that pulls every particle of a net towards its centre, with energy, force and derivative.
//!
//! `cargo run --release --example own_force -- out/own_force`

use std::path::Path;

use pliant::core::{Jacobian, JacobianKind, View};
use pliant::linalg::pattern::Pattern;
use pliant::prelude::*;

/// `E = Σ -D exp(-r²/2s²)`, `f = -D/s² exp(-r²/2s²) r` with r from the centre.
struct Well {
    centre: DVec3,
    depth: f64, // J for each particle
    size: f64,  // m
    /// Where the diagonal blocks of the matrix are.
    diagonal: Vec<u32>,
}

impl Well {
    /// r, and D/s² exp(-r²/2s²).
    fn at(&self, x: DVec3) -> (DVec3, f64) {
        let (r, variance) = (x - self.centre, self.size * self.size);
        (r, self.depth / variance * (-0.5 * r.length_squared() / variance).exp())
    }
}

impl ForceModel for Well {
    fn name(&self) -> &'static str {
        "well"
    }

    fn energy(&mut self, view: &View) -> Option<f64> {
        Some(view.x.iter().map(|x| -self.at(*x).1 * self.size * self.size).sum())
    }

    fn add_force(&mut self, view: &View, out: &mut [DVec3]) {
        for (force, x) in out.iter_mut().zip(view.x) {
            let (r, strength) = self.at(*x);
            *force -= r * strength;
        }
    }

    fn bind(&mut self, pattern: &Pattern) {
        self.diagonal.clone_from(&pattern.diagonal);
    }

    /// `∂f/∂x = -strength (I - r rᵀ/s²)`; where only a semi-definite matrix can be used, the second part is left out.
    fn add_jacobian(&mut self, view: &View, kind: JacobianKind, out: &mut Jacobian) {
        for (x, position) in view.x.iter().zip(&self.diagonal) {
            let (r, strength) = self.at(*x);
            let outer = DMat3::from_cols(r * r.x, r * r.y, r * r.z) * (self.size * self.size).recip();
            let kept = if kind == JacobianKind::Psd { DMat3::ZERO } else { outer };
            out.stiffness.values[*position as usize] -= (DMat3::IDENTITY - kept) * strength;
        }
    }
}

/// Runs for some seconds; by how much the energy of net and well together has grown, as a part of the well's depth.
pub fn run(folder: &Path, until: f64) -> Result<f64, Box<dyn std::error::Error>> {
    let net = SpringBody::grid("net", "20 N/m", [12, 12], [0.4, 0.4]).horizontal().at([-0.2, 0.0, -0.2]).mass("5 g");
    let scene = Simulation::builder()
        .name("own_force")
        .gravity([0.0, 0.0, 0.0])
        .until(until)
        .integrator("tr-bdf2")
        .tolerance("10 um")
        .add(net)
        .force("well", |_, _| Well { centre: DVec3::new(0.0, 0.1, 0.0), depth: 2e-4, size: 0.1, diagonal: Vec::new() });
    let summary = scene.run(RunOptions::new(folder).replace())?;

    // the ledger books the energy of the well with that of the springs
    let gained = summary.ledger.integrator / (144.0 * 2e-4);
    println!("{} steps; the scheme gained {gained:.1e} of the well's depth in {until} s", summary.steps);
    Ok(gained)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "out/own_force".to_owned());
    run(Path::new(&folder), 2.0).map(drop)
}
