//! Turns a system's bodies into drawings: cloth and nets as surfaces, chains as rods and balls, a few springs as coils, pendulums as
//! pendulums. It is given the whole action first, so that camera, colours and sizes stay the same from frame to frame.

mod measure;

use glam::DVec3;
use pliant_core::{Body, Fields, Solid, State};
use pliant_display::{Bob, Display};

use crate::camera::{Camera, DEFAULT_FOV, bounds};
use crate::colour::{ACTIVITY, CHARCOAL, COOL_WARM, STEEL, VIRIDIS};
use crate::drawing::{Ball, Drawing, Material, Rod};
use crate::error::PictureError;
use crate::fluid;
use crate::image::Image;
use crate::look::{Ground, Legend, Look, caption, round_length};
use crate::paint::Paint;
use crate::painter::{Painter, Sizes};
use crate::render::render;
use crate::rubble;
use crate::scenery::Scenery;
use crate::styling::{Colouring, FluidLook, Styling};
use measure::{grain_spacing, is_shards};

/// Points of one state that are used to place the camera.
const FRAMED: usize = 2000;

/// Draws the states of one system.
pub struct SceneRenderer {
    bodies: Vec<Body>,
    display: Display,
    scenery: Scenery,
    pinned: Vec<bool>,
    styling: Styling,
    colour: Colouring,
    /// Sides of triangles that get a line, by body.
    wires: Vec<Vec<u8>>,
    /// Mean length of edges at the start, by body.
    spacing: Vec<f64>,
    seen: Vec<DVec3>,
    /// The latest time recorded, s.
    until: f64,
    range: Option<[f64; 2]>,
    notes: Vec<String>,
}

impl SceneRenderer {
    /// A renderer for these bodies; `free` says which particles are not pinned.
    pub fn new(bodies: &[Body], free: &[bool], styling: Styling) -> Self {
        let many = bodies.iter().any(|body| body.particles.len() >= 8);
        // Cloth and ropes show folds and knots, which a colour map would hide.
        let by_speed = many && !bodies.iter().any(|body| body.is_sheet() || body.is_tube());
        // water shows what is seen through it
        let by_speed = by_speed && styling.fluid == FluidLook::Particles;
        // fragments show their cracks
        let by_speed = by_speed && !bodies.iter().any(|body| is_shards(body, &styling));
        let colour = styling.colour.unwrap_or(if by_speed { Colouring::Speed } else { Colouring::Plain });
        Self {
            bodies: bodies.to_vec(),
            display: Display::new(bodies),
            scenery: Scenery::default(),
            pinned: free.iter().map(|free| !free).collect(),
            styling,
            colour,
            wires: Vec::new(),
            spacing: Vec::new(),
            seen: Vec::new(),
            until: 0.0,
            range: None,
            notes: Vec::new(),
        }
    }

    /// The same with rigid colliders around the bodies.
    pub fn with_solids(mut self, solids: Vec<Solid>) -> Self {
        self.scenery = Scenery::new(solids);
        self
    }

