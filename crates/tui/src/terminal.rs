//! The terminal itself: set up, event loop, and put back as it was, whatever happens.

use std::collections::VecDeque;
use std::io::{IsTerminal, Write, stdout};
use std::path::PathBuf;
use std::sync::Once;
use std::time::Duration;

use anyhow::{Context, Result};
use crossterm::event::{
    DisableBracketedPaste, DisableMouseCapture, EnableBracketedPaste, EnableMouseCapture, Event as TermEvent,
    EventStream, MouseEventKind,
};
use crossterm::terminal::{
    BeginSynchronizedUpdate, EndSynchronizedUpdate, EnterAlternateScreen, LeaveAlternateScreen,
    disable_raw_mode, enable_raw_mode,
};
use crossterm::{cursor, execute};
use futures::StreamExt;
use hearth_protocol::{ClientFrame, Language, ServerFrame};
use jiff::tz::TimeZone;
use ratatui::backend::CrosstermBackend;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::Instant;

use crate::app::event::{Effect, Event};
use crate::app::{App, Target};
use crate::client::link::{Link, LinkEvent, Patience, Starter};
use crate::view::{Cache, draw};

/// How often the screen changes by itself while a turn runs.
const TICK: Duration = Duration::from_millis(100);

/// The shortest time between two drawings: what arrives meanwhile is drawn at once.
const FRAME: Duration = Duration::from_millis(16);

/// How long the last lines may take to be sent when the person leaves.
const LAST_WORD_MAX: Duration = Duration::from_secs(1);

/// How many lines a notch of the wheel is.
const WHEEL_LINES: i32 = 3;

/// What the terminal client needs to know.
#[derive(Clone)]
pub struct Options {
    /// The daemon's socket.
    pub socket: PathBuf,
    /// `channel:chat` to be in the chat's current dialog, or `channel:chat:dialog` to be in that one.
    pub session: String,
    /// The language of the client.
    pub language: Language,
    /// Starts the daemon when connecting fails.
    pub starter: Option<Starter>,
}

type Terminal = ratatui::Terminal<CrosstermBackend<std::io::Stdout>>;

/// Runs the terminal client until the person leaves; without a terminal, [`crate::run_plain`].
///
/// # Errors
/// The terminal cannot be used.
pub async fn run(options: Options) -> Result<()> {
    if !std::io::stdin().is_terminal() || !stdout().is_terminal() {
        return crate::run_plain(options).await;
    }
    let screen = Screen::take().context("this terminal cannot be used")?;
    let result = converse(options, &screen).await;
    drop(screen);
    result
}

async fn converse(options: Options, screen: &Screen) -> Result<()> {
    let mut terminal = Terminal::new(CrosstermBackend::new(stdout()))?;
    terminal.clear()?;
    let mut app = App::new(Target::parse(&options.session), options.language, TimeZone::system());
    let mut cache = Cache::default();
    let mut link = Link::new(&options.socket, options.starter, Patience::Endless).speaking(options.language);
    let mut keys = EventStream::new();
    let (mut terminate, mut hang_up) = (signal(SignalKind::terminate())?, signal(SignalKind::hangup())?);
    let begun = Instant::now();
    let mut effects = VecDeque::from(app.start());
    let mut drawn_at = begun;
    // When to draw; none while nothing has changed. A flood of pieces is drawn as one.
    let mut draw_at = Some(begun);
    loop {
        while let Some(effect) = effects.pop_front() {
            if effect == Effect::Quit {
                // What was said just now is still worth saying.
                let _ = tokio::time::timeout(LAST_WORD_MAX, link.flush()).await;
                return Ok(());
            }
            effects.extend(screen.apply(effect, &mut link, &mut terminal, &mut app)?);
        }
        let now = Instant::now();
        if draw_at.is_some_and(|at| at <= now) {
            paint(&mut terminal, &mut app, &mut cache)?;
            (drawn_at, draw_at) = (Instant::now(), None);
        }
        let event = tokio::select! {
            key = keys.next() => match key {
                Some(key) => from_terminal(key?),
                None => return Ok(()),
            },
            event = link.next() => Some(Event::Link(event)),
            () = tokio::time::sleep_until(draw_at.unwrap_or(now)), if draw_at.is_some() => None,
            () = tokio::time::sleep_until(drawn_at + TICK), if draw_at.is_none() && app.is_busy() => Some(Event::Tick),
            _ = terminate.recv() => return Ok(()),
            _ = hang_up.recv() => return Ok(()),
        };
        if let Some(event) = event {
            effects.extend(app.update(event, begun.elapsed()));
            draw_at = draw_at.or(Some(drawn_at + FRAME));
        }
    }
}

fn from_terminal(event: TermEvent) -> Option<Event> {
    match event {
        TermEvent::Key(key) => Some(Event::Key(key)),
        TermEvent::Paste(text) => Some(Event::Paste(text)),
        TermEvent::Resize(..) => Some(Event::Resized),
        TermEvent::Mouse(mouse) => match mouse.kind {
            MouseEventKind::ScrollUp => Some(Event::Wheel(-WHEEL_LINES)),
            MouseEventKind::ScrollDown => Some(Event::Wheel(WHEEL_LINES)),
            _ => None,
        },
        TermEvent::FocusGained | TermEvent::FocusLost => None,
    }
}

/// Draws in one update, so that terminals that know how to show no half of it.
fn paint(terminal: &mut Terminal, app: &mut App, cache: &mut Cache) -> Result<()> {
    execute!(stdout(), BeginSynchronizedUpdate)?;
    terminal.draw(|frame| draw(frame, app, cache))?;
    execute!(stdout(), EndSynchronizedUpdate)?;
    Ok(())
}

/// The terminal while it is ours. Dropping it puts it back.
struct Screen;

impl Screen {
    fn take() -> Result<Self> {
        restore_on_panic();
        enable_raw_mode()?;
        let screen = Self;
        execute!(stdout(), EnterAlternateScreen, EnableBracketedPaste)?;
        Ok(screen)
    }

    fn apply(
        &self,
        effect: Effect,
        link: &mut Link,
        terminal: &mut Terminal,
        app: &mut App,
    ) -> Result<Vec<Effect>> {
        match effect {
            Effect::Send(frame) => {
                let id = match &frame {
                    ClientFrame::Send { id, .. } | ClientFrame::Call { id, .. } => id.clone(),
                    ClientFrame::Watch { .. } | ClientFrame::Stop => String::new(),
                };
                if let Err(error) = link.send(frame) {
                    let refused = ServerFrame::Failed { id, error };
                    let now = app.now;
                    return Ok(app.update(Event::Link(LinkEvent::Frame(refused)), now));
                }
            }
            Effect::Redraw => terminal.clear()?,
            Effect::TakeMouse => execute!(stdout(), EnableMouseCapture)?,
            Effect::LeaveMouse => execute!(stdout(), DisableMouseCapture)?,
            Effect::Quit => {}
        }
        Ok(Vec::new())
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        restore();
    }
}

/// Puts the terminal back. An error has nobody to be told to: the terminal is gone.
fn restore() {
    let mut out = stdout();
    let _ = execute!(
        out,
        EndSynchronizedUpdate,
        DisableMouseCapture,
        DisableBracketedPaste,
        LeaveAlternateScreen,
        cursor::Show
    );
    let _ = disable_raw_mode();
    let _ = out.flush();
}

/// A panic is shown on a terminal that can show it.
fn restore_on_panic() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            restore();
            before(info);
        }));
    });
}
