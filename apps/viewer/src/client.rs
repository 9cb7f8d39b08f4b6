//! One open page: a thread that sends the contents of the hub and forwards the commands of the page. The socket never blocks, so a page that
//! stops reading delays only itself.

use std::io::ErrorKind;
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, TrySendError};
use std::thread;
use std::time::{Duration, Instant};

use tungstenite::protocol::{CloseFrame, Role, WebSocketConfig, frame::coding::CloseCode};
use tungstenite::{Error, Message, WebSocket};

use crate::engine::Input;
use crate::hub::{Cursor, Hub};
use crate::protocol::{Command, Event};

/// Longest message that a page may send, bytes.
pub const MAX_MESSAGE: usize = 16 * 1024;
/// What the write buffer holds beside one message, and what a page may have answered before it reads the answers, bytes.
const MAX_UNREAD: usize = 256 * 1024;
/// A frame's header at its longest, bytes.
const FRAME_HEAD: usize = 14;
/// Polling interval for a page's messages when nothing is to be sent.
const POLL: Duration = Duration::from_millis(3);
/// A page that is silent for this long is pinged; after three times as long it is closed.
const QUIET: Duration = Duration::from_secs(15);

enum End {
    /// The other side closed the connection or broke the protocol.
    Gone,
    /// Close the connection.
    Close(CloseCode, &'static str),
}

/// Serves a page until it is closed.
pub fn serve(stream: TcpStream, id: u64, hub: &Arc<Hub>, engine: &SyncSender<Input>) {
    if stream.set_nonblocking(true).is_err() {
        return;
    }
    let _ = stream.set_nodelay(true);
    let config = WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE))
        .max_frame_size(Some(MAX_MESSAGE))
        .max_write_buffer_size(MAX_UNREAD);
    let mut client = Client {
        socket: WebSocket::from_raw_socket(stream, Role::Server, Some(config)),
        id,
        hub,
        engine,
        cursor: Cursor::default(),
        heard: Instant::now(),
        asked: Instant::now(),
        blocked_since: None,
        unread: 0,
    };
    if let End::Close(code, reason) = client.run() {
        let frame = CloseFrame { code, reason: reason.into() };
        let _ = client.socket.close(Some(frame));
        let _ = client.socket.flush();
    }
}

struct Client<'a> {
    socket: WebSocket<TcpStream>,
    id: u64,
    hub: &'a Arc<Hub>,
    engine: &'a SyncSender<Input>,
    cursor: Cursor,
    heard: Instant,
    asked: Instant,
    blocked_since: Option<Instant>,
    /// Answers to pings since the socket was last empty, bytes.
    unread: usize,
}

impl Client<'_> {
    fn run(&mut self) -> End {
        loop {
            if self.hub.is_stopping() {
                return End::Close(CloseCode::Away, "the viewer was closed");
            }
            let step = self.send().and_then(|sent| Ok(self.receive()? || sent));
            match step {
                Ok(true) => {}
                Ok(false) => thread::park_timeout(POLL),
                Err(end) => return end,
            }
            if let Err(end) = self.check_signs() {
                return end;
            }
        }
    }

    /// Sends until the socket is full or nothing is left; returns whether anything was sent.
    fn send(&mut self) -> Result<bool, End> {
        let mut sent = false;
        loop {
            match self.socket.flush() {
                Ok(()) => (self.blocked_since, self.unread) = (None, 0),
                Err(error) if is_full(&error) => {
                    self.blocked_since.get_or_insert_with(Instant::now);
                    return Ok(false);
                }
                Err(_) => return Err(End::Gone),
            }
            let Some(message) = self.hub.next_for(self.id, &mut self.cursor) else { return Ok(sent) };
            sent = true;
            // The buffer is empty here, so that it never holds more than this message and the answers to pings.
            let room = message.len() + MAX_UNREAD;
            self.socket.set_config(|config| config.max_write_buffer_size = room);
            match self.socket.write(message) {
                Err(error) if !is_full(&error) => return Err(End::Gone),
                _ => {}
            }
        }
    }

    /// Reads pending messages; returns whether there were any. A few messages at a time, so that a flood does not delay frames.
    fn receive(&mut self) -> Result<bool, End> {
        for k in 0..64 {
            match self.socket.read() {
                Ok(Message::Text(text)) => self.obey(text.as_str())?,
                Ok(Message::Binary(_)) => return Err(End::Close(CloseCode::Unsupported, "commands are text")),
                Ok(Message::Close(_)) => return Err(End::Gone),
                Ok(Message::Ping(data)) => self.owe(data.len())?,
                Ok(_) => {}
                Err(error) if is_full(&error) => return Ok(k > 0),
                Err(Error::Capacity(_)) => return Err(End::Close(CloseCode::Size, "this message is too long")),
                Err(_) => return Err(End::Gone),
            }
            self.heard = Instant::now();
        }
        Ok(true)
    }

    /// A ping is answered with its own data. A page that reads none of the answers is closed before they fill the buffer.
    fn owe(&mut self, bytes: usize) -> Result<(), End> {
        self.unread += bytes + FRAME_HEAD;
        if self.unread > MAX_UNREAD / 2 { Err(End::Gone) } else { Ok(()) }
    }

    fn obey(&mut self, text: &str) -> Result<(), End> {
        match serde_json::from_str(text) {
            Ok(Command::Ack { sequence }) => self.cursor.acknowledge(sequence),
            Ok(command) => match self.engine.try_send(Input::Asks(self.id, command)) {
                Ok(()) => {}
                Err(TrySendError::Full(_)) => self.refuse("too many commands at once; this one was dropped".into()),
                Err(TrySendError::Disconnected(_)) => return Err(End::Close(CloseCode::Away, "the viewer was closed")),
            },
            Err(error) => self.refuse(format!("this is no command: {error}")),
        }
        Ok(())
    }

    fn refuse(&self, message: String) {
        self.hub.reply(self.id, &Event::Refused { message });
    }

    /// A page that vanished without closing must not keep its slot forever.
    fn check_signs(&mut self) -> Result<(), End> {
        if self.heard.elapsed() > 3 * QUIET || self.blocked_since.is_some_and(|since| since.elapsed() > 2 * QUIET) {
            return Err(End::Gone);
        }
        if self.heard.elapsed() > QUIET && self.asked.elapsed() > QUIET && self.blocked_since.is_none() {
            self.asked = Instant::now();
            match self.socket.write(Message::Ping(Default::default())) {
                Err(error) if !is_full(&error) => return Err(End::Gone),
                _ => {}
            }
        }
        Ok(())
    }
}

fn is_full(error: &Error) -> bool {
    matches!(error, Error::Io(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted))
}
