//! What the kernel itself says to people, in both languages.

use hearth_contract::language::Language;
use hearth_contract::transcript::ToolExchange;

/// Of a tool's result, people are shown this much when the model says nothing about it.
const RESULT_SHOWN_CHARS: usize = 400;

/// The preferred model is away and another one answers.
pub(crate) fn fallen_back(language: Language, preferred: &str, code: &str, answering: &str) -> String {
    let (en, zh) = trouble(code);
    language.pick(
        format!("({preferred}: {en}. Until it is back, {answering} answers.)"),
        format!("（{preferred}：{zh}。恢复之前由 {answering} 代答。）"),
    )
}

/// No model answered.
pub(crate) fn no_answer(language: Language, code: &str) -> String {
    let (en, zh) = trouble(code);
    language.pick(
        format!("I could not answer: {en}. Your message is kept; please try again later. [{code}]"),
        format!("我没能回答：{zh}。您的消息已保存，请稍后再试。[{code}]"),
    )
}

/// A model that went on calling tools and never said anything.
pub(crate) fn no_conclusion(language: Language, rounds: usize, last: &ToolExchange) -> String {
    let (tool, result) = (&last.call.name, shortened(&last.result.text));
    language.pick(
        format!("I stopped after {rounds} steps without coming to an answer. Last, {tool} said: {result}"),
        format!("我进行了 {rounds} 步仍没有得出结论，先停下了。最后 {tool} 的结果：{result}"),
    )
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(RESULT_SHOWN_CHARS) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}

/// What a code means to a person.
fn trouble(code: &str) -> (&'static str, &'static str) {
    match code {
        "auth" => ("its key is wrong or missing", "密钥错误或缺失"),
        "balance" => ("its account has no balance", "账户余额不足"),
        "rate_limit" => ("it takes no more requests for now", "请求过于频繁，暂时受限"),
        "overloaded" => ("it is overloaded", "服务过载"),
        "content_filter" => ("the vendor's filter refused", "内容被服务商过滤"),
        "invalid" => ("it does not take the request", "请求不被接受"),
        "server" => ("the model server is broken", "模型服务出错"),
        "network" => ("the model server cannot be reached", "无法连接模型服务"),
        "context_too_long" => ("the message is too long for the model", "消息超出模型长度限制"),
        "turn_time" => ("it took too long", "用时过长"),
        "empty_answer" => ("the model said nothing", "模型没有给出内容"),
        "crashed" => ("the work broke off several times", "处理多次中断"),
        "no_source" => ("no model is configured", "没有配置模型"),
        "store" => ("the ledger cannot be written", "账本无法写入"),
        _ => ("an inner fault", "内部错误"),
    }
}

/// What a resumed answer begins with where the earlier draft may have been seen.
pub(crate) fn tool_unknown(language: Language) -> &'static str {
    language.pick(
        "Outcome unknown: Hearth stopped while this call was running, and it cannot be told whether it happened. It was not run again. Tell the person, and check before you repeat it.",
        "结果未知：该调用执行期间 Hearth 中断，无法判断是否已生效，因此没有重新执行。请告知用户，重复之前先检查。",
    )
}

/// The marker before the text of a due timer, as the model reads it.
pub(crate) fn timer_due(language: Language) -> &'static str {
    language.pick("[timer due]", "[定时器到期]")
}
