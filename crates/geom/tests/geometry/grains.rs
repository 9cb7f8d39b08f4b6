//! Particles on lattices: as many as fit, none outside, and bodies that have none are refused with words that help.

use glam::{DQuat, DVec3};
use pliant_geom::TriangleMesh;
use pliant_geom::grains::{GrainError, Lattice};
use pliant_geom::shapes::{Sheet, cuboid, goblet, icosphere, torus};
use pliant_geom::stuffing::StuffingError;
use std::f64::consts::PI;

const MOST: usize = 1_000_000;

fn refusal(lattice: Result<Lattice, GrainError>) -> (GrainError, String) {
    let error = lattice.expect_err("it should be refused");
    let text = error.to_string();
    println!("{text}");
    (error, text)
}

#[test]
fn blocks_have_as_many_cells_as_fit() {
    let low = DVec3::new(1.0, -2.0, 0.5);
    // 0.3/0.1 is a little less than three.
    let lattice = Lattice::block(low, low + DVec3::new(0.3, 0.25, 0.1), 0.1, MOST).unwrap();
    assert_eq!(lattice.cells.len(), 3 * 2);
    assert_eq!(lattice.cells[..4], [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0]]);
    assert!((lattice.points()[4] - (low + DVec3::new(0.15, 0.15, 0.05))).length() < 1e-15);
    assert_eq!(lattice.lonely(), 0);
    assert_eq!(Lattice::block(low, low + 0.1, 0.1, 1).unwrap().lonely(), 1);
}

#[test]
fn blocks_that_make_no_sense_are_refused() {
    let block = |x: f64, y: f64, z: f64, spacing: f64, most: usize| {
        refusal(Lattice::block(DVec3::ZERO, DVec3::new(x, y, z), spacing, most))
    };
    assert!(matches!(block(1.0, 0.05, 1.0, 0.1, MOST).0, GrainError::BlockTooThin { axis: 'y', .. }));
    assert!(matches!(block(1.0, 1.0, -1.0, 0.1, MOST).0, GrainError::BlockTooThin { axis: 'z', .. }));
    for spacing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(block(1.0, 1.0, 1.0, spacing, MOST).0, GrainError::Spacing { .. }));
    }
    assert!(matches!(block(f64::NAN, 1.0, 1.0, 0.1, MOST).0, GrainError::NotFinite { .. }));
    assert!(matches!(block(1.0, 1.0, f64::INFINITY, 0.1, MOST).0, GrainError::NotFinite { .. }));
    assert!(matches!(block(1.0, 1.0, 1.0, 1e-300, usize::MAX).0, GrainError::TooFarAway { .. }));
    let (GrainError::TooMany { allowed, .. }, _) = block(1.0, 1.0, 1.0, 0.001, 1000) else { panic!("it is too fine") };
    assert!(Lattice::block(DVec3::ZERO, DVec3::ONE, allowed, 1000).unwrap().cells.len() <= 1000);
    block(1.0, 1.0, 1.0, 1e-6, usize::MAX);
    block(1.0, 1.0, 1.0, 0.5, 0);
}

#[test]
fn a_filled_box_is_a_block() {
    let lattice = Lattice::filled(&cuboid(DVec3::new(1.1, 0.7, 0.3), [3, 2, 1]).unwrap(), 0.1, MOST).unwrap();
    assert_eq!(lattice.cells.len(), 11 * 7 * 3);
    let mean = lattice.points().iter().sum::<DVec3>() / lattice.cells.len() as f64;
    assert!(mean.length() < 1e-14);
}

#[test]
fn a_filled_ball_has_its_volume_and_nothing_outside() {
    let mut ball = icosphere(1.0, 4).unwrap();
    ball.points.iter_mut().for_each(|p| *p += DVec3::new(3.0, -1.0, 2.0));
    let lattice = Lattice::filled(&ball, 0.1, MOST).unwrap();
    let volume = lattice.cells.len() as f64 * 1e-3;
    assert!((volume / (4.0 / 3.0 * PI) - 1.0).abs() < 0.03, "{volume}");
    assert!(lattice.points().iter().all(|p| (*p - DVec3::new(3.0, -1.0, 2.0)).length() < 1.0));
    assert_eq!(lattice.lonely(), 0);
    // Inside out is a body, too.
    ball.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert_eq!(Lattice::filled(&ball, 0.1, MOST).unwrap(), lattice);
}

