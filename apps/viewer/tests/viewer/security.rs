//! Who is let in, and what happens to those who misbehave: the run goes on.

use crate::common;

use std::io::Write as _;
use std::net::TcpStream;

use common::{Page, raw, server, time};
use pliant_viewer::Options;
use tungstenite::{Error, Message};

#[test]
fn the_page_is_served_only_below_the_token_and_to_the_right_host() {
    let server = server("spring-chain", Options::default());
    let (socket, token) = (server.address().socket, server.address().token().to_owned());
    let get = |path: &str, headers: &str| raw(&server, &format!("GET {path} HTTP/1.1\r\n{headers}\r\n"));
    let host = format!("Host: {socket}\r\n");
    let (status, page) = get(&format!("/{token}/"), &host);
    assert_eq!(status, 200);
    for wanted in ["<canvas", "Content-Security-Policy: default-src 'none'", "Referrer-Policy: no-referrer", "no-store"]
    {
        assert!(page.contains(wanted), "{wanted} is missing");
    }
    for file in ["main.js", "style.css", "renderer.js", "icon.svg"] {
        assert_eq!(get(&format!("/{token}/{file}"), &host).0, 200, "{file}");
    }
    let wrong = "0".repeat(token.len());
    for path in ["/", "/main.js", &format!("/{wrong}/"), &format!("/{token}"), "/live"] {
        assert_eq!(get(path, &host).0, 403, "{path}");
    }
    assert_eq!(get(&format!("/{token}/../Cargo.toml"), &host).0, 404);
    let path = format!("/{token}/");
    for other in ["", "Host: evil.example\r\n", "Host: 127.0.0.1\r\n", "Host: evil.example:80\r\nHost: 127.0.0.1\r\n"] {
        assert_eq!(get(&path, other).0, 403, "{other}");
    }
    let rebound = format!("Host: evil.example:{}\r\n", socket.port());
    assert_eq!(get(&path, &rebound).0, 403);
    assert_eq!(get(&path, &format!("{host}Origin: http://evil.example\r\n")).0, 403);
    assert_eq!(get(&path, &format!("{host}Origin: http://{socket}\r\n")).0, 200);
    assert_eq!(raw(&server, &format!("POST {path} HTTP/1.1\r\n{host}\r\n")).0, 405);
    assert_eq!(get(&format!("/{token}/live"), &host).0, 403, "no origin, no socket");
    assert_eq!(get(&format!("/{token}/live"), &format!("{host}Origin: http://{socket}\r\n")).0, 426);
}

#[test]
fn nonsense_and_long_heads_are_refused() {
    let server = server("spring-chain", Options::default());
    assert_eq!(raw(&server, "\0\0\0\r\n\r\n").0, 400);
    assert_eq!(raw(&server, "GET / HTTP/1.1\r\n\r\nbody").0, 400);
    let long = format!("GET / HTTP/1.1\r\nX: {}\r\n\r\n", "a".repeat(100_000));
    let (status, _) = raw(&server, &long);
    assert!(status == 431 || status == 0, "{status}");
    let mut page = Page::open(&server);
    page.frame();
}

#[test]
fn sockets_are_for_the_own_page() {
    let server = server("spring-chain", Options::default());
    for origin in ["http://evil.example", "null", "http://127.0.0.1:1", "https://localhost", ""] {
        match Page::try_open(&server, Some(origin)).map_err(|error| *error) {
            Err(Error::Http(answer)) => assert_eq!(answer.status(), 403, "{origin}"),
            other => panic!("{origin}: {:?}", other.map(|_| "let in")),
        }
    }
    Page::open(&server).frame();
}

