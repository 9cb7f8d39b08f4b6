//! Pictures of a race.

use super::fields::Difference;
use super::race::{Course, Race};
use super::setups::{AT_REST, Kind, Setup};
use pliant_plot::Plot;
use pliant_plot::report::Figure;

/// A quantity over time: windows end evenly up to the end.
fn over_time(race: &Race, count: usize, of: impl Fn(usize) -> f64) -> Vec<(f64, f64)> {
    (0..count).map(|k| (race.until * (k + 1) as f64 / count as f64, of(k))).collect()
}

fn gains(race: &Race, setup: &Setup) -> Plot {
    let gains = race.gains();
    let curve = over_time(race, gains.len(), |k| gains[k]);
    let plot = Plot::new("Speed-up").x("time [s]").y("full / restrained").log_y().size(640, 380);
    plot.line("in each window", &curve).hline(setup.aims.mean, "aim for all of it").hline(1.0, "")
}

fn shares(race: &Race) -> Plot {
    let windows = &race.restrained.windows;
    let mut plot = Plot::new("Activity of particles").x("time [s]").y("part of the particles [%]").size(640, 380);
    for (which, name) in ["active", "transition", "restrained"].into_iter().enumerate() {
        plot = plot.line(name, &over_time(race, windows.len(), |k| 100.0 * windows[k].shares[which]));
    }
    plot
}

fn seconds(race: &Race) -> Plot {
    let mut plot = Plot::new("Wall time so far").x("time [s]").y("wall time [s]").size(640, 380);
    for (name, course) in [("full", &race.full), ("restrained", &race.restrained)] {
        let mut sum = 0.0;
        let sums: Vec<f64> = course.windows.iter().map(|window| (sum += window.seconds, sum).1).collect();
        plot = plot.line(name, &over_time(race, sums.len(), |k| sums[k]));
    }
    plot
}

/// A difference of the restrained run and of the other one.
fn difference(race: &Race, title: &str, label: &str, other: &str, of: impl Fn(&Difference) -> f64) -> Plot {
    let curve = |course: &Course| over_time(race, course.windows.len(), |k| of(&course.windows[k].difference));
    let plot = Plot::new(title).x("time [s]").y(label).log_y().size(640, 380);
    plot.line("restrained", &curve(&race.restrained)).line(other, &curve(&race.other))
}

/// All of them.
pub(super) fn figures(race: &Race, setup: &Setup) -> Vec<Figure> {
    let mut all = vec![
        Figure::new(
            "speed-up",
            "Wall time of the full run over that of the restrained one, window by window.",
            &gains(race, setup),
        ),
        Figure::new("shares", "Parts of all particles, on the mean over each window.", &shares(race)),
        Figure::new("wall-time", "Both runs, side by side on one machine.", &seconds(race)),
    ];
    match setup.kind {
        Kind::Fluid => {
            let other = "full, moved by 1e-12 of a spacing";
            let fastest = race.full.windows.iter().map(|window| window.kinetic).fold(f64::MIN_POSITIVE, f64::max);
            let of = |title: &str, label: &str, of: fn(&Difference) -> f64| difference(race, title, label, other, of);
            let energy =
                difference(race, "Kinetic energy", "off by [% of its largest]", other, |d| 100.0 * d.kinetic / fastest);
            all.push(Figure::new(
                "centre",
                "Distance of the centre of mass from that of the full run.",
                &of("Centre of mass", "off by [m]", |d| d.centre),
            ));
            all.push(Figure::new(
                "heights",
                "Root mean square over squares of two spacings.",
                &of("Heights", "off by [m]", |d| d.heights),
            ));
            all.push(Figure::new("kinetic", "Of the velocities with which particles move.", &energy));
        }
        Kind::Cloth => {
            let plot =
                difference(race, "Farthest particle", "from the full run [mm]", "full, its own integrator", |d| {
                    1e3 * d.farthest
                });
            let plot = plot.hline(1e3 * AT_REST, "aim at rest");
            all.push(Figure::new(
                "farthest",
                "The largest distance of a particle from where the full run has it.",
                &plot,
            ));
        }
    }
    all
}
