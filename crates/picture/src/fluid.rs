//! A fluid as its surface.

use glam::DVec3;
use pliant_core::{Body, BodyShape};
use pliant_surface::{FluidSurface, SurfaceError, SurfaceSettings};

use crate::drawing::{Drawing, Material, Triangle, Vertex};

/// Depth of visibility into water, as part of the action's size: real water is clear at any simulated size.
const SIGHT: f64 = 0.12;

/// Adds the surface of a body if it is a fluid; true if it is. `x` and `values` are those of all particles, `whole` is the size of the action.
pub fn draw(
    body: &Body,
    x: &[DVec3],
    values: &[f64],
    mapped: bool,
    whole: f64,
    drawing: &mut Drawing,
) -> Result<bool, SurfaceError> {
    let BodyShape::Grains { spacing } = body.shape else { return Ok(false) };
    let end = body.particles.end.min(x.len());
    let range = body.particles.start.min(end)..end;
    let (x, values) = (&x[range.clone()], &values[range]);
    let surface = FluidSurface::of(x, spacing, &SurfaceSettings::default())?;
    let values = surface.carry(x, values, spacing, 0.0);
    // a colour with a meaning is not blended with what lies behind
    let sight = if mapped { spacing } else { SIGHT * whole };
    let water = drawing.add_material(Material { mapped, ..Material::water(sight) });
    let first = drawing.vertices.len() as u32;
    let vertices = surface.points.iter().zip(&surface.normals).zip(values);
    drawing.vertices.extend(vertices.map(|((position, normal), value)| Vertex {
        position: *position,
        normal: *normal,
        value,
    }));
    drawing.triangles.extend(surface.triangles.iter().map(|corners| Triangle {
        corners: corners.map(|corner| corner + first),
        material: water,
        wires: 0,
    }));
    Ok(true)
}
