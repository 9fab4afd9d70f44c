//! Requests against the rules, and their exact shape.

use proptest::prelude::*;
use proptest::sample::select;

use super::super::validate::validate;
use super::*;
use crate::arbitrary::{self, SOURCE, messages_text};

fn spelled(request: &CompletionRequest, echo: Echo) -> Value {
    let spelling = Spelling {
        source: SOURCE,
        model: "m",
        output_tokens_max: 100,
        usage_option: true,
        completion_tokens_field: false,
        echo,
    };
    Value::Object(encode(request, &spelling))
}

proptest! {
    #![proptest_config(arbitrary::at_least(10_000))]

    #[test]
    fn any_history_cut_anywhere_is_a_right_request(
        request in arbitrary::request(),
        echo in select(vec![Echo::No, Echo::CurrentTurn, Echo::EveryCall]),
    ) {
        let body = spelled(&request, echo);
        prop_assert_eq!(validate(&body), Ok(()));
        let text = body.to_string();
        prop_assert!(!text.contains("thought of other"), "{}", text);
        prop_assert!(echo != Echo::No || !text.contains("thought of"), "{}", text);
        for said in arbitrary::said(&request) {
            let quoted = Value::from(said).to_string();
            prop_assert!(text.contains(&quoted[1..quoted.len() - 1]), "{} is missing in {}", said, text);
        }
    }

}

proptest! {
    #![proptest_config(arbitrary::at_least(2_000))]

    #[test]
    fn the_next_request_begins_as_this_one_did((first, second) in arbitrary::followed()) {
        for echo in [Echo::No, Echo::EveryCall] {
            let (first, second) = (messages_text(&spelled(&first, echo)), messages_text(&spelled(&second, echo)));
            let stable = &first[..first.find("<context>").unwrap()];
            prop_assert!(second.starts_with(stable), "{}\n{}", first, second);
        }
    }

    #[test]
    fn a_round_is_only_added((first, second) in arbitrary::one_more_round()) {
        for echo in [Echo::No, Echo::CurrentTurn, Echo::EveryCall] {
            let (first, second) = (messages_text(&spelled(&first, echo)), messages_text(&spelled(&second, echo)));
            prop_assert!(second.starts_with(&first[..first.len() - 1]), "{}\n{}", first, second);
        }
    }
}

#[test]
fn a_request_is_spelled_as_the_vendor_reads_it() {
    let request = arbitrary::example();
    insta::assert_json_snapshot!(spelled(&request, Echo::EveryCall));
}
