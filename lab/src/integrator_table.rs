//! The integrators of [Ropes] beside the paper's claims about them, and the rest of the catalog.

use crate::claims::{self, Claim, TABLE_1};
use crate::integrators::{LONG_RUN, LONG_STEP, Limit, Measured, STEPS, measure_all};
use crate::stepper::{Stepper, builtin};
use pliant_plot::Plot;
use pliant_plot::report::{Experiment, Figure, Table, Verdict};

/// The formula that the paper prints, and the one that it means.
const MISPRINT: &str = "symplectic-midpoint-literal";
const REPAIRED: &str = "symplectic-midpoint";

/// The paper's claims about a scheme. Table 2 prints the misprint, so the claims about the symplectic midpoint are about that.
fn claim_about(name: &str) -> Option<&'static Claim> {
    match name {
        MISPRINT => claims::find(REPAIRED),
        REPAIRED => None,
        name => claims::find(name),
    }
}

fn is_from_paper(name: &str) -> bool {
    claim_about(name).is_some() || name == REPAIRED
}

fn order_differs(measured: &Measured) -> bool {
    claim_about(measured.entry.properties.name)
        .is_some_and(|claim| (measured.order - f64::from(claim.order)).abs() > 0.2)
}

fn tables(all: &[Measured]) -> Vec<Table> {
    let mut paper = Table::new(
        "The paper’s integrators: its claims, and what was measured. Rows with a wrong order stand out.",
        ["integrator", "order in the paper", "measured", "symplectic in the paper", "measured", "det − 1 of a step"],
    );
    let mut catalog = Table::new(
        "All integrators of the catalog. |ΔE| is the largest change of energy in 10⁴ steps of 0.1 s.",
        ["integrator", "order", "with damping", "symplectic", "det − 1", "largest ω·dt", "|ΔE| [J]", "energy"],
    );
    let said = |text: Option<String>| text.unwrap_or_else(|| "–".into());
    // an order of zero must not print as minus zero
    let order = |value: f64| format!("{:.2}", value.abs());
    for measured in all {
        let name = measured.entry.properties.name;
        let area = || said(measured.area.map(|area| format!("{area:.1e}")));
        catalog.push([
            name.to_owned(),
            order(measured.order),
            order(measured.order_damped),
            measured.area_words().to_owned(),
            area(),
            measured.limit.words(),
            format!("{:.1e}", measured.energy.largest()),
            measured.trend().to_owned(),
        ]);
        if !is_from_paper(name) {
            continue;
        }
        let claim = claim_about(name);
        let cells = [
            claim.map_or_else(
                || format!("Symplectic Midpoint, repaired ({name})"),
                |claim| format!("{} ({name})", claim.paper),
            ),
            said(claim.map(|claim| claim.order.to_string())),
            order(measured.order),
            said(claim.map(|claim| if claim.symplectic { "yes" } else { "no" }.to_owned())),
            measured.area_words().to_owned(),
            area(),
        ];
        if order_differs(measured) {
            paper = paper.emphasized_row(cells);
        } else {
            paper.push(cells);
        }
    }
    vec![paper, catalog]
}

fn convergence(all: &[Measured]) -> Plot {
    let mut plot = Plot::new("Error on the pendulum at t = 10 s").x("dt [s]").y("error").log_x().log_y().size(620, 470);
    for measured in all.iter().filter(|m| is_from_paper(m.entry.properties.name)) {
        let points: Vec<(f64, f64)> =
            STEPS.iter().zip(measured.errors).map(|(steps, error)| (10.0 / f64::from(*steps), error)).collect();
        plot = plot.line(measured.entry.properties.name, &points).points(measured.entry.properties.name, &points);
    }
    plot
}

/// Energy of the pendulum from (1, 0), its largest change in each swing.
fn energies(schemes: &[&str]) -> Plot {
    let mut plot = Plot::new(format!("Energy of the pendulum, dt = {LONG_STEP} s"))
        .x("time [s]")
        .y("largest |E − E(0)| in a swing [J]");
    for scheme in schemes {
        let mut stepper = Stepper::new(&builtin("pendulum", &[]), scheme);
        let start = stepper.energy();
        let swing = 70;
        let mut points = Vec::new();
        let mut largest: f64 = 0.0;
        for step in 1..=LONG_RUN {
            if stepper.step(LONG_STEP).is_err() {
                break;
            }
            largest = largest.max((stepper.energy() - start).abs());
            if step % swing == 0 {
                points.push((f64::from(step) * LONG_STEP, largest));
                largest = 0.0;
            }
        }
        plot = plot.line(*scheme, &points);
    }
    plot.log_x().log_y().size(620, 470)
}

