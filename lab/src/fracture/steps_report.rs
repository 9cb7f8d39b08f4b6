//! `fracture-steps`: adaptive steps against fixed and explicit ones where glass breaks.

use super::run::{OF_NOTE, PHASES, Run};
use super::scan::Setting;
use super::steps::{OVERSHOOT, Plan, Size, Sizing, compare};
use super::steps_plots::plots;
use super::steps_tables::{compared, count, runs, scatters};
use super::throw::{BALL, PLATE, REFERENCE, SAFETY, Throw};
use pliant_plot::report::{Experiment, Verdict};
use pliant_plot::text::significant;

/// Claimed speed of adaptive steps over that of fixed ones.
pub const CLAIMED: [f64; 2] = [3.0, 6.0];
/// Times of equal runs differed by up to a fifth either way on a busy machine: a gain must be larger.
const CLEARLY: f64 = 1.2;

/// What is run for the report.
fn plan() -> Plan {
    Plan {
        throw: Throw { spacing: 0.0, seed: 1, speed: 10.0, flight: 100e-6, until: 250e-6 },
        sizes: vec![
            Sizing { spacing: 4e-3, seeds: 5, others: true },
            Sizing { spacing: 25e-3 / 9.0, seeds: 5, others: false },
            // finer ones take minutes per run
            Sizing { spacing: 2e-3, seeds: 5, others: false },
        ],
        tolerances: vec![32.0, 16.0, 8.0, 4.0, 2.0, 1.0, 0.5],
        // as fine as tolerances are: steps go with their third root
        paces: vec![4e-4, 3.2e-4, 2.5e-4, 2e-4, 1.6e-4, 1.25e-4, 1e-4, 0.8e-4, 0.63e-4, 0.5e-4],
        trials: 3,
        shots: vec![130e-6, 250e-6],
    }
}

/// What one way of stepping saves against another in each phase, in words.
fn by_phase(slow: &Setting, fast: &Setting) -> String {
    let (slow, fast) = (slow.phases(), fast.phases());
    let one = |k: usize| {
        let saved = slow[k] - fast[k];
        let verb = if saved < 0.0 { "loses" } else { "saves" };
        format!("the {} {verb} {} s", PHASES[k], significant(saved.abs(), 2))
    };
    (0..PHASES.len()).map(one).collect::<Vec<_>>().join(", ")
}

/// What one size says of the claim.
fn told(size: &Size) -> String {
    let ([rival, adaptive, _], gain) = (size.three(), size.gain());
    let length = significant(1e6 * rival.mean(|run| run.steps()[1]), 3);
    let fixed = match size.fixed.fair() {
        Some(_) => format!("the longest fair fixed steps have {length} µs"),
        None => format!("none of the fixed steps that were tried is fair; the shortest have {length} µs"),
    };
    let tolerance = adaptive.method().tolerance().unwrap_or(1.0);
    let adapted = match size.adaptive.fair() {
        Some(_) => format!("the largest fair tolerance is {tolerance} of the usual one"),
        None => format!("none of the tolerances that were tried is fair; the smallest is {tolerance} of the usual one"),
    };
    let place = match gain {
        gain if gain > CLAIMED[1] => "more than claimed",
        gain if gain >= CLAIMED[0] => "as claimed",
        gain if gain > CLEARLY => "faster, but less than claimed",
        gain if gain * CLEARLY > 1.0 => "about the same",
        _ => "slower",
    };
    let apart = |setting: &Setting| {
        let [flight, impact, debris] = setting.phases().map(|seconds| significant(seconds.max(0.0), 2));
        format!("{} s (flight + impact + debris: {flight} + {impact} + {debris})", significant(setting.seconds(), 3))
    };
    format!(
        "<li><strong>{} particles</strong>: {fixed} and take {}; {adapted}, and its steps take {}, {} times as fast: {place}; {}. {}</li>",
        count(size),
        apart(rival),
        apart(adaptive),
        significant(gain, 2),
        by_phase(rival, adaptive),
        explicit(size),
    )
}

