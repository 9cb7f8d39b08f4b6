//! The equal-work comparison against figures from a separate program that shares no code with the engine (scalar arithmetic, a
//! reference solution of its own): each agrees within 15 %, and entries of a row that are more than 10 % apart there keep their order.

use std::sync::LazyLock;

use pliant_lab::adaptive::method::{Method, Scheme};
use pliant_lab::adaptive::order::Shrinking;
use pliant_lab::adaptive::problem::NonlinearSpring;
use pliant_lab::adaptive::scan::{Count, Medians, Range, Scans};
use pliant_plot::report::Verdict;

use Method::{Combined, Doubling, Fixed, Paper, Pi, Quarter, Speed, Stretch};
use Scheme::{BackwardEuler, Newmark};

const ROUGH: Range = Range { count: Count::Steps, least: 60, most: 200, resolution: 0.002 };

static WEAK: LazyLock<Scans> = LazyLock::new(|| Scans::new(-1.0, 2.0, ROUGH));

type Row<'a> = &'a [(Method, f64)];

fn check(scans: &Scans, scheme: Scheme, count: Count, target: u64, row: Row, value: fn(&Medians) -> f64) {
    let found: Vec<f64> = row.iter().map(|(method, _)| value(&scans.of(scheme, *method).at(count, target))).collect();
    for ((method, known), found) in row.iter().zip(&found) {
        let off = found / known - 1.0;
        assert!(
            off.abs() < 0.15,
            "{scheme:?} {method:?} at {target} {count:?}: {found:.5}, known {known}, {:.0} %",
            100.0 * off
        );
    }
    for (i, (a, known_a)) in row.iter().enumerate() {
        for (j, (b, known_b)) in row.iter().enumerate() {
            if known_a * 1.1 < *known_b {
                let (found_a, found_b) = (found[i], found[j]);
                assert!(
                    found_a < found_b,
                    "{scheme:?} at {target} {count:?}: {a:?} {found_a:.5} not below {b:?} {found_b:.5}"
                );
            }
        }
    }
}

fn rms(medians: &Medians) -> f64 {
    medians.rms
}

#[test]
fn errors_at_equal_solves() {
    let methods = [Paper, Quarter, Pi, Speed, Stretch, Doubling, Fixed];
    let known = [
        (BackwardEuler, 60, [0.0390, 0.0376, 0.0375, 0.0432, 0.0431, 0.0430, 0.0348]),
        (BackwardEuler, 100, [0.0301, 0.0287, 0.0287, 0.0380, 0.0353, 0.0400, 0.0247]),
        (BackwardEuler, 200, [0.0190, 0.0181, 0.0174, 0.0312, 0.0260, 0.0292, 0.0142]),
        (Newmark, 60, [0.0102, 0.0086, 0.0093, 0.0374, 0.0183, 0.0217, 0.0055]),
        (Newmark, 100, [0.0037, 0.0030, 0.0029, 0.0377, 0.0079, 0.0068, 0.0017]),
        (Newmark, 200, [0.0008, 0.0007, 0.0006, 0.0385, 0.0023, 0.0028, 0.0005]),
    ];
    for (scheme, solves, values) in known {
        let row: Vec<_> = methods.into_iter().zip(values).collect();
        check(&WEAK, scheme, Count::Solves, solves, &row, rms);
    }
}

#[test]
fn a_truncation_estimate_helps() {
    let known = [
        (BackwardEuler, 60, [0.0397, 0.0353, 0.0348]),
        (BackwardEuler, 100, [0.0304, 0.0268, 0.0247]),
        (BackwardEuler, 200, [0.0188, 0.0166, 0.0142]),
        (Newmark, 60, [0.0109, 0.0070, 0.0055]),
        (Newmark, 100, [0.0036, 0.0021, 0.0017]),
        (Newmark, 200, [0.00077, 0.00054, 0.00048]),
    ];
    for (scheme, solves, [paper, combined, fixed]) in known {
        let row = [(Paper, paper), (Combined, combined), (Fixed, fixed)];
        check(&WEAK, scheme, Count::Solves, solves, &row, rms);
        let medians = WEAK.at(scheme, Combined, solves);
        assert!(medians.rejected <= 6.5, "{scheme:?} {solves}: {} rejections", medians.rejected);
        if scheme == BackwardEuler {
            assert!(
                medians.truncation > 0.9,
                "{scheme:?} {solves}: truncation bounds {:.2} of the steps",
                medians.truncation
            );
        }
    }
}

