//! What the offline model says wherever no single skill owns the words, in both languages.

use hearth_contract::language::Language;
use hearth_contract::transcript::{ToolResult, ToolStatus};

/// What it can do, one line a skill.
pub(crate) fn abilities(language: Language) -> &'static str {
    language.pick(
        "I can: remember and recall facts (\"remember that I like tea\", \"what do I like to drink?\"); set, list and cancel reminders (\"remind me in 10 minutes to stretch\"); write, read, list, search and edit files in the workspace; tell the time and date; do arithmetic; fetch a web page by its URL; run a command you give me.",
        "我能做的：记住和回忆事情（“记住我喜欢乌龙茶”“我喜欢喝什么？”）；设置、查看、取消提醒（“10分钟后提醒我伸展”）；在工作区里写、读、列出、搜索、修改文件；报时间和日期；做算术；按网址取网页；执行你给的命令。",
    )
}

/// The honest refusal.
pub(crate) fn cannot(language: Language) -> String {
    let start = language.pick(
        "I cannot do that: I am the built-in offline model and follow simple rules.",
        "这个我做不到：我是内置的离线模型，只会照简单的规则做事。",
    );
    with_abilities(language, start)
}

fn with_abilities(language: Language, start: &str) -> String {
    format!("{start}{}{}", language.pick(" ", ""), abilities(language))
}

/// The same for a question: nothing that was remembered answers it either.
pub(crate) fn cannot_answer(language: Language) -> String {
    let start = language.pick(
        "I cannot do that: I am the built-in offline model without knowledge of the world, and nothing I remember answers it.",
        "这个我做不到：我是内置的离线模型，不了解世上的事，我的记忆里也没有答案。",
    );
    with_abilities(language, start)
}

/// A tool that is needed is not on offer.
pub(crate) fn not_on_offer(language: Language, tool: &str) -> String {
    language.pick(
        format!("I cannot do that here: the tool `{tool}` is not available in this conversation."),
        format!("这里做不到：本对话没有提供工具 `{tool}`。"),
    )
}

/// The rounds are used up before the work was done.
pub(crate) fn out_of_rounds(language: Language) -> &'static str {
    language.pick(
        "I have to stop here: this took too many steps. Please ask for the rest again.",
        "步骤太多，我只能先停在这里。剩下的请再说一次。",
    )
}

/// Nothing that was remembered answers the question.
pub(crate) fn no_record(language: Language) -> &'static str {
    language.pick("I have no record of that.", "我没有这方面的记录。")
}

/// Why a call brought nothing, or none if it worked.
pub(crate) fn trouble(language: Language, result: &ToolResult) -> Option<String> {
    let reason = result.text.trim();
    let (en, zh) = match result.status {
        ToolStatus::Done => return None,
        ToolStatus::Failed => ("That did not work", "没有成功"),
        ToolStatus::Denied => ("That was not allowed", "这一步没有得到允许"),
        ToolStatus::Unknown => ("I do not know whether that happened", "不确定这一步有没有完成"),
        ToolStatus::Interrupted => ("That was interrupted", "这一步被中断了"),
    };
    Some(match reason.is_empty() {
        true => language.pick(format!("{en}."), format!("{zh}。")),
        false => language.pick(format!("{en}: {reason}"), format!("{zh}：{reason}")),
    })
}

/// The beginning of a long text, at most `chars_max` characters, and a note if something was left out.
pub(crate) fn excerpt(language: Language, text: &str, chars_max: usize) -> String {
    let total = text.chars().count();
    if total <= chars_max {
        return text.trim_end().to_owned();
    }
    let start: String = text.chars().take(chars_max).collect();
    let note = language.pick(
        format!("… ({chars_max} of {total} characters shown)"),
        format!("……（共 {total} 字，只显示前 {chars_max} 字）"),
    );
    format!("{}\n{note}", start.trim_end())
}
