//! Turns, steps and effects.

use hearth_contract::clock::UnixMs;
use hearth_contract::id::{CallId, FactId, MessageId, TurnId};
use hearth_contract::provider::{FinishReason, Usage};
use hearth_contract::store::{
    Change, EffectChange, EffectState, Lease, MessageChange, Step, StepRecord, StoreError, Stores,
    TurnChange, TurnState,
};
use hearth_contract::transcript::{Reasoning, ToolArguments, ToolCall, ToolResult, ToolStatus};

use super::samples::{START, accept, chat, effect, end, incoming, note, outgoing, session, turn};
use super::{Case, cases};

pub(super) const CASES: &[Case] = cases![
    a_turn_comes_back_with_its_messages_and_steps_in_order,
    ended_turns_are_newest_first_and_of_one_dialog,
    a_worker_that_lost_its_turn_cannot_end_it,
    a_turn_is_taken_over_once,
    a_step_has_one_place,
    an_effect_is_intended_once_and_settled,
];

fn is_conflict(error: &StoreError, rule: &str) -> bool {
    matches!(error, StoreError::Conflict { what, .. } if *what == rule)
}

async fn a_turn_comes_back_with_its_messages_and_steps_in_order(stores: &Stores) {
    let mut asked = incoming(&session(), "", "asked");
    let record = turn(&session(), asked.id);
    let said = outgoing(&session(), record.id, "said");
    let call = CallId::at(record.id, 0, 0);
    let arguments = serde_json::json!({"路径": "a", "z": 1, "a": [null, 1.5]});
    let arguments = arguments.as_object().unwrap().clone();
    let steps: Vec<StepRecord> = [
        Step::Request {
            round: 0,
            prompt_tokens: u64::from(u32::MAX) + 1,
            history_turns: 2,
            recalled: vec![FactId::new()],
            tools: 3,
        },
        Step::Response {
            round: 0,
            text: "让我看看".into(),
            reasoning: vec![Reasoning { text: "hm".into(), signature: Some("s".into()) }],
            calls: vec![
                ToolCall {
                    id: call.clone(),
                    name: "read".into(),
                    arguments: ToolArguments::Object(arguments),
                },
                ToolCall {
                    id: CallId::at(record.id, 0, 1),
                    name: "read".into(),
                    arguments: ToolArguments::Malformed("{".into()),
                },
            ],
            finish: FinishReason::ToolCalls,
            usage: Usage { prompt_tokens: 1, cached_tokens: 0, completion_tokens: 2 },
            source: "main".into(),
            model: "m".into(),
        },
        Step::ToolResult {
            round: 0,
            call,
            result: ToolResult { status: ToolStatus::Interrupted, text: "…".into() },
        },
        Step::Joined { round: 0, messages: vec![MessageId::new()] },
        Step::Note { text: "tried again".into() },
    ]
    .into_iter()
    .zip(0..)
    .map(|(step, number)| StepRecord { turn: record.id, number, at: UnixMs(START.0 + 1), step })
    .collect();
    let mut changes = vec![
        accept(&asked),
        TurnChange::Start(record.clone()).into(),
        MessageChange::TakeUp { message: asked.id, turn: record.id }.into(),
        MessageChange::Say(said.clone()).into(),
    ];
    changes.extend(steps.iter().rev().map(|step| Change::from(TurnChange::Append(step.clone()))));
    stores.ledger.commit(changes).await.unwrap();
    asked.turn = Some(record.id);
    let running = stores.turns.running().await.unwrap();
    assert_eq!(running.len(), 1);
    assert_eq!(running[0].turn, record);
    assert_eq!(running[0].messages, [asked, said]);
    assert_eq!(running[0].steps, steps);

    stores.ledger.commit(vec![end(record.id, 1).into()]).await.unwrap();
    assert_eq!(stores.turns.running().await.unwrap(), []);
    let ended = stores.turns.get(record.id).await.unwrap().unwrap();
    assert_eq!(ended.turn.state, TurnState::Done);
    assert_eq!(ended.turn.ended_at, Some(UnixMs(START.0 + 5)));
    assert_eq!(ended.turn.usage, Usage { prompt_tokens: 10, cached_tokens: 4, completion_tokens: 3 });
    assert_eq!(ended.steps, steps);
    assert_eq!(stores.turns.get(TurnId::new()).await.unwrap(), None);
}

