//! Warnings about a finished run with figures that cannot be true.

use pliant_core::{Energy, Ledger};
use pliant_scalar::shown::{joules, metres};
use pliant_time::control::ControlKind;
use pliant_time::{Properties, Simulation, Stability};

/// Smallest number of steps to compare: the first step of explicit Euler from rest moves nothing, and all speed after it is gain.
const FIRST_STEPS: u64 = 10;

/// A rope whose mean strain is above this is taut.
const TAUT: f64 = 0.02;

/// Speed at which nothing moves to speak of, m/s.
const STILL: f64 = 1e-3;

/// Warnings about a run, in plain language; none where nothing is wrong.
pub fn of(simulation: &Simulation, properties: &Properties, control: ControlKind) -> Vec<String> {
    if simulation.tally().steps < FIRST_STEPS {
        return Vec::new();
    }
    let (ledger, now) = (simulation.ledger(), &simulation.account().energy);
    let still = 0.5 * STILL * STILL * simulation.system.masses().iter().sum::<f64>();
    let energy = gain(ledger, now, properties, control).or_else(|| unexplained(ledger, now, still, properties));
    energy.into_iter().chain(taut(simulation)).collect()
}

/// A change of energy by the integrator that is far larger than the motion: strain that steps leave in something stiff.
fn unexplained(ledger: &Ledger, now: &Energy, still: f64, properties: &Properties) -> Option<String> {
    let change = ledger.unexplained(now, still)?;
    let verb = if change > 0.0 { "added" } else { "removed" };
    // tighter tolerances do not help: the lasso of the tests has forty times as much of it at a tenth of the tolerance
    let scheme = match properties.order {
        order if order > 1 && properties.is_implicit() => "time.integrator = \"backward-euler\", ",
        _ => "",
    };
    Some(format!(
        "the integrator {verb} {}, where at most {} moved: micrometres are joules in something that is pulled taut or very stiff, and what one step \
         leaves there damping takes out in others ({}); positions are as accurate as asked, these two entries are not: take {scheme}a softer material, \
         or pull it less",
        joules(change.abs()),
        joules(ledger.peak_kinetic),
        joules(ledger.viscous)
    ))
}

/// Ropes that are pulled beyond their slack at the end.
fn taut(simulation: &Simulation) -> impl Iterator<Item = String> {
    let x = &simulation.state().x;
    simulation.system.bodies().iter().filter_map(move |body| {
        let strain = body.rope_strain(x).filter(|strain| *strain > TAUT)?;
        Some(format!(
            "the rope \"{}\" is taut: pulled beyond its slack, it is {:.1} % longer than at rest ({}); move its pins less, give it more length, or a \
             smaller `stretch_stiffness` if it is to stretch",
            body.name,
            100.0 * strain,
            metres(body.rest_length)
        ))
    })
}

/// More kinetic energy than was available: exploded, whether or not the state stayed finite.
fn gain(ledger: &Ledger, now: &Energy, properties: &Properties, control: ControlKind) -> Option<String> {
    let times = ledger.excess(now)?;
    let (kinetic, available) = (ledger.peak_kinetic, ledger.available());
    let amount = match times {
        _ if kinetic == f64::MAX => "more joules moved than can be counted".to_owned(),
        _ if times.is_infinite() => format!("{kinetic:.2e} J moved where there was nothing to move"),
        _ => {
            let times = if times < 1e4 { format!("{times:.1}") } else { format!("{times:.1e}") };
            format!("{kinetic:.2e} J moved, {times} times what there was to move ({available:.2e} J)")
        }
    };
    Some(format!(
        "energy out of nothing: {amount}; {} has exploded, and the motion is not that of the scene: {}",
        properties.name,
        remedies(properties, control)
    ))
}

/// A remedy for the chosen settings.
fn remedies(properties: &Properties, control: ControlKind) -> String {
    let shorter = control.parameter.shorter;
    if properties.is_implicit() {
        // schemes that lose energy; those of first order lose most
        let others = ["bdf2", "backward-euler"].into_iter().filter(|name| *name != properties.name);
        let others: Vec<String> = others.map(|name| format!("\"{name}\"")).collect();
        return match properties.order {
            1 => format!("take {shorter}, or more damping"),
            _ => format!("take {shorter}, or time.integrator = {}, which loses energy instead", others.join(" or ")),
        };
    }
    let implicit =
        "an implicit integrator with a tolerance (time.integrator = \"bdf2\", time.control.kind = \"force-error\")";
    match properties.stability {
        Stability::Never(_) => {
            format!(
                "without damping no step is stable: take \"velocity-verlet\", {shorter} with damping, or {implicit}"
            )
        }
        _ if control == ControlKind::STABLE => format!("take {shorter}, or {implicit}"),
        _ => format!("take {shorter}, time.control.kind = \"stable\", or {implicit}"),
    }
}
