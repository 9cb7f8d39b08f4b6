//! Ten closed surfaces, from file to motion: each is filled with tetrahedra, dropped to the ground and followed for 2 s at a stated error.
//!
//! Checked at every frame, for a stable neo-Hookean material, whose energy is finite even inside out, so that nothing forbids what is
//! looked for:
//! - every number is finite and every particle above the ground;
//! - no tetrahedron is inverted: `det F > 0` for all;
//! - the energy is never above that of the start;
//! - the volume has changed by no more than what the fall has set free can do. Of all deformations with a given `J = det F`, a dilation
//!   stores least, `ψ(J)`, which is convex where a solid is; so by Jensen's inequality `V ψ(v/V) ≤ elastic energy ≤ energy at the start -
//!   energy of height now`, with `v` the volume now and `V` that at rest.

use glam::{DMat3, DVec3};
use pliant::forces::solid::presets::find;
use pliant::geom::TriangleMesh;
use pliant::geom::stuffing::{ANGLE_BOUNDS, Stuffed, tetrahedralize};
use pliant::mesh::Mesh;
use pliant::scene::load;
use pliant::time::Simulation;
use pliant_testkit::surfaces::ten;

/// Metres a unit of a surface: bodies are about 30 cm large.
const SCALE: f64 = 0.3;
/// Height of the lowest point at the start, m.
const DROP: f64 = 0.05;
const STUFF: &str = "silicone";

