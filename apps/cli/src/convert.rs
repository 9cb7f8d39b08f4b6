//! `pliant convert`: mesh files from one format to another. Points keep their order, so the ids of particles do too; numbers of vertices
//! (velocities, colours, …) go from PLY and VTU to PLY, and are dropped, with a message, where the output cannot hold them.

use std::path::PathBuf;

use clap::Args;
use pliant::geom::stuffing::tetrahedralize;
use pliant::geom::topology::TriangleMesh;
use pliant::mesh::{Mesh, TetMesh};
use pliant::record::read_mesh;

use crate::Outcome;

#[derive(Args)]
pub struct ConvertArgs {
    /// The mesh to read: .obj, .ply, .stl, or .vtu (frames that Pliant wrote)
    input: PathBuf,
    /// The mesh to write: .obj, or .ply, which also keeps the numbers of every vertex that a .ply or .vtu holds
    output: PathBuf,
    /// Fill a closed surface with tetrahedra whose edges are about so long, m; the output is a .vtu
    #[arg(long, value_name = "SPACING")]
    tets: Option<f64>,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    /// Say nothing when all went well
    #[arg(short, long)]
    quiet: bool,
}

pub fn convert(args: &ConvertArgs) -> Outcome {
    let bad = |message: String| (message, 2);
    if args.output.exists() && !args.force {
        return Err(bad(format!("{} is there already; --force replaces it", args.output.display())));
    }
    if let Some(spacing) = args.tets {
        return fill(args, spacing).map_err(bad);
    }
    Mesh::check_writable(&args.output).map_err(|error| bad(error.to_string()))?;
    let mesh = read_mesh(&args.input).map_err(|error| bad(error.to_string()))?;
    mesh.write(&args.output).map_err(|error| bad(error.to_string()))?;
    if !args.quiet {
        let (points, faces, edges) = (mesh.points.len(), mesh.faces.len(), mesh.edges.len());
        tell!("{}: {points} points, {faces} faces, {edges} edges", args.output.display());
        let names: Vec<&str> = mesh.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
        let is_ply = args.output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ply"));
        if !names.is_empty() && !is_ply {
            tell!("OBJ has no place for the numbers of vertices; left out: {}", names.join(", "));
        }
    }
    Ok(())
}

/// A surface to the tetrahedra inside of it.
fn fill(args: &ConvertArgs, spacing: f64) -> Result<(), String> {
    let mesh = read_mesh(&args.input).map_err(|error| error.to_string())?;
    let surface = TriangleMesh { triangles: mesh.triangles(), points: mesh.points };
    let filled = tetrahedralize(&surface, spacing).map_err(|error| format!("{}: {error}", args.input.display()))?;
    if !args.quiet {
        tell!("{}: {}", args.input.display(), filled.surface);
        tell!("{}: {} points, {}", args.output.display(), filled.points.len(), filled.quality);
    }
    TetMesh { points: filled.points, tets: filled.tets }.write(&args.output).map_err(|error| error.to_string())
}