#[test]
fn a_goblet_holds_together() {
    let glass = goblet(0.18, 0.18 / 80.0).unwrap();
    for parts in [60.0, 75.0] {
        let spacing = 0.18 / parts;
        let lattice = Lattice::filled(&glass, spacing, MOST).unwrap();
        let filled = lattice.cells.len() as f64 * spacing.powi(3) / glass.volume();
        println!("{} particles, {filled:.3} of the volume", lattice.cells.len());
        assert!((filled - 1.0).abs() < 0.05);
        assert_eq!(lattice.lonely(), 0);
    }
}

#[test]
fn surfaces_that_enclose_nothing_or_too_little_are_refused() {
    let filled = |mesh: &TriangleMesh, spacing: f64| refusal(Lattice::filled(mesh, spacing, MOST));
    let ball = icosphere(1.0, 3).unwrap();
    let (error, text) = filled(&Sheet::new(10, 10, 1.0, 1.0).mesh().unwrap(), 0.1);
    assert!(
        matches!(error, GrainError::Surface(StuffingError::Open { .. })) && text.contains("36 open edges"),
        "{text}"
    );
    let mut bowl = ball.clone();
    bowl.triangles.retain(|t| t.iter().all(|&c| ball.points[c as usize].y < 0.1));
    assert!(matches!(filled(&bowl, 0.1).0, GrainError::Surface(StuffingError::Unclear { .. })));
    assert!(matches!(filled(&TriangleMesh::default(), 0.1).0, GrainError::Surface(StuffingError::Empty { .. })));

    // Only the hole of a ring has a centre in it.
    let (error, text) = filled(&torus(1.0, 0.2, 32, 16).unwrap(), 3.0);
    assert!(matches!(error, GrainError::NothingFits { below, .. } if below > 0.09 && below < 0.11), "{text}");
    // A thin plate that is less than one particle; with the spacing that is proposed it is filled.
    let mut plate = cuboid(DVec3::new(0.2, 0.01, 0.2), [1, 1, 1]).unwrap();
    plate.points.iter_mut().for_each(|p| *p = DQuat::from_rotation_x(0.7) * *p);
    for spacing in [0.15, 1.0] {
        match filled(&plate, spacing).0 {
            GrainError::NothingFits { below, .. } | GrainError::TooThin { below, .. } => {
                assert!(below > 0.003 && Lattice::filled(&plate, below, MOST).is_ok(), "{below}");
            }
            other => panic!("{other}"),
        }
    }
    for spacing in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(filled(&ball, spacing).0, GrainError::Spacing { .. }));
    }
    assert!(matches!(refusal(Lattice::filled(&ball, 0.1, 100)).0, GrainError::TooMany { .. }));
    assert!(matches!(refusal(Lattice::filled(&ball, 0.1, 4000)).0, GrainError::TooMany { .. }));
    filled(&ball, 1e-4);
    filled(&ball, 1e-12);
}

#[test]
fn lonely_cells_are_counted() {
    let cells = vec![[0, 0, 0], [1, 1, 1], [3, 1, 1], [i32::MAX; 3], [i32::MIN; 3]];
    assert_eq!(Lattice { origin: DVec3::ZERO, spacing: 1.0, cells }.lonely(), 3);
    assert_eq!(Lattice::default().lonely(), 0);

    // A ball with a crumb of one cell on either side.
    let mut bodies = icosphere(1.0, 3).unwrap();
    for side in [-1.0, 1.0] {
        let crumb = cuboid(DVec3::splat(0.12), [1, 1, 1]).unwrap();
        let first = bodies.points.len() as u32;
        bodies.points.extend(crumb.points.iter().map(|p| *p + DVec3::new(2.05 * side, 0.05, 0.05)));
        bodies.triangles.extend(crumb.triangles.iter().map(|t| t.map(|c| c + first)));
    }
    assert_eq!(Lattice::filled(&bodies, 0.1, MOST).unwrap().lonely(), 2);
}
