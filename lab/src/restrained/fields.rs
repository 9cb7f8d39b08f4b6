//! The compared quantities of two runs of one scene.

use pliant::prelude::{DVec3, Simulation};
use pliant::scene::LoadedScene;

/// Squares on the floor of a container, two spacings wide, over which heights are taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Floor {
    low: DVec3,
    cell: f64,
    cells: [usize; 2],
}

impl Floor {
    /// Of the first fluid of a scene; `None` without one in a container.
    pub fn of(scene: &LoadedScene) -> Option<Self> {
        const SPACINGS: f64 = 2.0;
        let fluid = scene.scene.fluid.first()?;
        let inside = &fluid.container.as_ref()?.inside;
        let (low, high) = (inside.min.to_dvec3(), inside.max.to_dvec3());
        let cell = SPACINGS * fluid.spacing.si();
        let along = |size: f64| ((size / cell).round() as usize).max(1);
        Some(Self { low, cell, cells: [along(high.x - low.x), along(high.z - low.z)] })
    }

    /// How high the highest particle is over every square, m; 0 where there is none.
    fn heights(&self, x: &[DVec3]) -> Vec<f64> {
        let [wide, deep] = self.cells;
        let mut heights = vec![0.0_f64; wide * deep];
        for x in x {
            let place = (*x - self.low) / self.cell;
            // particles beyond the rim count at the rim
            let [i, k] = [(place.x, wide), (place.z, deep)].map(|(at, most)| (at.max(0.0) as usize).min(most - 1));
            let height = &mut heights[i + wide * k];
            *height = height.max(x.y - self.low.y);
        }
        heights
    }
}

/// A moment of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// Centre of mass, m.
    pub centre: DVec3,
    /// Of effective velocities, J.
    pub kinetic: f64,
    /// The fastest, m/s.
    pub fastest: f64,
    /// m
    pub heights: Vec<f64>,
    /// m
    pub places: Vec<DVec3>,
}

impl Moment {
    /// Now.
    pub fn of(simulation: &Simulation, floor: Option<&Floor>) -> Self {
        let (system, state) = (&simulation.system, simulation.state());
        let (mut weighed, mut mass, mut kinetic, mut fastest) = (DVec3::ZERO, 0.0, 0.0, 0.0_f64);
        for (i, m) in system.masses().iter().enumerate() {
            let square = system.active_set().effective(i, state.v[i]).length_squared();
            (weighed, mass, kinetic) = (weighed + state.x[i] * *m, mass + m, kinetic + 0.5 * m * square);
            fastest = fastest.max(square.sqrt());
        }
        let heights = floor.map_or_else(Vec::new, |floor| floor.heights(&state.x));
        Self { centre: weighed / mass, kinetic, fastest, heights, places: state.x.clone() }
    }

    /// How far this is from another run at the same moment.
    pub fn from(&self, other: &Self) -> Difference {
        let squares = self.heights.iter().zip(&other.heights).fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b));
        let apart = self.places.iter().zip(&other.places).map(|(a, b)| a.distance(*b));
        Difference {
            centre: self.centre.distance(other.centre),
            heights: (squares / self.heights.len().max(1) as f64).sqrt(),
            kinetic: (self.kinetic - other.kinetic).abs(),
            farthest: apart.fold(0.0, f64::max),
        }
    }
}

/// How far two runs are from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Difference {
    /// Distance of the centres of mass, m.
    pub centre: f64,
    /// Root of the mean square over the floor, m.
    pub heights: f64,
    /// J
    pub kinetic: f64,
    /// The largest distance of a particle from itself, m.
    pub farthest: f64,
}
