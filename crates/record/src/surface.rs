//! The surfaces of fluids, one PLY file a frame: a closed mesh about the particles of every fluid, found anew at every frame, so that
//! vertices have no numbers that would last. A vertex has its normal (`nx ny nz`, outwards), the velocity of the fluid there (`vx vy vz`,
//! m/s) and the number of its `body`. Sizes follow from the spacing of the particles ([`SurfaceSettings::default`]).

use std::path::PathBuf;

use glam::DVec3;
use pliant_core::{Body, BodyShape, Fields, State};
use pliant_surface::{FluidSurface, SurfaceSettings};

use crate::attribute::{Attribute, NumberKind};
use crate::error::RecordError;
use crate::formats::{FrameWriter, Opening, check_shape};
use crate::mesh::Mesh;
use crate::ply::write_ply;

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
    fn frame(&mut self, k: u64, state: &State, _fields: &Fields) -> Result<(), RecordError> {
        let path = self.folder.join(format!("frame_{k:05}.ply"));
        check_shape(&path, state, self.count)?;
        let mut mesh = Mesh::default();
        let (mut normals, mut velocities, mut owners) = (Vec::new(), Vec::new(), Vec::new());
        for (number, body) in self.bodies.iter().enumerate() {
            let BodyShape::Grains { spacing } = body.shape else { continue };
            let end = body.particles.end.min(self.count);
            let range = body.particles.start.min(end)..end;
            let (x, v) = (&state.x[range.clone()], &state.v[range]);
            let surface = FluidSurface::of(x, spacing, &SurfaceSettings::default())
                .map_err(|why| RecordError::NoSurface { path: path.clone(), body: body.name.clone(), why })?;
            let first = mesh.points.len() as u32;
            mesh.faces.extend(surface.triangles.iter().map(|corners| corners.map(|corner| corner + first).to_vec()));
            velocities.extend(surface.carry(x, v, spacing, DVec3::ZERO));
            owners.resize(owners.len() + surface.points.len(), number as f64);
            mesh.points.extend(surface.points);
            normals.extend(surface.normals);
        }
        let along = |vectors: &[DVec3], axis: usize| vectors.iter().map(|vector| vector[axis]).collect();
        for (axis, name) in ["nx", "ny", "nz"].into_iter().enumerate() {
            mesh.attributes.push(Attribute::new(name, NumberKind::F64, along(&normals, axis)));
        }
        for (axis, name) in ["vx", "vy", "vz"].into_iter().enumerate() {
            mesh.attributes.push(Attribute::new(name, NumberKind::F64, along(&velocities, axis)));
        }
        mesh.attributes.push(Attribute::new("body", NumberKind::I32, owners));
        write_ply(&path, &mesh)
    }
}
