//! The live viewer: one page on the loopback address, drawn with WebGL2, fed over a WebSocket.
//!
//! Threads: the *engine* owns the simulation and is never blocked by a client; an accept thread; one thread per connection.
//! The engine puts its newest frame into the [`hub`], from which each client's thread takes the newest one when its page can take one.
//! A page acknowledges each frame that it has drawn, and no more than [`hub::MAX_IN_FLIGHT`] frames are ever in flight to it.
//!
//! Security: only pages that this server itself served can drive it. The address holds a token, `Host` must be an address (not a name
//! that a foreign DNS could point here), `Origin` must be the page's own, messages are small and checked, connections are few, those
//! without the token take no places of those with it, and a page that asks for answers without reading them is closed.

pub mod address;
mod assets;
mod client;
mod edits;
pub mod engine;
pub mod frame;
pub mod http;
pub mod hub;
mod pace;
pub mod protocol;
pub mod scenery;
mod server;
mod session;
pub mod topology;
mod unadmitted;

pub use server::{Options, Server, ServerError};
