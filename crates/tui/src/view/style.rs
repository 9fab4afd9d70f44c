//! The few styles there are. Only the terminal's own sixteen colours, so that every theme stays readable.

use ratatui::style::{Color, Modifier, Style};

/// What matters less.
pub(super) const DIM: Style = Style::new().add_modifier(Modifier::DIM);
/// What the person said.
pub(super) const SAID: Style = Style::new().fg(Color::Cyan).add_modifier(Modifier::BOLD);
/// Something that went well.
pub(super) const GOOD: Style = Style::new().fg(Color::Green);
/// Something that went wrong.
pub(super) const BAD: Style = Style::new().fg(Color::Red);
/// Something that runs or waits.
pub(super) const BUSY: Style = Style::new().fg(Color::Yellow);
/// Thoughts.
pub(super) const THOUGHT: Style = Style::new().add_modifier(Modifier::DIM).add_modifier(Modifier::ITALIC);
/// Code.
pub(super) const CODE: Style = Style::new().fg(Color::Yellow);
/// Headings.
pub(super) const HEADING: Style = Style::new().fg(Color::Magenta).add_modifier(Modifier::BOLD);
/// Links.
pub(super) const LINK: Style = Style::new().fg(Color::Blue).add_modifier(Modifier::UNDERLINED);
/// Emphasis.
pub(super) const BOLD: Style = Style::new().add_modifier(Modifier::BOLD);
/// What is selected.
pub(super) const SELECTED: Style = Style::new().add_modifier(Modifier::REVERSED);