#[test]
fn malformed_and_huge_messages_leave_the_run_alone() {
    let server = server("spring-chain", Options::default());
    let (mut watcher, mut bad) = (Page::open(&server), Page::open(&server));
    for text in ["", "{", "[]", r#"{"type":"fly"}"#, r#"{"type":"set","path":"a"}"#, "\u{0}", "null"] {
        bad.send(text);
        let reply = bad.event("refused");
        assert!(reply["message"].as_str().unwrap().contains("no command"), "{reply}");
    }
    for text in [
        r#"{"type":"set","path":"title","value":"x"}"#,
        r#"{"type":"set","path":"time.control.tolerance","value":-1}"#,
        r#"{"type":"set","path":"time.integrator","value":"nobody"}"#,
        r#"{"type":"scene","name":"../../etc/passwd"}"#,
        r#"{"type":"grab","particle":123456789,"target":[0,0,0]}"#,
        r#"{"type":"speed","factor":-3}"#,
    ] {
        bad.send(text);
        bad.event("refused");
    }
    let before = time(&watcher.frame());
    let _ = bad.0.send(Message::text("x".repeat(1_000_000)));
    let closed = loop {
        match bad.0.read() {
            Ok(Message::Close(_)) | Err(_) => break true,
            Ok(_) => {}
        }
    };
    assert!(closed);
    // The page sees the end before the server has crossed it off its list: frames go on until it has.
    watcher.frame_where(|frame| time(frame) > before + 0.1 && server.clients() == 1);
}

#[test]
fn only_so_many_pages() {
    let server = server("spring-chain", Options { most_clients: 2, ..Options::default() });
    let (mut first, second) = (Page::open(&server), Page::open(&server));
    match Page::try_open(&server, None).map_err(|error| *error) {
        Err(Error::Http(answer)) => assert_eq!(answer.status(), 503),
        other => panic!("{:?}", other.map(|_| "let in")),
    }
    first.frame();
    drop(second);
    let again = (0..200).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(20));
        Page::try_open(&server, None).ok()
    });
    again.expect("a place becomes free").frame();
}

/// The buffers of the system hold about ten megabytes in each direction; what the viewer keeps of the answers is bounded by the end of the
/// connection.
#[test]
fn a_page_that_pings_and_never_reads_is_closed() {
    const MOST: usize = 96 << 20;
    let server = server("spring-chain", Options::default());
    let (mut watcher, mut bad) = (Page::open(&server), Page::open(&server));
    // Final, ping, 125 bytes of data, masked with zeros.
    let ping = [&[0x89, 0x80 | 125, 0, 0, 0, 0][..], &[b'p'; 125]].concat();
    let many = ping.repeat(512);
    let mut sent = 0;
    while sent < MOST && bad.0.get_mut().write_all(&many).is_ok() {
        sent += many.len();
    }
    assert!(sent < MOST, "{sent} bytes of pings were taken, none of their answers read");
    let before = time(&watcher.frame());
    watcher.frame_where(|frame| time(frame) > before + 0.1 && server.clients() == 1);
}

/// A page that reads its answers may ping as often as it likes.
#[test]
fn pings_are_answered() {
    let server = server("spring-chain", Options::default());
    let mut page = Page::open(&server);
    page.0.get_mut().set_nodelay(true).unwrap();
    // in all, more than may be unread at a time
    for _ in 0..20 {
        (0..100_u32).for_each(|k| page.0.send(Message::Ping(k.to_le_bytes().repeat(30).into())).unwrap());
        let mut answers = 0;
        while answers < 100 {
            match page.0.read().unwrap() {
                Message::Pong(_) => answers += 1,
                Message::Binary(bytes) => page.acknowledge(&bytes),
                _ => {}
            }
        }
    }
    page.frame();
}

#[test]
fn silent_connections_keep_no_page_out() {
    let server = server("spring-chain", Options::default());
    let silent: Vec<TcpStream> = (0..50).map(|_| TcpStream::connect(server.address().socket).unwrap()).collect();
    let mut page = Page::open(&server);
    page.frame();
    assert_eq!((server.clients(), silent.len()), (1, 50));
}

#[test]
fn connections_without_the_token_keep_no_page_out() {
    let server = server("spring-chain", Options::default());
    let refused: Vec<TcpStream> = (0..50)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address().socket).unwrap();
            let _ = stream.write_all(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
            stream
        })
        .collect();
    let mut first = Page::open(&server);
    first.frame();
    let silent: Vec<TcpStream> = (0..50).map(|_| TcpStream::connect(server.address().socket).unwrap()).collect();
    let second = Page::open(&server);
    first.frame_where(|_| server.clients() == 2);
    drop((refused, silent, second));
}

#[test]
fn a_port_in_use_is_passed_over() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let scene = pliant::scene::load("spring-chain", &[]).unwrap();
    let server = pliant_viewer::Server::start(scene, &Options { port, ..Options::default() }).unwrap();
    assert_eq!(server.port_in_use, Some(port));
    assert_ne!(server.address().socket.port(), port);
}
