//! What a session has heard and not dealt with, and what of it comes next.

use std::collections::VecDeque;
use std::sync::Arc;

use hearth_contract::inbox::Ended;
use hearth_contract::message::{Arrival, InterruptLevel, MessageEnd, MessageRecord};
use hearth_contract::provider::Usage;
use hearth_contract::store::{MessageChange, TurnHistory};
use tokio::sync::oneshot;

use crate::activity::ActivityGuard;
use crate::command;
use crate::kernel::Inner;
use crate::outbox::Closing;
use crate::running::TurnHandle;
use crate::trigger::{Decision, decide};

/// How many turns of a session may stand still for more urgent ones. Each level suspends only lower ones, so that
/// there are never more.
pub(crate) const SUSPENDED_MAX: usize = 4;

/// What reaches a session.
#[derive(Debug)]
pub(crate) enum Mail {
    /// Something was said in it; it is in the ledger.
    Message(Box<MessageRecord>, ActivityGuard),
    /// A turn broke off when Hearth stopped.
    Resume(Box<TurnHistory>),
    /// Somebody wants its turns to end. Told whether one ran.
    Stop { by: String, told: oneshot::Sender<bool> },
}

/// What was heard and has not led to a turn yet.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// Turns to be taken up again.
    broken_off: VecDeque<TurnHistory>,
    /// Messages to be answered.
    waiting: VecDeque<MessageRecord>,
    /// Messages that are not answered; the next turn sees them.
    pub(crate) background: VecDeque<MessageRecord>,
}

/// What a session does next.
#[derive(Debug)]
pub(crate) enum Work {
    /// The turn that was suspended last goes on.
    GoOn,
    /// A turn that broke off is taken up again.
    Resume(Box<TurnHistory>),
    /// A new turn answers these.
    Answer(Vec<MessageRecord>),
}

/// The turns of a session that are under way: the last one runs, the others stand still for it.
pub(crate) type UnderWay = [TurnHandle];

impl Heard {
    /// Takes in what has come.
    pub(crate) async fn take(&mut self, kernel: &Arc<Inner>, mail: Mail, under_way: &UnderWay) {
        match mail {
            Mail::Resume(history) => {
                make_room(under_way, urgency(&history));
                self.broken_off.push_back(*history);
            }
            Mail::Stop { by, told } => {
                under_way.iter().for_each(|running| running.control.stop(&by));
                // silent-ok: who asked may have gone.
                let _ = told.send(!under_way.is_empty());
            }
            Mail::Message(message, _on_its_way) => self.take_message(kernel, *message, under_way).await,
        }
    }

    async fn take_message(&mut self, kernel: &Arc<Inner>, message: MessageRecord, under_way: &UnderWay) {
        let policy = kernel.outbox.channel(&message.session.chat).and_then(|channel| channel.info().policy);
        let decision = decide(&message, policy);
        if let Decision::Reply { .. } = decision
            && let Some(line) = command::parse(&kernel.config.agent.command_prefixes, &message)
        {
            return command::run(kernel, &message, line, under_way).await;
        }
        match decision {
            Decision::Ignore { rule } => {
                not_answered(kernel, message, rule);
            }
            Decision::Record { rule } => {
                self.background.push_back(not_answered(kernel, message, rule));
                if self.background.len() > kernel.limits.background_max {
                    self.background.pop_front();
                }
            }
            Decision::Reply { .. } => self.take_to_answer(message, under_way),
        }
    }

    /// A message that is to be answered meets the turn that runs, if one does.
    fn take_to_answer(&mut self, message: MessageRecord, under_way: &UnderWay) {
        match (under_way.last(), message.arrival) {
            (None, _) | (Some(_), Arrival::Enqueue) => self.waiting.push_back(message),
            (Some(running), Arrival::Steer) => running.control.steer(message),
            (Some(running), Arrival::Interrupt(InterruptLevel::Joins)) => running.control.interrupt(message),
            (Some(_), Arrival::Interrupt(_)) => {
                make_room(under_way, message.arrival.urgency());
                self.waiting.push_back(message);
            }
        }
    }

    /// A turn that broke in this process is taken up again.
    pub(crate) fn broke_off(&mut self, history: TurnHistory) {
        self.broken_off.push_back(history);
    }

    /// What came too late to join a turn is answered next, before what waited for itself.
    pub(crate) fn came_too_late(&mut self, messages: Vec<MessageRecord>) {
        for message in messages.into_iter().rev() {
            self.waiting.push_front(message);
        }
    }

    /// The most urgent comes next; of what is equally urgent, what was begun before what was not. `standing` is how
    /// urgent the turn is that was suspended last.
    pub(crate) fn next(&mut self, standing: Option<u8>) -> Option<Work> {
        let broken_off = self.broken_off.iter().map(urgency).max();
        let waiting = self.waiting.iter().map(|message| message.arrival.urgency()).max();
        let most = standing.max(broken_off).max(waiting)?;
        if standing == Some(most) {
            return Some(Work::GoOn);
        }
        if broken_off == Some(most) {
            let place = self.broken_off.iter().position(|history| urgency(history) == most)?;
            return Some(Work::Resume(Box::new(self.broken_off.remove(place)?)));
        }
        Some(Work::Answer(self.take_waiting(most)))
    }

    /// What the next turn answers: a message that is a turn of its own, or all that came to join.
    fn take_waiting(&mut self, most: u8) -> Vec<MessageRecord> {
        let waits_alone =
            |message: &MessageRecord| message.arrival == Arrival::Enqueue || message.arrival.suspends();
        let place = self.waiting.iter().position(|message| message.arrival.urgency() == most).unwrap_or(0);
        let mut taken: Vec<MessageRecord> = self.waiting.remove(place).into_iter().collect();
        if taken.iter().any(waits_alone) {
            return taken;
        }
        while self.waiting.get(place).is_some_and(|message| !waits_alone(message)) {
            taken.extend(self.waiting.remove(place));
        }
        taken
    }
}

/// The running turn makes room for something strictly more urgent.
fn make_room(under_way: &UnderWay, urgency: u8) {
    if let Some(running) = under_way.last()
        && urgency > running.urgency
        && urgency > InterruptLevel::Joins as u8
        && under_way.len() <= SUSPENDED_MAX
    {
        running.control.suspend();
    }
}

/// How urgent a turn is: as urgent as what it answers.
pub(crate) fn urgency(history: &TurnHistory) -> u8 {
    let cause = history.messages.iter().find(|message| message.id == history.turn.cause);
    cause.map_or(0, |cause| cause.arrival.urgency())
}

/// A message that is not answered has reached its end.
fn not_answered(kernel: &Inner, mut message: MessageRecord, rule: &str) -> MessageRecord {
    let end = MessageEnd::Silent { rule: rule.to_owned() };
    kernel.stores.ledger.record(vec![MessageChange::End { message: message.id, end: end.clone() }.into()]);
    let ended = Ended { end: end.clone(), turn: None, reply: String::new(), usage: Usage::default() };
    kernel.outbox.announce(&message.session, vec![Closing { message: message.id, ended }]);
    message.end = Some(end);
    message
}

#[cfg(test)]
mod tests;
