//! What is seen, as snapshots in both languages.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use hearth_protocol::{Dialog, Language, ServerFrame, SourceStatus, Status};
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use unicode_width::UnicodeWidthStr;

use super::{Cache, draw};
use crate::app::event::{Effect, Event};
use crate::app::{App, Target};
use crate::client::link::LinkEvent;
use crate::fixtures::{
    SESSION, accepted, answer, dialog, draft, end, ended, reasoning, said, tool_ended, tool_started,
    turn_ended, turn_started, watching,
};
use hearth_protocol::{ClientFrame, Message};

/// An app and the screen it is drawn on.
struct Stage {
    app: App,
    cache: Cache,
    terminal: Terminal<TestBackend>,
    now: Duration,
    effects: Vec<Effect>,
}

impl Stage {
    /// Connected, in an empty dialog.
    fn new(language: Language, width: u16, height: u16) -> Self {
        let mut stage = Self::waiting(language, width, height);
        stage.link(LinkEvent::Up { version: "9.9".to_owned() });
        stage.frame(watching(SESSION, language_pick(language, "Tea", "茶")));
        stage
    }

    /// Not connected.
    fn waiting(language: Language, width: u16, height: u16) -> Self {
        Self {
            app: App::new(Target::parse("cli:me"), language, TimeZone::UTC),
            cache: Cache::default(),
            terminal: Terminal::new(TestBackend::new(width, height)).unwrap(),
            now: Duration::ZERO,
            effects: Vec::new(),
        }
    }

    fn update(&mut self, event: Event) {
        let effects = self.app.update(event, self.now);
        self.effects.extend(effects);
    }

    fn link(&mut self, event: LinkEvent) {
        self.update(Event::Link(event));
    }

    fn frame(&mut self, frame: ServerFrame) {
        self.link(LinkEvent::Frame(frame));
    }

    fn message(&mut self, message: Message) {
        self.frame(ServerFrame::Message(message));
    }

    fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) {
        self.update(Event::Key(KeyEvent::new(code, modifiers)));
    }

    fn control(&mut self, c: char) {
        self.key(KeyCode::Char(c), KeyModifiers::CONTROL);
    }

    fn say(&mut self, text: &str) -> String {
        self.update(Event::Paste(text.to_owned()));
        self.key(KeyCode::Enter, KeyModifiers::NONE);
        self.effects
            .iter()
            .rev()
            .find_map(|effect| match effect {
                Effect::Send(ClientFrame::Send { id, .. }) => Some(id.clone()),
                _ => None,
            })
            .unwrap()
    }

    /// Answers the last call.
    fn answer_call(&mut self, value: serde_json::Value) {
        let id = self.effects.iter().rev().find_map(|effect| match effect {
            Effect::Send(ClientFrame::Call { id, .. }) => Some(id.clone()),
            _ => None,
        });
        self.frame(ServerFrame::Result { id: id.unwrap(), value });
    }

    fn wait(&mut self, millis: u64) {
        self.now += Duration::from_millis(millis);
        self.update(Event::Tick);
    }

    /// The screen as text; a character of two columns is there once.
    fn screen(&mut self) -> String {
        let (app, cache) = (&mut self.app, &mut self.cache);
        let drawn = self.terminal.draw(|frame| draw(frame, app, cache)).unwrap();
        let buffer = drawn.buffer;
        let area = buffer.area;
        let mut rows = Vec::new();
        for y in 0..area.height {
            let mut row = String::new();
            let mut x = 0;
            while x < area.width {
                let symbol = buffer[(x, y)].symbol();
                row.push_str(symbol);
                x += u16::try_from(symbol.width().max(1)).unwrap();
            }
            assert!(row.width() <= usize::from(area.width), "wider than the screen: {row:?}");
            rows.push(row.trim_end().to_owned());
        }
        rows.join("\n")
    }
}

fn language_pick<T>(language: Language, en: T, zh: T) -> T {
    match language {
        Language::En => en,
        Language::Zh => zh,
    }
}

fn status(state: &str) -> serde_json::Value {
    let source = SourceStatus {
        name: "main".to_owned(),
        kind: "openai".to_owned(),
        model: "deepseek-v4-flash".to_owned(),
        state: state.to_owned(),
    };
    serde_json::to_value(Status {
        version: "9.9".to_owned(),
        pid: 1,
        uptime_ms: 1,
        address: String::new(),
        home: String::new(),
        turns_running: 0,
        messages_waiting: 0,
        clients: 1,
        sources: vec![source],
        safe_mode: String::new(),
        channels: Vec::new(),
        warnings: Vec::new(),
    })
    .unwrap()
}

#[test]
fn an_empty_dialog() {
    for language in [Language::En, Language::Zh] {
        let mut stage = Stage::new(language, 60, 10);
        insta::assert_snapshot!(format!("empty_{language:?}"), stage.screen());
    }
}

