//! Meshes of scenes: read, triangulated, checked, repaired where the scene allows it.

use pliant_geom::mesh_check::{Defect, check};
use pliant_geom::topology::TriangleMesh;
use pliant_mesh::Mesh;
use pliant_record::read_mesh as read_file;

use crate::load::LoadedScene;
use crate::locate::Located;
use crate::schema::{MeshTable, Repair};
use crate::units::{Vec3Of, dimension};

/// A mesh with its vertex properties.
pub(crate) struct ReadMesh {
    pub points: Vec<glam::DVec3>,
    pub triangles: Vec<[u32; 3]>,
    pub mesh: Mesh,
}

/// Reads a mesh that cloth or a collider can be made of.
pub(crate) fn read_mesh(loaded: &LoadedScene, table: &MeshTable, path: &str) -> Result<ReadMesh, Located> {
    let key = if table.file.is_some() { "file" } else { "triangles" };
    let place = |message: String| loaded.document.at(&format!("{path}.{key}"), message);
    let mesh = polygons(loaded, table.file.as_deref(), (&table.points, &table.triangles), path)?;
    let (scale, offset) = (table.scale, table.offset.to_dvec3());
    let points = mesh.points.iter().map(|point| *point * scale + offset).collect();
    let mut triangles = TriangleMesh { points, triangles: mesh.triangles() };
    let vertices = triangles.points.len();
    mend(&mut triangles, &table.repair);
    let left: Vec<Defect> = check(&triangles);
    if !left.is_empty() {
        let all: Vec<String> = left.iter().map(|defect| format!("{defect}{}", cure(defect))).collect();
        let name = table.file.as_deref().unwrap_or("the mesh");
        return Err(place(format!("{name}: {}", all.join("; "))));
    }
    if triangles.points.len() != vertices && !mesh.attributes.is_empty() {
        return Err(place("vertex properties cannot be kept while points are welded or left out".into()));
    }
    let TriangleMesh { points, triangles } = triangles;
    Ok(ReadMesh { points, triangles, mesh })
}

/// Polygons from a file, or points and triangles as the scene itself holds them.
pub(crate) fn polygons(
    loaded: &LoadedScene,
    file: Option<&str>,
    (points, triangles): (&[Vec3Of<dimension::Length>], &[[u32; 3]]),
    path: &str,
) -> Result<Mesh, Located> {
    let Some(file) = file else {
        let points = points.iter().map(Vec3Of::to_dvec3).collect();
        let faces = triangles.iter().map(|corners| corners.to_vec()).collect();
        return Ok(Mesh { points, faces, ..Mesh::default() });
    };
    read_file(&loaded.folder().join(file))
        .map_err(|error| loaded.document.at(&format!("{path}.file"), error.to_string()))
}

fn mend(mesh: &mut TriangleMesh, repairs: &[Repair]) {
    for repair in [Repair::Weld, Repair::DropBad, Repair::DropUnused, Repair::Orient] {
        if !repairs.contains(&repair) {
            continue;
        }
        match repair {
            Repair::Weld => drop(mesh.weld()),
            Repair::DropBad => drop(mesh.drop_bad_triangles()),
            Repair::DropUnused => drop(mesh.drop_unused_vertices()),
            Repair::Orient => drop(mesh.orient()),
        }
    }
}

/// The remedy for a defect.
fn cure(defect: &Defect) -> &'static str {
    match defect {
        Defect::RepeatedCorner(_) | Defect::NoArea(_) | Defect::Duplicate(_) => {
            " (repair = [\"drop-bad\"] leaves them out)"
        }
        Defect::Inconsistent(_) => " (repair = [\"orient\"] turns them)",
        Defect::Unused(_) => " (repair = [\"drop-unused\"] leaves them out)",
        Defect::NonManifold(_) => {
            " (a sheet has at most two triangles at an edge: mend it in the program that made it)"
        }
        Defect::Empty | Defect::NotFinite(_) | Defect::OutOfRange(_) => "",
    }
}
