//! Whole conversations with tools that do as the real ones: `conversations.txt` holds `> said` and `< answered`, a
//! heading begins a new house.

use super::house::House;

#[test]
fn conversations() {
    let mut house = House::new();
    let mut said = "";
    let mut answered = 0;
    let mut wrong = Vec::new();
    for line in include_str!("conversations.txt").lines() {
        if line.starts_with("# ") {
            house = House::new();
        } else if let Some(words) = line.strip_prefix("> ") {
            said = words;
        } else if let Some(expected) = line.strip_prefix("< ") {
            answered += 1;
            let answer = house.turn(&[said]).replace('\n', " | ");
            if answer != expected {
                wrong.push(format!("> {said}\n< {answer}\n  expected: {expected}"));
            }
        }
    }
    assert!(answered > 50, "a file with conversations");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
