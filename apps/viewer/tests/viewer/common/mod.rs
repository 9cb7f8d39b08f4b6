//! A viewer, and clients of all sorts.
#![allow(dead_code)]

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

use pliant::scene::load;
use pliant_viewer::{Options, Server};
use serde_json::Value;
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

pub fn server(scene: &str, options: Options) -> Server {
    Server::start(load(scene, &[]).unwrap(), &Options { port: 0, ..options }).unwrap()
}

/// Sends a request as it stands and returns the status and everything else.
pub fn raw(server: &Server, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(server.address().socket).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    let _ = stream.write_all(request.as_bytes());
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let text = String::from_utf8_lossy(&answer).into_owned();
    let status = text.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0);
    (status, text)
}

/// A page, as far as the server can tell.
pub struct Page(pub WebSocket<TcpStream>);

impl Page {
    pub fn try_open(server: &Server, origin: Option<&str>) -> Result<Self, Box<tungstenite::Error>> {
        let address = server.address();
        let url = address.url().replace("http://", "ws://") + "live";
        let mut request = url.into_client_request().unwrap();
        let own = format!("http://{}", address.socket);
        if let Some(origin) = origin.or(Some(&own)).filter(|origin| !origin.is_empty()) {
            request.headers_mut().insert("Origin", origin.parse().unwrap());
        }
        let stream = TcpStream::connect(address.socket).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        match tungstenite::client(request, stream) {
            Ok((socket, _)) => Ok(Self(socket)),
            Err(tungstenite::HandshakeError::Failure(error)) => Err(Box::new(error)),
            Err(other) => panic!("{other}"),
        }
    }

    pub fn open(server: &Server) -> Self {
        Self::try_open(server, None).unwrap()
    }

    pub fn send(&mut self, text: &str) {
        self.0.send(Message::text(text)).unwrap();
    }

    /// The next message of a type, acknowledging frames on the way.
    pub fn event(&mut self, kind: &str) -> Value {
        self.event_where(kind, |_| true)
    }

    pub fn event_where(&mut self, kind: &str, accept: impl Fn(&Value) -> bool) -> Value {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(60) {
            match self.0.read().unwrap() {
                Message::Text(text) => {
                    let value: Value = serde_json::from_str(text.as_str()).unwrap();
                    if value["type"] == kind && accept(&value) {
                        return value;
                    }
                }
                Message::Binary(bytes) => self.acknowledge(&bytes),
                _ => {}
            }
        }
        panic!("no {kind} came");
    }

    pub fn acknowledge(&mut self, bytes: &[u8]) {
        if let Some(sequence) = pliant_viewer::frame::sequence(bytes) {
            self.send(&format!(r#"{{"type":"ack","sequence":{sequence}}}"#));
        }
    }

    /// The next frame, acknowledged.
    pub fn frame(&mut self) -> Vec<u8> {
        loop {
            if let Message::Binary(bytes) = self.0.read().unwrap()
                && pliant_viewer::frame::sequence(&bytes).is_some()
            {
                self.acknowledge(&bytes);
                return bytes.to_vec();
            }
        }
    }

    /// Frames until one satisfies a condition.
    pub fn frame_where(&mut self, accept: impl Fn(&[u8]) -> bool) -> Vec<u8> {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_secs(60) {
            let frame = self.frame();
            if accept(&frame) {
                return frame;
            }
        }
        panic!("no such frame came");
    }
}

pub fn time(frame: &[u8]) -> f64 {
    f64::from_le_bytes(frame[16..24].try_into().unwrap())
}

pub fn steps(frame: &[u8]) -> u64 {
    u64::from_le_bytes(frame[88..96].try_into().unwrap())
}

/// Position of a particle in a frame.
pub fn place(frame: &[u8], particle: usize) -> [f32; 3] {
    let samples = u32::from_le_bytes(frame[108..112].try_into().unwrap()) as usize;
    let at = 112 + 64 * samples + 12 * particle;
    [0, 4, 8].map(|k| f32::from_le_bytes(frame[at + k..at + k + 4].try_into().unwrap()))
}
