//! Tool calls put together from their pieces, as vendors cut them.

use hearth_contract::provider::RequestedCall;
use serde_json::Value;

use crate::arguments;

/// The most calls of one answer.
const CALLS_MAX: usize = 128;

/// The calls of one answer while they arrive.
#[derive(Debug, Default)]
pub(crate) struct CallAssembler {
    slots: Vec<Slot>,
}

#[derive(Debug, Default)]
struct Slot {
    index: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

/// An answer has more calls than anybody would run.
#[derive(Debug)]
pub(crate) struct TooManyCalls;

impl CallAssembler {
    pub(crate) fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Takes one element of `tool_calls`.
    ///
    /// The protocol says: pieces of one call share its `index`, the first has `id` and `name`. Vendors also leave out
    /// the index, give all calls the same one, send ids that are empty, repeated in each piece or new in each piece,
    /// repeat the name, and send whole calls at once with arguments that are an object instead of a text.
    pub(crate) fn push(&mut self, piece: &Value) -> Result<(), TooManyCalls> {
        let function = piece.get("function").unwrap_or(piece);
        let text = |value: Option<&Value>| value.and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, name) = (text(piece.get("id")), text(function.get("name")));
        let index = piece.get("index").and_then(Value::as_u64);
        let arguments = match function.get("arguments") {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
        };
        let at = match self.find(index, &id, &name) {
            Some(at) => at,
            None if name.is_empty() && arguments.is_empty() && id.is_empty() => return Ok(()),
            None if self.slots.len() == CALLS_MAX => return Err(TooManyCalls),
            None => {
                self.slots.push(Slot { index, ..Slot::default() });
                self.slots.len() - 1
            }
        };
        let slot = &mut self.slots[at];
        if slot.id.is_empty() {
            slot.id = id;
        }
        if slot.name.is_empty() {
            slot.name = name;
        }
        slot.arguments.push_str(&arguments);
        Ok(())
    }

    /// The call this piece continues; none when it begins a new one.
    fn find(&self, index: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let last_where = |fits: &dyn Fn(&Slot) -> bool| self.slots.iter().rposition(fits);
        let at = match index {
            Some(index) => last_where(&|slot| slot.index == Some(index))?,
            None if !id.is_empty() => match last_where(&|slot| slot.id == id) {
                Some(at) => at,
                None if name.is_empty() => self.slots.len().checked_sub(1)?,
                None => return None,
            },
            None if name.is_empty() => self.slots.len().checked_sub(1)?,
            None => return None,
        };
        let slot = &self.slots[at];
        // A second call under the index of the first: it has a name of its own, and either another id or (without
        // ids) comes after arguments that are already whole.
        let other_id = !id.is_empty() && !slot.id.is_empty() && slot.id != id;
        let after_the_end = id.is_empty() && is_whole(&slot.arguments);
        let begins = !name.is_empty() && !slot.name.is_empty() && (other_id || after_the_end);
        (!begins).then_some(at)
    }

    /// The calls, in the order in which they began.
    pub(crate) fn finish(self) -> Vec<RequestedCall> {
        self.slots
            .into_iter()
            .map(|slot| RequestedCall { arguments: arguments::parse(&slot.arguments), name: slot.name })
            .collect()
    }
}

fn is_whole(arguments: &str) -> bool {
    serde_json::from_str::<serde_json::Map<String, Value>>(arguments).is_ok()
}

#[cfg(test)]
mod tests {
    use hearth_contract::transcript::ToolArguments;
    use serde_json::json;

    use super::*;

    fn check(pieces: Value, expected: &[(&str, &str)]) {
        let mut calls = CallAssembler::default();
        for piece in pieces.as_array().unwrap() {
            calls.push(piece).unwrap();
        }
        let found: Vec<(String, String)> = calls
            .finish()
            .into_iter()
            .map(|call| match call.arguments {
                ToolArguments::Object(object) => (call.name, Value::Object(object).to_string()),
                ToolArguments::Malformed(text) => (call.name, format!("malformed: {text}")),
            })
            .collect();
        let expected: Vec<(String, String)> =
            expected.iter().map(|(name, arguments)| ((*name).into(), (*arguments).into())).collect();
        assert_eq!(found, expected, "{pieces}");
    }

