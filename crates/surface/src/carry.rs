//! Interpolates per-particle quantities to the vertices of the surface.

use std::ops::{Add, Mul};

use glam::DVec3;
use pliant_geom::CellGrid;
use rayon::prelude::*;

use crate::reconstruct::FluidSurface;

/// Reach of the interpolation, in spacings.
const REACH: f64 = 2.0;
/// Vertices per task.
const TASK: usize = 256;

impl FluidSurface {
    /// The weighted mean over the particles near each vertex, nearer ones with larger weights; `default` where none is near.
    pub fn carry<T>(&self, particles: &[DVec3], values: &[T], spacing: f64, default: T) -> Vec<T>
    where
        T: Copy + Send + Sync + Add<Output = T> + Mul<f64, Output = T>,
    {
        let count = particles.len().min(values.len());
        let (particles, reach) = (&particles[..count], REACH * spacing);
        let mut grid = CellGrid::new(reach, [None; 3]);
        grid.sort(particles, &(0..count as u32).collect::<Vec<_>>());
        let mean = |place: &DVec3| {
            let Some(cell) = grid.cell(*place) else { return default };
            let mut sum: Option<(T, f64)> = None;
            grid.for_each_run(cell, |run| {
                for &i in &grid.order()[run] {
                    let near = 1.0 - particles[i as usize].distance_squared(*place) / (reach * reach);
                    if near > 0.0 {
                        let (weight, value) = (near * near * near, values[i as usize]);
                        let (old, weights) =
                            sum.map_or((value * weight, weight), |(s, w)| (s + value * weight, w + weight));
                        sum = Some((old, weights));
                    }
                }
            });
            sum.map_or(default, |(sum, weights)| sum * (1.0 / weights))
        };
        self.points.par_iter().with_min_len(TASK).map(mean).collect()
    }
}
