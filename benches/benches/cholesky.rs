//! Our sparse Cholesky against faer's on one thread, and on two: `cargo bench -p pliant-benches --bench cholesky`.
//!
//! Times of analysis, factorisation and solve in ms, the best of several repetitions that alternate; on one thread, where Linux tells it, the time for which the
//! thread had a processor, so that other load counts less. Both orders are by minimum degree on blocks, unless ours takes nested dissection. Our solve
//! computes a residual as well. Arguments choose matrices by the start of their names. Under `cargo test` the smallest are taken through the same code once.

#[path = "../../crates/linalg/tests/common/mod.rs"]
mod common;
#[path = "../../crates/linalg/tests/common/faer_cholesky.rs"]
mod faer_cholesky;
// used by that module
use {bytemuck as _, faer as _};
#[path = "../../crates/linalg/tests/common/forms.rs"]
mod forms;

use common::Random;
use faer_cholesky::FaerCholesky;
use pliant_linalg::{BlockCsr, DirectCholesky, LinearSolver as _, Pattern, PatternBuilder};
use std::sync::Arc;
use std::time::Instant;

/// Time of this thread on a processor, in ms.
fn thread_time() -> Option<f64> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    let nanoseconds: f64 = text.split_whitespace().next()?.parse().ok()?;
    Some(1e-6 * nanoseconds)
}

/// Best time of several calls; each measurement takes at least `least` ms, because the time of a thread advances in steps.
fn measure(best: &mut f64, alone: bool, least: f64, mut work: impl FnMut()) {
    let begun = Instant::now();
    let thread = thread_time().filter(|_| alone);
    let mut calls = 0.0;
    loop {
        let call = Instant::now();
        work();
        calls += 1.0;
        *best = best.min(1e3 * call.elapsed().as_secs_f64());
        let wall = 1e3 * begun.elapsed().as_secs_f64();
        if wall >= least {
            let spent = thread.and_then(|start| Some(thread_time()? - start)).filter(|spent| *spent >= 0.5 * least);
            *best = best.min(spent.map_or(f64::INFINITY, |spent| spent / calls));
            return;
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--bench")).collect();
    let testing = arguments.iter().any(|argument| argument == "--test") || cfg!(debug_assertions);
    let wanted: Vec<&String> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    println!(
        "| matrix | Mflop | entries, 1000 | analysis: faer | ours | factor: faer | ours | ours, 2 threads | ratios | solve: faer | ours | ours, 2 threads |"
    );
    println!("|---|{}", "---:|".repeat(11));
    for (name, make) in forms::ALL {
        if wanted.is_empty() || wanted.iter().any(|wanted| name.starts_with(wanted.as_str())) {
            row(name, &make(), if testing { (1, 0.0) } else { (5, 30.0) });
            if testing {
                return;
            }
        }
    }
}

fn row(name: &str, a: &BlockCsr, (repetitions, least): (usize, f64)) {
    let b = Random(3).vectors(a.rows());
    let mut x = b.clone();
    let pools = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().expect("a pool of threads")
    });
    let small: Arc<Pattern> = Arc::new(PatternBuilder::new(13).build());
    let (mut faer, mut ours) = (FaerCholesky::new(&a.pattern), DirectCholesky::new());
    let [mut analysis, mut factor, mut solve] = [[f64::INFINITY; 3]; 3];
    ours.analyze(&a.pattern).expect("enough memory");
    for _ in 0..repetitions {
        pools[0].install(|| {
            measure(&mut analysis[0], true, least, || faer = FaerCholesky::new(&a.pattern));
            measure(&mut analysis[1], true, least, || {
                ours.analyze(&small).expect("enough memory");
                ours.analyze(&a.pattern).expect("enough memory");
            });
            measure(&mut factor[0], true, least, || assert!(faer.factor(a)));
            measure(&mut solve[0], true, least, || faer.solve(&b, &mut x));
        });
        for (threads, pool) in [1, 2].into_iter().zip(&pools) {
            pool.install(|| {
                let alone = threads == 1;
                measure(&mut factor[threads], alone, least, || ours.factor(a).expect("positive definite"));
                measure(&mut solve[threads], alone, least, || {
                    ours.solve(a, &b, &mut x, 1e-3).expect("positive definite");
                });
            });
        }
    }
    let cost = ours.count(&a.pattern).expect("analysed");
    println!(
        "| {name} | {:.1} | {:.0} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2} | {:.2}, {:.2} | {:.2} | {:.2} | {:.2} |",
        1e-6 * cost.factor,
        1e-3 * cost.entries,
        analysis[0],
        analysis[1],
        factor[0],
        factor[1],
        factor[2],
        factor[1] / factor[0],
        factor[2] / factor[0],
        solve[0],
        solve[1],
        solve[2],
    );
}
