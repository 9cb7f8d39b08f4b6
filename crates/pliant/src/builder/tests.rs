//! Whatever builders say, scenes understand, and it means what the same scene file means.

mod keys;

use pliant_scene::from_text;
use pliant_scene::schema::Corner;
use pliant_time::catalog::Entry;

use super::*;

fn hash(simulation: &mut Simulation) -> u64 {
    for _ in 0..5 {
        simulation.step().unwrap();
    }
    simulation.state().hash()
}

fn sheet() -> Cloth {
    Cloth::grid("sheet", [5, 5], [0.4, 0.4]).horizontal().at([0.0, 0.5, 0.0])
}

#[test]
fn the_same_bits_as_a_scene_file() {
    let text = r#"
        version = 1
        [time]
        until = 1
        control = { tolerance = "1 mm" }
        [[cloth]]
        name = "sheet"
        grid = { columns = 5, rows = 5, width = 0.4, height = 0.4, plane = "horizontal", origin = [0, 0.5, 0] }
        preset = "denim"
        pins = [{ corners = ["top-left"] }]
        [[collider]]
        name = "ball"
        sphere = { centre = [0.2, 0.3, 0.2], radius = "15 cm" }
    "#;
    let builder = Simulation::builder()
        .until(1.0)
        .tolerance("1 mm")
        .add(sheet().preset("denim").pin(Pins::corners([Corner::TopLeft])))
        .add(Collider::sphere("ball", [0.2, 0.3, 0.2], 0.15));
    let file = from_text("scene", "scene.toml", text, &[]).unwrap();
    assert_eq!(builder.scene().unwrap().fingerprint(), file.fingerprint());
    assert_eq!(hash(&mut builder.build().unwrap()), hash(&mut file.build().unwrap().simulation));
    // and the copy that a run leaves is the scene
    let copy = from_text("copy", "copy.toml", &builder.scene().unwrap().to_toml(), &[]).unwrap();
    assert_eq!(copy.fingerprint(), file.fingerprint());
}

#[test]
fn meshes_in_memory_are_meshes() {
    let mesh = pliant_geom::shapes::Sheet::new(4, 4, 0.3, 0.3).mesh().unwrap();
    let cloth = Cloth::mesh("sheet", &mesh.points, &mesh.triangles).at([0.0, 0.5, 0.0]);
    let builder = Simulation::builder().until(1.0).add(cloth);
    let simulation = builder.build().unwrap();
    assert_eq!(simulation.state().len(), mesh.points.len());
    assert_eq!(simulation.state().x[3], mesh.points[3] + DVec3::Y * 0.5);
    let copy = from_text("copy", "copy.toml", &builder.scene().unwrap().to_toml(), &[]).unwrap();
    assert_eq!(copy.build().unwrap().simulation.state(), simulation.state());

    let tetra = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z];
    let solid = Solid::mesh("one", &tetra, &[[0, 1, 2, 3]]).contact(false);
    assert_eq!(Simulation::builder().until(1.0).add(solid).build().unwrap().state().x, tetra);

    let ball = pliant_geom::shapes::icosphere(0.1, 2).unwrap();
    let filled = Solid::surface("ball", &ball.points, &ball.triangles, 0.05);
    assert!(Simulation::builder().until(1.0).add(filled).build().unwrap().state().len() > 10);
    let brittle = Peridynamic::surface("ball", 0.03, &ball.points, &ball.triangles);
    assert!(Simulation::builder().until(1.0).add(brittle).build().unwrap().state().len() > 10);
    let collider = Collider::mesh("ball", &ball.points, &ball.triangles);
    assert!(Simulation::builder().until(1.0).add(sheet()).add(collider).build().is_ok());
}

#[test]
fn errors_name_keys_and_no_lines() {
    let told = |builder: &SimulationBuilder| match builder.build() {
        Err(SceneError::Wrong(all)) => {
            assert!(all.iter().all(|one| one.line.is_none()), "{all:?}");
            all.iter().map(|one| (one.path.clone(), one.to_string())).collect::<Vec<_>>()
        }
        other => panic!("{:?}", other.err()),
    };
    let until = Simulation::builder().until(1.0);
    let of = |builder: SimulationBuilder, path: &str, words: &str| {
        let all = told(&builder);
        let found = all.iter().any(|(key, message)| key == path && message.contains(words));
        assert!(found, "{path}, {words}: {all:?}");
    };
    of(until.clone(), "", "add a body, for example .add(Cloth::...)");
    of(Simulation::builder().add(sheet()), "time", "until");
    of(until.clone().add(sheet().density(-1.0)), "cloth[0].density", "positive");
    of(until.clone().add(sheet().thickness("5 kg")), "cloth[0].thickness", "is a mass");
    of(until.clone().add(sheet().preset("coton")), "cloth[0].preset", "did you mean \"cotton\"?");
    of(until.clone().integrator("bdf7").add(sheet()), "time.integrator", "no integrator is called");
    of(until.clone().add(sheet()).add(sheet()), "cloth[1].name", "two bodies");
    of(until.clone().control(Control::stable(0.5)).add(sheet()), "time.control.kind", "no upper limit of stability");
    of(until.clone().add(Cloth::mesh("a", &[DVec3::ZERO; 3], &[[0, 1, 3]])), "cloth[0].mesh.triangles[0]", "0 to 2");
    of(until.clone().add(Cloth::mesh("a", &[], &[])), "cloth[0].mesh", "`points` and `triangles`");
    of(until.clone().add(Cloth::mesh("a", &[DVec3::ZERO; 3], &[[0, 1, 2]])), "cloth[0].mesh.triangles", "area");
    of(until.set("cloth.0.colour", Setting::Number(1.0)).add(sheet()), "cloth[0].colour", "colour");
}

static OWN: pliant_time::Properties =
    pliant_time::Properties { name: "mine", ..pliant_time::symplectic::verlet::PROPERTIES };
static ENTRY: Entry = Entry::explicit(&OWN, || Box::new(pliant_time::symplectic::verlet::VelocityVerlet::default()));

#[test]
fn own_parts_go_with_the_scene() {
    let builder = Simulation::builder().until(1.0).integrator(&ENTRY).add(sheet());
    let scene = builder.scene().unwrap();
    assert_eq!(scene.checked.integrator.properties.name, "mine");
    assert!(scene.to_toml().starts_with("# not held by this file: the integrator \"mine\"\n"));
    // with changes as well, and not where another one is asked for
    let other = scene.with(&["time.integrator=\"bdf2\"".to_owned()]).unwrap();
    assert_eq!(other.checked.integrator.properties.name, "bdf2");
    assert_eq!(scene.with(&["time.fps=30".to_owned()]).unwrap().checked.integrator.properties.name, "mine");

    let blown = builder.clone().force("drag", |system, _| pliant_forces::Drag::new(2.0, system.masses().to_vec()));
    assert_ne!(blown.scene().unwrap().fingerprint(), scene.fingerprint());
    let models = |builder: &SimulationBuilder| builder.build().unwrap().system.models().len();
    assert_eq!(models(&blown), models(&builder) + 1);
    // an entry of the catalog is only a name
    let named = Simulation::builder().until(1.0).integrator(find("bdf2").unwrap()).add(sheet()).scene().unwrap();
    assert!(named.extensions.integrator.is_none() && named.checked.integrator.properties.name == "bdf2");
}
