//! Connections that have not shown the token yet. They are few: a new one ends the oldest, so that connections which say nothing, or not
//! the right thing, never keep a page out.

use std::collections::VecDeque;
use std::net::{Shutdown, TcpStream};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

/// Largest number of them. A browser opens about six at a time.
pub const MAX_UNADMITTED: usize = 16;

struct Waiting {
    id: u64,
    stream: TcpStream,
    thread: JoinHandle<()>,
}

/// The connections, oldest first.
#[derive(Default)]
pub struct Unadmitted {
    waiting: Mutex<VecDeque<Waiting>>,
}

impl Unadmitted {
    fn waiting(&self) -> MutexGuard<'_, VecDeque<Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the thread of a new connection; ends the oldest connection if there are too many, and its thread with it.
    pub fn start(&self, id: u64, stream: &TcpStream, work: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        self.make_room();
        let stream = stream.try_clone()?;
        // Held until the connection is listed: its thread waits for that before it leaves.
        let mut waiting = self.waiting();
        let thread = Builder::new().name("pliant-client".into()).spawn(work)?;
        waiting.push_back(Waiting { id, stream, thread });
        Ok(())
    }

    fn make_room(&self) {
        while let Some(oldest) = self.oldest_of_too_many() {
            // Its thread neither reads nor writes any longer, so that it ends at once.
            let _ = oldest.stream.shutdown(Shutdown::Both);
            let _ = oldest.thread.join();
        }
    }

    fn oldest_of_too_many(&self) -> Option<Waiting> {
        let mut waiting = self.waiting();
        if waiting.len() < MAX_UNADMITTED { None } else { waiting.pop_front() }
    }

    /// Removes a connection, because it is admitted or has ended; `false` if it was ended here to make room.
    pub fn leave(&self, id: u64) -> bool {
        let mut waiting = self.waiting();
        let place = waiting.iter().position(|one| one.id == id);
        place.and_then(|place| waiting.remove(place)).is_some()
    }
}