/// `ropes-integrators`.
pub fn integrator_table(progress: &mut dyn FnMut(&str)) -> Experiment {
    let all = measure_all(progress);
    let of = |name: &str| all.iter().find(|m| m.entry.properties.name == name).expect("it is in the catalog");
    progress("energy over time");
    let schemes = [
        "explicit-euler",
        "midpoint",
        "half-step",
        "modified-half-step",
        "symplectic-euler",
        "velocity-verlet",
        "rk4",
        "forest-ruth",
    ];
    let energies = energies(&schemes);

    let wrong: Vec<String> = all
        .iter()
        .filter(|measured| order_differs(measured))
        .map(|measured| {
            let claim = claim_about(measured.entry.properties.name).expect("the order differs from a claim");
            format!(
                "{} has order {:.0}, not {} (measured {:.2})",
                claim.paper,
                measured.order.abs(),
                claim.order,
                measured.order.abs()
            )
        })
        .collect();
    let area_wrong = all.iter().any(|measured| {
        let claim = claim_about(measured.entry.properties.name);
        claim.is_some_and(|claim| claim.symplectic != (measured.area_words() == "yes"))
    });
    let verdict = match (wrong.is_empty() && !area_wrong, wrong.len() < TABLE_1.len()) {
        (true, _) => Verdict::Holds,
        (false, true) => Verdict::HoldsPartly,
        (false, false) => Verdict::Fails,
    };
    let up_to = |name: &str| if let Limit::UpTo(z) = of(name).limit { z } else { f64::NAN };
    let growth = |name: &str| match of(name).limit {
        Limit::None(growth) | Limit::Above(_, growth, _) => growth - 1.0,
        _ => f64::NAN,
    };
    let declared = all.iter().filter(|measured| measured.as_declared()).count();
    let summary_html = format!(
        "<p>Which schemes are symplectic is right in the paper. <b>The orders are not:</b> {}.</p>\
         <ul><li>Forest-Ruth is the fourth-order scheme of its inventors; the paper calls it third order throughout.</li>\
         <li>Midpoint has a position that is right to second order <em>in one step</em>, but its velocity is explicit Euler’s, and \
         over a run that is what counts.</li>\
         <li>The symplectic midpoint of table 2 takes <code>h/2</code> of the force and never the other half: it solves θ″ = −½ sin θ, \
         and no step makes it right. The catalog has it as <code>{MISPRINT}</code> for study, and repaired (half a drift, a kick, half a \
         drift) as <code>{REPAIRED}</code>, of order {:.0}.</li>\
         <li>The modified half-step is “not symplectic” only for nonlinear forces. Its determinant is 1 + h²/2 (f′(x) − f′(x_h)), \
         exactly 1 on an oscillator, where it is as stable as symplectic Euler (up to {:.2}).</li>\
         <li>Under damping the symplectic schemes fall to order 1 as they are printed, with the velocity taken from the start or the middle of the step; \
         Forest-Ruth measures {:.2}.</li>\
         <li>Stability: on an oscillator RK4 takes longer steps ({:.2}) than symplectic Euler ({:.2}), though table 1 ranks it below. Explicit \
         Euler, midpoint and half-step have no stable step at all without damping (at ω·dt = 0.1 they grow by {:.1e}, {:.1e} and {:.1e} a \
         step): table 1, which gives them one, is about a damped system.</li></ul>\
         <p>Not in the paper: BDF3 is <em>un</em>stable on undamped motion <em>below</em> a limit, where it grows by up to {:.1} % a step. \
         {declared} of the catalog’s {} integrators measure as it declares them.</p>",
        wrong.join("; "),
        of(REPAIRED).order,
        up_to("modified-half-step"),
        of("forest-ruth").order_damped,
        up_to("rk4"),
        up_to("symplectic-euler"),
        growth("explicit-euler"),
        growth("midpoint"),
        growth("half-step"),
        100.0 * growth("bdf3"),
        all.len(),
    );
    Experiment {
        id: "ropes-integrators".into(),
        title: "Order, symplecticity and stability of the integrators".into(),
        paper: "Cioacă and Cărămizaru, On the impact of explicit or semi-implicit integration methods, section 6, tables 1 and 2".into(),
        claim: "Orders and symplecticity as listed in table 1: of nine integrators, four symplectic, of orders one to four.".into(),
        verdict,
        summary_html,
        tables: tables(&all),
        plots: vec![
            Figure::new("convergence", "The slope is the order. The misprint does not converge.", &convergence(&all)),
            Figure::new("energy", "Symplectic schemes keep their distance; the others drift.", &energies),
        ],
        seconds: 0.0,
    }
}
