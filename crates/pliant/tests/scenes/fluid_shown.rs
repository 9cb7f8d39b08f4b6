//! What is seen of a fluid: density and pressure in frames, without a trace in the run; its surface in pictures; nothing of it in other scenes.

use glam::DVec3;
use pliant::core::{Fields, State};
use pliant::mesh::Mesh;
use pliant::picture::{FluidLook, SceneRenderer, Styling};
use pliant::record::formats::find;
use pliant::record::{Opening, read_vtu};
use pliant::scene::load;
use pliant::time::Simulation;

const TANK: &str = "version = 1
[time]
until = 0.2
[[fluid]]
name = \"water\"
boxes = [{ min = [0, 0, 0], max = [0.2, 0.4, 0.2] }]
spacing = 0.05
container = { box = { min = [0, 0, 0], max = [0.4, 0.5, 0.2] } }
";

/// Something else in the same scene.
const CHAIN: &str = "[[springs]]
name = \"chain\"
chain = { count = 3, from = [1, 0, 0], to = [2, 0, 0] }
stiffness = 100
mass = 1
";

fn tank() -> Simulation {
    pliant::scene::from_text("tank", "tank", TANK, &[]).unwrap().build().unwrap().simulation
}

#[test]
fn frames_hold_density_and_pressure_of_fluids_and_zero_of_others() {
    let folder = std::env::temp_dir().join(format!("pliant-fluid-shown-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = format!("{TANK}{CHAIN}");
    let mut simulation = pliant::scene::from_text("tank", "tank", &text, &[]).unwrap().build().unwrap().simulation;
    for _ in 0..20 {
        simulation.step().unwrap();
    }
    let mut fields = Fields::default();
    simulation.write_fields(&mut fields);
    for format in ["vtu", "ply"] {
        let opening = Opening { folder: &folder, system: &simulation.system, fps: 60.0, grown: None };
        find(format).unwrap().open(&opening).unwrap().unwrap().frame(0, simulation.state(), &fields).unwrap();
    }
    let [density, pressure] = fields.all() else { panic!("two fields, not {}", fields.all().len()) };
    assert_eq!((density.name, pressure.name), ("density", "pressure"));
    let body = |name: &str| simulation.system.bodies().iter().find(|body| body.name == name).unwrap().particles.clone();
    let water = body("water");
    assert_eq!(water.len(), 128);
    assert!(density.values[water.clone()].iter().all(|rho| *rho > 200.0 && *rho < 1100.0));
    assert!(pressure.values[water.clone()].iter().any(|p| *p > 100.0));
    let others = body("chain");
    assert_eq!(others.len(), 3);
    assert!(fields.all().iter().all(|field| field.values[others.clone()].iter().all(|value| *value == 0.0)));
    assert_eq!(read_vtu(&folder.join("frames/frame_00000.vtu")).unwrap().fields, fields);
    let mesh = Mesh::read(&folder.join("ply/frame_00000.ply")).unwrap();
    for field in fields.all() {
        let found = mesh.attributes.iter().find(|attribute| attribute.name == field.name).unwrap();
        assert_eq!(found.values, field.values);
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn asking_for_fields_leaves_no_trace() {
    let (mut asked, mut calm, mut fields) = (tank(), tank(), Fields::default());
    while !calm.is_done() {
        calm.step().unwrap();
        asked.step().unwrap();
        asked.write_fields(&mut fields);
    }
    assert!(calm.progress().to_parts() == asked.progress().to_parts());
    assert_eq!(calm.state().hash(), asked.state().hash());
}

#[test]
fn scenes_without_fluids_have_no_fields() {
    let mut simulation = load("spring-chain", &[]).unwrap().build().unwrap().simulation;
    let mut fields = Fields::default();
    simulation.write_fields(&mut fields);
    assert!(fields.all().is_empty());
}

#[test]
fn surfaces_take_the_place_of_balls_and_are_seen_through() {
    let simulation = tank();
    let (system, state) = (&simulation.system, simulation.state());
    let picture = |fluid: FluidLook, mark: Option<f64>| {
        let mut renderer = SceneRenderer::new(system.bodies(), system.free(), Styling { fluid, ..Styling::default() });
        renderer.observe(state);
        let mut drawing = renderer.draw(state);
        let balls = drawing.balls.len();
        if let Some(z) = mark {
            let material = drawing.add_material(pliant::picture::Material::plain(DVec3::X, 0.0));
            let ball = pliant::picture::Ball { centre: DVec3::new(0.1, 0.2, z), radius: 0.05, value: 0.0, material };
            drawing.balls.push(ball);
        }
        let camera = pliant::picture::Camera {
            eye: DVec3::new(0.1, 0.2, 3.0),
            target: DVec3::new(0.1, 0.2, 0.0),
            ..renderer.camera(1.0)
        };
        let look = renderer.look(0.0);
        (pliant::picture::render(&drawing, &camera, &look, [64, 64]).unwrap(), balls, drawing.triangles.len())
    };
    let (_, balls, _) = picture(FluidLook::Particles, None);
    let (plain, none, triangles) = picture(FluidLook::Surface, None);
    assert_eq!((balls, none), (128, 0));
    assert!(triangles > 500, "{triangles}");
    let middle = |z: f64| picture(FluidLook::Surface, Some(z)).0.pixels[32 * 64 + 32].map(i32::from);
    let (before, within, behind) = (middle(0.4), middle(0.15), middle(-0.3));
    let water = plain.pixels[32 * 64 + 32].map(i32::from);
    // red pales with the way through the water, and as far behind it as one likes
    assert!(before[0] > within[0] && within[0] > behind[0], "{before:?} {within:?} {behind:?}");
    assert!(before[2] < behind[2] && behind != water, "{behind:?} {water:?}");
    assert!(water[2] > water[0], "{water:?}");
}

/// A body that is no fluid is drawn as ever.
#[test]
fn other_bodies_do_not_care() {
    let simulation = load("hanging-cloth", &[]).unwrap().build().unwrap().simulation;
    let draw = |fluid: FluidLook| {
        let styling = Styling { fluid, ..Styling::default() };
        let mut renderer = SceneRenderer::new(simulation.system.bodies(), simulation.system.free(), styling);
        renderer.draw(&State { time: 0.0, ..simulation.state().clone() })
    };
    assert_eq!(draw(FluidLook::Particles), draw(FluidLook::Surface));
}