fn scene(name: &str, surface: &TriangleMesh, spacing: f64) -> (Simulation, Stuffed) {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("ten-surfaces").join(name.replace(' ', "-"));
    std::fs::create_dir_all(&folder).expect("a folder of the test's own");
    let lowest = surface.points.iter().map(|point| point.y).fold(f64::INFINITY, f64::min);
    let offset = DVec3::Y * (DROP - SCALE * lowest);
    let faces = surface.triangles.iter().map(|corners| corners.to_vec()).collect();
    let file = Mesh { points: surface.points.clone(), faces, ..Mesh::default() };
    file.write(&folder.join("surface.obj")).unwrap_or_else(|e| panic!("{name}: {e}"));
    let spacing = SCALE * spacing;
    let text = format!(
        "version = 1\n[time]\nuntil = 2\nfps = 60\n[time.control]\nkind = \"force-error\"\ntolerance = \"1 mm\"\n\
         [[solid]]\nname = \"body\"\npreset = \"{STUFF}\"\nmeasure = \"neo-hookean\"\ndamping = \"5 ms\"\n\
         surface = {{ file = \"surface.obj\", scale = {SCALE}, offset = [0, {:?}, 0], spacing = {spacing:?} }}\n\
         [[collider]]\nname = \"ground\"\nplane = {{ point = [0, 0, 0], normal = [0, 1, 0] }}\nfriction = 0.5\n",
        offset.y
    );
    let path = folder.join("scene.toml");
    std::fs::write(&path, text).expect("the folder can be written");
    let scene = load(path.to_str().expect("a plain path"), &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
    let simulation = scene.build().unwrap_or_else(|e| panic!("{name}: {e}")).simulation;
    let points = surface.points.iter().map(|point| *point * SCALE + offset).collect();
    let stuffed = tetrahedralize(&TriangleMesh { points, triangles: surface.triangles.clone() }, spacing)
        .unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(simulation.state().x, stuffed.points, "{name}: these are the particles");
    (simulation, stuffed)
}

/// Six times the volume of each tetrahedron.
fn volumes(tets: &[[u32; 4]], x: &[DVec3]) -> Vec<f64> {
    let six = |[a, b, c, d]: [DVec3; 4]| DMat3::from_cols(b - a, c - a, d - a).determinant();
    tets.iter().map(|tet| six(tet.map(|corner| x[corner as usize]))).collect()
}

/// Energy density of a dilation by `j`, J/m³: the formula in the head of `forces/src/solid/neo_hookean.rs` for `F = j^(1/3) I`.
fn dilation(j: f64) -> f64 {
    let stuff = find(STUFF).expect("a material");
    let (mu, lambda) = (
        stuff.young / (2.0 * (1.0 + stuff.poisson)),
        stuff.young * stuff.poisson / ((1.0 + stuff.poisson) * (1.0 - 2.0 * stuff.poisson)),
    );
    let (m, l) = (4.0 / 3.0 * mu, lambda + 5.0 / 6.0 * mu);
    let alpha = 1.0 + 0.75 * m / l;
    let of = |j: f64| {
        let i = 3.0 * j.powf(2.0 / 3.0);
        0.5 * m * (i - 3.0) + 0.5 * l * (j - alpha).powi(2) - 0.5 * m * (i + 1.0).ln()
    };
    of(j) - of(1.0)
}

fn falls(name: &str, surface: &TriangleMesh, spacing: f64) {
    let (mut simulation, Stuffed { tets, quality, points, .. }) = scene(name, surface, spacing);
    assert!(quality.inverted == 0 && quality.least_angle >= ANGLE_BOUNDS[0], "{name}: {quality}");
    assert!(quality.most_angle <= ANGLE_BOUNDS[1], "{name}: {quality}");
    assert_eq!(quality.pieces, if name == "linked rings" { 2 } else { 1 }, "{name}");
    let rest = volumes(&tets, &points);
    let volume = rest.iter().sum::<f64>() / 6.0;
    let start = simulation.account().energy.total();
    let (mut least, mut squeezed, mut allowed) = (1.0_f64, 0.0_f64, 0.0_f64);
    while !simulation.is_done() {
        simulation.advance_frame(|_, _| {}).unwrap_or_else(|e| panic!("{name}: {e}"));
        let (state, energy) = (simulation.state(), simulation.account().energy);
        let time = state.time;
        assert!(state.x.iter().chain(&state.v).all(|vector| vector.is_finite()), "{name}, t = {time}");
        let lowest = state.x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
        assert!(lowest > 0.0, "{name}, t = {time}: a particle is at a height of {lowest} m");
        let now = volumes(&tets, &state.x);
        let stretch = now.iter().zip(&rest).map(|(now, rest)| now / rest).fold(f64::INFINITY, f64::min);
        assert!(stretch > 0.0, "{name}, t = {time}: a tetrahedron is inside out, det F = {stretch}");
        let free = start - energy.gravity;
        assert!(energy.total() <= start * (1.0 + 1e-9), "{name}, t = {time}: {energy:?} after {start} J");
        let change = now.iter().sum::<f64>() / 6.0 / volume;
        let stored = volume * dilation(change);
        assert!(stored <= free, "{name}, t = {time}: a change of the volume to {change} needs {stored} J of {free}");
        (least, squeezed) = (least.min(stretch), squeezed.max((change - 1.0).abs()));
        allowed = allowed.max(free / volume);
    }
    assert_eq!(simulation.state().time, 2.0, "{name}");
    let fell = points.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    let lowest = simulation.state().x.iter().map(|x| x.y).fold(f64::INFINITY, f64::min);
    assert!(fell > 0.04 && lowest < 0.01, "{name}: it came to the ground, from {fell} m to {lowest} m");
    println!(
        "{name}: {} particles, {quality}; {} steps; least det F {least:.3}; volume changed by {:.2} % at most, {allowed:.0} J/m³ were free",
        points.len(),
        simulation.tally().steps,
        100.0 * squeezed
    );
}

macro_rules! surfaces {
    ($($test:ident $name:literal)*) => {
        $(
            #[test]
            fn $test() {
                let found = ten().into_iter().find(|(name, ..)| *name == $name);
                let (name, surface, spacing) = found.expect("one of the ten");
                falls(name, &surface, spacing);
            }
        )*

        #[test]
        fn all_ten_are_here() {
            assert_eq!(ten().map(|(name, ..)| name), [$($name),*]);
        }
    };
}

surfaces! {
    sphere "sphere"
    torus "torus"
    capsule "capsule"
    linked_rings "linked rings"
    rabbit "rabbit"
    liver "liver"
    star "star"
    turned_cube "turned cube"
    thin_plate "thin plate"
    letter_l "letter L"
}
