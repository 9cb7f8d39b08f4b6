//! A body that can break is drawn as the surfaces of its fragments.

use std::sync::Arc;

use glam::DVec3;
use pliant_core::{Body, BodyShape, Fields, State};
use pliant_geom::grains::Rubble;
use pliant_geom::grains::{Lattice, Shards};
use pliant_picture::{Colouring, Drawing, FluidLook, Image, SceneRenderer, Show, Styling};

const SIZE: [usize; 2] = [96, 72];

/// A block of 3 x 2 x 2 cells of 1 m.
fn block() -> (Body, Vec<DVec3>) {
    let lattice = Lattice::block(DVec3::ZERO, DVec3::new(3.0, 2.0, 2.0), 1.0, 100).unwrap();
    let rubble = Rubble { shards: Shards::new(&lattice, None), rest: lattice.points() };
    let body = Body {
        name: "block".into(),
        particles: 0..12,
        shape: BodyShape::Grains { spacing: 1.0 },
        is_solid: true,
        rubble: Some(Arc::new(rubble)),
        ..Body::default()
    };
    (body, lattice.points())
}

/// The part from x = 2 on is a fragment of its own, which is `gap` away, and its particles are the damaged ones.
fn broken(gap: f64) -> (State, Fields) {
    let (_, mut x) = block();
    let mut fields = Fields::default();
    fields.begin(12);
    for (k, place) in x.iter_mut().enumerate() {
        let gone = place.x > 2.0;
        fields.field(Fields::FRAGMENT)[k] = if gone { 2.0 } else { 1.0 };
        fields.field(Fields::DAMAGE)[k] = if gone { 1.0 } else { 0.0 };
        place.x += if gone { gap } else { 0.0 };
    }
    (State::at_rest(x), fields)
}

/// A renderer with room for the gap.
fn renderer(styling: Styling) -> SceneRenderer {
    let mut renderer = SceneRenderer::new(&[block().0], &[true; 12], styling);
    renderer.observe(&State::at_rest(block().1));
    renderer.observe(&broken(1.0).0);
    renderer
}

fn drawn(styling: Styling, (state, fields): &(State, Fields)) -> (Drawing, Image) {
    let mut renderer = renderer(styling);
    (renderer.draw_with(state, fields), renderer.picture_with(state, fields, SIZE).unwrap())
}

fn differing(a: &Image, b: &Image) -> usize {
    a.pixels.iter().zip(&b.pixels).filter(|(a, b)| a != b).count()
}

#[test]
fn fragments_are_apart_and_their_cracks_are_paler() {
    let plain = Styling::default();
    let whole = (State::at_rest(block().1), Fields::default());
    let (drawing, whole) = drawn(plain, &whole);
    // The outside of 3 x 2 x 2 cells has 32 squares.
    assert_eq!((drawing.triangles.len(), drawing.balls.len()), (64, 0));
    assert!(drawing.triangles.iter().all(|triangle| triangle.wires == 0));
    let outside = drawing.triangles[0].material;
    assert!(drawing.triangles.iter().all(|triangle| triangle.material == outside));

    // Four squares more on either side of the crack, of another material, and without a smooth normal.
    let (drawing, apart) = drawn(plain, &broken(1.0));
    assert_eq!(drawing.triangles.len(), 64 + 16);
    let cracks: Vec<_> = drawing.triangles.iter().filter(|triangle| triangle.material != outside).collect();
    assert_eq!(cracks.len(), 16);
    let pale = drawing.materials[cracks[0].material as usize].colour;
    assert!(pale.cmpgt(drawing.materials[outside as usize].colour + 0.05).all(), "{pale}");
    let normal = |corner: u32| drawing.vertices[corner as usize].normal;
    assert!(cracks.iter().all(|triangle| triangle.corners.into_iter().all(|corner| normal(corner) == DVec3::ZERO)));
    assert!(differing(&whole, &apart) > 300);

    // Where the crack comes to the surface there are eight edges, each of two squares; they are seen though nothing has moved.
    let (drawing, closed) = drawn(plain, &broken(0.0));
    let lines: u32 = drawing.triangles.iter().map(|triangle| triangle.wires.count_ones()).sum();
    assert_eq!(lines, 16);
    let seen = differing(&whole, &closed);
    assert!((10..200).contains(&seen), "{seen}");
}

