//! Between engine and clients: the newest message of each kind, and the latest steps for plots; no growing queue. The engine never waits; a client's
//! thread takes what its page has not seen yet, and of frames only the newest, only while fewer than [`MAX_IN_FLIGHT`] are in flight.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::Thread;

use tungstenite::{Bytes, Message};

use crate::frame::{self, Sample};
use crate::protocol::Event;

/// Frames in flight to one page, not yet acknowledged.
pub const MAX_IN_FLIGHT: usize = 2;
/// Samples that are kept for slow pages: as many as a page keeps for its plots.
pub const MAX_KEPT: usize = 6000;
/// Pending answers to one page; older ones are dropped.
const MAX_REPLIES: usize = 16;

/// The newest message of each kind.
#[derive(Default)]
pub struct Hub {
    board: Mutex<Board>,
    clients: AtomicUsize,
    stopping: AtomicBool,
}

#[derive(Default)]
struct Board {
    /// Scene and topology, always together.
    scene: Posted<[Message; 2]>,
    parameters: Posted<Message>,
    status: Posted<Message>,
    frame: Posted<Bytes>,
    samples: VecDeque<Sample>,
    /// The number of samples before those.
    gone: u64,
    mailboxes: BTreeMap<u64, Mailbox>,
}

/// A value with a version that grows whenever it is replaced; 0: not set yet.
struct Posted<T> {
    version: u64,
    value: Option<T>,
}

impl<T> Default for Posted<T> {
    fn default() -> Self {
        Self { version: 0, value: None }
    }
}

impl<T: Clone> Posted<T> {
    fn post(&mut self, value: T) {
        self.version += 1;
        self.value = Some(value);
    }

    fn newer_than(&self, seen: &mut u64) -> Option<T> {
        if *seen == self.version {
            return None;
        }
        *seen = self.version;
        self.value.clone()
    }
}

impl Board {
    /// Drops the oldest samples.
    fn forget(&mut self, count: usize) {
        self.samples.drain(..count);
        self.gone += count as u64;
    }
}

struct Mailbox {
    thread: Thread,
    replies: VecDeque<Message>,
}

/// What has been sent to a client so far.
#[derive(Default)]
pub struct Cursor {
    scene: u64,
    parameters: u64,
    status: u64,
    frame: u64,
    /// The number of samples sent, counted from the start.
    samples: u64,
    in_flight: VecDeque<u32>,
    pending: VecDeque<Message>,
}

impl Cursor {
    /// The page has drawn this frame, and earlier ones are no longer in flight.
    pub fn acknowledge(&mut self, sequence: u32) {
        while self.in_flight.front().is_some_and(|sent| sequence.wrapping_sub(*sent) < u32::MAX / 2) {
            self.in_flight.pop_front();
        }
    }

    /// Frames in flight.
    pub fn in_flight(&self) -> usize {
        self.in_flight.len()
    }
}

fn text(event: &Event) -> Message {
    Message::text(serde_json::to_string(event).unwrap_or_default())
}

impl Hub {
    fn board(&self) -> MutexGuard<'_, Board> {
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Pages that are open. Without any, no frame is encoded.
    pub fn clients(&self) -> usize {
        self.clients.load(Ordering::Relaxed)
    }

    /// Registers a client; `false` if there are `most` already.
    pub fn join(&self, id: u64, thread: Thread, most: usize) -> bool {
        let mut board = self.board();
        if board.mailboxes.len() >= most {
            return false;
        }
        board.mailboxes.insert(id, Mailbox { thread, replies: VecDeque::new() });
        self.clients.store(board.mailboxes.len(), Ordering::Relaxed);
        true
    }

    /// Unregisters a client.
    pub fn leave(&self, id: u64) {
        let mut board = self.board();
        board.mailboxes.remove(&id);
        self.clients.store(board.mailboxes.len(), Ordering::Relaxed);
    }

    fn update(&self, change: impl FnOnce(&mut Board)) {
        let mut board = self.board();
        change(&mut board);
        board.mailboxes.values().for_each(|mailbox| mailbox.thread.unpark());
    }

    /// A new scene: messages of the old one are dropped.
    pub fn post_scene(&self, scene: &Event, topology: Vec<u8>, parameters: &Event) {
        let messages = [text(scene), Message::binary(topology)];
        let parameters = text(parameters);
        self.update(|board| {
            board.scene.post(messages);
            board.parameters.post(parameters);
            board.frame.value = None;
        });
    }

    /// Parameters have changed.
    pub fn post_parameters(&self, parameters: &Event) {
        let message = text(parameters);
        self.update(|board| board.parameters.post(message));
    }

    /// The status of the run has changed.
    pub fn post_status(&self, status: &Event) {
        let message = text(status);
        self.update(|board| board.status.post(message));
    }

    /// A new frame, and the samples since the one before.
    pub fn post_frame(&self, frame: Vec<u8>, samples: impl Iterator<Item = Sample>) {
        let bytes = Bytes::from(frame);
        self.update(|board| {
            board.samples.extend(samples);
            board.forget(board.samples.len().saturating_sub(MAX_KEPT));
            board.frame.post(bytes);
        });
    }

    /// The run restarts: drops all samples.
    pub fn forget_samples(&self) {
        let mut board = self.board();
        let all = board.samples.len();
        board.forget(all);
    }

    /// An answer to one page.
    pub fn reply(&self, id: u64, event: &Event) {
        let message = text(event);
        self.update(|board| {
            if let Some(mailbox) = board.mailboxes.get_mut(&id) {
                if mailbox.replies.len() == MAX_REPLIES {
                    mailbox.replies.pop_front();
                }
                mailbox.replies.push_back(message);
            }
        });
    }

    /// What to send to a client next.
    pub fn next_for(&self, id: u64, cursor: &mut Cursor) -> Option<Message> {
        if let Some(message) = cursor.pending.pop_front() {
            return Some(message);
        }
        let mut board = self.board();
        if let Some([scene, topology]) = board.scene.newer_than(&mut cursor.scene) {
            cursor.pending.push_back(topology);
            return Some(scene);
        }
        let newer =
            board.parameters.newer_than(&mut cursor.parameters).or_else(|| board.status.newer_than(&mut cursor.status));
        if let Some(message) = newer.or_else(|| board.mailboxes.get_mut(&id)?.replies.pop_front()) {
            return Some(message);
        }
        if cursor.in_flight.len() >= MAX_IN_FLIGHT {
            return None;
        }
        let frame = board.frame.newer_than(&mut cursor.frame)?;
        cursor.in_flight.extend(frame::sequence(&frame));
        let seen = (cursor.samples.saturating_sub(board.gone) as usize).min(board.samples.len());
        cursor.samples = board.gone + board.samples.len() as u64;
        if seen == board.samples.len() {
            return Some(Message::Binary(frame));
        }
        Some(Message::binary(frame::with_samples(&frame, board.samples.range(seen..).copied())))
    }

    /// Asks all threads to stop.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
        self.update(|_| {});
    }

    /// Whether [`Hub::stop`] was called.
    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests;
