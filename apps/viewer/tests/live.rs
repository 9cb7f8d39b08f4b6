//! What a page sees and does, and that watching changes nothing.

mod common;

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
    page.send(r#"{"type":"reset"}"#);
    page.event_where("parameters", |event| event["edits"].as_array().unwrap().is_empty());
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