    /// Records one state of the action; the first should be the start.
    pub fn observe(&mut self, state: &State) {
        let shown = self.display.show(state);
        let points = &shown.x;
        if self.spacing.is_empty() {
            self.measure(points);
        }
        self.scenery.observe(state.time);
        self.until = self.until.max(state.time);
        let stride = points.len().div_ceil(FRAMED).max(1);
        // Drops that splash out of a container fall below the ground, and are not framed.
        let is_fluid = |body: &Body| grain_spacing(body).is_some();
        let floor = self.scenery.floor(state.time).filter(|_| self.bodies.iter().any(is_fluid));
        let floor = floor.unwrap_or(f64::NEG_INFINITY);
        let finite = || points.iter().copied().filter(|p| p.is_finite() && p.y >= floor);
        self.seen.extend(finite().step_by(stride));
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            let by = |a: &DVec3, b: &DVec3| a.dot(axis).total_cmp(&b.dot(axis));
            self.seen.extend(finite().min_by(by).into_iter().chain(finite().max_by(by)));
        }
        for body in &self.bodies {
            let anchors = body.anchors.iter().map(|(_, place)| *place);
            self.seen.extend(anchors.filter(|place| place.is_finite()));
        }
        self.seen.extend(self.display.bobs().iter().map(|bob| bob.pivot));
        for value in self.values(&shown, &Fields::default()).into_iter().filter(|value| value.is_finite()) {
            let [low, high] = self.range.unwrap_or([value, value]);
            self.range = Some([low.min(value), high.max(value)]);
        }
    }

    /// Notes about what was left out of the last drawing, in plain language.
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The framed region: everywhere the bodies have been, and the solids near that.
    fn framed(&self) -> impl Iterator<Item = DVec3> + '_ {
        let near = bounds(self.seen.iter().copied()).map(|action| self.scenery.near(action));
        self.seen.iter().copied().chain(near.into_iter().flatten())
    }

    /// Size of the action, m.
    pub fn size(&self) -> f64 {
        let size = bounds(self.framed()).map_or(0.0, |[low, high]| (high - low).length());
        if size > 0.0 { size } else { 1.0 }
    }

    /// The camera.
    pub fn camera(&self, aspect: f64) -> Camera {
        let fov = self.styling.fov.unwrap_or(DEFAULT_FOV);
        let radius = self.sizes().map(|size| size.ball).fold(0.0, f64::max);
        let towards = self.styling.eye.map(|eye| eye - self.styling.target.unwrap_or(self.middle()));
        let mut framed: Vec<DVec3> = self.framed().collect();
        let start = self.ground(0.0).filter(|ground| self.middle().y - ground.height < self.size());
        if let Some(ground) = start {
            // Room for the shadow.
            framed.push(self.middle().with_y(ground.height));
        }
        let framing = Camera::framing_from(&framed, radius, aspect, fov, towards);
        let eye = self.styling.eye.unwrap_or(framing.eye);
        let target =
            self.styling.target.unwrap_or(if self.styling.eye.is_some() { self.middle() } else { framing.target });
        Camera { eye, target, ..framing }
    }

    /// A background of one colour, or not; see [`Styling::flat`].
    pub fn set_flat(&mut self, flat: bool) {
        self.styling.flat = flat;
    }

    fn ground(&self, time: f64) -> Option<Ground> {
        let (size, middle) = (self.size(), self.middle());
        let lowest = self.framed().map(|p| p.y).fold(f64::MAX, f64::min).min(middle.y);
        let largest = self.sizes().map(|size| size.ball).fold(0.0, f64::max);
        self.styling.show.ground.unwrap_or(true).then(|| Ground {
            height: self.scenery.floor(time).unwrap_or(lowest - largest - 0.04 * size),
            centre: middle,
            reach: 1.6 * size,
            spacing: round_length(0.22 * size),
        })
    }

    fn middle(&self) -> DVec3 {
        bounds(self.framed()).map_or(DVec3::ZERO, |[low, high]| 0.5 * (low + high))
    }

    /// Light, ground, legend and caption at a time.
    pub fn look(&self, time: f64) -> Look {
        let size = self.size();
        let mut base = if self.styling.dark { Look::dark() } else { Look::light() };
        if self.styling.flat {
            base.floor = 0.5 * (base.floor + base.sky);
            base.sky = base.floor;
        }
        let legend = match self.colour {
            Colouring::Plain => None,
            Colouring::Speed => Some(("speed, m/s", VIRIDIS, [0.0, self.range.map_or(1.0, |r| r[1])])),
            Colouring::Height => Some(("height, m", COOL_WARM, self.range.unwrap_or([0.0, 1.0]))),
            Colouring::Damage => Some(("damage", VIRIDIS, [0.0, 1.0])),
            Colouring::Activity => Some(("2 is at rest", ACTIVITY, [0.0, 2.0])),
        };
        let legend = legend.map(|(label, map, [low, high])| Legend {
            label: label.into(),
            range: [low, if high > low { high } else { low + 1.0 }],
            map,
        });
        let wire = self.line_width();
        Look { ground: self.ground(time), legend, wire, size, caption: caption(time, self.until), ..base }
    }

    /// A picture of a state; [`SceneRenderer::notes`] has what could not be shown.
    pub fn picture(&mut self, state: &State, size: [usize; 2]) -> Result<Image, PictureError> {
        self.picture_with(state, &Fields::default(), size)
    }

    /// The same with the fields of particles at that state, such as the fragments that they belong to.
    pub fn picture_with(&mut self, state: &State, fields: &Fields, size: [usize; 2]) -> Result<Image, PictureError> {
        let mut drawing = self.draw_with(state, fields);
        let camera = self.camera(size[0] as f64 / size[1].max(1) as f64);
        self.scenery.draw(state.time, camera.eye, self.middle(), self.size(), &mut drawing);
        drawing.clean();
        render(&drawing, &camera, &self.look(state.time), size)
    }

    /// The drawing of the bodies in a state.
    pub fn draw(&mut self, state: &State) -> Drawing {
        self.draw_with(state, &Fields::default())
    }

    /// The same with the fields of particles at that state. Without fragments bodies that can break are whole.
    pub fn draw_with(&mut self, state: &State, fields: &Fields) -> Drawing {
        if self.spacing.is_empty() {
            self.observe(state);
        }
        let shown = self.display.show(state);
        let (points, values) = (&shown.x, self.values(&shown, fields));
        let mut drawing = Drawing::default();
        let mut notes = Vec::new();
        let sizes: Vec<Sizes> = self.sizes().collect();
        let steel = drawing.add_material(Material::plain(STEEL, 0.35));
        let pin = drawing.add_material(Material::plain(CHARCOAL, 0.25));
        for (k, body) in self.bodies.iter().enumerate() {
            let mapped = self.colour != Colouring::Plain;
            let look = Paint { number: k, body, mapped };
            let paint = drawing.add_material(look.outside());
            let (points, values, size) = (&points[..], &values[..], sizes[k]);
            let (pinned, whole) = (&self.pinned[..], self.size());
            if is_shards(body, &self.styling) {
                let materials = [paint, drawing.add_material(look.crack())];
                let fragment = fields.find(Fields::FRAGMENT);
                let is_drawn = rubble::draw(body, points, values, fragment, materials, &mut drawing);
                if is_drawn && self.styling.show.particles != Some(true) {
                    continue;
                }
            } else if body.rubble.is_none() && self.styling.fluid == FluidLook::Surface {
                match fluid::draw(body, points, values, mapped, whole, &mut drawing) {
                    Ok(true) => continue,
                    Ok(false) => {}
                    Err(why) => notes.push(format!("{}: drawn as particles: {why}", body.name)),
                }
            }
            let painter = Painter { body, points, values, pinned, size, whole, paint, steel, pin, mapped };
            painter.draw(self.styling.show, &self.wires[k], &mut drawing, &mut notes);
        }
        for &Bob { body: k, pivot, particle, .. } in self.display.bobs() {
            let bob = points.get(particle).copied().unwrap_or(pivot);
            let radius = 0.28 * sizes[k].ball;
            drawing.rods.push(Rod {
                ends: [pivot, bob],
                values: [0.0; 2],
                radius: 0.16 * sizes[k].ball,
                material: steel,
            });
            drawing.balls.push(Ball { centre: pivot, radius, value: 0.0, material: pin });
        }
        let lost = drawing.clean();
        if lost > 0 {
            notes.push(format!("{lost} shapes are left out: their coordinates are not finite"));
        }
        self.notes = notes;
        drawing
    }

    /// The coloured quantity, of a state as it is drawn.
    fn values(&self, shown: &State, fields: &Fields) -> Vec<f64> {
        match self.colour {
            Colouring::Plain => vec![0.0; shown.x.len()],
            Colouring::Height => shown.x.iter().map(|p| p.y).collect(),
            Colouring::Damage | Colouring::Activity => {
                let name = if self.colour == Colouring::Damage { Fields::DAMAGE } else { Fields::ACTIVITY };
                let mut values = fields.find(name).unwrap_or_default().to_vec();
                values.resize(shown.x.len(), 0.0);
                values
            }
            Colouring::Speed => {
                let mut speeds: Vec<f64> = shown.v.iter().map(|v| v.length()).collect();
                speeds.resize(shown.x.len(), 0.0);
                speeds
            }
        }
    }
}
