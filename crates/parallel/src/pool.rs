//! The threads of the process: rayon's global pool, with as many threads as the system starts. If it starts none, all work is done on the
//! thread that asked for them.

use std::io;
use std::sync::OnceLock;
use std::sync::mpsc::{Sender, channel};
use std::thread::{Builder, available_parallelism};

use rayon::{ThreadBuilder, ThreadPoolBuilder};

static POOL: OnceLock<Threads> = OnceLock::new();

/// Threads that were started.
#[derive(Debug)]
pub struct Threads {
    wanted: usize,
    started: usize,
    why: Option<io::Error>,
}

impl Threads {
    /// Threads that work; 0: only the one that asked for them.
    pub fn started(&self) -> usize {
        self.started
    }

    /// Threads that were asked for.
    pub fn wanted(&self) -> usize {
        self.wanted
    }

    /// What is missing, if there are fewer than wanted.
    pub fn shortage(&self) -> Option<String> {
        let why = self.why.as_ref()?;
        let Self { wanted, started, .. } = self;
        Some(match started {
            0 => format!("no thread can be started ({why}): all work is done on one, with the same results"),
            _ => format!("only {started} of {wanted} threads can be started ({why}): the results are the same"),
        })
    }
}

/// Starts the threads of the process, as many as there are cores (or as `RAYON_NUM_THREADS` says) if `wanted` is `None`. Only the first call
/// has an effect; all return what it started.
pub fn start(wanted: Option<usize>) -> &'static Threads {
    POOL.get_or_init(|| {
        let wanted = wanted.unwrap_or_else(usual).clamp(1, rayon::max_num_threads());
        let (mut waiting, why) = spawn(wanted, || Builder::new().name("pliant-worker".into()));
        let started = waiting.len();
        // The pool cannot be tried twice: its threads are there before it is built. An error says that the program has built a pool before.
        let _ = if started == 0 {
            ThreadPoolBuilder::new().num_threads(1).use_current_thread().build_global()
        } else {
            let handed = |worker| match waiting.pop().map(|thread| thread.send(worker)) {
                Some(Ok(())) => Ok(()),
                _ => Err(io::Error::other("a thread has ended early")),
            };
            ThreadPoolBuilder::new().num_threads(started).spawn_handler(handed).build_global()
        };
        Threads { wanted, started, why }
    })
}

/// The number of threads that share the work of the calling thread.
#[inline]
pub fn threads() -> usize {
    if rayon::current_thread_index().is_none() {
        start(None);
    }
    rayon::current_num_threads()
}

/// Runs `f` on a thread of its own, which nothing in `f` shares; on the calling thread if none can be started.
pub fn on_one_thread<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    match ThreadPoolBuilder::new().num_threads(1).build() {
        Ok(pool) => pool.install(f),
        Err(_) => f(),
    }
}

fn usual() -> usize {
    let asked = std::env::var("RAYON_NUM_THREADS").ok().and_then(|text| text.parse().ok());
    asked.filter(|count| *count > 0).unwrap_or_else(|| available_parallelism().map_or(1, usize::from))
}

/// Starts threads that wait for what they are to do, up to the first that cannot be started.
fn spawn(wanted: usize, builder: impl Fn() -> Builder) -> (Vec<Sender<ThreadBuilder>>, Option<io::Error>) {
    let mut waiting = Vec::new();
    while waiting.len() < wanted {
        let (sender, worker) = channel::<ThreadBuilder>();
        let work = move || {
            if let Ok(worker) = worker.recv() {
                worker.run();
            }
        };
        match builder().spawn(work) {
            Ok(_) => waiting.push(sender),
            Err(why) => return (waiting, Some(why)),
        }
    }
    (waiting, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    /// A stack that fits into no address space.
    const TOO_LARGE: usize = 1 << 50;

    #[test]
    fn as_many_threads_are_started_as_can_be() {
        let left = Cell::new(2);
        let few = || {
            let is_left = left.replace(left.get() - 1) > 0;
            Builder::new().stack_size(if is_left { 1 << 16 } else { TOO_LARGE })
        };
        let (waiting, why) = spawn(4, few);
        assert_eq!(waiting.len(), 2);
        let two = Threads { wanted: 4, started: 2, why };
        assert!(two.shortage().is_some_and(|text| text.starts_with("only 2 of 4 threads")), "{two:?}");
        let (waiting, why) = spawn(4, || Builder::new().stack_size(TOO_LARGE));
        let none = Threads { wanted: 4, started: waiting.len(), why };
        assert!(none.shortage().is_some_and(|text| text.starts_with("no thread can be started")), "{none:?}");
        let (waiting, why) = spawn(3, Builder::new);
        assert_eq!((waiting.len(), why.is_none()), (3, true));
        assert_eq!(Threads { wanted: 3, started: 3, why }.shortage(), None);
    }

    #[test]
    fn the_first_call_decides() {
        let started = start(Some(3)).started();
        assert_eq!((start(Some(5)).started(), threads()), (started, started));
        assert_eq!(on_one_thread(threads), 1);
    }
}
