//! The listening socket: accepts connections, checks requests and serves pages.

use std::io::Write as _;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use pliant::core::State;
use pliant::scene::LoadedScene;
use thiserror::Error;
use tungstenite::handshake::derive_accept_key;

use crate::address::Address;
use crate::engine::{Engine, Input};
use crate::http::{Refusal, Request, answer, read_head, refuse};
use crate::hub::Hub;
use crate::unadmitted::Unadmitted;
use crate::{assets, client, topology};

/// Options of the server.
#[derive(Clone, Debug)]
pub struct Options {
    /// Address to listen on; the loopback address by default.
    pub host: IpAddr,
    /// First port to try; 0: any that is free.
    pub port: u16,
    /// Largest number of open pages.
    pub most_clients: usize,
    /// Particles shown; of more, evenly chosen ones are.
    pub most_shown: usize,
    /// Pause after this many steps; for measurements.
    pub step_limit: Option<u64>,
    /// Takes a line for every change that a page makes to the run, with its simulated time.
    pub tell: Option<fn(&str)>,
}

impl Default for Options {
    fn default() -> Self {
        let most_shown = topology::MAX_SHOWN;
        let host = Ipv4Addr::LOCALHOST.into();
        Self { host, port: 7878, most_clients: 8, most_shown, step_limit: None, tell: None }
    }
}

/// Why the server cannot start.
#[derive(Debug, Error)]
pub enum ServerError {
    /// No port is free.
    #[error("cannot listen on {host}, port {port} or any of the {tried} after it: {why}")]
    NoPort {
        /// The address.
        host: IpAddr,
        /// The first port tried.
        port: u16,
        /// How many more were tried.
        tried: u16,
        /// The error of the system.
        why: std::io::Error,
    },
    /// The scene cannot be built.
    #[error("{0}")]
    Scene(String),
    /// The system starts too few threads.
    #[error("cannot start the viewer, which needs threads of its own: {0}")]
    NoThread(String),
    /// Another error of the system.
    #[error("cannot start the viewer: {0}")]
    System(#[from] std::io::Error),
}

/// Ports tried after the first.
const MORE_PORTS: u16 = 20;
/// Connections with the token at a time, besides pages.
const MORE_CONNECTIONS: usize = 24;
/// Commands that may be pending during a step.
const MAX_COMMANDS: usize = 256;

/// A running viewer.
pub struct Server {
    address: Address,
    /// The port that was asked for, if another had to be taken.
    pub port_in_use: Option<u16>,
    hub: Arc<Hub>,
    engine: SyncSender<Input>,
    thread: Option<JoinHandle<State>>,
}

impl Server {
    /// Starts serving a scene. The run begins when the first page is opened.
    pub fn start(scene: LoadedScene, options: &Options) -> Result<Self, ServerError> {
        let pool = pliant::parallel::start(None);
        if let (0, Some(shortage)) = (pool.started(), pool.shortage()) {
            return Err(ServerError::NoThread(shortage));
        }
        let (listener, port) = listen(options)?;
        let address = Address::new(listener.local_addr()?)?;
        let hub = Arc::new(Hub::default());
        let engine = Engine::new(hub.clone(), scene, options).map_err(ServerError::Scene)?;
        let (sender, inputs) = sync_channel(MAX_COMMANDS);
        let name = |name: &str| thread::Builder::new().name(name.into());
        let not_started = |why: std::io::Error| ServerError::NoThread(why.to_string());
        let thread = name("pliant-engine").spawn(move || engine.run(&inputs).state().clone()).map_err(not_started)?;
        let door = Arc::new(Door {
            address: address.clone(),
            hub: hub.clone(),
            engine: sender.clone(),
            most_clients: options.most_clients,
            unadmitted: Unadmitted::default(),
            admitted: AtomicUsize::new(0),
            next_id: AtomicU64::new(1),
        });
        name("pliant-accept").spawn(move || accept(&listener, &door)).map_err(not_started)?;
        let port_in_use = (options.port != 0 && options.port != port).then_some(options.port);
        Ok(Self { address, port_in_use, hub, engine: sender, thread: Some(thread) })
    }

    /// Where it is served.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Pages that are open.
    pub fn clients(&self) -> usize {
        self.hub.clients()
    }

