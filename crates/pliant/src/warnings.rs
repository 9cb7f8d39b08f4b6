//! Warnings about a finished run with figures that cannot be true.

use pliant_core::{Energy, Ledger};
use pliant_time::control::ControlKind;
use pliant_time::{Properties, Simulation, Stability};

/// Smallest number of steps to compare: the first step of explicit Euler from rest moves nothing, and all speed after it is gain.
const FIRST_STEPS: u64 = 10;

/// Warnings about a run, in plain language; none where nothing is wrong.
pub fn of(simulation: &Simulation, properties: &Properties, control: ControlKind) -> Vec<String> {
    if simulation.tally().steps < FIRST_STEPS {
        return Vec::new();
    }
    gain(simulation.ledger(), &simulation.account().energy, properties, control).into_iter().collect()
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
