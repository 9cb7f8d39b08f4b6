//! The surfaces of fluids and of fragments, one PLY file per frame: a closed mesh about the particles of every fluid and about every fragment of
//! a body that can break, reconstructed at every frame, so that vertex indices do not persist. A vertex has its normal (`nx ny nz`,
//! outwards), the velocity of the material there (`vx vy vz`, m/s), the number of its `body`, the number of its `fragment` (0 in fluids)
//! and whether it is `inner`: 1 on the faces of cracks, 0 on what was outside from the beginning. Vertices of cracks and of the outside are
//! never the same. Sizes of fluids follow from the spacing of the particles ([`SurfaceSettings::default`]).

use std::path::PathBuf;

use glam::DVec3;
use pliant_core::{Body, BodyShape, Fields, State};
use pliant_geom::grains::ShardSurface;
use pliant_mesh::ply::put_ply;
use pliant_mesh::{Attribute, Mesh, NumberKind};
use pliant_surface::{FluidSurface, SurfaceSettings};

use crate::atomic::write_hashed;
use crate::error::RecordError;
use crate::formats::{FrameWriter, Opening, check_fields, check_shape};
use crate::manifest::Written;

/// `surface/frame_00000.ply`, … in the folder of a result.
pub struct SurfaceFrames {
    folder: PathBuf,
    /// Particles of the system.
    count: usize,
    bodies: Vec<Body>,
}

impl SurfaceFrames {
    /// Makes the folder.
    pub fn open(opening: &Opening) -> Result<Self, RecordError> {
        let (folder, system) = (opening.subfolder("surface")?, opening.system);
        Ok(Self { folder, count: system.len(), bodies: system.bodies().to_vec() })
    }
}

impl FrameWriter for SurfaceFrames {
    fn frame(&mut self, k: u64, state: &State, fields: &Fields) -> Result<Vec<Written>, RecordError> {
        let name = format!("frame_{k:05}.ply");
        let path = self.folder.join(&name);
        check_shape(&path, state, self.count)?;
        check_fields(&path, fields, self.count)?;
        let mut made = Surfaces::default();
        for (number, body) in self.bodies.iter().enumerate() {
            let BodyShape::Grains { spacing } = body.shape else { continue };
            let end = body.particles.end.min(self.count);
            let range = body.particles.start.min(end)..end;
            let (x, v) = (&state.x[range.clone()], &state.v[range.clone()]);
            if let Some(rubble) = &body.rubble {
                let fragment = fields.find(Fields::FRAGMENT).map(|numbers| &numbers[range]);
                made.add_shards(number, &rubble.surface(x, fragment), v);
                continue;
            }
            let surface = FluidSurface::of(x, spacing, &SurfaceSettings::default())
                .map_err(|why| RecordError::NoSurface { path: path.clone(), body: body.name.clone(), why })?;
            let velocities = surface.carry(x, v, spacing, DVec3::ZERO);
            made.add_fluid(number, surface, velocities);
        }
        let mesh = made.into_mesh();
        let sum = write_hashed(&path, false, |out| put_ply(out, &mesh))?;
        Ok(vec![sum.named(format!("surface/{name}"))])
    }
}

/// Surfaces of some bodies; every list but `faces` has one entry per vertex.
#[derive(Default)]
struct Surfaces {
    points: Vec<DVec3>,
    faces: Vec<Vec<u32>>,
    normals: Vec<DVec3>,
    velocities: Vec<DVec3>,
    bodies: Vec<f64>,
    fragments: Vec<f64>,
    is_inner: Vec<f64>,
}

impl Surfaces {
    fn add_faces(&mut self, triangles: &[[u32; 3]]) {
        let first = self.points.len() as u32;
        self.faces.extend(triangles.iter().map(|corners| corners.map(|corner| corner + first).to_vec()));
    }

    fn add_fluid(&mut self, body: usize, surface: FluidSurface, velocities: Vec<DVec3>) {
        self.add_faces(&surface.triangles);
        self.points.extend(surface.points);
        self.normals.extend(surface.normals);
        self.velocities.extend(velocities);
        self.bodies.resize(self.points.len(), body as f64);
        self.fragments.resize(self.points.len(), 0.0);
        self.is_inner.resize(self.points.len(), 0.0);
    }

    /// `velocities` are those of the body's particles.
    fn add_shards(&mut self, body: usize, surface: &ShardSurface, velocities: &[DVec3]) {
        let first = self.points.len();
        self.add_faces(&surface.triangles);
        self.points.extend(&surface.points);
        self.normals.extend(surface.normals());
        let of = |owner: &u32| velocities.get(*owner as usize).copied().unwrap_or_default();
        self.velocities.extend(surface.owner.iter().map(of));
        self.bodies.resize(self.points.len(), body as f64);
        self.fragments.resize(self.points.len(), 0.0);
        self.is_inner.resize(self.points.len(), 0.0);
        // All triangles at a vertex belong to one fragment, and are all in a crack or all outside.
        for ((corners, fragment), is_inner) in surface.triangles.iter().zip(&surface.fragment).zip(&surface.is_inner) {
            for corner in corners.map(|corner| first + corner as usize) {
                self.fragments[corner] = f64::from(*fragment);
                self.is_inner[corner] = f64::from(u8::from(*is_inner));
            }
        }
    }

    fn into_mesh(self) -> Mesh {
        let along = |vectors: &[DVec3], axis: usize| vectors.iter().map(|vector| vector[axis]).collect();
        let mut attributes = Vec::new();
        for (names, vectors) in [(["nx", "ny", "nz"], &self.normals), (["vx", "vy", "vz"], &self.velocities)] {
            for (axis, name) in names.into_iter().enumerate() {
                attributes.push(Attribute::new(name, NumberKind::F64, along(vectors, axis)));
            }
        }
        attributes.push(Attribute::new("body", NumberKind::I32, self.bodies));
        attributes.push(Attribute::new("fragment", NumberKind::U32, self.fragments));
        attributes.push(Attribute::new("inner", NumberKind::U8, self.is_inner));
        Mesh { points: self.points, faces: self.faces, edges: Vec::new(), attributes }
    }
}
