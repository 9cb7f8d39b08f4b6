//! Pictures.

mod degenerate;
mod fine_surface;
mod golden;
mod rubble;
