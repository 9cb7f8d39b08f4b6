//! A named group of particles with the data to draw and export it.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;

use pliant_geom::grains::Rubble;
use pliant_geom::stuffing::FineSurface;

/// Interpretation of the coordinates of a body's particles for drawing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum BodyShape {
    /// Positions in space.
    #[default]
    Points,
    /// Positions in space of particles that fill a volume.
    Grains {
        /// Their spacing at rest, m.
        spacing: f64,
    },
    /// The x coordinate is the angle of a pendulum, rad, from hanging straight down.
    Pendulum {
        /// Length of its rod, m.
        length: f64,
    },
}

/// One `[[springs]]`, `[[pendulum]]`, … of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Body {
    /// The name that probes use.
    pub name: String,
    /// Its particles, a contiguous range of the system's.
    pub particles: Range<usize>,
    /// Pairs of particle indices (of the whole system) to draw as lines.
    pub edges: Vec<[u32; 2]>,
    /// Triples of particle indices (of the whole system) to draw as a surface; forces do not use them.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra that fill it, as particles (of the whole system), if it has a tetrahedral mesh; for views of the interior.
    pub tetrahedra: Vec<[u32; 4]>,
    /// The surface drawn instead of `triangles`, if the body has a finer one.
    pub fine_surface: Option<FineSurface>,
    /// Particles (of the whole system) that a force ties to a position, m: drawn as a spring to it.
    pub anchors: Vec<(u32, DVec3)>,
    /// Whether its triangles are the surface of a solid, with edges that may be sharp, and not a sheet, with rounded folds.
    pub is_solid: bool,
    /// What the coordinates mean.
    pub shape: BodyShape,
    /// Surfaces of its fragments, if it can break.
    pub rubble: Option<Arc<Rubble>>,
    /// Length of a rope at rest, m; 0 for other bodies.
    pub rest_length: f64,
}

impl Body {
    /// Its fine surface, if it is visible and anchored to the first so many particles only.
    pub fn fine_surface_among(&self, particles: usize) -> Option<&FineSurface> {
        let fits = |surface: &&FineSurface| !surface.triangles.is_empty() && surface.first_missing(particles).is_none();
        self.fine_surface.as_ref().filter(fits)
    }

    /// Whether it is a line drawn as a round surface: a rope.
    pub fn is_tube(&self) -> bool {
        self.fine_surface.is_some() && self.triangles.is_empty()
    }

    /// The total length of its edges, m.
    pub fn length(&self, x: &[DVec3]) -> f64 {
        self.edges.iter().map(|[a, b]| x[*a as usize].distance(x[*b as usize])).sum()
    }

    /// The mean strain of a rope; `None` for other bodies.
    pub fn rope_strain(&self, x: &[DVec3]) -> Option<f64> {
        (self.rest_length > 0.0).then(|| self.length(x) / self.rest_length - 1.0)
    }

    /// Whether it is a sheet, drawn as a surface, and not a net, drawn with its threads.
    pub fn is_sheet(&self) -> bool {
        !self.triangles.is_empty() && self.edges.is_empty()
    }
}
