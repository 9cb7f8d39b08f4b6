//! Messages of a page to the viewer: read as its socket reads them, and obeyed by its engine.

use std::sync::Arc;
use std::sync::mpsc::channel;

use pliant::scene::load;
use pliant_viewer::Options;
use pliant_viewer::engine::{Engine, Input};
use pliant_viewer::hub::{Cursor, Hub};
use pliant_viewer::protocol::Command;

/// Commands of one input.
const MOST: usize = 24;

/// One message in each line; returns whether any was read.
pub fn commands(bytes: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else { return false };
    let read: Vec<Command> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).take(MOST).collect();
    if read.is_empty() {
        return false;
    }
    let scene = load("spring-chain", &[]).unwrap_or_else(|error| panic!("{error}"));
    let hub = Arc::new(Hub::default());
    let options = Options { step_limit: Some(8), ..Options::default() };
    let engine = Engine::new(hub.clone(), scene, &options).unwrap_or_else(|error| panic!("{error}"));
    let (sender, inputs) = channel();
    let mut cursor = Cursor::default();
    hub.join(1, std::thread::current(), 1);
    let _ = sender.send(Input::Joined(1));
    for command in read {
        match command {
            Command::Ack { sequence } => cursor.acknowledge(sequence),
            // another scene takes long to build
            Command::Scene { name } if name != "pendulum" => {}
            command => drop(sender.send(Input::Asks(1, command))),
        }
    }
    let _ = sender.send(Input::Stop);
    let session = engine.run(&inputs);
    assert!(session.error.is_some() || session.state().x.iter().all(|x| x.is_finite()), "a state that is no number");
    while hub.next_for(1, &mut cursor).is_some() {}
    true
}
