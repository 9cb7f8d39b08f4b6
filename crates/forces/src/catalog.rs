//! All force models by name, each with a small example on which the law tests check it.

use glam::DVec3;
use pliant_core::ForceModel;

use crate::cloth::examples;
use crate::constraint::examples as constraints;
use crate::solid::examples as solids;
use crate::{
    CubicSpring, CubicSprings, Drag, Gravity, GreenSpring, GreenSprings, Grip, Hand, Pendulum, PendulumForce, Pull,
    Spring, Springs,
};

/// An example of a force model on a few particles.
pub struct Example {
    /// Masses, kg.
    pub masses: Vec<f64>,
    /// Non-degenerate positions, m.
    pub x: Vec<DVec3>,
    /// The model.
    pub model: Box<dyn ForceModel>,
}

/// One model.
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// One-line summary.
    pub summary: &'static str,
    /// Examples: every variant whose derivatives differ.
    pub examples: fn() -> Vec<Example>,
}

/// The catalog.
pub const FORCES: &[Entry] = &[
    Entry { name: "gravity", summary: "uniform gravity, f = m g", examples: gravity },
    Entry { name: "drag", summary: "drag against still air, f = -rate m v", examples: drag },
    Entry {
        name: "springs",
        summary: "springs with rest length, stiffness, and damping along the spring",
        examples: springs,
    },
    Entry {
        name: "green-springs",
        summary: "springs in Green's strain, E = (k/8L²) (l² - L²)²",
        examples: green_springs,
    },
    Entry {
        name: "cubic-springs",
        summary: "the nonlinear spring to a place, f = -Kx (x + x³) - Kv (v + v³)",
        examples: cubic_springs,
    },
    Entry { name: "pendulum", summary: "a pendulum in its angle, θ'' = -(g/length) sin θ", examples: pendulum },
    Entry { name: "pull", summary: "a hand: a damped spring from one particle to a place", examples: pull },
    Entry {
        name: "stvk-membrane",
        summary: "a sheet of St. Venant-Kirchhoff material with warp and weft, W = A t ½ E:C:E, damped by its strain rate",
        examples: examples::stvk,
    },
    Entry {
        name: "baraff-witkin",
        summary: "a sheet by conditions on stretch and shear, E = ½ A k C², with their damping",
        examples: examples::baraff_witkin,
    },
    Entry {
        name: "hinge-bending",
        summary: "bending by the angle between triangles, E = ½ κ (θ - θ₀)², damped by its rate",
        examples: examples::hinge,
    },
    Entry {
        name: "plate-bending",
        summary: "bending of a thin plate on any mesh, E = ½ (θ - θ₀)ᵀ K (θ - θ₀) of all angles, damped by their rates",
        examples: examples::plate,
    },
    Entry {
        name: "quadratic-bending",
        summary: "bending of sheets that are flat at rest and hardly stretch, with a constant matrix",
        examples: examples::quadratic,
    },
    Entry {
        name: "strain-limit",
        summary: "edges that resist beyond a strain, the harder the farther",
        examples: examples::strain_limit,
    },
    Entry {
        name: "aerodynamics",
        summary: "drag and lift of triangles in a wind that may be gusty",
        examples: examples::aerodynamics,
    },
    Entry {
        name: "pressure",
        summary: "gas or a constant pressure inside a closed surface, E = -∫ p dV",
        examples: examples::pressure,
    },
    Entry {
        name: "volume-constraint",
        summary: "tetrahedra that keep their volume, with a guard against collapse and inversion",
        examples: constraints::volumes,
    },
    Entry {
        name: "area-constraint",
        summary: "triangles that keep their area, E = ½ K (A/A₀ - 1)²",
        examples: constraints::areas,
    },
    Entry {
        name: "angle-constraint",
        summary: "angles between edges at a vertex, E = ½ k (2 tan θ/2 - 2 tan θ₀/2)²: bending of ropes",
        examples: constraints::angles,
    },
    Entry {
        name: "section-angle",
        summary: "angles between a section and a segment, E = ½ k (2 tan θ/2)²: bending of ropes where they are clamped",
        examples: constraints::section_angles,
    },
    Entry {
        name: "shear",
        summary: "wings that tilt the same way at both ends of a segment, E = ½ k (e - e₀)²: shear of ropes that are curved at rest",
        examples: constraints::shears,
    },
    Entry {
        name: "torsion",
        summary: "twist about a segment with a wing at each end, E = (k/2L) (u - u₀)²",
        examples: constraints::torsions,
    },
    Entry {
        name: "cauchy-solid",
        summary: "tetrahedra with the linear strain, right for small rotations only",
        examples: solids::cauchy,
    },
    Entry {
        name: "green-solid",
        summary: "tetrahedra of St. Venant-Kirchhoff material, W = V (μ E:E + λ/2 tr(E)²)",
        examples: solids::green,
    },
    Entry {
        name: "corotational-solid",
        summary: "tetrahedra with the linear strain in the frame of the polar decomposition",
        examples: solids::corotational,
    },
    Entry {
        name: "warped-solid",
        summary: "tetrahedra with the linear strain in a frame laid along edges, for comparison",
        examples: solids::warped,
    },
    Entry {
        name: "hybrid-solid",
        summary: "tetrahedra with corotated shear and Green's change of volume",
        examples: solids::hybrid,
    },
    Entry {
        name: "neo-hookean-solid",
        summary: "tetrahedra of stable neo-Hookean material",
        examples: solids::neo_hookean,
    },
    Entry {
        name: "framed-solid",
        summary: "tetrahedra with the linear strain in frames that stand still during a step, of their own or of coarse ancestors",
        examples: solids::framed,
    },
    Entry {
        name: "coarse-green",
        summary: "what Green's measure has beyond the linear one on the coarse tetrahedra of a refined solid, for study",
        examples: solids::coarse_green,
    },
    Entry {
        name: "traction",
        summary: "a load on faces that keeps its direction, in N/m² of their area at rest, with a ramp in time",
        examples: solids::traction,
    },
    Entry {
        name: "face-pressure",
        summary: "a pressure on faces that follows their normals, with a ramp in time",
        examples: solids::face_pressure,
    },
    Entry {
        name: "peridynamics",
        summary: "bonds between all particles within a horizon, which break where they become too long",
        examples: crate::peridynamics::examples::peridynamics,
    },
];

