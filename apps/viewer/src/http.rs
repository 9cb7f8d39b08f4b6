//! As much of HTTP/1.1 as one page needs: the head of a GET request, read with limits on its size and its time, and an answer after
//! which the connection is closed.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

/// Longest head of a request, bytes.
pub const MAX_HEAD: usize = 8 * 1024;
/// Time in which a head must have arrived.
pub const HEAD_TIME: Duration = Duration::from_secs(5);

/// The head of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// GET, HEAD, …
    pub method: String,
    /// The path, without what follows a question mark.
    pub path: String,
    headers: Vec<(String, String)>,
}

impl Request {
    /// A header's value, if it is there exactly once.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut all = self.headers.iter().filter(|(key, _)| key.eq_ignore_ascii_case(name));
        all.next().filter(|_| all.next().is_none()).map(|(_, value)| value.as_str())
    }

    /// Whether a header is there at all.
    pub fn has(&self, name: &str) -> bool {
        self.headers.iter().any(|(key, _)| key.eq_ignore_ascii_case(name))
    }

    /// Whether a list such as `Connection: keep-alive, Upgrade` holds a word.
    pub fn lists(&self, name: &str, word: &str) -> bool {
        self.header(name).is_some_and(|list| list.split(',').any(|item| item.trim().eq_ignore_ascii_case(word)))
    }
}

/// Why a request is rejected: a status and a line of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal(pub u16, pub &'static str);

/// Reads the head of a request. `Err(None)`: the other side closed the connection.
pub fn read_head(stream: &mut TcpStream) -> Result<Request, Option<Refusal>> {
    let begun = Instant::now();
    let mut head = Vec::with_capacity(1024);
    let mut chunk = [0; 1024];
    loop {
        let left = HEAD_TIME.saturating_sub(begun.elapsed());
        if left.is_zero() || stream.set_read_timeout(Some(left)).is_err() {
            return Err(Some(Refusal(408, "the request took too long")));
        }
        // One byte beyond the head would already belong to the WebSocket, which a client may not use before it is accepted.
        match stream.read(&mut chunk) {
            Ok(0) => return Err(None),
            Ok(count) => head.extend_from_slice(&chunk[..count]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(_) => return Err(Some(Refusal(408, "the request took too long"))),
        }
        if let Some(end) = head.windows(4).position(|four| four == b"\r\n\r\n") {
            if end + 4 != head.len() {
                return Err(Some(Refusal(400, "a request here has no body")));
            }
            return parse(&head[..end]).map_err(Some);
        }
        if head.len() > MAX_HEAD {
            return Err(Some(Refusal(431, "the request's head is too long")));
        }
    }
}

fn parse(head: &[u8]) -> Result<Request, Refusal> {
    const BAD: Refusal = Refusal(400, "this is not an HTTP request");
    let text = std::str::from_utf8(head).map_err(|_| BAD)?;
    let mut lines = text.split("\r\n");
    let mut first = lines.next().ok_or(BAD)?.split(' ');
    let (Some(method), Some(target), Some(version), None) = (first.next(), first.next(), first.next(), first.next())
    else {
        return Err(BAD);
    };
    if !version.starts_with("HTTP/1.") || !target.starts_with('/') {
        return Err(BAD);
    }
    let mut headers = Vec::new();
    for line in lines {
        let (key, value) = line.split_once(':').ok_or(BAD)?;
        if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte)) {
            return Err(BAD);
        }
        headers.push((key.to_owned(), value.trim().to_owned()));
    }
    let path = target.split_once('?').map_or(target, |(path, _)| path);
    Ok(Request { method: method.to_owned(), path: path.to_owned(), headers })
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        403 => "Forbidden",
        404 => "Not Found",
        405 => "Method Not Allowed",
        408 => "Request Timeout",
        426 => "Upgrade Required",
        431 => "Request Header Fields Too Large",
        503 => "Service Unavailable",
        _ => "Bad Request",
    }
}

/// Only our own files, no embedding in frames, no referrer (the address holds the token), no caching.
const SAFETY: &str = "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; \
     img-src 'self' data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n\
     X-Content-Type-Options: nosniff\r\nReferrer-Policy: no-referrer\r\nCross-Origin-Resource-Policy: same-origin\r\n\
     Cross-Origin-Opener-Policy: same-origin\r\nCache-Control: no-store\r\nConnection: close\r\n";

/// Answers with a text and closes the connection.
pub fn answer(stream: &mut TcpStream, status: u16, kind: &str, body: &[u8], with_body: bool) {
    let _ = stream.set_write_timeout(Some(HEAD_TIME));
    let head = format!(
        "HTTP/1.1 {status} {}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\n{SAFETY}\r\n",
        reason(status),
        body.len()
    );
    let sent = stream.write_all(head.as_bytes()).and_then(|()| if with_body { stream.write_all(body) } else { Ok(()) });
    if sent.is_ok() {
        let _ = stream.shutdown(std::net::Shutdown::Write);
        // What the other side still sends is read, a little of it, so that the answer is not lost in a reset.
        let _ = stream.set_read_timeout(Some(Duration::from_millis(200)));
        let mut rest = [0; 4096];
        for _ in 0..16 {
            if !matches!(stream.read(&mut rest), Ok(count) if count > 0) {
                break;
            }
        }
    }
}

/// Answers that a request is rejected.
pub fn refuse(stream: &mut TcpStream, Refusal(status, why): Refusal) {
    answer(stream, status, "text/plain", format!("{why}\n").as_bytes(), true);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_read_strictly() {
        let request = parse(b"GET /a/b?c HTTP/1.1\r\nHost: x:1\r\nConnection: keep-alive, Upgrade").unwrap();
        assert_eq!((request.method.as_str(), request.path.as_str()), ("GET", "/a/b"));
        assert_eq!(request.header("host"), Some("x:1"));
        assert!(request.lists("Connection", "upgrade") && !request.lists("Connection", "close"));
        let twice = parse(b"GET / HTTP/1.1\r\nHost: a\r\nHost: b").unwrap();
        assert_eq!((twice.header("host"), twice.has("host")), (None, true));
        let bad: [&[u8]; 7] = [
            b"",
            b"GET /",
            b"GET x HTTP/1.1",
            b"GET / HTTP/2",
            b"GET /  HTTP/1.1",
            b"GET / HTTP/1.1\r\nno colon",
            b"GET / HTTP/1.1\r\nHost : a\xff",
        ];
        for head in bad {
            assert!(parse(head).is_err(), "{head:?}");
        }
    }
}
