//! Options of a picture.

use glam::DVec3;

/// The meaning of colours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colouring {
    /// Every body has its own colour.
    Plain,
    /// Speed, m/s.
    Speed,
    /// Height, m.
    Height,
    /// The part of a particle's bonds that is broken, 0 to 1; of bodies that can break.
    Damage,
    /// Whether a particle moves freely (blue), is in transition (green), or is restrained (red); under restraint.
    Activity,
}

/// What is shown; `None` leaves it to the kind of body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Show {
    /// Triangles of nets.
    pub surface: Option<bool>,
    /// Edges, as rods or coils.
    pub springs: Option<bool>,
    /// Balls.
    pub particles: Option<bool>,
    /// The floor.
    pub ground: Option<bool>,
}

/// How fluids are drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FluidLook {
    /// Every particle as a ball.
    #[default]
    Particles,
    /// A surface about the particles, transparent.
    Surface,
}

/// Options; `None` is chosen by what is drawn.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Styling {
    /// The meaning of colours.
    pub colour: Option<Colouring>,
    /// What is shown.
    pub show: Show,
    /// How fluids are drawn.
    pub fluid: FluidLook,
    /// The position of the camera, m.
    pub eye: Option<DVec3>,
    /// Its target, m.
    pub target: Option<DVec3>,
    /// Its angle of view, rad.
    pub fov: Option<f64>,
    /// A dark background.
    pub dark: bool,
    /// A background of one colour: the few colours of a GIF would make stripes of any other.
    pub flat: bool,
}
