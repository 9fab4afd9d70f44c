//! Tells how an answer came about, or why there is none: from the ledger alone, so also long after.

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{MessageId, TurnId};
use hearth_contract::inbox::{ControlError, ExplanationLine};
use hearth_contract::language::Language;
use hearth_contract::message::{Direction, MessageEnd, MessageRecord};
use hearth_contract::store::{DeliveryRecord, EffectState, Named, Step, StoreError, TurnHistory};
use hearth_contract::transcript::ToolStatus;

use crate::kernel::Inner;
use crate::trigger::{Decision, decide};

/// Texts are shown up to this many characters.
const SHOWN_CHARS: usize = 120;

/// The chain of the message, turn or delivery whose id begins so.
pub(crate) async fn explain(
    kernel: &Inner,
    id: &str,
    language: Language,
) -> Result<Vec<ExplanationLine>, ControlError> {
    let found = kernel.stores.prover.named(id, 2).await?;
    let named = match found.as_slice() {
        [] => {
            let what =
                language.pick(format!("nothing has the id `{id}`"), format!("没有编号为「{id}」的记录"));
            return Err(ControlError::NotFound { what });
        }
        [one] => *one,
        _ => {
            let reason = language.pick(
                format!("several ids begin with `{id}`; give more of it"),
                format!("有多个编号以「{id}」开头，请多写几位"),
            );
            return Err(ControlError::Refused { reason });
        }
    };
    let mut account = Account { language, lines: Vec::new() };
    match named {
        Named::Message(message) => account.message(kernel, message).await?,
        Named::Turn(turn) => account.turn(kernel, turn).await?,
        Named::Delivery(delivery) => {
            let unfinished = kernel.stores.deliveries.unfinished().await?;
            let open = unfinished.into_iter().find(|(one, _)| one.id == delivery);
            if let Some((one, _)) = open {
                account.delivery(&one);
            }
        }
    }
    Ok(account.lines)
}

/// The chain as it is being told.
struct Account {
    language: Language,
    lines: Vec<ExplanationLine>,
}

impl Account {
    fn say(&mut self, at: UnixMs, kind: &str, en: String, zh: String) {
        let text = self.language.pick(en, zh);
        self.lines.push(ExplanationLine { at, kind: kind.to_owned(), text });
    }

    async fn message(&mut self, kernel: &Inner, id: MessageId) -> Result<(), StoreError> {
        let Some(message) = kernel.stores.messages.get(id).await? else { return Ok(()) };
        if let Some(turn) = message.turn {
            return self.turn(kernel, turn).await;
        }
        self.heard_or_said(kernel, &message);
        if let Some(delivery) = kernel.stores.deliveries.of_message(id).await? {
            self.delivery(&delivery);
        }
        Ok(())
    }

    async fn turn(&mut self, kernel: &Inner, id: TurnId) -> Result<(), StoreError> {
        let Some(history) = kernel.stores.turns.get(id).await? else { return Ok(()) };
        for message in history.messages.iter().filter(|message| message.direction == Direction::In) {
            self.heard_or_said(kernel, message);
        }
        self.steps(kernel, &history).await?;
        for message in history.messages.iter().filter(|message| message.direction == Direction::Out) {
            self.heard_or_said(kernel, message);
        }
        for delivery in kernel.stores.deliveries.of_turn(id).await? {
            self.delivery(&delivery);
        }
        let turn = &history.turn;
        let state = serde_json::to_value(turn.state).ok().and_then(|name| name.as_str().map(str::to_owned));
        let state = state.unwrap_or_default();
        let (attempt, usage) = (turn.attempt, turn.usage);
        let took_ms = turn.ended_at.map_or(0, |ended_at| ended_at.since(turn.started_at).as_millis());
        self.say(
            turn.ended_at.unwrap_or(turn.started_at),
            "turn",
            format!(
                "turn {id}: {state} after {took_ms} ms, attempt {attempt}, {} tokens in, {} out {}",
                usage.prompt_tokens, usage.completion_tokens, turn.detail
            ),
            format!(
                "轮次 {id}：{state}，用时 {took_ms} 毫秒，第 {attempt} 次尝试，输入 {} token，输出 {} {}",
                usage.prompt_tokens, usage.completion_tokens, turn.detail
            ),
        );
        Ok(())
    }

    fn heard_or_said(&mut self, kernel: &Inner, message: &MessageRecord) {
        let (id, text) = (message.id, shown(&message.text));
        if message.direction == Direction::Out {
            return self.say(
                message.accepted_at,
                "answer",
                format!("said {id}: {text}"),
                format!("说出 {id}：{text}"),
            );
        }
        let (who, via) = (&message.sender.name, &message.session);
        self.say(
            message.accepted_at,
            "accepted",
            format!("accepted {id} from {who} in {via}: {text}"),
            format!("收到 {id}，来自 {who}，会话 {via}：{text}"),
        );
        let policy = kernel.outbox.channel(&message.session.chat).and_then(|channel| channel.info().policy);
        if let Decision::Reply { reason } = decide(message, policy) {
            let (en, zh) =
                (format!("to be answered: rule `{reason}`"), format!("需要回答：规则「{reason}」"));
            self.say(message.accepted_at, "trigger", en, zh);
        }
        let end = match &message.end {
            None => ("open: it waits or is being answered".to_owned(), "未结束：等待中或正在回答".to_owned()),
            Some(end) => (end_in_words(end, Language::En), end_in_words(end, Language::Zh)),
        };
        self.say(message.accepted_at, "end", end.0, end.1);
    }

