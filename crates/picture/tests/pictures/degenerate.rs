//! Input that no picture was meant for.

use glam::DVec3;
use pliant_core::{Body, State};
use pliant_picture::{Camera, Drawing, Look, PictureError, SceneRenderer, Styling, render};

fn dust(points: Vec<DVec3>) -> (SceneRenderer, State) {
    let body = Body { name: "dust".into(), particles: 0..points.len(), ..Body::default() };
    let free = vec![true; points.len()];
    (SceneRenderer::new(&[body], &free, Styling::default()), State::at_rest(points))
}

#[test]
fn nothing_to_draw_is_an_error() {
    for points in [vec![], vec![DVec3::NAN; 3], vec![DVec3::splat(1e200)]] {
        let (mut renderer, state) = dust(points);
        let error = renderer.picture(&state, [64, 48]).unwrap_err();
        assert!(matches!(error, PictureError::Empty), "{error}");
    }
    let camera = Camera::framing(&[DVec3::ONE], 0.0, 1.0);
    assert!(matches!(render(&Drawing::default(), &camera, &Look::light(), [8, 8]), Err(PictureError::Empty)));
}

#[test]
fn what_is_not_finite_is_left_out_and_said() {
    let (mut renderer, state) = dust(vec![DVec3::ZERO, DVec3::NAN, DVec3::ONE, DVec3::new(0.0, f64::INFINITY, 0.0)]);
    renderer.observe(&state);
    renderer.picture(&state, [64, 48]).unwrap();
    assert_eq!(renderer.notes(), ["2 shapes are left out: their coordinates are not finite"]);
}

#[test]
fn equal_points_and_extreme_sizes_are_drawn() {
    for points in [vec![DVec3::ONE; 4], vec![DVec3::ZERO, DVec3::X * 1e-9], vec![DVec3::ZERO, DVec3::Y * 1e9]] {
        let (mut renderer, state) = dust(points);
        for size in [[1, 1], [3, 200], [200, 3], [33, 31]] {
            let image = renderer.picture(&state, size).unwrap();
            assert_eq!(image.pixels.len(), size[0] * size[1]);
        }
    }
}

#[test]
fn impossible_sizes_are_refused() {
    let (mut renderer, state) = dust(vec![DVec3::ZERO]);
    for size in [[0, 10], [10, 0], [20_000, 10]] {
        assert!(matches!(renderer.picture(&state, size), Err(PictureError::BadSize { .. })));
    }
}

#[test]
fn a_million_particles_are_thinned_out() {
    let (mut renderer, state) =
        dust((0..1_000_000).map(|k| DVec3::new(f64::from(k % 1000), 0.0, f64::from(k / 1000))).collect());
    let drawing = renderer.draw(&state);
    assert!(drawing.balls.len() <= 200_000);
    assert_eq!(renderer.notes(), ["dust: only one particle in 5 of 1000000 is drawn"]);
}

/// A camera inside the scene, and triangles on both sides of it.
#[test]
fn a_camera_in_the_midst_is_no_trouble() {
    let corners = [DVec3::new(-5.0, -1.0, 5.0), DVec3::new(5.0, -1.0, 5.0), DVec3::new(0.0, -1.0, -50.0)];
    let body = Body { particles: 0..3, triangles: vec![[0, 1, 2]], ..Body::default() };
    let styling = Styling { eye: Some(DVec3::ZERO), target: Some(DVec3::new(0.0, -0.5, -3.0)), ..Styling::default() };
    let mut renderer = SceneRenderer::new(&[body], &[true; 3], styling);
    let state = State::at_rest(corners.to_vec());
    let image = renderer.picture(&state, [80, 60]).unwrap();
    let reds = image.pixels.iter().filter(|p| p[0] > p[2].saturating_add(60)).count();
    assert!(reds > 300, "{reds}");
}
