//! Calls into the engine: catches panics, and replaces the threads that `fork` drops.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::errors::Failure;

/// The process that imported the module.
static HOME: OnceLock<u32> = OnceLock::new();
/// The threads of a forked process, and which one it is.
static FORKED: Mutex<Option<(u32, Arc<ThreadPool>)>> = Mutex::new(None);

/// Records the process id; called on import.
pub fn settle_here() {
    HOME.get_or_init(process::id);
}

/// Calls the engine. A panic, which would be a bug, becomes an ordinary error.
pub fn guarded<T: Send>(call: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    let caught = catch_unwind(AssertUnwindSafe(|| match pool() {
        Some(pool) => pool.install(call),
        None => call(),
    }));
    caught.map_err(|cause| {
        let words = cause.downcast_ref::<String>().cloned();
        let words = words.or_else(|| cause.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Failure::Panic(format!("a mistake in Pliant, please report it: {}", words.unwrap_or_default()))
    })
}

/// A forked process (`multiprocessing` on Linux) has none of its parent's threads and would wait for them forever: it gets its own.
fn pool() -> Option<Arc<ThreadPool>> {
    let here = process::id();
    if HOME.get() == Some(&here) {
        return None;
    }
    let mut forked = FORKED.lock();
    if let Some((process, pool)) = &*forked
        && *process == here
    {
        return Some(pool.clone());
    }
    let pool = Arc::new(ThreadPoolBuilder::new().build().ok()?);
    // The parent's pool, if there was one, cannot be dropped: that would wait for its threads.
    std::mem::forget(forked.replace((here, pool.clone())));
    Some(pool)
}
