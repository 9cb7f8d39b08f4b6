//! Threads of the program, and what is done where the system starts fewer than wanted, or none.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Builder;

/// Starts the threads that share the work; says so if they are fewer than wanted.
pub fn start(wanted: Option<usize>) {
    if let Some(shortage) = pliant::parallel::start(wanted).shortage() {
        tell!("warning: {shortage}");
    }
}

/// Sets a flag on Ctrl-C. A second one ends the program at once: the checkpoint of the first may hang on a dead disk.
pub fn set_on_interrupt(stop: Arc<AtomicBool>) {
    // A handler without the thread that waits for the signal would swallow it.
    match Builder::new().spawn(|| ()) {
        Ok(thread) => drop(thread.join()),
        Err(why) => {
            tell!("warning: no thread can be started ({why}): Ctrl-C ends the program at once");
            return;
        }
    }
    let _ = ctrlc::set_handler(move || {
        if stop.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}
