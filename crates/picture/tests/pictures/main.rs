//! Pictures.

mod degenerate;
mod golden;
mod rubble;
mod skin;
