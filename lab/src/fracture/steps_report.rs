//! `fracture-steps`: adaptive steps against fixed and explicit ones where glass breaks.

use super::run::{OF_NOTE, PHASES, Run};
use super::steps::{OVERSHOOT, Plan, Size, Sizing, compare};
use super::steps_plots::plots;
use super::steps_tables::{compared, count, runs, scatters};
use super::throw::{BALL, PLATE, SAFETY, Throw};
use crate::report::{Experiment, Verdict};
use crate::text::significant;

/// Adaptive steps are said to be so many times as fast as fixed ones.
pub const CLAIMED: [f64; 2] = [3.0, 6.0];
/// Seconds of equal runs differed by up to a fifth either way on a busy machine: what is faster has to be so by more.
const CLEARLY: f64 = 1.2;

/// What is run for the report.
fn plan() -> Plan {
    Plan {
        throw: Throw { spacing: 0.0, seed: 1, speed: 10.0, flight: 100e-6, until: 250e-6 },
        sizes: vec![
            Sizing { spacing: 4e-3, seeds: 5, others: true },
            Sizing { spacing: 8e-3 / 3.0, seeds: 5, others: true },
            // finer ones take minutes a run
            Sizing { spacing: 2e-3, seeds: 5, others: false },
        ],
        fixed: vec![4e-6, 2e-6, 1e-6, 0.5e-6, 0.25e-6, 0.125e-6],
        shots: vec![130e-6, 250e-6],
    }
}

/// What one run saves against another in each phase, in words.
fn by_phase(slow: &Run, fast: &Run) -> String {
    let (slow, fast) = (slow.phases(), fast.phases());
    let one = |k: usize| {
        let saved = slow[k] - fast[k];
        let verb = if saved < 0.0 { "loses" } else { "saves" };
        format!("the {} {verb} {} s", PHASES[k], significant(saved.abs(), 2))
    };
    (0..3).map(one).collect::<Vec<_>>().join(", ")
}

/// What one size says of the claim.
fn told(size: &Size) -> String {
    let (rival, adaptive, gain) = (size.rival(), size.adaptive(), size.gain());
    let fixed = match size.fair() {
        Some(fair) => format!(
            "the longest fixed steps that break the plate as adaptive ones do have {} µs and take {} s",
            significant(1e6 * fair.steps()[1], 3),
            significant(fair.seconds(), 3)
        ),
        None => format!(
            "none of the fixed steps that were tried breaks the plate as adaptive ones do; the shortest, {} µs, take {} s",
            significant(1e6 * rival.steps()[1], 3),
            significant(rival.seconds(), 3)
        ),
    };
    let place = match gain {
        gain if gain > CLAIMED[1] => "more than claimed",
        gain if gain >= CLAIMED[0] => "as claimed",
        gain if gain > CLEARLY => "faster, but less than claimed",
        gain if gain * CLEARLY > 1.0 => "about the same",
        _ => "slower",
    };
    let apart = |run: &Run| {
        let [flight, impact, debris] = run.phases().map(|seconds| significant(seconds.max(0.0), 2));
        format!("{flight} + {impact} + {debris} s")
    };
    format!(
        "<li><strong>{} particles</strong>: {fixed} (flight + impact + debris: {}); adaptive steps take {} s ({}), {} times as fast: {place}; {}. {}</li>",
        count(size),
        apart(rival),
        significant(adaptive.seconds(), 3),
        apart(adaptive),
        significant(gain, 2),
        by_phase(rival, adaptive),
        explicit(size),
    )
}

/// Whether explicit steps win, and where.
fn explicit(size: &Size) -> String {
    let (run, adaptive, gain) = (&size.explicit, size.adaptive(), size.explicit_gain());
    if let Some(why) = &run.failure {
        return format!("Explicit steps fail: {why}.");
    }
    let [mine, theirs] = [adaptive, run].map(Run::phases);
    let wins =
        |ahead: bool| -> Vec<&str> { (0..3).filter(|k| (theirs[*k] < mine[*k]) == ahead).map(|k| PHASES[k]).collect() };
    let list = |names: Vec<&str>| if names.is_empty() { "no phase".into() } else { names.join(" and ") };
    let verdict = match gain {
        gain if gain > CLEARLY => format!("they win, {} times as fast", significant(gain, 2)),
        gain if gain * CLEARLY < 1.0 => format!("they lose, {} times as slow", significant(1.0 / gain, 2)),
        _ => "that is about the same".into(),
    };
    let alike = if size.strange(run).is_none() { "in the same way" } else { "in another way" };
    format!(
        "Explicit steps take {} s ({} of {} µs): {verdict}; they are faster in {} and slower in {}. They break the plate {alike}.",
        significant(run.seconds(), 3),
        run.trace.len(),
        significant(1e6 * run.steps()[1], 2),
        list(wins(true)),
        list(wins(false)),
    )
}

