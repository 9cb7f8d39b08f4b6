//! `pliant convert`: mesh files from one format to another. Points keep their order, so the ids of particles do too; numbers of vertices
//! (velocities, colours, …) go from PLY and VTU to PLY, and are left out, with a word, where the output has no place for them.

use std::path::PathBuf;

use clap::Args;
use pliant::record::Mesh;

use crate::Outcome;

#[derive(Args)]
pub struct ConvertArgs {
    /// The mesh to read: .obj, .ply, .stl, or .vtu (frames that Pliant wrote)
    input: PathBuf,
    /// The mesh to write: .obj, or .ply, which also keeps the numbers of every vertex that a .ply or .vtu holds
    output: PathBuf,
    /// Replace a file that is there
    #[arg(long)]
    force: bool,
    /// Say nothing when all went well
    #[arg(short, long)]
    quiet: bool,
}

pub fn convert(args: &ConvertArgs) -> Outcome {
    let bad = |message: String| (message, 2);
    Mesh::check_writable(&args.output).map_err(|error| bad(error.to_string()))?;
    if args.output.exists() && !args.force {
        return Err(bad(format!("{} is there already; --force replaces it", args.output.display())));
    }
    let mesh = Mesh::read(&args.input).map_err(|error| bad(error.to_string()))?;
    mesh.write(&args.output).map_err(|error| bad(error.to_string()))?;
    if !args.quiet {
        let (points, faces, edges) = (mesh.points.len(), mesh.faces.len(), mesh.edges.len());
        eprintln!("{}: {points} points, {faces} faces, {edges} edges", args.output.display());
        let names: Vec<&str> = mesh.attributes.iter().map(|attribute| attribute.name.as_str()).collect();
        let is_ply = args.output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("ply"));
        if !names.is_empty() && !is_ply {
            eprintln!("OBJ has no place for the numbers of vertices; left out: {}", names.join(", "));
        }
    }
    Ok(())
}
