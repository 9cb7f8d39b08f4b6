//! Times of runs.

use std::sync::LazyLock;
use std::time::Instant;

/// CPU seconds of this thread where the system reports them, so that other load matters less; else those of a wall clock. Systems
/// count in ticks of some milliseconds.
pub fn now() -> f64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let wall = START.elapsed().as_secs_f64();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|told| told.split_whitespace().next()?.parse::<f64>().ok());
    nanoseconds.map_or(wall, |ns| 1e-9 * ns)
}