    async fn steps(&mut self, kernel: &Inner, history: &TurnHistory) -> Result<(), StoreError> {
        let effects = kernel.stores.effects.of_turn(history.turn.id).await?;
        for record in &history.steps {
            match &record.step {
                Step::Request { round, prompt_tokens, history_turns, recalled, tools } => {
                    for id in recalled.iter().filter(|_| *round == 0) {
                        self.recalled(kernel, record.at, *id).await?;
                    }
                    self.say(
                        record.at,
                        "prompt",
                        format!("prompt {round}: about {prompt_tokens} tokens, {history_turns} earlier turns, {tools} tools"),
                        format!("提示 {round}：约 {prompt_tokens} token，含 {history_turns} 个早先轮次，{tools} 个工具"),
                    );
                }
                Step::Response { source, text, .. } if source.is_empty() => {
                    let text = shown(text);
                    let (en, zh) = (format!("a hook answered: {text}"), format!("由钩子回答：{text}"));
                    self.say(record.at, "note", en, zh);
                }
                Step::Response { source, model, text, calls, usage, .. } => {
                    let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
                    let (read, written, text) = (usage.prompt_tokens, usage.completion_tokens, shown(text));
                    let wants = names.join(", ");
                    self.say(
                        record.at,
                        "model",
                        format!("{source} ({model}) answered: {text} [calls: {wants}] {read} tokens in, {written} out"),
                        format!("{source}（{model}）回答：{text} [调用：{wants}] 输入 {read} token，输出 {written}"),
                    );
                }
                Step::ToolResult { call, result, .. } => {
                    let effect = effects.iter().find(|effect| effect.call == *call);
                    let unknown = effect.is_some_and(|effect| effect.state == EffectState::Unknown);
                    let status = if unknown { ToolStatus::Unknown } else { result.status }.name();
                    let text = shown(&result.text);
                    let name =
                        history.steps.iter().find_map(|step| tool_name(&step.step, call)).unwrap_or_default();
                    let line = format!("{name} [{call}] {status}: {text}");
                    self.say(record.at, "tool", line.clone(), line);
                }
                Step::Heard { message, answer, .. } => {
                    let (en, zh) = match answer {
                        Some(answer) => {
                            let answer = shown(answer);
                            (
                                format!("a hook answered {message}: {answer}"),
                                format!("钩子回答了 {message}：{answer}"),
                            )
                        }
                        None => (format!("a hook changed {message}"), format!("钩子改动了 {message}")),
                    };
                    self.say(record.at, "note", en, zh);
                }
                Step::Joined { messages, .. } => {
                    let count = messages.len();
                    self.say(
                        record.at,
                        "note",
                        format!("{count} messages joined"),
                        format!("{count} 条消息加入"),
                    );
                }
                Step::Resumed { attempt } => {
                    let (en, zh) = (
                        format!("taken up again after a stop, attempt {attempt}"),
                        format!("中断后继续，第 {attempt} 次尝试"),
                    );
                    self.say(record.at, "note", en, zh);
                }
                Step::Note { text } => self.say(record.at, "note", text.clone(), text.clone()),
            }
        }
        Ok(())
    }

    async fn recalled(
        &mut self,
        kernel: &Inner,
        at: UnixMs,
        id: hearth_contract::id::FactId,
    ) -> Result<(), StoreError> {
        let Some(fact) = kernel.stores.facts.get(id).await? else { return Ok(()) };
        let sources: Vec<String> = fact.sources.iter().map(ToString::to_string).collect();
        let (text, sources) = (shown(&fact.text), sources.join(", "));
        self.say(
            at,
            "recall",
            format!("recalled: {text} (from {sources})"),
            format!("想起：{text}（来自 {sources}）"),
        );
        Ok(())
    }

    fn delivery(&mut self, delivery: &DeliveryRecord) {
        let (id, state, attempts, chat) =
            (delivery.id, delivery.state.name(), delivery.attempts, &delivery.chat);
        let detail = &delivery.detail;
        self.say(
            delivery.created_at,
            "delivery",
            format!("delivery {id} to {chat}: {state} after {attempts} tries {detail}"),
            format!("投递 {id} 至 {chat}：{state}，尝试 {attempts} 次 {detail}"),
        );
    }
}

fn tool_name<'a>(step: &'a Step, wanted: &hearth_contract::id::CallId) -> Option<&'a str> {
    let Step::Response { calls, .. } = step else { return None };
    calls.iter().find(|call| call.id == *wanted).map(|call| call.name.as_str())
}

fn end_in_words(end: &MessageEnd, language: Language) -> String {
    match end {
        MessageEnd::Answered => language.pick("answered".into(), "已回答".into()),
        MessageEnd::Joined { turn } => {
            language.pick(format!("joined turn {turn}"), format!("并入轮次 {turn}"))
        }
        MessageEnd::Silent { rule } => {
            language.pick(format!("not answered: rule `{rule}`"), format!("未回答：规则「{rule}」"))
        }
        MessageEnd::Stale => language.pick("too old to answer".into(), "太旧，未回答".into()),
        MessageEnd::Cancelled { by } => language.pick(format!("stopped by {by}"), format!("被 {by} 停止")),
        MessageEnd::FailedTold { code } => language
            .pick(format!("failed, and the person was told: {code}"), format!("失败，已告知对方：{code}")),
        MessageEnd::DeadLettered { reason } => {
            language.pick(format!("could not be delivered: {reason}"), format!("无法送达：{reason}"))
        }
        MessageEnd::Erased => language.pick("forgotten on demand".into(), "已按要求忘记".into()),
    }
}

fn shown(text: &str) -> String {
    let line = text.replace('\n', " ");
    match line.char_indices().nth(SHOWN_CHARS) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None => line,
    }
}
