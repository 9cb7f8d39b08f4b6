//! A solid with a fine surface is drawn with that, where its particles carry it, in the colours that they have.

use glam::{DMat3, DVec3};
use pliant_core::State;
use pliant_picture::{Colouring, SceneRenderer, Styling};

#[test]
fn a_fine_surface_is_drawn_in_the_place_of_the_coarse_one() {
    let built = pliant_scene::load("liver", &[]).expect("a scene").build().expect("it can be built").simulation;
    let (system, start) = (&built.system, built.state());
    let surface = system.bodies()[0].fine_surface.as_ref().expect("a figure has one");
    let shear = DMat3::from_cols(DVec3::X, DVec3::new(0.5, 1.0, 0.0), DVec3::Z * 1.5);
    let moved = State { x: start.x.iter().map(|x| shear * *x + DVec3::Y).collect(), ..start.clone() };
    let mut renderer = SceneRenderer::new(
        system.bodies(),
        system.free(),
        Styling { colour: Some(Colouring::Height), ..Styling::default() },
    );
    renderer.observe(start);
    let places = surface.carry(&start.x);
    for (state, map, by) in [(start, DMat3::IDENTITY, DVec3::ZERO), (&moved, shear, DVec3::Y)] {
        let drawing = renderer.draw(state);
        assert_eq!(
            (drawing.vertices.len(), drawing.triangles.len()),
            (surface.vertices.len(), surface.triangles.len())
        );
        for (vertex, place) in drawing.vertices.iter().zip(&places) {
            assert!(vertex.position.distance(map * *place + by) < 1e-12, "{vertex:?}");
            assert!((vertex.value - vertex.position.y).abs() < 1e-12, "the height of the vertex itself: {vertex:?}");
        }
        // Pins are marked on the surface, not below it.
        let pinned = system.free().iter().filter(|free| !**free).count();
        assert!((pinned / 2..=pinned).contains(&drawing.balls.len()), "{} of {pinned}", drawing.balls.len());
        let on_skin = |centre: DVec3| drawing.vertices.iter().any(|vertex| vertex.position == centre);
        assert!(drawing.balls.iter().all(|ball| on_skin(ball.centre)));
    }

    let mut plain = system.bodies().to_vec();
    plain[0].fine_surface = None;
    let drawing = SceneRenderer::new(&plain, system.free(), Styling::default()).draw(start);
    assert_eq!((drawing.vertices.len(), drawing.triangles.len()), (system.len(), plain[0].triangles.len()));
    // Of a state that lacks particles, what is there.
    let few = State::at_rest(start.x[..system.len() / 2].to_vec());
    let drawing = SceneRenderer::new(system.bodies(), system.free(), Styling::default()).draw(&few);
    assert_eq!(drawing.vertices.len(), system.len() / 2);
}