#[test]
fn a_turn_from_its_beginning_to_its_end() {
    for language in [Language::En, Language::Zh] {
        let mut stage = Stage::new(language, 64, 22);
        let text = language_pick(language, "What is in the workspace?", "工作区里有什么？");
        let id = stage.say(text);
        insta::assert_snapshot!(format!("turn_1_sending_{language:?}"), stage.screen());
        stage.frame(accepted(&id, "m1"));
        stage.message(Message { client_id: Some(id), ..said("m1", text) });
        stage.frame(turn_started("t"));
        stage.frame(reasoning("t", language_pick(language, "I should look", "我应该看一下")));
        stage.wait(1_500);
        insta::assert_snapshot!(format!("turn_2_thinking_{language:?}"), stage.screen());
        stage.frame(tool_started("t", "c1", "list_dir", r#"{"path":"."}"#));
        stage.frame(tool_started("t", "c2", "run_shell", r#"{"command":"cat 不存在的文件","timeout_s":5}"#));
        stage.wait(2_000);
        insta::assert_snapshot!(format!("turn_3_tools_{language:?}"), stage.screen());
        stage.frame(tool_ended("t", "c1", "list_dir", "done", "a.md\nb.md"));
        stage.frame(tool_ended("t", "c2", "run_shell", "failed", "exit 1: no such file"));
        stage.frame(draft("t", language_pick(language, "There are **two", "这里有**两")));
        insta::assert_snapshot!(format!("turn_4_writing_{language:?}"), stage.screen());
        stage.message(answer(
            "m2",
            "t",
            language_pick(language, "There are **two** files.", "这里有**两个**文件。"),
        ));
        stage.frame(end("m1", "answered"));
        stage.frame(turn_ended("t", "done"));
        stage.answer_call(status("ok"));
        let screen = stage.screen();
        assert!(!screen.contains("**"), "the final text replaces the draft: {screen}");
        insta::assert_snapshot!(format!("turn_5_done_{language:?}"), screen);
        stage.control('t');
        insta::assert_snapshot!(format!("turn_6_detail_{language:?}"), stage.screen());
    }
}

#[test]
fn steering_is_queued_until_it_is_taken() {
    for language in [Language::En, Language::Zh] {
        let mut stage = Stage::new(language, 50, 12);
        stage.message(said("m1", language_pick(language, "Count the files", "数一下文件")));
        stage.frame(turn_started("t"));
        stage.frame(tool_started("t", "c1", "list_dir", r#"{"path":"."}"#));
        let id = stage.say(language_pick(language, "only the new ones", "只数新的"));
        stage.frame(accepted(&id, "m2"));
        insta::assert_snapshot!(format!("queued_1_{language:?}"), stage.screen());
        stage.frame(tool_ended("t", "c1", "list_dir", "done", ""));
        stage.frame(end("m2", "joined"));
        stage.frame(draft("t", "3"));
        insta::assert_snapshot!(format!("queued_2_{language:?}"), stage.screen());
    }
}

#[test]
fn a_stopped_turn_keeps_what_was_written() {
    for language in [Language::En, Language::Zh] {
        let mut stage = Stage::new(language, 50, 12);
        stage.message(said("m1", language_pick(language, "a poem", "写首诗")));
        stage.frame(turn_started("t"));
        stage.frame(draft("t", language_pick(language, "Roses are", "床前明月光")));
        stage.control('c');
        assert_eq!(stage.effects.last(), Some(&Effect::Send(ClientFrame::Stop)));
        stage.frame(end("m1", "cancelled"));
        stage.frame(turn_ended("t", "cancelled"));
        insta::assert_snapshot!(format!("stopped_{language:?}"), stage.screen());
    }
}

#[test]
fn a_lost_connection_is_seen_and_lines_wait() {
    for language in [Language::En, Language::Zh] {
        let mut stage = Stage::new(language, 60, 10);
        stage.message(ended("m1", "hi", "answered"));
        stage.message(answer("m2", "t", "hello"));
        let reason = crate::client::broken::Broken::Closed.text(language);
        stage.link(LinkEvent::Down { reason, retry_in: Duration::from_millis(100) });
        stage.say(language_pick(language, "are you there?", "在吗？"));
        insta::assert_snapshot!(format!("reconnecting_{language:?}"), stage.screen());
    }
    let mut stage = Stage::waiting(Language::En, 40, 6);
    insta::assert_snapshot!("connecting_En", stage.screen());
}

#[test]
fn the_list_of_dialogs() {
    for language in [Language::En, Language::Zh] {
        let mut stage = Stage::new(language, 62, 12);
        stage.control('o');
        insta::assert_snapshot!(format!("dialogs_1_loading_{language:?}"), stage.screen());
        let archived = Dialog { state: "archived".to_owned(), ..dialog("old", "") };
        let list =
            vec![dialog("default", "茶"), dialog("d2", "A long title that says what it is about"), archived];
        stage.answer_call(serde_json::to_value(list).unwrap());
        stage.key(KeyCode::Down, KeyModifiers::NONE);
        insta::assert_snapshot!(format!("dialogs_2_list_{language:?}"), stage.screen());
        stage.key(KeyCode::Char('d'), KeyModifiers::NONE);
        insta::assert_snapshot!(format!("dialogs_3_delete_{language:?}"), stage.screen());
        stage.key(KeyCode::Esc, KeyModifiers::NONE);
        stage.key(KeyCode::Char('r'), KeyModifiers::NONE);
        stage.control('u');
        stage.key(KeyCode::Char('新'), KeyModifiers::NONE);
        insta::assert_snapshot!(format!("dialogs_4_rename_{language:?}"), stage.screen());
    }
}

#[test]
fn the_keys() {
    for (language, width) in [(Language::En, 70), (Language::Zh, 70), (Language::Zh, 24)] {
        let mut stage = Stage::new(language, width, 34);
        stage.key(KeyCode::F(1), KeyModifiers::NONE);
        insta::assert_snapshot!(format!("help_{language:?}_{width}"), stage.screen());
        stage.key(KeyCode::Esc, KeyModifiers::NONE);
        assert!(!stage.screen().contains("Ctrl+J"));
    }
}

#[test]
fn a_narrow_terminal_with_chinese_at_the_edge() {
    for width in [20, 21] {
        let mut stage = Stage::new(Language::Zh, width, 16);
        stage.message(ended("m1", "请把这段很长的中文在很窄的终端里显示出来，谢谢！", "answered"));
        stage.message(answer(
            "m2",
            "t",
            "好的：\n\n- 第一项要换行才放得下\n- `代码`\n\n```\nlet 变量 = \"很长的一行代码\";\n```",
        ));
        stage.update(Event::Paste("正在输入的文字也要换行，光标在后面".to_owned()));
        insta::assert_snapshot!(format!("narrow_{width}"), stage.screen());
        let cursor = stage.terminal.get_cursor_position().unwrap();
        assert!(cursor.x < width, "the cursor stays on the screen: {cursor:?}");
    }
}

#[test]
fn messages_that_nobody_asked_for() {
    let mut stage = Stage::new(Language::Zh, 50, 14);
    let mut due = ended("m1", "站起来活动一下", "answered");
    due.origin = "schedule".to_owned();
    stage.message(due);
    stage.message(answer("m2", "t", "该活动一下了。"));
    let mut tomorrow = ended("m3", "早", "silent");
    tomorrow.at_ms += 24 * 3_600 * 1_000;
    stage.message(tomorrow);
    stage.frame(ServerFrame::Notice {
        code: "source_down".to_owned(),
        text: "main 连不上，改用 offline".to_owned(),
    });
    insta::assert_snapshot!(stage.screen());
}

#[test]
fn scrolling_stays_where_it_is_while_more_comes() {
    let mut stage = Stage::new(Language::En, 40, 12);
    for number in 0..20 {
        stage.message(answer(&format!("m{number:02}"), "", &format!("line {number}")));
    }
    assert!(stage.screen().contains("line 19"));
    stage.key(KeyCode::PageUp, KeyModifiers::NONE);
    let before = stage.screen();
    assert!(!before.contains("line 19") && before.contains("more lines below"));
    stage.message(answer("m99", "", "the newest"));
    let seen = |screen: &str| screen.lines().take(8).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(seen(&stage.screen()), seen(&before));
    stage.key(KeyCode::End, KeyModifiers::CONTROL);
    assert!(stage.screen().contains("the newest"));
}

#[test]
fn another_dialog_shows_nothing_of_the_one_before() {
    let mut stage = Stage::new(Language::En, 40, 10);
    stage.message(ended("m1", "in the first", "answered"));
    assert!(stage.screen().contains("in the first"));
    let there = "cli:me:second";
    stage.message(Message { session: there.to_owned(), ..ended("m2", "in the second", "answered") });
    stage.frame(watching(there, ""));
    let screen = stage.screen();
    assert!(screen.contains("in the second") && !screen.contains("in the first"), "{screen}");
}

#[test]
fn every_size_can_be_drawn() {
    for width in 1..30 {
        for height in 1..12 {
            let mut stage = Stage::new(Language::Zh, width, height);
            stage.message(ended("m1", "你好，world", "answered"));
            stage.frame(turn_started("t"));
            stage.frame(tool_started("t", "c", "run_shell", r#"{"command":"ls"}"#));
            stage.update(Event::Paste("第一行\n第二行".to_owned()));
            stage.say("排队的话");
            stage.screen();
            stage.key(KeyCode::F(1), KeyModifiers::NONE);
            stage.screen();
            stage.key(KeyCode::Esc, KeyModifiers::NONE);
            stage.control('o');
            stage.screen();
        }
    }
}
