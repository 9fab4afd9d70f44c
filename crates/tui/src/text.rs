//! Every word the terminal client shows, in both languages.

use hearth_protocol::Language;

/// The words of one language.
#[derive(Debug)]
pub struct Words {
    /// Which.
    pub language: Language,
    /// In the empty input box.
    pub placeholder: &'static str,
    /// In an empty dialog.
    pub empty: &'static str,
    /// A dialog without a title.
    pub untitled: &'static str,
    /// The first connection is being made.
    pub connecting: &'static str,
    /// The connection is lost and made again.
    pub reconnecting: &'static str,
    /// Ctrl-C was pressed during a turn.
    pub stopping: &'static str,
    /// Ctrl-C was pressed with nothing to stop.
    pub leave_again: &'static str,
    /// Where to find the keys.
    pub help_key: &'static str,
    /// The mouse scrolls.
    pub wheel_scrolls: &'static str,
    /// The mouse selects.
    pub mouse_selects: &'static str,
    /// What was pasted does not fit.
    pub paste_too_long: &'static str,
    /// The daemon's answer was not understood.
    pub bad_answer: &'static str,
    /// The model is asked and has not said anything.
    pub waiting: &'static str,
    /// The model thinks.
    pub thinking: &'static str,
    /// The answer is being written.
    pub writing: &'static str,
    /// A tool runs.
    pub using_tool: &'static str,
    /// How to stop a turn.
    pub stop_key: &'static str,
    /// What was said is not confirmed yet.
    pub sending: &'static str,
    /// What was said waits for the turn that runs.
    pub queued: &'static str,
    /// A search in what was said.
    pub search: &'static str,
    /// Dialogs.
    pub dialogs: &'static str,
    /// Something is on its way.
    pub loading: &'static str,
    /// There is no dialog.
    pub no_dialogs: &'static str,
    /// The keys of the list of dialogs.
    pub dialog_keys: &'static str,
    /// Before a new title.
    pub rename: &'static str,
    /// After a dialog that is in the archive.
    pub archived: &'static str,
    /// After a dialog that is deleted.
    pub deleted: &'static str,
    /// The title of the list of keys.
    pub keys: &'static str,
    /// The keys: key and meaning.
    pub key_list: &'static [(&'static str, &'static str)],
    /// A turn was stopped.
    pub stopped: &'static str,
    /// A turn failed.
    pub failed: &'static str,
}

/// English.
static EN: Words = Words {
    language: Language::En,
    placeholder: "Say something",
    empty: "Nothing has been said here yet. Write below and press Enter.",
    untitled: "New dialog",
    connecting: "connecting…",
    reconnecting: "reconnecting…",
    stopping: "Stopping. Ctrl-D on an empty line leaves.",
    leave_again: "Press Ctrl-C again, or Ctrl-D, to leave.",
    help_key: "F1 help",
    wheel_scrolls: "The wheel scrolls; F2 gives the mouse back for selecting text.",
    mouse_selects: "The mouse selects text; F2 lets the wheel scroll.",
    paste_too_long: "That is too long to be said at once; write it to a file and name the file.",
    bad_answer: "The daemon's answer was not understood",
    waiting: "Waiting for the model",
    thinking: "Thinking",
    writing: "Answering",
    using_tool: "Using",
    stop_key: "Ctrl-C stops",
    sending: "sending…",
    queued: "queued",
    search: "Search",
    dialogs: "Dialogs",
    loading: "Loading…",
    no_dialogs: "There is no dialog yet.",
    dialog_keys: "Enter go · n new · r rename · a archive · d delete · Esc",
    rename: "New title",
    archived: "archived",
    deleted: "deleted",
    keys: "Keys",
    key_list: &[
        ("Enter", "send; during a turn it joins the turn"),
        ("Alt+Enter, Ctrl+J", "new line"),
        ("Up, Down", "earlier and later lines, at the edge"),
        ("Ctrl+R", "search in earlier lines"),
        ("PageUp, PageDown", "scroll; also Shift+Up, Shift+Down"),
        ("Ctrl+Home, Ctrl+End", "to the beginning, to the end"),
        ("Ctrl+C", "stop the turn; clear the line; twice: leave"),
        ("Ctrl+D", "leave"),
        ("Esc", "clear the line; Up brings it back"),
        ("Ctrl+N", "new dialog"),
        ("Ctrl+O", "list of dialogs"),
        ("Ctrl+T", "show or fold thoughts and tool results"),
        ("F2", "mouse: wheel scrolls, or selects text"),
        ("Ctrl+L", "draw anew"),
        ("/help", "what Hearth can be told"),
        ("/quit", "leave"),
    ],
    stopped: "Stopped",
    failed: "Failed",
};

