//! Tables of what is said and what is made of it. A row of `tests/*.txt` is `said => made`; see `tests/rows.rs`.

mod conversations;
mod house;
mod loops;
mod rows;

use super::offline;

#[test]
fn is_what_it_says_it_is() {
    let provider = offline("offline");
    assert_eq!(provider.info().kind, "offline");
    assert_eq!(provider.info().model, "hearth-offline-1");
    assert_eq!(provider.info().window_tokens, 32_768);
}
