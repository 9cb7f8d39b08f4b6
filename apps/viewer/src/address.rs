//! Access control of the server: the token in the address, and the `Host` and `Origin` of a request.
//!
//! A web site that a user happens to visit can send requests to the loopback address, but its browser then names their origin
//! (`Origin`), and if the site let its own name point to the loopback address, `Host` holds that name. Neither is accepted here.

use std::net::{IpAddr, SocketAddr};

/// Where the server listens and the secret that its address holds.
#[derive(Clone, Debug)]
pub struct Address {
    /// Where it listens.
    pub socket: SocketAddr,
    token: String,
}

/// Random bytes in a token.
const TOKEN_BYTES: usize = 16;

impl Address {
    /// With a fresh token.
    pub fn new(socket: SocketAddr) -> std::io::Result<Self> {
        let mut bytes = [0; TOKEN_BYTES];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        let token = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { socket, token })
    }

    /// The secret.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// What to open in a browser. A server that listens on all addresses is reached here through the loopback one.
    pub fn url(&self) -> String {
        let ip = match self.socket.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::from([127, 0, 0, 1]),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::from([0, 0, 0, 0, 0, 0, 0, 1]),
            ip => ip,
        };
        format!("http://{}/{}/", SocketAddr::new(ip, self.socket.port()), self.token)
    }

    /// What is asked for below the token; `None` if the token is missing or wrong.
    pub fn below_token<'a>(&self, path: &'a str) -> Option<&'a str> {
        let (token, rest) = path.strip_prefix('/')?.split_once('/')?;
        same(token.as_bytes(), self.token.as_bytes()).then_some(rest)
    }

    /// Whether a `Host` header names this server by number, or as `localhost`: never by a name that others can define.
    pub fn accepts_host(&self, host: &str) -> bool {
        let (name, port) = host.rsplit_once(':').unwrap_or((host, "80"));
        if port.parse() != Ok(self.socket.port()) {
            return false;
        }
        if name.eq_ignore_ascii_case("localhost") {
            return true;
        }
        let bare = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(name);
        match bare.parse::<IpAddr>() {
            Ok(ip) => ip.is_loopback() || !self.socket.ip().is_loopback(),
            Err(_) => false,
        }
    }

    /// Whether an `Origin` header is that of a page which came from `host`.
    pub fn accepts_origin(&self, origin: &str, host: &str) -> bool {
        origin.strip_prefix("http://").is_some_and(|from| from.eq_ignore_ascii_case(host))
    }
}

/// Compares in constant time, so that the time taken reveals nothing.
fn same(a: &[u8], b: &[u8]) -> bool {
    a.len() == b.len() && a.iter().zip(b).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(socket: &str) -> Address {
        Address::new(socket.parse().unwrap()).unwrap()
    }

    #[test]
    fn hosts_are_numbers_of_this_server() {
        let loopback = at("127.0.0.1:7878");
        for host in ["127.0.0.1:7878", "localhost:7878", "LOCALHOST:7878", "[::1]:7878"] {
            assert!(loopback.accepts_host(host), "{host}");
        }
        for host in
            ["", ":7878", "127.0.0.1", "127.0.0.1:80", "evil.example:7878", "192.168.0.5:7878", "127.0.0.1:7878:7878"]
        {
            assert!(!loopback.accepts_host(host), "{host}");
        }
        let open = at("0.0.0.0:7878");
        assert!(open.accepts_host("192.168.0.5:7878") && !open.accepts_host("evil.example:7878"));
        assert_eq!(open.url(), format!("http://127.0.0.1:7878/{}/", open.token()));
    }

    #[test]
    fn origins_are_the_page_itself() {
        let address = at("127.0.0.1:7878");
        assert!(address.accepts_origin("http://127.0.0.1:7878", "127.0.0.1:7878"));
        for origin in ["null", "", "https://127.0.0.1:7878", "http://evil.example", "http://127.0.0.1:7879"] {
            assert!(!address.accepts_origin(origin, "127.0.0.1:7878"), "{origin}");
        }
    }

    #[test]
    fn tokens_are_long_and_fresh_and_needed() {
        let (a, b) = (at("127.0.0.1:1"), at("127.0.0.1:1"));
        assert_ne!(a.token(), b.token());
        assert_eq!(a.token().len(), 2 * TOKEN_BYTES);
        assert_eq!(a.below_token(&format!("/{}/live", a.token())), Some("live"));
        assert_eq!(a.below_token(&format!("/{}/", a.token())), Some(""));
        for path in [
            "/",
            "",
            "//",
            "/live",
            &format!("/{}", a.token()),
            &format!("/{}/", b.token()),
            &format!("/{}x/", a.token()),
        ] {
            assert_eq!(a.below_token(path), None, "{path}");
        }
    }
}
