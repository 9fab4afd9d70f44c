//! What the terminal client is told, and what it wants done: the only ways in and out of [`super::App`].

use crossterm::event::KeyEvent;
use hearth_protocol::ClientFrame;

use crate::client::link::LinkEvent;

/// Something happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A key was pressed.
    Key(KeyEvent),
    /// Text was pasted.
    Paste(String),
    /// The mouse wheel was turned: so many lines down, or up if negative.
    Wheel(i32),
    /// The terminal has another size.
    Resized,
    /// The connection or the daemon says something.
    Link(LinkEvent),
    /// Time has passed; comes only while [`super::App::is_busy`].
    Tick,
}

/// Something to be done.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Send this to the daemon.
    Send(ClientFrame),
    /// Draw everything anew.
    Redraw,
    /// Take the mouse, so that its wheel scrolls.
    TakeMouse,
    /// Leave the mouse to the terminal, so that text can be selected.
    LeaveMouse,
    /// End the program.
    Quit,
}
