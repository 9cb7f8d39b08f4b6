//! What watching costs: a net of 20,000 particles, stepped as fast as it goes, without a viewer, with a viewer and no page, with a page
//! that reads, and with one that has stopped reading. Prints frames sent and received a second and steps a second of each.
//!
//! `cargo run --release -p pliant-viewer --example stream`; frames drawn: `node apps/viewer/tests/browser/bench.mjs BINARY`.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use pliant::scene::{LoadedScene, load};
use pliant::time::Simulation;
use pliant_viewer::{Options, Server, frame};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

/// Slices with and without a page alternate, because the speed of a shared machine wanders by more than what is measured.
const SLICES: usize = 40;
const SLICE: Duration = Duration::from_millis(400);

fn scene(cheap: bool) -> LoadedScene {
    let mut changes = vec![
        "springs[0].grid.columns=142",
        "springs[0].grid.rows=141",
        "time.integrator=velocity-verlet",
        "time.control.kind=fixed",
        "time.control.dt=1e-5",
        "time.until=1000",
        "springs[0].total_mass=10",
    ];
    // Frames are counted on particles that cost next to nothing, so that it is not the steps that set the rate.
    if cheap {
        changes.extend(["springs[0].law=cubic", "springs[0].anchor=[0,0,0]"]);
    }
    let changes: Vec<String> = changes.into_iter().map(str::to_owned).collect();
    load("spring-net", &changes).expect("the net is a built-in scene")
}

/// Steps a second of one slice without any viewer.
fn plain(simulation: &mut Simulation) -> f64 {
    let begun = Instant::now();
    let mut steps = 0;
    while begun.elapsed() < SLICE {
        simulation.step().expect("it is stable");
        steps += 1;
    }
    f64::from(steps) / begun.elapsed().as_secs_f64()
}

fn open(server: &Server) -> WebSocket<TcpStream> {
    let address = server.address();
    let mut request = (address.url().replace("http", "ws") + "live").into_client_request().expect("a plain address");
    let origin = format!("http://{}", address.socket);
    request.headers_mut().insert("Origin", origin.parse().expect("a plain address"));
    let stream = TcpStream::connect(address.socket).expect("it listens");
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a timeout");
    let (mut socket, _) = tungstenite::client(request, stream).expect("it lets its own page in");
    let speed = r#"{"type":"speed","factor":0}"#;
    socket.send(Message::text(speed)).expect("it reads");
    socket
}

/// Next frame: its number, steps so far, bytes.
fn next(socket: &mut WebSocket<TcpStream>) -> (u32, u64, usize) {
    loop {
        let Message::Binary(bytes) = socket.read().expect("frames come") else { continue };
        let Some(sequence) = frame::sequence(&bytes) else { continue };
        let ack = format!(r#"{{"type":"ack","sequence":{sequence}}}"#);
        socket.send(Message::text(ack)).expect("it reads");
        let steps = u64::from_le_bytes(bytes[88..96].try_into().unwrap_or_default());
        return (sequence, steps, bytes.len());
    }
}

fn say(socket: &mut WebSocket<TcpStream>, message: &str) {
    socket.send(Message::text(message)).expect("it reads");
}

/// Pauses, reads what is on its way, and gives the steps so far.
fn settle(socket: &mut WebSocket<TcpStream>) -> u64 {
    say(socket, r#"{"type":"pause"}"#);
    let (mut last, mut quiet) = (0, Instant::now());
    socket.get_ref().set_read_timeout(Some(Duration::from_millis(20))).expect("a timeout");
    while quiet.elapsed() < Duration::from_millis(60) {
        let Ok(Message::Binary(bytes)) = socket.read() else { continue };
        let Some(sequence) = frame::sequence(&bytes) else { continue };
        say(socket, &format!(r#"{{"type":"ack","sequence":{sequence}}}"#));
        last = u64::from_le_bytes(bytes[88..96].try_into().unwrap_or_default());
        quiet = Instant::now();
    }
    socket.get_ref().set_read_timeout(Some(Duration::from_secs(5))).expect("a timeout");
    last
}

/// What a page costs, in percent of the steps: the median over slices with and without it, side by side.
fn cost(reads: bool) -> (f64, f64, f64) {
    let mut simulation = scene(false).build().expect("it can be built").simulation;
    let server = Server::start(scene(false), &Options { port: 0, ..Options::default() }).expect("a free port");
    let mut socket = open(&server);
    next(&mut socket);
    let mut before = settle(&mut socket);
    let (mut alone, mut watched) = (Vec::new(), Vec::new());
    for _ in 0..SLICES {
        alone.push(plain(&mut simulation));
        say(&mut socket, r#"{"type":"play"}"#);
        let begun = Instant::now();
        while reads && begun.elapsed() < SLICE {
            next(&mut socket);
        }
        std::thread::sleep(SLICE.saturating_sub(begun.elapsed()));
        let seconds = begun.elapsed().as_secs_f64();
        let after = settle(&mut socket);
        // The step under way when the pause arrives is finished: half a step too many on average.
        watched.push(((after - before) as f64 - 0.5) / seconds);
        before = after;
    }
    drop(socket);
    server.stop();
    let percent = median(alone.iter().zip(&watched).map(|(a, w)| 100.0 * (a / w - 1.0)).collect());
    (median(alone), median(watched), percent)
}

/// Frames sent and received a second and the bytes of one, of particles that cost next to nothing.
fn frames() -> (f64, f64, usize) {
    let server = Server::start(scene(true), &Options { port: 0, ..Options::default() }).expect("a free port");
    let mut socket = open(&server);
    for _ in 0..5 {
        next(&mut socket);
    }
    let (first, _, bytes) = next(&mut socket);
    let begun = Instant::now();
    let (mut last, mut received) = (first, 0);
    while begun.elapsed() < 5 * SLICE {
        last = next(&mut socket).0;
        received += 1;
    }
    let seconds = begun.elapsed().as_secs_f64();
    drop(socket);
    server.stop();
    (f64::from(last - first) / seconds, f64::from(received) / seconds, bytes)
}

/// Milliseconds that the simulation's thread spends on one frame: all that a page costs it, besides the cores it shares.
fn encoding() -> f64 {
    let simulation = scene(true).build().expect("it can be built").simulation;
    let times = (0..200).map(|_| {
        let begun = Instant::now();
        std::hint::black_box(frame::encode(&frame::Head::default(), simulation.state(), 1, &[]));
        begun.elapsed().as_secs_f64() * 1e3
    });
    median(times.collect())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() {
    let one = encoding();
    println!("a frame takes {one:.3} ms of the simulation's thread: {:.2} % at 60 frames a second", 6.0 * one);
    let (sent, received, bytes) = frames();
    println!("20,022 particles, {bytes} bytes a frame: {sent:.1} frames a second sent, {received:.1} received");
    for (what, reads) in [("a page that reads", true), ("a page that stalls", false)] {
        let (alone, watched, percent) = cost(reads);
        println!(
            "steps alone {alone:6.1} /s, with {what} {watched:6.1} /s: it costs {percent:+.1} % (median of {SLICES} pairs)"
        );
    }
}