    fn piece(index: Option<u64>, id: Option<&str>, name: Option<&str>, arguments: &str) -> Value {
        json!({"index": index, "id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
    }

    #[test]
    fn parallel_calls_by_index() {
        check(
            json!([
                piece(Some(0), Some("a"), Some("now"), ""),
                piece(Some(1), Some("b"), Some("read"), ""),
                piece(Some(1), None, None, "{\"p\":"),
                piece(Some(0), None, None, "{}"),
                piece(Some(1), None, None, "1}"),
            ]),
            &[("now", "{}"), ("read", r#"{"p":1}"#)],
        );
    }

    #[test]
    fn ids_and_names_repeated_in_each_piece() {
        check(
            json!([
                piece(Some(0), Some("a"), Some("read"), "{\"p\""),
                piece(Some(0), Some("a"), Some("read"), ":1}"),
            ]),
            &[("read", r#"{"p":1}"#)],
        );
        check(
            json!([
                piece(Some(0), Some(""), Some("read"), "{\"p\""),
                piece(Some(0), Some(""), Some("read"), ":1}")
            ]),
            &[("read", r#"{"p":1}"#)],
        );
    }

    #[test]
    fn a_new_id_in_each_piece_is_not_a_new_call() {
        check(
            json!([piece(Some(0), Some("a"), Some("read"), "{"), piece(Some(0), Some("b"), Some(""), "}")]),
            &[("read", "{}")],
        );
    }

    #[test]
    fn whole_calls_without_index() {
        check(
            json!([
                piece(None, Some("a"), Some("read"), "{\"p\":1}"),
                piece(None, Some("b"), Some("read"), "{\"p\":2}"),
            ]),
            &[("read", r#"{"p":1}"#), ("read", r#"{"p":2}"#)],
        );
        check(
            json!([piece(None, None, Some("now"), ""), piece(None, None, Some("now"), "")]),
            &[("now", "{}"), ("now", "{}")],
        );
    }

    #[test]
    fn pieces_without_index_continue_the_last_call() {
        check(
            json!([
                piece(None, Some("a"), Some("read"), "{\"p\":"),
                piece(None, None, None, "1}"),
                piece(None, Some("b"), Some("write"), ""),
                piece(None, Some("b"), None, "{}"),
            ]),
            &[("read", r#"{"p":1}"#), ("write", "{}")],
        );
    }

    #[test]
    fn all_calls_under_one_index() {
        check(
            json!([
                piece(Some(0), Some("a"), Some("read"), "{\"p\":1}"),
                piece(Some(0), Some("b"), Some("read"), "{\"p\":2}"),
            ]),
            &[("read", r#"{"p":1}"#), ("read", r#"{"p":2}"#)],
        );
        check(
            json!([
                piece(Some(0), None, Some("read"), "{\"p\":1}"),
                piece(Some(0), None, Some("read"), "{\"p\":2}"),
            ]),
            &[("read", r#"{"p":1}"#), ("read", r#"{"p":2}"#)],
        );
    }

    #[test]
    fn the_same_id_for_different_indexes() {
        check(
            json!([
                piece(Some(0), Some("call_0"), Some("read"), "{\"p\":1}"),
                piece(Some(1), Some("call_0"), Some("read"), "{\"p\":2}"),
            ]),
            &[("read", r#"{"p":1}"#), ("read", r#"{"p":2}"#)],
        );
    }

    #[test]
    fn arguments_as_an_object_and_empty_pieces() {
        check(
            json!([{"function": {"name": "read", "arguments": {"p": 1}}}, {}, {"index": 7}]),
            &[("read", r#"{"p":1}"#)],
        );
    }

    #[test]
    fn calls_without_end_are_refused() {
        let mut calls = CallAssembler::default();
        let more = (0..).map(|n: u64| calls.push(&piece(Some(n), Some("x"), Some("f"), "{}")));
        assert_eq!(more.take_while(Result::is_ok).count(), CALLS_MAX);
    }
}