/// Chinese.
static ZH: Words = Words {
    language: Language::Zh,
    placeholder: "说点什么",
    empty: "这里还没有对话。在下面输入，按 Enter 发送。",
    untitled: "新对话",
    connecting: "正在连接…",
    reconnecting: "正在重连…",
    stopping: "正在停止。空行时按 Ctrl-D 退出。",
    leave_again: "再按一次 Ctrl-C，或按 Ctrl-D 退出。",
    help_key: "F1 帮助",
    wheel_scrolls: "滚轮用于翻页；按 F2 恢复用鼠标选择文字。",
    mouse_selects: "鼠标用于选择文字；按 F2 让滚轮翻页。",
    paste_too_long: "内容太长，不能一次发送；请写入文件，再告诉我文件名。",
    bad_answer: "看不懂后台的回答",
    waiting: "等待模型",
    thinking: "思考中",
    writing: "回答中",
    using_tool: "正在使用",
    stop_key: "Ctrl-C 停止",
    sending: "发送中…",
    queued: "排队中",
    search: "搜索",
    dialogs: "对话列表",
    loading: "加载中…",
    no_dialogs: "还没有对话。",
    dialog_keys: "Enter 进入 · n 新建 · r 改名 · a 归档 · d 删除 · Esc",
    rename: "新标题",
    archived: "已归档",
    deleted: "已删除",
    keys: "按键",
    key_list: &[
        ("Enter", "发送；回答进行中则加入这一轮"),
        ("Alt+Enter, Ctrl+J", "换行"),
        ("Up, Down", "在首行或末行时翻看以前的输入"),
        ("Ctrl+R", "搜索以前的输入"),
        ("PageUp, PageDown", "翻页；逐行用 Shift+Up、Shift+Down"),
        ("Ctrl+Home, Ctrl+End", "到开头、到末尾"),
        ("Ctrl+C", "停止这一轮；清空输入；连按两次退出"),
        ("Ctrl+D", "退出"),
        ("Esc", "清空输入；按 Up 可找回"),
        ("Ctrl+N", "新对话"),
        ("Ctrl+O", "对话列表"),
        ("Ctrl+T", "展开或收起思考过程和工具结果"),
        ("F2", "鼠标：滚轮翻页，或选择文字"),
        ("Ctrl+L", "重绘屏幕"),
        ("/help", "可以对 Hearth 用的命令"),
        ("/quit", "退出"),
    ],
    stopped: "已停止",
    failed: "失败",
};

impl Words {
    /// The words of a language.
    pub fn of(language: Language) -> &'static Self {
        match language {
            Language::En => &EN,
            Language::Zh => &ZH,
        }
    }

    /// The keys as text.
    pub fn help(&self) -> String {
        let lines: Vec<String> =
            self.key_list.iter().map(|(key, meaning)| format!("{key}: {meaning}")).collect();
        format!("{}\n{}", self.keys, lines.join("\n"))
    }

    /// Something was said in another dialog.
    pub fn elsewhere(&self, title: &str, text: &str) -> String {
        match self.language {
            Language::En => format!("In “{title}” (Ctrl+O goes there): {text}"),
            Language::Zh => format!("在「{title}」中（Ctrl+O 可切换）：{text}"),
        }
    }

    /// Thoughts that are folded.
    pub fn thought(&self, characters: usize) -> String {
        match self.language {
            Language::En => format!("Thought, {characters} characters (Ctrl-T shows)"),
            Language::Zh => format!("思考过程，{characters} 字（Ctrl-T 展开）"),
        }
    }

    /// So many lines are hidden below.
    pub fn below(&self, lines: usize) -> String {
        match self.language {
            Language::En => format!(" {lines} more lines below · Ctrl-End "),
            Language::Zh => format!(" 下面还有 {lines} 行 · Ctrl-End "),
        }
    }

    /// So many lines would be lost.
    pub fn unsent(&self, lines: usize) -> String {
        match self.language {
            Language::En => format!("Not sent yet: {lines}. Press again to leave all the same."),
            Language::Zh => format!("还有 {lines} 条没有送达。再按一次仍然退出。"),
        }
    }

    /// So many lines are not shown.
    pub fn hidden(&self, lines: usize) -> String {
        match self.language {
            Language::En => format!("… {lines} more lines"),
            Language::Zh => format!("… 还有 {lines} 行"),
        }
    }

    /// The turn is taken up again after a crash.
    pub fn attempt(&self, attempt: u32) -> String {
        match self.language {
            Language::En => format!("attempt {attempt}"),
            Language::Zh => format!("第 {attempt} 次尝试"),
        }
    }

    /// Whether a dialog is really to be deleted.
    pub fn really_delete(&self, title: &str) -> String {
        match self.language {
            Language::En => format!(
                "Delete “{title}”? It can be restored for 30 days. y deletes, any other key keeps it."
            ),
            Language::Zh => format!("删除“{title}”？30 天内可以恢复。按 y 删除，按其他键保留。"),
        }
    }

    /// What became of a message that was not answered. None if there is nothing to tell.
    pub fn end(&self, end: &str) -> Option<&'static str> {
        let (en, zh) = match end {
            "silent" => ("recorded, not answered", "已记录，未回答"),
            "stale" => ("read, too old to be answered", "已读，太久以前的消息不再回答"),
            "cancelled" => ("stopped", "已停止"),
            "failed_told" => ("could not be answered", "未能回答"),
            "dead_lettered" => {
                ("could not be answered; `hearth why` tells more", "未能回答；用 `hearth why` 看原因")
            }
            "erased" => ("erased", "已抹除"),
            _ => return None,
        };
        Some(match self.language {
            Language::En => en,
            Language::Zh => zh,
        })
    }

    /// How a tool call ended, where that is not plain success.
    pub fn tool_end(&self, status: &str) -> &'static str {
        let (en, zh) = match status {
            "failed" => ("failed", "失败"),
            "denied" => ("not allowed", "未获允许"),
            "unknown" => ("outcome unknown", "结果不明"),
            "interrupted" => ("interrupted", "已中断"),
            _ => ("", ""),
        };
        match self.language {
            Language::En => en,
            Language::Zh => zh,
        }
    }
}
