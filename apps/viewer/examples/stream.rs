//! What watching costs: a net of 20,000 particles, stepped as fast as it goes, without a viewer, with a viewer and no page, with a page
//! that reads, and with one that has stopped reading. Prints frames sent and received a second and steps a second of each.
//!
//! `cargo run --release -p pliant-viewer --example stream`; frames drawn: `node apps/viewer/tests/browser/bench.mjs BINARY`.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use pliant::scene::{LoadedScene, load};
use pliant_viewer::{Options, Server, frame};
use tungstenite::client::IntoClientRequest;
use tungstenite::{Message, WebSocket};

const ROUNDS: usize = 5;
const ROUND: Duration = Duration::from_secs(2);

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

/// Steps a second without any viewer.
fn plain() -> f64 {
    let mut simulation = scene(false).build().expect("it can be built").simulation;
    let begun = Instant::now();
    let mut steps = 0;
    while begun.elapsed() < ROUND {
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

/// Steps a second with a page that reads (or stops reading for a while), frames sent and received a second, bytes of a frame.
fn watched(reads: bool, cheap: bool) -> (f64, f64, f64, usize) {
    let server = Server::start(scene(cheap), &Options { port: 0, ..Options::default() }).expect("a free port");
    let mut socket = open(&server);
    for _ in 0..5 {
        next(&mut socket);
    }
    let (first, steps, _) = next(&mut socket);
    let begun = Instant::now();
    let (mut last, mut received, mut bytes) = ((first, steps), 0, 0);
    if !reads {
        std::thread::sleep(ROUND);
        for _ in 0..3 {
            let (sequence, steps, size) = next(&mut socket);
            (last, bytes) = ((sequence, steps), size);
        }
    }
    while reads && begun.elapsed() < ROUND {
        let (sequence, steps, size) = next(&mut socket);
        (last, received, bytes) = ((sequence, steps), received + 1, size);
    }
    let seconds = begun.elapsed().as_secs_f64();
    drop(socket);
    server.stop();
    let rate = |count: f64| count / seconds;
    (rate((last.1 - steps) as f64), rate(f64::from(last.0 - first)), rate(f64::from(received)), bytes)
}

/// Milliseconds that the simulation's thread spends on one frame: all that a page costs it, besides the cores it shares.
fn encoding() -> f64 {
    let simulation = scene(true).build().expect("it can be built").simulation;
    let samples = vec![frame::Sample::default(); frame::MOST_SAMPLES];
    let times = (0..200).map(|_| {
        let begun = Instant::now();
        std::hint::black_box(frame::encode(&frame::Head::default(), simulation.state(), &samples, 1));
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
    let (mut alone, mut read, mut stalled) = (Vec::new(), Vec::new(), Vec::new());
    let (mut sent, mut received, mut bytes) = (Vec::new(), Vec::new(), 0);
    for _ in 0..ROUNDS {
        alone.push(plain());
        read.push(watched(true, false).0);
        let (_, out, came, size) = watched(true, true);
        sent.push(out);
        received.push(came);
        bytes = size;
        stalled.push(watched(false, false).0);
    }
    let cost = |with: &[f64]| 100.0 * median(alone.iter().zip(with).map(|(a, b)| a / b - 1.0).collect());
    println!("20,022 particles, {bytes} bytes a frame, medians of {ROUNDS} rounds");
    println!("frames sent     {:7.1} /s", median(sent));
    println!("frames received {:7.1} /s", median(received));
    println!("steps alone     {:7.1} /s", median(alone.clone()));
    println!("steps, a page   {:7.1} /s  (cost {:+.1} %)", median(read.clone()), cost(&read));
    println!("steps, stalled  {:7.1} /s  (cost {:+.1} %)", median(stalled.clone()), cost(&stalled));
}