#[test]
fn frames_without_fragments_show_the_body_whole() {
    let mut renderer = renderer(Styling::default());
    let (state, _) = broken(0.0);
    let picture = renderer.picture(&state, SIZE).unwrap();
    assert_eq!(picture, renderer.picture_with(&state, &Fields::default(), SIZE).unwrap());
    assert_eq!(renderer.draw(&state).triangles.len(), 64);
    // Neither do fields of another length, nor states that lack particles, do harm.
    let mut few = Fields::default();
    few.begin(5);
    few.field(Fields::FRAGMENT).fill(1.0);
    few.field(Fields::DAMAGE).fill(1.0);
    assert_eq!(renderer.picture_with(&state, &few, SIZE).unwrap(), picture);
    let part = State::at_rest(state.x[..7].to_vec());
    assert_eq!(renderer.draw(&part).balls.len(), 7);
    let lost = State::at_rest(vec![DVec3::NAN; 12]);
    assert_eq!(renderer.draw_with(&lost, &broken(0.0).1).triangles.len(), 0);
    assert!(!renderer.notes().is_empty());
}

#[test]
fn damage_has_colours_and_a_legend_from_zero_to_one() {
    let coloured = |colour, particles: bool| {
        let show =
            Show { surface: particles.then_some(false), particles: particles.then_some(true), ..Show::default() };
        Styling { colour, show, ..Styling::default() }
    };
    let damage = Some(Colouring::Damage);
    let legend = renderer(coloured(damage, false)).look(0.0).legend.unwrap();
    assert_eq!((legend.range, legend.label.as_str()), ([0.0, 1.0], "damage"));
    assert_eq!(renderer(Styling::default()).look(0.0).legend, None);
    for particles in [false, true] {
        let (drawing, image) = drawn(coloured(damage, particles), &broken(1.0));
        assert_eq!(
            (drawing.balls.len(), drawing.triangles.is_empty()),
            if particles { (12, true) } else { (0, false) }
        );
        let of_vertices = drawing.vertices.iter().map(|vertex| (vertex.position.x, vertex.value));
        let of_balls = drawing.balls.iter().map(|ball| (ball.centre.x, ball.value));
        assert!(of_vertices.chain(of_balls).all(|(x, value)| value == f64::from(u8::from(x > 2.5))));
        let (state, _) = broken(1.0);
        let (_, sound) = drawn(coloured(damage, particles), &(state.clone(), Fields::default()));
        let mut fields = broken(1.0).1;
        fields.field(Fields::DAMAGE).fill(0.0);
        let (_, unhurt) = drawn(coloured(damage, particles), &(state, fields));
        assert!(differing(&image, &unhurt) > 200);
        assert!(!particles || unhurt == sound, "damage that is not known is none");
    }
}

/// Water beside it may be drawn as a surface; what breaks is no water.
#[test]
fn the_look_of_fluids_does_not_matter() {
    let styling = |fluid| Styling { fluid, ..Styling::default() };
    let moment = broken(1.0);
    let both = [FluidLook::Surface, FluidLook::Particles].map(|fluid| drawn(styling(fluid), &moment).0);
    assert_eq!(both[0], both[1]);
    let balls = Show { surface: Some(false), particles: Some(true), ..Show::default() };
    let styling = Styling { fluid: FluidLook::Surface, show: balls, ..Styling::default() };
    assert_eq!(drawn(styling, &moment).0.balls.len(), 12);
}

/// One layer of cells is a plate one cell thick.
#[test]
fn flat_bodies_have_a_thickness() {
    let lattice = Lattice::block(DVec3::ZERO, DVec3::new(2.0, 1.0, 1.0), 1.0, 10).unwrap();
    let rubble = Rubble { shards: Shards::new(&lattice, None), rest: lattice.points() };
    let body = Body {
        particles: 0..2,
        shape: BodyShape::Grains { spacing: 1.0 },
        rubble: Some(Arc::new(rubble)),
        ..Body::default()
    };
    let mut fields = Fields::default();
    fields.begin(2);
    fields.field(Fields::FRAGMENT).copy_from_slice(&[1.0, 2.0]);
    let drawing = SceneRenderer::new(&[body], &[true; 2], Styling::default())
        .draw_with(&State::at_rest(lattice.points()), &fields);
    assert_eq!(drawing.triangles.len(), 24);
    let height = drawing.vertices.iter().map(|vertex| vertex.position.z);
    assert!(height.clone().fold(f64::MAX, f64::min) == 0.0 && height.fold(f64::MIN, f64::max) == 1.0);
}
