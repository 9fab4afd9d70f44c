//! `${NAME}` and `${NAME:-default}` inside a config string. `$${` stands for `${` itself.

use crate::environment::{Environment, VariablePlace, is_variable_name};

/// A string with its variables replaced.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Expanded {
    /// The string.
    pub(super) text: String,
    /// The variables that were found, and where.
    pub(super) variables: Vec<(String, VariablePlace)>,
}

/// Why a string cannot be expanded.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ExpandError {
    /// A variable without a default is not set.
    Missing(String),
    /// What stands between the braces is not a variable.
    Malformed(String),
}

/// Replaces the variables of one string. A default stands in for a variable that is not set or empty.
pub(super) fn expand(text: &str, environment: &Environment) -> Result<Expanded, ExpandError> {
    let mut expanded = Expanded { text: String::new(), variables: Vec::new() };
    let mut rest = text;
    while let Some(at) = rest.find("${") {
        let (before, after) = (&rest[..at], &rest[at + 2..]);
        if let Some(before) = before.strip_suffix('$') {
            expanded.text.push_str(before);
            expanded.text.push_str("${");
            rest = after;
            continue;
        }
        expanded.text.push_str(before);
        let end = after.find('}').ok_or_else(|| ExpandError::Malformed(rest[at..].to_owned()))?;
        replace_one(&after[..end], environment, &mut expanded)?;
        rest = &after[end + 1..];
    }
    expanded.text.push_str(rest);
    Ok(expanded)
}

fn replace_one(inside: &str, environment: &Environment, expanded: &mut Expanded) -> Result<(), ExpandError> {
    let (name, default) = match inside.split_once(":-") {
        Some((name, default)) => (name, Some(default)),
        None => (inside, None),
    };
    if !is_variable_name(name) {
        return Err(ExpandError::Malformed(format!("${{{inside}}}")));
    }
    match (environment.get(name), default) {
        (Some((value, place)), None) => {
            expanded.text.push_str(value);
            expanded.variables.push((name.to_owned(), place));
        }
        (Some((value, place)), Some(_)) if !value.is_empty() => {
            expanded.text.push_str(value);
            expanded.variables.push((name.to_owned(), place));
        }
        (_, Some(default)) => expanded.text.push_str(default),
        (None, None) => return Err(ExpandError::Missing(name.to_owned())),
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<&str, ExpandError>) {
        let environment = Environment::of(&[("KEY", "sk-1"), ("EMPTY", ""), ("X", "x")]);
        let expanded = expand(text, &environment).map(|expanded| expanded.text);
        assert_eq!(expanded, expected.map(str::to_owned), "{text}");
    }

    #[test]
    fn variables_are_replaced() {
        check("plain $5 {x}", Ok("plain $5 {x}"));
        check("${KEY}", Ok("sk-1"));
        check("a${X}b${X}c", Ok("axbxc"));
        check("${EMPTY}", Ok(""));
        check("${EMPTY:-filled}", Ok("filled"));
        check("${NONE:-}", Ok(""));
        check("${NONE:-http://a:1/${}", Ok("http://a:1/${"));
        check("$${KEY}", Ok("${KEY}"));
        check("中${X}文", Ok("中x文"));
    }

    #[test]
    fn what_cannot_be_replaced_is_named() {
        check("a ${NONE} b", Err(ExpandError::Missing("NONE".into())));
        check("${KEY", Err(ExpandError::Malformed("${KEY".into())));
        check("${a b}", Err(ExpandError::Malformed("${a b}".into())));
        check("${}", Err(ExpandError::Malformed("${}".into())));
    }

    #[test]
    fn the_variables_used_are_remembered() {
        let environment = Environment::of(&[("A", "1")]);
        let expanded = expand("${A}${B:-2}", &environment).unwrap();
        assert_eq!(expanded.variables, [("A".to_owned(), VariablePlace::Process)]);
    }
}