#[test]
fn errors_at_equal_accepted_steps() {
    let known: [(Scheme, u64, Row); 6] = [
        (BackwardEuler, 60, &[(Paper, 0.0358), (Doubling, 0.0382), (Stretch, 0.0415), (Fixed, 0.0348)]),
        (BackwardEuler, 100, &[(Paper, 0.0277), (Doubling, 0.0257), (Stretch, 0.0342), (Fixed, 0.0247)]),
        (BackwardEuler, 200, &[(Paper, 0.0168), (Doubling, 0.0164), (Stretch, 0.0242), (Fixed, 0.0142)]),
        (Newmark, 60, &[(Paper, 0.0063), (Doubling, 0.0051), (Fixed, 0.0055)]),
        (Newmark, 100, &[(Paper, 0.0023), (Doubling, 0.0019), (Fixed, 0.0017)]),
        (Newmark, 200, &[(Paper, 0.0006), (Doubling, 0.0006), (Fixed, 0.0005)]),
    ];
    for (scheme, steps, row) in known {
        check(&WEAK, scheme, Count::Steps, steps, row, rms);
    }
    // What step doubling pays for them.
    let known = [(BackwardEuler, [118.0, 234.0, 493.0]), (Newmark, [128.0, 251.0, 498.0])];
    for (scheme, solves) in known {
        for (steps, solves) in [60, 100, 200].into_iter().zip(solves) {
            check(&WEAK, scheme, Count::Steps, steps, &[(Doubling, solves)], |medians| medians.solves);
        }
    }
}

#[test]
fn in_the_largest_error_force_control_beats_fixed_steps() {
    check(&WEAK, Newmark, Count::Solves, 100, &[(Paper, 0.0085), (Fixed, 0.0092)], |medians| medians.max);
    check(&WEAK, Newmark, Count::Solves, 200, &[(Paper, 0.0019), (Fixed, 0.0024)], |medians| medians.max);
}

#[test]
fn rejections() {
    // Counts from run to run differ by several; the law is that PI has far fewer.
    let known = [(BackwardEuler, [(7, 0), (15, 2), (20, 7)]), (Newmark, [(13, 5), (23, 8), (28, 9)])];
    for (scheme, rejections) in known {
        for (solves, (paper, pi)) in [60, 100, 200].into_iter().zip(rejections) {
            let of = |method| WEAK.at(scheme, method, solves).rejected;
            assert!((of(Paper) - f64::from(paper)).abs() <= 5.0, "{scheme:?} {solves}: {} against {paper}", of(Paper));
            assert!((of(Pi) - f64::from(pi)).abs() <= 2.0, "{scheme:?} {solves}: {} against {pi}", of(Pi));
            assert!(of(Pi) <= 0.45 * of(Paper) && of(Quarter) < of(Paper), "{scheme:?} {solves}");
        }
    }
}

#[test]
fn strongly_nonlinear() {
    let only_200 = Range { least: 200, ..ROUGH };
    let long = Scans::new(-5.0, 2.0, only_200);
    check(&long, BackwardEuler, Count::Solves, 200, &[(Paper, 0.0234), (Combined, 0.0210), (Fixed, 0.2575)], rms);
    check(&long, Newmark, Count::Solves, 200, &[(Paper, 0.00091), (Combined, 0.00057), (Fixed, 0.2301)], rms);
    let short = Scans::new(-5.0, 1.0, only_200);
    check(&short, BackwardEuler, Count::Solves, 200, &[(Paper, 0.0131), (Fixed, 0.0948)], rms);
    check(&short, Newmark, Count::Solves, 200, &[(Paper, 0.0001), (Fixed, 0.0566)], rms);
}

#[test]
fn the_reference_is_exact() {
    for problem in [&WEAK.problem, &NonlinearSpring::new(-5.0, 2.0)] {
        assert!(problem.uncertainty < 1e-10, "{:e}", problem.uncertainty);
    }
    let known = [
        (0.1, -0.5795922351145812),
        (0.5, 0.1173100485078711),
        (1.0, 0.07492576560631473),
        (2.0, -0.04649340913914156),
    ];
    for (time, x) in known {
        let found = WEAK.problem.exact[(time * 1000.0_f64).round() as usize];
        assert!((found - x).abs() < 1e-12, "x({time}) = {found}, known {x}");
    }
}

#[test]
fn the_force_error_shrinks_like_the_fourth_power() {
    let known = [
        (BackwardEuler, (-0.5, 3.0), 3.1, 3.91),
        (BackwardEuler, (-1.0, 0.0), 4.84, 4.99),
        (Newmark, (-0.5, 3.0), 3.6, 3.96),
        (Newmark, (-1.0, 0.0), 4.95, 5.00),
    ];
    for (scheme, state, first, last) in known {
        let slopes = Shrinking::new(&WEAK.problem, scheme, state).slopes();
        assert!((slopes[0] - first).abs() < 0.1, "{scheme:?} at {state:?}: {slopes:?}, known {first} from 10 to 5 ms");
        assert!(
            (slopes[3] - last).abs() < 0.02,
            "{scheme:?} at {state:?}: {slopes:?}, known {last} from 1.25 to 0.625 ms"
        );
    }
}

#[test]
fn verdicts() {
    let weak = pliant_lab::adaptive::nonlinear_spring(&mut |_| {});
    assert_eq!(weak.verdict, Verdict::HoldsPartly, "{}", weak.summary_html);
    let strong = pliant_lab::adaptive::nonlinear_spring_strong(&mut |_| {});
    assert_eq!(strong.verdict, Verdict::Holds, "{}", strong.summary_html);
    for experiment in [&weak, &strong] {
        assert!(!experiment.summary_html.contains("NaN") && !experiment.summary_html.contains("inf"));
        assert!(experiment.plots.iter().all(|figure| figure.svg.starts_with("<svg") && !figure.caption.is_empty()));
        assert!(experiment.tables.iter().all(|table| !table.to_csv().contains("NaN")));
    }
}