/// What adaptive steps are as short as they are for, beside the limit of explicit ones.
fn reasons(size: &Size) -> String {
    let run = size.adaptive();
    let all = run.trace.len().max(1) as f64;
    let [force, truncation, _] = run.bound_by.map(|count| 100.0 * count as f64 / all);
    let [_, impact, debris] = mean_steps(run).map(|dt| significant(1e6 * dt, 2));
    format!(
        "<li>{} particles: {impact} µs in the impact and {debris} µs in the debris, where explicit steps have {} µs; the error of the force limits {force:.0} % of \
         all steps, the truncation {truncation:.0} %; {} attempts are thrown away for {} steps</li>",
        count(size),
        significant(1e6 * size.explicit.steps()[2], 2),
        run.rejected(),
        run.trace.len(),
    )
}

/// Mean step of each phase, s.
fn mean_steps(run: &Run) -> [f64; 3] {
    let (times, steps) = (run.phase_times(), run.phase_steps());
    std::array::from_fn(|k| times[k] / steps[k].max(1.0))
}

/// The other integrators and the limit of tearing, at one size.
fn beside(size: &Size) -> String {
    let one = |run: &Run| {
        let failed = run.failure.as_ref().map_or(String::new(), |why| format!(", but fails: {why}"));
        format!(
            "<li>{} particles, {}: {} s, {} steps and {} rejected, {} mJ in {} bonds, as the seeds: {}{failed}</li>",
            count(size),
            run.method.name(),
            significant(run.seconds(), 3),
            run.trace.len(),
            run.rejected(),
            significant(1e3 * run.energy(), 3),
            run.broken,
            size.strange(run).words(),
        )
    };
    size.others.iter().map(one).collect()
}

/// What became of the claim.
pub fn verdict(sizes: &[Size]) -> Verdict {
    let fine = |size: &&Size| size.fair().is_some() && size.adaptive().failure.is_none();
    let claimed = sizes.iter().filter(fine).filter(|size| size.gain() >= CLAIMED[0]).count();
    let faster = sizes.iter().filter(fine).filter(|size| size.gain() > CLEARLY).count();
    match (claimed, faster) {
        (claimed, _) if claimed == sizes.len() && claimed > 0 => Verdict::Holds,
        (claimed, faster) if claimed > 0 || (faster == sizes.len() && faster > 0) => Verdict::HoldsPartly,
        _ => Verdict::Fails,
    }
}

/// `fracture-steps`.
pub fn fracture_steps(progress: &mut dyn FnMut(&str)) -> Experiment {
    report(&plan(), progress)
}

/// The same with another plan.
pub fn report(plan: &Plan, progress: &mut dyn FnMut(&str)) -> Experiment {
    let sizes = compare(plan, progress);
    progress("pictures");
    let Throw { speed, flight, until, .. } = plan.throw;
    let shares =
        |size: &Size| size.adaptive().phase_times().map(|time| format!("{:.0}", 100.0 * time / until)).join(" : ");
    let of_phases: Vec<String> = sizes.iter().map(shares).collect();
    let summary_html = format!(
        "<p>A plate of glass of {:.0} × {:.0} × {:.0} mm flies at {speed} m/s against a ball of {:.0} mm that does not give way, reaches it after about {:.0} µs, and is \
         looked at until {:.0} µs. The flight ends when a particle touches the ball, the impact when {:.0} % of the energy of all bonds that will break is \
         spent; with adaptive steps flight, impact and debris take {} % of the time. Bonds break only after an accepted step, all that are too long there. \
         Each run has one thread, two of them at a time; the energy ledger is kept, as in any run.</p>\
         <p>Cracks are chaotic, so that no two ways of stepping agree on each of them. What {} seeds break at each size, with particles moved by a tenth of a spacing, says which \
         differences mean nothing. Of fixed steps of Newmark, each half as long as the one before, the longest are fair whose result lies within that; equations are solved as \
         exactly as adaptive steps solve them. Where something broke, the next step is no longer than a wave takes to cross the horizon, fixed or not.</p><ul>{}</ul><p>Mean adaptive steps:</p><ul>{}</ul><p>Beside them, with the same tolerance, and with bonds that may be torn by \
         {OVERSHOOT} of what they bear in a step:</p><ul>{}</ul>\
         <p>Explicit steps are velocity Verlet at {SAFETY} of the limit of stability. Seconds are those of one machine and one run each; steps and cracks are the \
         same everywhere.</p>",
        1e3 * PLATE[0],
        1e3 * PLATE[1],
        1e3 * PLATE[2],
        2e3 * BALL,
        1e6 * flight,
        1e6 * until,
        100.0 * OF_NOTE,
        of_phases.join(", "),
        plan.sizes.iter().map(|sizing| sizing.seeds.to_string()).collect::<Vec<_>>().join(", "),
        sizes.iter().map(told).collect::<String>(),
        sizes.iter().map(reasons).collect::<String>(),
        sizes.iter().map(beside).collect::<String>(),
    );
    let mut tables = vec![compared(&sizes), scatters(&sizes)];
    tables.extend(sizes.iter().map(runs));
    Experiment {
        id: "fracture-steps".into(),
        title: "Adaptive steps where glass breaks".into(),
        paper: "Adaptive Time-Stepping with Linearized Force Error Estimation, figure 2".into(),
        claim: format!(
            "Steps that follow the error of the linearized force break a brittle body into the same kind of cracks {} to {} times as fast as fixed steps do.",
            CLAIMED[0], CLAIMED[1]
        ),
        verdict: verdict(&sizes),
        summary_html,
        tables,
        plots: plots(&sizes),
        seconds: 0.0,
    }
}
