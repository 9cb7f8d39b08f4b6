//! A named group of particles with what is needed to draw and export it.

use std::ops::Range;
use std::sync::Arc;

use glam::DVec3;

use crate::fine_surface::FineSurface;
use crate::rubble::Rubble;

/// What the coordinates of a body's particles mean to someone who draws it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum BodyShape {
    /// Positions in space.
    #[default]
    Points,
    /// Positions in space of particles that fill it.
    Grains {
        /// How far they are apart at rest, m.
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
    /// Triples of particle indices (of the whole system) to draw as a surface; forces know nothing of them.
    pub triangles: Vec<[u32; 3]>,
    /// Tetrahedra that fill it, as particles (of the whole system), where it is made of them; for whoever wants to see the inside.
    pub tetrahedra: Vec<[u32; 4]>,
    /// What is seen in the place of `triangles`, where the body has something finer to show.
    pub skin: Option<FineSurface>,
    /// Particles (of the whole system) that a force ties to a place, m: drawn as a spring to it.
    pub anchors: Vec<(u32, DVec3)>,
    /// Whether its triangles are the skin of a solid, whose edges may be sharp, and not a sheet, whose folds are round.
    pub is_solid: bool,
    /// What the coordinates mean.
    pub shape: BodyShape,
    /// What its fragments look like, if it can break.
    pub rubble: Option<Arc<Rubble>>,
}

impl Body {
    /// Its skin, if there is anything to see of it and all that carries it is among so many particles.
    pub fn skin_among(&self, particles: usize) -> Option<&FineSurface> {
        let fits = |skin: &&FineSurface| !skin.triangles.is_empty() && skin.first_missing(particles).is_none();
        self.skin.as_ref().filter(fits)
    }

    /// Whether it is a line that is shown as a round surface: a rope.
    pub fn is_tube(&self) -> bool {
        self.skin.is_some() && self.triangles.is_empty()
    }

    /// Whether it is a sheet of something, which is drawn as a surface, and not a net, which is drawn with its threads.
    pub fn is_sheet(&self) -> bool {
        !self.triangles.is_empty() && self.edges.is_empty()
    }
}
