//! From particles to triangles.

use glam::DVec3;
use splashsurf_lib::nalgebra::Vector3;
use splashsurf_lib::{GridDecompositionParameters, Parameters, SpatialDecomposition, reconstruct_surface};
use thiserror::Error;

use crate::tidy::{normals, smooth, sorted};

/// Largest number of cubes along an axis: particles farther from the others are left out.
const MAX_CUBES: f64 = 1e6;
/// Cubes along a side of the boxes that threads work on one at a time.
const BOX: u32 = 64;

/// Lengths are in spacings of the particles at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceSettings {
    /// How far a particle is spread.
    pub support: f64,
    /// Side of the cubes: smaller ones make more triangles.
    pub cube: f64,
    /// Part of the density at rest that bounds the fluid.
    pub threshold: f64,
    /// How often the surface is smoothed; 0: not at all.
    pub smoothing: u32,
}

impl Default for SurfaceSettings {
    /// A radius of half a spacing, a smoothing length of twice that, cubes of three quarters of it.
    fn default() -> Self {
        Self { support: 2.0, cube: 0.375, threshold: 0.6, smoothing: 12 }
    }
}

/// Why there is no surface.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SurfaceError {
    /// The spacing, or a setting, is not a positive length.
    #[error("a surface needs a positive spacing, support, cube and threshold; got {0:?}")]
    BadSettings([f64; 4]),
    /// The reconstruction failed.
    #[error("no surface could be laid about the particles: {0}")]
    Failed(String),
}

/// A closed surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FluidSurface {
    /// m
    pub points: Vec<DVec3>,
    /// Outwards, of length 1 (zero where triangles have no area).
    pub normals: Vec<DVec3>,
    /// Counter-clockwise from outside.
    pub triangles: Vec<[u32; 3]>,
}

impl FluidSurface {
    /// The surface of particles with this spacing at rest. Those that are not finite, or a million cubes away from the others, are left out.
    pub fn of(particles: &[DVec3], spacing: f64, settings: &SurfaceSettings) -> Result<Self, SurfaceError> {
        let lengths = [spacing, settings.support, settings.cube, settings.threshold];
        let is_sound = |length: &f64| *length > 1e-9 && *length < 1e9;
        if !lengths.iter().all(is_sound) {
            return Err(SurfaceError::BadSettings(lengths));
        }
        // in spacings from their median, so that the result does not depend on size and position
        let Some(middle) = middle(particles) else { return Ok(Self::default()) };
        let is_near = |p: &DVec3| p.is_finite() && p.abs().max_element() < 0.5 * MAX_CUBES * settings.cube;
        let near: Vec<Vector3<f64>> = particles
            .iter()
            .map(|p| (*p - middle) / spacing)
            .filter(is_near)
            .map(|p| Vector3::new(p.x, p.y, p.z))
            .collect();
        let parameters = Parameters {
            iso_surface_threshold: settings.threshold,
            enable_simd: false,
            // always in boxes: without them threads add up in an order of their own
            spatial_decomposition: SpatialDecomposition::UniformGrid(GridDecompositionParameters {
                subdomain_num_cubes_per_dim: BOX,
                auto_disable: false,
            }),
            ..Parameters::new(0.5, settings.support, settings.cube)
        };
        let found = reconstruct_surface::<i64, f64>(&near, &parameters);
        let mesh = found.map_err(|error| SurfaceError::Failed(error.to_string()))?.mesh;
        let points: Vec<DVec3> = mesh.vertices.iter().map(|p| DVec3::new(p.x, p.y, p.z)).collect();
        let (mut points, triangles) = sorted(&points, &mesh.triangles);
        smooth(&mut points, &triangles, settings.smoothing);
        points.iter_mut().for_each(|p| *p = middle + *p * spacing);
        let normals = normals(&points, &triangles);
        Ok(Self { points, normals, triangles })
    }
}

/// The median position along each axis; `None` without finite ones.
fn middle(particles: &[DVec3]) -> Option<DVec3> {
    let finite: Vec<DVec3> = particles.iter().copied().filter(|p| p.is_finite()).collect();
    let median = |axis: usize| {
        let mut along: Vec<f64> = finite.iter().map(|p| p[axis]).collect();
        let half = along.len() / 2;
        *along.select_nth_unstable_by(half, f64::total_cmp).1
    };
    (!finite.is_empty()).then(|| DVec3::new(median(0), median(1), median(2)))
}