/// Whether explicit steps win, and where.
fn explicit(size: &Size) -> String {
    let ([_, adaptive, setting], gain) = (size.three(), size.explicit_gain());
    if let Some(why) = setting.runs.iter().find_map(|run| run.failure.as_ref()) {
        return format!("Explicit steps fail: {why}.");
    }
    let [mine, theirs] = [adaptive, setting].map(Setting::phases);
    let wins =
        |ahead: bool| -> Vec<&str> { (0..3).filter(|k| (theirs[*k] < mine[*k]) == ahead).map(|k| PHASES[k]).collect() };
    let list = |names: Vec<&str>| if names.is_empty() { "no phase".into() } else { names.join(" and ") };
    let verdict = match gain {
        gain if gain > CLEARLY => format!("they win, {} times as fast", significant(gain, 2)),
        gain if gain * CLEARLY < 1.0 => format!("they lose, {} times as slow", significant(1.0 / gain, 2)),
        _ => "that is about the same".into(),
    };
    let alike = if setting.is_fair(&size.scatter) { "fair" } else { "not fair" };
    format!(
        "Explicit steps of {} µs take {} s: {verdict}; they are faster in {} and slower in {}, and {alike}.",
        significant(1e6 * setting.mean(|run| run.steps()[1]), 2),
        significant(setting.seconds(), 3),
        list(wins(true)),
        list(wins(false)),
    )
}

/// The limits of adaptive steps, beside that of explicit ones.
fn reasons(size: &Size) -> String {
    let setting = size.adaptive.best();
    let all = setting.mean(|run| run.trace.len() as f64);
    let [force, truncation] = [0, 1].map(|k| 100.0 * setting.mean(|run| run.bound_by[k] as f64) / all.max(1.0));
    let [_, impact, debris] = setting.phase_steps().map(|dt| significant(1e6 * dt, 2));
    format!(
        "<li>{} particles: {impact} µs in the impact and {debris} µs in the debris, where explicit steps have {} µs; the error of the force limits {force:.0} % of \
         all steps, the truncation {truncation:.0} %; {:.0} attempts are thrown away for {all:.0} steps</li>",
        count(size),
        significant(1e6 * size.explicit.first().steps()[2], 2),
        setting.mean(|run| run.rejected() as f64),
    )
}

/// The other integrators and the limit of tearing, at one size.
fn beside(size: &Size) -> String {
    let one = |run: &Run| {
        let failed = run.failure.as_ref().map_or(String::new(), |why| format!(", but fails: {why}"));
        format!(
            "<li>{} particles, {}: {} s, {} steps and {} rejected, {} mJ in {} bonds, fair: {}{failed}</li>",
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

/// The verdict on the claim.
pub fn verdict(sizes: &[Size]) -> Verdict {
    let fine = |size: &&Size| size.is_decided();
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
    let shares = |size: &Size| {
        let times = size.explicit.first().phase_times();
        times.map(|time| format!("{:.0}", 100.0 * time / until)).join(" : ")
    };
    let of_phases: Vec<String> = sizes.iter().map(shares).collect();
    let list = |values: &[f64], factor: f64| {
        values.iter().map(|value| significant(factor * value, 2)).collect::<Vec<_>>().join(", ")
    };
    let summary_html = format!(
        "<p>A plate of glass of {:.0} × {:.0} × {:.0} mm flies at {speed} m/s against a ball of {:.0} mm that does not give way, reaches it after about {:.0} µs, and is \
         looked at until {:.0} µs. The flight ends when a particle touches the ball, the impact when {:.0} % of the energy of all bonds that will break is \
         spent; flight, impact and debris take {} % of the time. Bonds break only after an accepted step, all that are too long there. \
         Each run has one thread, two of them at a time; the energy ledger is kept, as in any run.</p>\
         <p>Cracks are chaotic, so that no two ways of stepping agree on each of them. What {} seeds break at each size, with particles moved by a tenth of a spacing, says which \
         differences mean nothing. They are run by neither rival but as {}, more exactly than any of the rivals that win. Both rivals are Newmark's scheme, and each has the loosest setting that is \
         fair, that is, of which {} seeds all lie within that scatter: tolerances of {} usual ones are tried, and fixed steps of {} ns a mm of spacing; all of them at the \
         smallest size, and at others those beside what won before, on to tighter ones until one is fair and to looser ones while they are. Equations of fixed steps are \
         solved as exactly as those of the adaptive steps that they are compared with. Where something broke, the next step is no longer than a wave takes to cross the horizon, fixed or \
         not; the fixed steps that are fair are shorter than that anyway.</p><ul>{}</ul><p>Mean adaptive steps:</p><ul>{}</ul><p>The force is almost linear in all but contact, so that its error is \
         that of touching the ball and of fragments that touch each other. To leave contact out of the error, as for cloth, was tried: the plate is then pushed deep into the ball by the last \
         step of its flight and becomes dust.</p><p>Beside them, with the same tolerance, and with bonds that may be torn by \
         {OVERSHOOT} of what they bear in a step:</p><ul>{}</ul>\
         <p>Explicit steps are velocity Verlet at {SAFETY} of the limit of stability. Seconds are those of one machine, the mean of the seeds; steps and cracks are the \
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
        REFERENCE.name(),
        plan.trials,
        list(&plan.tolerances, 1.0),
        list(&plan.paces, 1e6),
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
