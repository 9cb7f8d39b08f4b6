//! Green's measure on the coarse level: its effect on bending, and where it becomes indefinite.

use pliant::core::{JacobianKind, State};
use pliant::linalg::catalog::solver;
use pliant::prelude::DVec3;
use pliant::scene::load::from_text;

use super::bar;
use crate::solid::play::nearest;
use pliant_plot::report::Table;
use pliant_plot::text::significant;

/// Name, divisions, measure, frames and θ.
type Way = (&'static str, usize, &'static str, &'static str, f64);
const BENT: [Way; 5] = [
    ("Green, coarse mesh", 0, "green", "current", 0.0),
    ("Green, fine mesh", 2, "green", "current", 0.0),
    ("corotational, fine mesh", 2, "corotational", "current", 0.0),
    ("coarse frames, θ = 0", 2, "corotational", "coarse", 0.0),
    ("coarse frames, θ = 1", 2, "corotational", "coarse", 1.0),
];
const PRESSED: [Way; 3] = [
    ("Green, fine mesh", 1, "green", "current", 0.0),
    ("coarse frames, θ = 0", 1, "corotational", "coarse", 0.0),
    ("coarse frames, θ = 1", 1, "corotational", "coarse", 1.0),
];

fn changes((_, refine, measure, frames, theta): Way) -> Vec<String> {
    vec![
        format!("solid[0].refine={refine}"),
        format!("solid[0].measure={measure}"),
        format!("solid[0].frames={frames}"),
        format!("solid[0].coarse_green={theta:?}"),
    ]
}

/// Tractions, Pa; that of the scene is 80, where fine Green itself has collapsed on the compressed side.
const LOADS: [f64; 2] = [2.0, 20.0];

/// Displacement of a corner of the standing bar at rest, m; or why there is no rest.
fn deflection(way: Way, load: f64, corner: DVec3) -> Result<f64, String> {
    let mut changes = changes(way);
    changes.push(format!("solid[0].loads[0].traction=[{load:?}, 0, 0]"));
    changes.extend(
        [
            "solid[0].pins[0].turn.angles=[0, 0]",
            "solid[0].loads[0].ramp=1",
            "solid[0].damping=0.1",
            "time.integrator=backward-euler",
            "time.control.kind=fixed",
            "time.control.dt=0.05",
            "time.until=6",
        ]
        .map(String::from),
    );
    let mut simulation = bar(&changes).build().map_err(|error| error.to_string())?.simulation;
    simulation.track_energy(false);
    let watched = nearest(simulation.state(), corner);
    while !simulation.is_done() {
        simulation.step().map_err(|error| error.to_string())?;
    }
    Ok(simulation.state().x[watched].distance(corner))
}

const CUBE: &str = r#"version = 1
[time]
until = 1
[[solid]]
name = "cube"
box = { cells = [2, 2, 2], size = [0.1, 0.1, 0.1], split = "six" }
youngs_modulus = 2600
poisson = 0.3
damping = 0
contact = false
pins = [{ box = { min = [-1, -0.0001, -1], max = [1, 0.0001, 1] } }, { box = { min = [-1, 0.0999, -1], max = [1, 0.1001, 1] } }]
"#;

/// The compression, in hundredths of the height, from which on a cube that is evenly compressed between two plates has a direction without
/// stiffness; `None` up to 60.
fn limit(way: Way) -> Option<u32> {
    let loaded = from_text("cube", "cube", CUBE, &changes(way)).unwrap_or_else(|error| panic!("{error}"));
    let simulation = loaded.build().unwrap_or_else(|error| panic!("{error}")).simulation;
    let (rest, mut system) = (simulation.state().x.clone(), simulation.system);
    let (mut jacobian, mut matrix) = (system.matrices().new_jacobian(), system.matrices().new_matrix());
    (1..=60).find(|percent| {
        let height = 1.0 - f64::from(*percent) / 100.0;
        let state = State::at_rest(rest.iter().map(|x| DVec3::new(x.x, height * x.y, x.z)).collect());
        system.begin_step(&state.view());
        system.assemble(&state.view(), JacobianKind::Symmetric, &mut jacobian);
        // steps so long that inertia does not matter
        system.matrices().write_system_matrix(&jacobian, 1e3, &mut matrix);
        solver("cholesky", "none").is_some_and(|mut solver| solver.factor(&matrix).is_err())
    })
}

/// Both tables, and words.
pub fn study(corner: DVec3) -> (Vec<Table>, String) {
    let bent = LOADS.map(|load| BENT.map(|way| deflection(way, load, corner)));
    let over = |at: usize, k: usize| {
        let way = |k: usize| bent[at][k].as_ref().copied().unwrap_or(f64::NAN);
        way(k) / way(1)
    };
    let mut table = Table::new(
        "The bar bent by 2 and by 20 N/m² (the scene: 80): way of a corner",
        ["model", "2: way [m]", "over fine Green", "20: way [m]", "over fine Green"],
    );
    for (k, way) in BENT.iter().enumerate() {
        let cells = (0..2).flat_map(|at| match &bent[at][k] {
            Ok(metres) => [significant(*metres, 3), significant(over(at, k), 4)],
            Err(why) => [why.clone(), "–".into()],
        });
        table.push([way.0.to_owned()].into_iter().chain(cells));
    }
    let limits = PRESSED.map(limit);
    let words = |limit: Option<u32>| limit.map_or("none up to 60 %".into(), |percent| format!("{percent} %"));
    let mut pressed = Table::new(
        "A cube of 2 x 2 x 2 cells, once refined, evenly pressed between plates",
        ["model", "indefinite from a compression of"],
    );
    PRESSED.iter().zip(limits).for_each(|(way, limit)| pressed.push([way.0.to_owned(), words(limit)]));
    let said = format!(
        "The bar at rest under 2 N/m²: with Green's measure on the coarse level as well (θ = 1, <code>coarse_green</code>) a corner \
         goes {} of the way that it goes with Green's measure on the fine mesh; without it {}, with current frames {}, and with Green's measure on the \
         coarse mesh alone {}. {} Under 20 N/m² it goes {} of the way{} A pressed cube turns indefinite from a compression of {}, where fine Green does from \
         {} (θ = 0: {}). It is a variant for study.",
        significant(over(0, 4), 4),
        significant(over(0, 3), 4),
        significant(over(0, 2), 4),
        significant(over(0, 0), 2),
        if (over(0, 4) - 1.0).abs() < 0.02 {
            "So nothing is counted twice."
        } else {
            "So the coarse level is not counted just once."
        },
        significant(over(1, 4), 4),
        if (over(1, 4) - 1.0).abs() < 0.1 {
            "."
        } else {
            ": the pressed side has given way, and the bar has left the branch."
        },
        words(limits[2]),
        words(limits[0]),
        words(limits[1]),
    );
    (vec![table, pressed], said)
}