/// A tetrahedron with unequal masses.
fn four() -> (Vec<f64>, Vec<DVec3>) {
    let x = vec![
        DVec3::new(0.1, -0.2, 0.05),
        DVec3::new(1.1, 0.1, 0.0),
        DVec3::new(0.2, 0.9, -0.3),
        DVec3::new(-0.1, 0.3, 1.2),
    ];
    (vec![1.0, 0.5, 2.0, 0.7], x)
}

fn gravity() -> Vec<Example> {
    let (masses, x) = four();
    let model = Box::new(Gravity::new(DVec3::new(0.3, -9.81, 0.1), masses.clone(), vec![0..2, 3..4]));
    vec![Example { masses, x, model }]
}

fn drag() -> Vec<Example> {
    let (masses, x) = four();
    let model = Box::new(Drag::new(0.7, masses.clone()));
    vec![Example { masses, x, model }]
}

fn springs() -> Vec<Example> {
    let example = |rest: f64, damping: f64| {
        let (masses, x) = four();
        let pairs = [[0, 1], [1, 2], [2, 3], [3, 0], [0, 2], [1, 3]];
        let spring = |(k, nodes): (usize, [u32; 2])| Spring {
            nodes,
            rest_length: rest * (1.0 + 0.1 * k as f64),
            stiffness: 100.0 + 20.0 * k as f64,
            damping: damping * (1.0 + k as f64),
        };
        let model = Box::new(Springs::new(pairs.into_iter().enumerate().map(spring).collect()));
        Example { masses, x, model }
    };
    // undamped; damped and compressed; of zero rest length and damped
    vec![example(0.8, 0.0), example(1.6, 1.5), example(0.0, 0.4)]
}

fn green_springs() -> Vec<Example> {
    let example = |rest: f64, damping: f64| {
        let (masses, x) = four();
        let pairs = [[0, 1], [1, 2], [2, 3], [3, 0]];
        let spring = |nodes| GreenSpring { nodes, rest_length: rest, stiffness: 100.0, damping };
        let model = Box::new(GreenSprings::new(pairs.into_iter().map(spring).collect()));
        Example { masses, x, model }
    };
    // undamped; damped and compressed
    vec![example(0.9, 0.0), example(1.8, 4.0)]
}

fn cubic_springs() -> Vec<Example> {
    let (masses, x) = four();
    let spring = |node: u32| CubicSpring { node, anchor: DVec3::new(0.3, 0.1, -0.2), stiffness: 100.0, damping: 1.0 };
    let model = Box::new(CubicSprings::new((0..4).map(spring).collect()));
    vec![Example { masses, x, model }]
}

fn pendulum() -> Vec<Example> {
    let (masses, x) = four();
    let model = Box::new(PendulumForce::new((0..4).map(|node| Pendulum { node, strength: 2.0 }).collect()));
    vec![Example { masses, x, model }]
}

fn pull() -> Vec<Example> {
    let (masses, x) = four();
    let hand = Hand::default();
    hand.set(Some(Grip { particle: 2, target: DVec3::new(-0.4, 0.2, 0.6), stiffness: 30.0, damping: 0.8 }));
    vec![Example { masses, x, model: Box::new(Pull::new(hand)) }]
}