    /// Waits until the engine ends by itself, which it never does.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    /// Ends the run; returns its last state.
    pub fn stop(mut self) -> Option<State> {
        let _ = self.engine.send(Input::Stop);
        let state = self.thread.take().and_then(|thread| thread.join().ok());
        self.hub.stop();
        // Wakes the accept thread, which then stops.
        let _ = TcpStream::connect_timeout(&self.address.socket, Duration::from_millis(200));
        state
    }
}

fn listen(options: &Options) -> Result<(TcpListener, u16), ServerError> {
    let last = options.port.saturating_add(if options.port == 0 { 0 } else { MORE_PORTS });
    let mut why = None;
    for port in options.port..=last {
        match TcpListener::bind(SocketAddr::new(options.host, port)) {
            Ok(listener) => return Ok((listener, if port == 0 { 0 } else { port })),
            Err(error) => {
                let in_use = error.kind() == std::io::ErrorKind::AddrInUse;
                why = Some(error);
                if !in_use {
                    break;
                }
            }
        }
    }
    let why = why.unwrap_or_else(|| std::io::ErrorKind::AddrInUse.into());
    Err(ServerError::NoPort { host: options.host, port: options.port, tried: last - options.port, why })
}

struct Door {
    address: Address,
    hub: Arc<Hub>,
    engine: SyncSender<Input>,
    most_clients: usize,
    unadmitted: Unadmitted,
    admitted: AtomicUsize,
    next_id: AtomicU64,
}

fn accept(listener: &TcpListener, door: &Arc<Door>) {
    for stream in listener.incoming() {
        if door.hub.is_stopping() {
            return;
        }
        let Ok(stream) = stream else {
            // Out of file descriptors, most likely: wait until some are released.
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        let id = door.next_id.fetch_add(1, Ordering::Relaxed);
        let (here, own) = (door.clone(), stream.try_clone());
        let started = own.and_then(|own| door.unadmitted.start(id, &stream, move || here.handle(own, id)));
        if started.is_err() {
            decline(stream);
        }
    }
}

/// Neither a thread nor a file descriptor is left for this connection.
fn decline(mut stream: TcpStream) {
    let _ = stream.set_nonblocking(true);
    let _ = stream.write_all(b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
}

/// Decrements the number of admitted connections when one ends, for whatever reason.
struct Held<'a>(&'a AtomicUsize);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Door {
    fn handle(&self, mut stream: TcpStream, id: u64) {
        let admitted = read_head(&mut stream).and_then(|request| {
            let name = self.admit(&request).map_err(Some)?.to_owned();
            Ok((request, name))
        });
        match admitted {
            Ok((request, name)) if self.unadmitted.leave(id) => self.serve(stream, id, &request, &name),
            Err(Some(refusal)) => refuse(&mut stream, refusal),
            Ok(_) | Err(None) => {}
        }
        self.unadmitted.leave(id);
    }

    /// Answers a request with the token.
    fn serve(&self, mut stream: TcpStream, id: u64, request: &Request, name: &str) {
        let others = self.admitted.fetch_add(1, Ordering::Relaxed);
        let held = Held(&self.admitted);
        if others >= self.most_clients + MORE_CONNECTIONS {
            refuse(&mut stream, Refusal(503, "too many connections are open already"));
        } else if name == "live" {
            self.upgrade(stream, id, request);
        } else if let Some((kind, text)) = assets::find(name) {
            answer(&mut stream, 200, kind, text.as_bytes(), request.method != "HEAD");
        } else {
            refuse(&mut stream, Refusal(404, "there is nothing of that name"));
        }
        drop(held);
    }

    /// The requested resource, if the request passes the checks.
    fn admit<'a>(&self, request: &'a Request) -> Result<&'a str, Refusal> {
        let host = request.header("host").unwrap_or_default();
        if !self.address.accepts_host(host) {
            return Err(Refusal(403, "this server does not go by that name"));
        }
        let origin_is_right = request.header("origin").is_some_and(|origin| self.address.accepts_origin(origin, host));
        if request.has("origin") && !origin_is_right {
            return Err(Refusal(403, "other sites may not use this server"));
        }
        let Some(name) = self.address.below_token(&request.path) else {
            return Err(Refusal(403, "the address lacks the right token; use the one that the program printed"));
        };
        if !matches!(request.method.as_str(), "GET" | "HEAD") {
            return Err(Refusal(405, "only GET is understood here"));
        }
        if name == "live" && !origin_is_right {
            return Err(Refusal(403, "only the page itself may open this"));
        }
        Ok(name)
    }

    fn upgrade(&self, mut stream: TcpStream, id: u64, request: &Request) {
        let key = request.header("sec-websocket-key").filter(|key| key.len() == 24);
        let proper = request.method == "GET"
            && request.lists("connection", "upgrade")
            && request.lists("upgrade", "websocket")
            && request.header("sec-websocket-version") == Some("13");
        let (Some(key), true) = (key, proper) else {
            return refuse(&mut stream, Refusal(426, "a WebSocket is expected here"));
        };
        if !self.hub.join(id, thread::current(), self.most_clients) {
            return refuse(&mut stream, Refusal(503, "too many pages are open already"));
        }
        let leave = Leave { hub: &self.hub, engine: &self.engine, id };
        let accepted = format!(
            "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: {}\r\n\r\n",
            derive_accept_key(key.as_bytes())
        );
        let ready = stream.set_read_timeout(None).and_then(|()| stream.write_all(accepted.as_bytes()));
        if ready.is_ok() && self.engine.send(Input::Joined(id)).is_ok() {
            client::serve(stream, id, &self.hub, &self.engine);
        }
        drop(leave);
    }
}

/// Releases a page's slot when its thread ends, for whatever reason.
struct Leave<'a> {
    hub: &'a Hub,
    engine: &'a SyncSender<Input>,
    id: u64,
}

impl Drop for Leave<'_> {
    fn drop(&mut self) {
        self.hub.leave(self.id);
        let _ = self.engine.send(Input::Left(self.id));
    }
}
