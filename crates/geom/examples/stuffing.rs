//! How good the tetrahedra of some surfaces are, and how long they take: `cargo run --release -p pliant-geom --example stuffing`.

use pliant_geom::shapes::{BadShape, bunny, icosphere, liver, torus};
use pliant_geom::stuffing::{embed, tetrahedralize};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let all = || -> Result<_, BadShape> {
        Ok([
            ("sphere", icosphere(0.5, 5)?, 0.07),
            ("torus", torus(0.4, 0.15, 96, 48)?, 0.05),
            ("bunny", bunny(1.0, 0.02)?, 0.044),
            ("liver", liver(0.2, 0.003)?, 0.008),
            ("fine liver", liver(0.2, 0.003)?, 0.003),
        ])
    };
    for (name, surface, spacing) in all()? {
        let start = Instant::now();
        let stuffed = tetrahedralize(&surface, spacing)?;
        let filled = start.elapsed().as_secs_f64();
        let anchors = embed(&stuffed.points, &stuffed.tets, &surface.points)?;
        let embedded = start.elapsed().as_secs_f64() - filled;
        println!("{name}, {} triangles: {}", surface.triangles.len(), stuffed.quality);
        println!("    {filled:.3} s, and {embedded:.3} s to tie {} vertices to them", anchors.len());
    }
    Ok(())
}