async fn ended_turns_are_newest_first_and_of_one_dialog(stores: &Stores) {
    let turns: Vec<_> = (0..4).map(|_| turn(&session(), MessageId::new())).collect();
    let elsewhere = turn(&chat().dialog("other"), MessageId::new());
    let still_running = turn(&session(), MessageId::new());
    let mut changes: Vec<Change> = vec![TurnChange::Start(still_running).into()];
    for record in turns.iter().chain([&elsewhere]) {
        changes.push(TurnChange::Start(record.clone()).into());
        changes.push(TurnChange::Append(note(record.id, 0, "x")).into());
        changes.push(end(record.id, 1).into());
    }
    stores.ledger.commit(changes).await.unwrap();
    let ended = async |before: Option<TurnId>, limit| -> Vec<TurnId> {
        let found = stores.turns.ended(&session(), before, limit).await.unwrap();
        assert!(found.iter().all(|history| history.steps.len() == 1));
        found.into_iter().map(|history| history.turn.id).collect()
    };
    assert_eq!(ended(None, 2).await, [turns[3].id, turns[2].id]);
    assert_eq!(ended(Some(turns[2].id), 9).await, [turns[1].id, turns[0].id]);
    assert_eq!(ended(Some(turns[0].id), 9).await, []);
    assert_eq!(ended(None, 9).await.len(), 4);
}

async fn a_worker_that_lost_its_turn_cannot_end_it(stores: &Stores) {
    let record = turn(&session(), MessageId::new());
    let lease = Lease { owner: "b".into(), fence: 2 };
    let take_over = TurnChange::TakeOver { turn: record.id, lease: lease.clone() };
    stores.ledger.commit(vec![TurnChange::Start(record.clone()).into(), take_over.into()]).await.unwrap();
    let taken = stores.turns.get(record.id).await.unwrap().unwrap().turn;
    assert_eq!((taken.attempt, &taken.lease), (2, &lease));

    let said = outgoing(&session(), record.id, "said");
    let late = vec![MessageChange::Say(said.clone()).into(), end(record.id, 1).into()];
    let error = stores.ledger.commit(late).await.unwrap_err();
    assert!(is_conflict(&error, "lease"), "{error}");
    assert_eq!(stores.messages.get(said.id).await.unwrap(), None);

    stores.ledger.commit(vec![end(record.id, 2).into()]).await.unwrap();
    let again = stores.ledger.commit(vec![end(record.id, 2).into()]).await.unwrap_err();
    assert!(is_conflict(&again, "lease"), "{again}");
}

async fn a_turn_is_taken_over_once(stores: &Stores) {
    let record = turn(&session(), MessageId::new());
    let take = |owner: &str, fence| TurnChange::TakeOver {
        turn: record.id,
        lease: Lease { owner: owner.into(), fence },
    };
    stores.ledger.commit(vec![TurnChange::Start(record.clone()).into()]).await.unwrap();
    stores.ledger.commit(vec![take("b", 2).into()]).await.unwrap();
    for (owner, fence) in [("c", 2), ("c", 4), ("c", 1)] {
        let error = stores.ledger.commit(vec![take(owner, fence).into()]).await.unwrap_err();
        assert!(is_conflict(&error, "lease"), "{error}");
    }
    let kept = stores.turns.get(record.id).await.unwrap().unwrap().turn;
    assert_eq!((kept.attempt, kept.lease), (2, Lease { owner: "b".into(), fence: 2 }));
}

async fn a_step_has_one_place(stores: &Stores) {
    let record = turn(&session(), MessageId::new());
    let append = |text| TurnChange::Append(note(record.id, 0, text)).into();
    stores.ledger.commit(vec![TurnChange::Start(record.clone()).into(), append("a")]).await.unwrap();
    let error = stores.ledger.commit(vec![append("b")]).await.unwrap_err();
    assert!(is_conflict(&error, "step"), "{error}");
    let steps = stores.turns.get(record.id).await.unwrap().unwrap().steps;
    assert_eq!(steps, [note(record.id, 0, "a")]);
}

async fn an_effect_is_intended_once_and_settled(stores: &Stores) {
    let turn = TurnId::new();
    let (first, second) = (effect(turn, 0), effect(turn, 1));
    let mut other = first.clone();
    other.tool = "run_shell".into();
    let changes = [first.clone(), second.clone(), other].map(|effect| EffectChange::Intend(effect).into());
    stores.ledger.commit(changes.to_vec()).await.unwrap();
    assert_eq!(stores.effects.of_turn(turn).await.unwrap(), [first.clone(), second.clone()]);
    assert_eq!(stores.effects.unknown(9).await.unwrap(), []);

    let settle =
        |call: &CallId, state, at| EffectChange::Settle { call: call.clone(), state, at: UnixMs(at) };
    let settled = vec![
        settle(&first.call, EffectState::Done, 8).into(),
        settle(&second.call, EffectState::Unknown, 9).into(),
    ];
    stores.ledger.commit(settled).await.unwrap();
    let kept = stores.effects.of_turn(turn).await.unwrap();
    assert_eq!((kept[0].state, kept[0].settled_at), (EffectState::Done, Some(UnixMs(8))));
    let unknown = stores.effects.unknown(9).await.unwrap();
    assert_eq!(unknown.len(), 1);
    assert_eq!((&unknown[0].call, unknown[0].settled_at), (&second.call, Some(UnixMs(9))));
    assert_eq!(stores.effects.unknown(0).await.unwrap(), []);
}
