//! An integrator of one's own, used by name like those of the catalog: Ruth's third-order symplectic scheme, and its order measured.
//!
//! `cargo run --release --example own_integrator -- out/own_integrator`

use std::path::Path;

use pliant::core::{Attempt, StepFailure, View};
use pliant::prelude::*;
use pliant::time::{Demand, Integrator, Properties, Stability};

/// What it declares, where that differs from velocity Verlet; controllers and checks go by this.
static RUTH: Properties = Properties {
    name: "ruth3",
    summary: "three kicks and three drifts",
    order: 3,
    stability: Stability::UpTo(2.5),
    evaluations: 3,
    truncation_exponent: None,
    restrains: false,
    ..pliant::time::symplectic::verlet::PROPERTIES
};

/// Parts of the step of each kick and of the drift after it.
const KICKS: [f64; 3] = [7.0 / 24.0, 3.0 / 4.0, -1.0 / 24.0];
const DRIFTS: [f64; 3] = [2.0 / 3.0, -2.0 / 3.0, 1.0];

#[derive(Default)]
struct Ruth {
    force: Vec<DVec3>,
}

impl Integrator for Ruth {
    fn properties(&self) -> &'static Properties {
        &RUTH
    }

    #[rustfmt::skip]
    fn attempt(
        &mut self, system: &mut System, from: &Point, dt: f64, _: Demand, to: &mut Point, work: &mut Work,
    ) -> Result<Attempt, StepFailure> {
        to.copy_from(from);
        self.force.resize(from.state.len(), DVec3::ZERO);
        let mut time = from.state.time;
        for (kick, drift) in KICKS.into_iter().zip(DRIFTS) {
            let State { x, v, .. } = &mut to.state;
            system.forces(&View { time, x, v }, &mut self.force);
            work.force_evaluations += 1;
            for (i, inverse_mass) in system.inverse_masses().iter().enumerate() {
                v[i] += self.force[i] * (kick * dt * inverse_mass);
                x[i] += v[i] * (drift * dt);
            }
            time += drift * dt;
            system.apply_pins(time, x, v);
        }
        to.state.time = from.state.time + dt;
        to.force_known = false;
        Ok(Attempt::default())
    }
}

static ENTRY: Entry = Entry::explicit(&RUTH, || Box::new(Ruth::default()));

/// Where a ball on a cubic spring is at t = 2 s, after steps of `dt`.
fn place(dt: f64) -> Result<f64, Box<dyn std::error::Error>> {
    let ball = SpringBody::points("ball", "10 N/m", &[DVec3::X], &[]).cubic([0.0, 0.0, 0.0]).mass(1.0);
    let scene = Simulation::builder().gravity([0.0, 0.0, 0.0]).until(2.0).fps(0.5).integrator(&ENTRY);
    let mut simulation = scene.control(Control::fixed(dt)).add(ball).build()?;
    while !simulation.is_done() {
        simulation.step()?;
    }
    Ok(simulation.state().x[0].x)
}

/// The order of accuracy, measured at a step and half of it against a sixteenth of it.
pub fn run(folder: &Path, dt: f64) -> Result<f64, Box<dyn std::error::Error>> {
    let exact = place(dt / 16.0)?;
    let errors = [(place(dt)? - exact).abs(), (place(0.5 * dt)? - exact).abs()];
    let order = (errors[0] / errors[1]).log2();
    println!("errors of {:.2e} and {:.2e} m: order {order:.2}", errors[0], errors[1]);
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("order.csv"), format!("dt,error\n{dt},{}\n{},{}\n", errors[0], 0.5 * dt, errors[1]))?;
    Ok(order)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| "out/own_integrator".to_owned());
    run(Path::new(&folder), 0.01).map(drop)
}
