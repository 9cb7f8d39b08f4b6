//! Scenes know every key that a builder can set.

use pliant_scene::probes::Quantity;
use pliant_scene::schema::{
    BrittleFigure, BrittleLaw, BrittleSpace, ClothBending, ClothModel, FluidKernel, FluidPressure, Frames, Repair,
    RestraintCriterion, RopeCell, RopeEnd, RopeRest, Side, SolidFigure, Split,
};
use pliant_time::control::Law;

use super::super::*;
use super::sheet;

/// Keys that no scene knows would be refused; numbers are checked elsewhere.
#[test]
fn scenes_know_every_key_that_builders_set() {
    let (low, high) = (DVec3::ZERO, DVec3::ONE);
    let spin = Turn::rate(DVec3::X, 1.0).about(low);
    let pins = Pins::particles([0]).oscillate(DVec3::X, 2.0);
    let cloth = sheet()
        .preset("silk")
        .model(ClothModel::Stvk)
        .bending(ClothBending::Hinges)
        .density(0.2)
        .thickness(1e-3)
        .youngs_modulus(1e5)
        .youngs_modulus_weft(1e5)
        .shear_modulus(1e4)
        .poisson(0.3)
        .bending_stiffness(1e-5)
        .damping(1e-3)
        .bending_damping(1e-3)
        .strain_limit(0.1)
        .velocity(low)
        .friction(0.2)
        .contact_distance(1e-3)
        .contact(true)
        .inflate(10.0)
        .pin(pins.clone())
        .pin(Pins::side(Side::Left))
        .pin(Pins::inside(low, high).keyframes([(0.0, low), (1.0, high)]).turn(spin.clone()))
        .pin(Pins::attribute("a"));
    let globe = Cloth::sphere("globe", 0.1).subdivisions(2).at(high);
    let file = Cloth::file("file", "a.obj").scale(0.5).repair([Repair::Weld]).at(high);
    let rope = Rope::line("rope", 1e-3, low, high)
        .rotate(DVec3::Y, 1.0)
        .smooth()
        .closed(false)
        .offset(low)
        .segments(5)
        .preset("suture")
        .youngs_modulus(1e6)
        .poisson(0.3)
        .stretch_stiffness(1.0)
        .bend_stiffness(1.0)
        .twist_stiffness(1.0)
        .mass_per_length(1.0)
        .density(1.0)
        .damping(1e-3)
        .rest(RopeRest::Curve)
        .cell(RopeCell::Isotropic)
        .twist(0.0)
        .strands(1)
        .knotted(false)
        .velocity(low)
        .friction(0.1)
        .contact_distance(1e-4)
        .contact(true)
        .separate(false)
        .pin(RopePins::end(RopeEnd::Both).clamp().turn(Turn::angles(DVec3::X, [(0.0, 0.0), (1.0, 1.0)])))
        .pin(RopePins::points([1]))
        .pin(RopePins::inside(low, high));
    let solid = Solid::block("bar", [1, 1, 1], high)
        .at(low)
        .split(Split::Six)
        .preset("foam")
        .measure("green")
        .frames(Frames::Current)
        .frame_interval(0.1)
        .refine(0)
        .skin(false)
        .density(1.0)
        .youngs_modulus(1.0)
        .poisson(0.3)
        .damping(0.1)
        .velocity(low)
        .friction(0.1)
        .contact_distance(1e-3)
        .contact(true)
        .pin(pins.clone())
        .load(Load::traction(low, high, low).ramp(1.0))
        .load(Load::pressure(low, high, 1.0).history([(0.0, 0.0), (1.0, 1.0)]));
    let figure = Solid::figure("ball", SolidFigure::Ball, 0.1, 0.05).at(low);
    let fluid = Fluid::new("water", 0.1)
        .block(low, high)
        .container(low, high)
        .closed()
        .source(low, DVec3::X, [0.1, 0.1], 1.0, 3)
        .outlet(low, high)
        .density(1e3)
        .sound_speed(10.0)
        .pressure(FluidPressure::WeaklyCompressible)
        .density_error(1e-3)
        .two_dimensional(false)
        .smoothing(1.2)
        .kernel(FluidKernel::WendlandC2)
        .artificial_viscosity(0.1)
        .bulk_viscosity(0.1)
        .viscosity(0.0)
        .surface_tension(0.0)
        .velocity(low);
    let brittle = Peridynamic::block("plate", 0.1, low, high)
        .preset("ice")
        .horizon(3.0)
        .density(1.0)
        .youngs_modulus(1.0)
        .poisson(0.25)
        .energy_release_rate(1.0)
        .unbreakable(false)
        .toughening(0.1)
        .law(BrittleLaw::BondBased)
        .space(BrittleSpace::Three)
        .thickness(0.1)
        .jitter(0.1)
        .seed(3)
        .surface_correction(true)
        .velocity(low)
        .spin(low)
        .friction(0.1)
        .pin(pins.clone())
        .crack(low, [DVec3::X, DVec3::Y]);
    let glass = Peridynamic::figure("glass", 0.01, BrittleFigure::Goblet, 0.2).at(low);
    let shell = Peridynamic::file("shell", 0.01, "a.obj").at(low);
    let springs = SpringBody::grid("net", 1.0, [2, 2], [1.0, 1.0])
        .horizontal()
        .at(low)
        .cubic(low)
        .mass(1.0)
        .total_mass(1.0)
        .shear_stiffness(1.0)
        .bend_stiffness(1.0)
        .damping(0.1)
        .rest_length(0.1)
        .velocity(low)
        .pin(pins);
    let chain = SpringBody::chain("chain", 1.0, 3, low, high);
    let collider = Collider::capsule("bar", [low, high], 0.1)
        .friction(0.1)
        .velocity(low)
        .oscillate(DVec3::X, 1.0)
        .keyframes([(0.0, low)])
        .turn(spin);
    let control =
        Control::force_error(1e-3).law(Law::Pi).alpha(0.5).first_step(1e-3).steps_between(1e-6, 0.1).max_steps(1e6);
    let restraint = Restraint::new()
        .criterion(RestraintCriterion::Ramp)
        .error(1e-3)
        .speed(0.1)
        .energy(1.0)
        .momentum(1.0)
        .ratio(4.0)
        .least_speed(0.1)
        .share(0.5)
        .fading(0.1)
        .body("net", None)
        .body("bar", Some(0.1));
    let scene = Simulation::builder()
        .name("all")
        .until(1.0)
        .fps(30.0)
        .gravity(low)
        .drag(0.1)
        .integrator("bdf2")
        .control(control)
        .tolerance(1e-3)
        .solver("cg")
        .preconditioner("block-ic")
        .accuracy(1e-6)
        .projection(3, 1.0)
        .response(true)
        .contact_speed(1.0)
        .contact_creep(1e-3)
        .wind(low)
        .gusts(0.1, 1.0)
        .air_density(1.2)
        .restraint(restraint)
        .formats(["vtu"])
        .every_step(true)
        .add(cloth)
        .add(globe)
        .add(file)
        .add(rope)
        .add(solid)
        .add(figure)
        .add(fluid)
        .add(brittle)
        .add(glass)
        .add(shell)
        .add(springs)
        .add(chain)
        .add(collider)
        .add(Suture::new("rope", ["bar"], 2).stiffness(1.0).grip(1.0).knot(true))
        .add(PendulumBody::new("clock", 1.0, 0.1).angular_velocity(0.0).mass(1.0))
        .add(Collider::file("rock", "a.obj"))
        .add(Collider::block("step", low, high))
        .add(Collider::floor("floor", 0.0))
        .add(Rope::file("thread", 1e-3, "a.txt"))
        .add(Probe::new("p", Quantity::Position).of("net", 1));
    for control in
        [Control::fixed(1e-3), Control::step_doubling(1e-3), Control::speed_limit(0.1), Control::stretch_limit(0.1)]
    {
        let scene = scene.clone().control(control);
        let document = pliant_scene::locate::Document::of_program("all", scene.root, pliant_scene::Language::Rust);
        document.deserialize::<pliant_scene::Scene>().unwrap();
    }
}
