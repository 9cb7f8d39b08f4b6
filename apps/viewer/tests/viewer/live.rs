//! What a page sees and does, and that watching changes nothing.

use crate::common;

use std::time::{Duration, Instant};

use common::{Page, place, server, steps, time};
use pliant::scene::load;
use pliant_viewer::Options;

const STEPS: u64 = 150;

fn wait_for_steps(page: &mut Page) {
    page.frame_where(|frame| steps(frame) >= STEPS);
}

/// The state after some steps is that of a plain run, bit for bit, whether one page reads along, another stalls, or both.
#[test]
fn a_stalled_page_stalls_nobody_and_changes_nothing() {
    let mut plain = load("spring-net", &[]).unwrap().build().unwrap().simulation;
    for _ in 0..STEPS {
        plain.step().unwrap();
    }
    let server = server("spring-net", Options { step_limit: Some(STEPS), ..Options::default() });
    // Never reads, never acknowledges.
    let stalled = Page::open(&server);
    let mut page = Page::open(&server);
    page.send(r#"{"type":"speed","factor":0}"#);
    wait_for_steps(&mut page);
    assert_eq!(server.clients(), 2);
    let state = server.stop().unwrap();
    assert_eq!(state.hash(), plain.state().hash());
    drop(stalled);
}

#[test]
fn play_pause_step_restart() {
    let server = server("spring-chain", Options::default());
    let mut page = Page::open(&server);
    let scene = page.event("scene");
    assert_eq!(scene["name"], "spring-chain");
    assert!(scene["scenes"].as_array().unwrap().len() > 3);
    page.frame_where(|frame| time(frame) > 0.05);
    page.send(r#"{"type":"pause"}"#);
    page.event_where("status", |status| status["playing"] == false);
    page.send(r#"{"type":"restart"}"#);
    page.frame_where(|frame| steps(frame) == 0);
    page.send(r#"{"type":"step"}"#);
    let one = page.frame_where(|frame| steps(frame) == 1);
    assert!(time(&one) > 0.0);
    page.send(r#"{"type":"scene","name":"spring-net"}"#);
    assert_eq!(page.event("scene")["name"], "spring-net");
    page.frame_where(|frame| frame.len() > 400 * 13 && time(frame) > 0.05);
}

#[test]
fn parameters_change_while_it_runs_and_time_goes_on() {
    let server = server("spring-net", Options::default());
    let mut page = Page::open(&server);
    let before = time(&page.frame_where(|frame| time(frame) > 0.1));
    for (path, value) in
        [("time.control.tolerance", "1e-5"), ("springs[0].stiffness", "\"1 kN/m\""), ("world.gravity", "[0,5,0]")]
    {
        page.send(&format!(r#"{{"type":"set","path":"{path}","value":{value}}}"#));
        let event = page.event_where("parameters", |event| event["edits"].to_string().contains(path));
        let list = event["parameters"].as_array().unwrap();
        assert!(list.iter().any(|parameter| parameter["path"] == path), "{event}");
    }
    let frame = page.frame_where(|frame| time(frame) > before + 0.05);
    let tolerance = f64::from_le_bytes(frame[40..48].try_into().unwrap());
    assert_eq!(tolerance, 1e-5);
    page.send(r#"{"type":"restart"}"#);
    let again = page.event_where("parameters", |event| event["edits"][0]["time"] == 0.0);
    assert_eq!(again["edits"].as_array().unwrap().len(), 3, "{again}");
    page.send(r#"{"type":"reset"}"#);
    let event = page.event_where("parameters", |event| event["edits"].as_array().unwrap().is_empty());
    assert_eq!(event["command"], "pliant run spring-net");
}

static TOLD: std::sync::Mutex<Vec<String>> = std::sync::Mutex::new(Vec::new());

#[test]
fn every_change_is_logged_with_its_time() {
    let tell: fn(&str) = |line| TOLD.lock().unwrap().push(line.to_owned());
    let server = server("spring-chain", Options { tell: Some(tell), ..Options::default() });
    let mut page = Page::open(&server);
    page.frame_where(|frame| time(frame) > 0.1);
    page.send(r#"{"type":"set","path":"world.gravity","value":[0,-1.5,0]}"#);
    let event = page.event_where("parameters", |event| event["edits"].to_string().contains("gravity"));
    let (edit, then) = (&event["edits"][0], event["edits"][0]["time"].as_f64().unwrap());
    assert!(then > 0.1 && edit["assignment"] == "world.gravity=[0.0, -1.5, 0.0]", "{event}");
    assert_eq!(event["command"], "pliant run spring-chain --set 'world.gravity=[0.0, -1.5, 0.0]'");
    page.send(r#"{"type":"set","path":"world.gravity","value":"down"}"#);
    page.event("refused");
    page.send(r#"{"type":"restart"}"#);
    page.event_where("parameters", |event| event["edits"][0]["time"] == 0.0);
    let told = TOLD.lock().unwrap();
    let expected = format!("t = {then:.6} s: --set world.gravity=[0.0, -1.5, 0.0]");
    assert_eq!(*told, [expected.as_str(), "t = 0 s: restarted, with all changes"]);
}

/// A pendulum hangs from its pivot, and its bob is pulled along its circle.
#[test]
fn a_pendulum_is_shown_and_pulled_as_one() {
    let server = server("pendulum", Options::default());
    let mut page = Page::open(&server);
    page.send(r#"{"type":"pause"}"#);
    page.send(r#"{"type":"restart"}"#);
    let [x, y, _] = place(&page.frame_where(|frame| steps(frame) == 0), 0);
    assert!((x - 1_f32.sin()).abs() < 1e-6 && (y + 1_f32.cos()).abs() < 1e-6, "{x} {y}");
    // To the height of the pivot, beyond where it was let go: only a pull can bring it there.
    page.send(r#"{"type":"grab","particle":0,"target":[3,0,0]}"#);
    page.send(r#"{"type":"speed","factor":4}"#);
    page.send(r#"{"type":"play"}"#);
    let [x, y, z] = place(&page.frame_where(|frame| place(frame, 0)[1] > -0.35), 0);
    assert!((x.hypot(y) - 1.0).abs() < 1e-6 && x > 0.0 && z == 0.0, "{x} {y} {z}");
    page.send(r#"{"type":"release"}"#);
    page.frame_where(|frame| place(frame, 0)[1] < -0.99);
    // Another length is another circle.
    page.send(r#"{"type":"set","path":"pendulum[0].length","value":2}"#);
    page.event_where("parameters", |event| event["command"].to_string().contains("length"));
    let [x, y, _] = place(&page.frame_where(|frame| place(frame, 0)[1] < -1.5), 0);
    assert!((x.hypot(y) - 2.0).abs() < 1e-6, "{x} {y}");
}

#[test]
fn a_particle_is_pulled_and_let_go_when_its_page_goes_away() {
    let server = server("spring-net", Options::default());
    let (mut page, mut other) = (Page::open(&server), Page::open(&server));
    page.frame();
    page.send(r#"{"type":"grab","particle":210,"target":[0,1.5,0.5]}"#);
    let up = |frame: &[u8]| place(frame, 210)[1] > 0.15;
    page.frame_where(up);
    drop(page);
    other.frame_where(|frame| place(frame, 210)[1] < -0.05);
}

#[test]
fn an_error_of_the_run_is_told_and_can_be_mended() {
    let server = server("spring-net", Options::default());
    let mut page = Page::open(&server);
    page.frame();
    page.send(r#"{"type":"set","path":"time.control.kind","value":"fixed"}"#);
    page.send(r#"{"type":"set","path":"time.integrator","value":"explicit-euler"}"#);
    page.send(r#"{"type":"set","path":"time.control.dt","value":0.01}"#);
    page.send(r#"{"type":"speed","factor":0}"#);
    let status = page.event_where("status", |status| status["error"].is_string());
    assert!(status["error"].as_str().unwrap().contains("cannot go on"), "{status}");
    page.send(r#"{"type":"reset"}"#);
    page.event_where("status", |status| status["error"].is_null());
    page.frame_where(|frame| time(frame) > 0.1);
}

#[test]
fn many_particles_are_thinned_out() {
    let server = server("spring-net", Options { most_shown: 150, ..Options::default() });
    let mut page = Page::open(&server);
    let scene = page.event("scene");
    assert_eq!((scene["particles"].as_u64(), scene["shown"].as_u64()), (Some(400), Some(134)));
    assert!(scene["notes"][0].as_str().unwrap().contains("134 of 400"));
    let frame = page.frame();
    assert_eq!(u32::from_le_bytes(frame[104..108].try_into().unwrap()), 134);
}

#[test]
fn frames_come_at_the_rate_of_a_display() {
    let server = server("spring-chain", Options::default());
    let mut page = Page::open(&server);
    page.frame();
    let begun = Instant::now();
    let mut count = 0;
    while begun.elapsed() < Duration::from_secs(1) {
        page.frame();
        count += 1;
    }
    assert!(count <= 62, "{count} frames in a second");
}
