//! Pages that are slow, silent or late.

use super::*;
use crate::frame::{HEAD, Head, encode};
use pliant::core::State;

fn frame(sequence: u32) -> Vec<u8> {
    encode(&Head { sequence, ..Head::default() }, &State::default(), 1, &[])
}

fn sample(number: u32) -> Sample {
    Sample { time: f64::from(number), ..Sample::default() }
}

/// Times of the samples in a frame.
fn times(message: &Message) -> Vec<f64> {
    let Message::Binary(bytes) = message else { panic!("{message:?} is no frame") };
    let count = u32::from_le_bytes(bytes[108..112].try_into().unwrap()) as usize;
    let number = |k: usize| f64::from_le_bytes(bytes[HEAD + 64 * k..HEAD + 64 * k + 8].try_into().unwrap());
    assert_eq!(bytes.len(), HEAD + 64 * count);
    (0..count).map(number).collect()
}

/// However slow a page is, its plots have no gaps; a page that is opened later gets the samples that were kept.
#[test]
fn a_slow_page_gets_every_step() {
    let (hub, mut slow, mut quick) = (Hub::default(), Cursor::default(), Cursor::default());
    let (mut by_slow, mut by_quick) = (Vec::new(), Vec::new());
    for number in 1..=500 {
        hub.post_frame(frame(number), [2 * number, 2 * number + 1].map(sample).into_iter());
        by_quick.extend(times(&hub.next_for(1, &mut quick).unwrap()));
        quick.acknowledge(number);
        if number % 100 < 3 {
            by_slow.extend(hub.next_for(2, &mut slow).iter().flat_map(times));
            slow.acknowledge(number);
        }
    }
    by_slow.extend(hub.next_for(2, &mut slow).iter().flat_map(times));
    let all: Vec<f64> = (2..=1001).map(f64::from).collect();
    assert_eq!((&by_quick, by_slow.len()), (&all, all.len()));
    assert_eq!(by_slow, all);
    assert_eq!(times(&hub.next_for(3, &mut Cursor::default()).unwrap()), all);

    hub.post_frame(frame(501), (2000..10_000).map(sample));
    assert_eq!(times(&hub.next_for(2, &mut slow).unwrap()).len(), MAX_KEPT, "and no more than that is kept");
    hub.forget_samples();
    hub.post_frame(frame(502), [sample(0)].into_iter());
    for cursor in [&mut slow, &mut Cursor::default()] {
        assert_eq!(times(&hub.next_for(2, cursor).unwrap()), [0.0], "nothing of the time before");
    }
}

#[test]
fn a_page_that_never_answers_gets_two_frames_and_nothing_waits() {
    let (hub, mut cursor) = (Hub::default(), Cursor::default());
    assert!(hub.join(1, std::thread::current(), 1));
    assert!(!hub.join(2, std::thread::current(), 1));
    let mut sent = Vec::new();
    for sequence in 1..=100 {
        hub.post_frame(frame(sequence), std::iter::empty());
        while let Some(message) = hub.next_for(1, &mut cursor) {
            sent.push(frame::sequence(&message.into_data()).unwrap());
        }
        assert!(cursor.in_flight() <= MAX_IN_FLIGHT);
    }
    assert_eq!(sent, [1, 2]);
    cursor.acknowledge(2);
    let newest = hub.next_for(1, &mut cursor).unwrap();
    assert_eq!(frame::sequence(&newest.into_data()), Some(100));
    assert_eq!(hub.next_for(1, &mut cursor), None);
    hub.leave(1);
    assert_eq!(hub.clients(), 0);
}

#[test]
fn replies_are_bounded() {
    let (hub, mut cursor) = (Hub::default(), Cursor::default());
    hub.join(1, std::thread::current(), 1);
    for k in 0..1000 {
        hub.reply(1, &Event::Refused { message: k.to_string() });
    }
    let mut count = 0;
    while hub.next_for(1, &mut cursor).is_some() {
        count += 1;
    }
    assert_eq!(count, MAX_REPLIES);
}
