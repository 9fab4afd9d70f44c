//! Which events a watcher wants: names with dots (`tool.ended`), a family (`tool.*`) or all (`*`), with commas between.

use super::EventKind;

/// What a watcher may ask for in one list, at most.
pub const EVENT_PATTERNS_MAX: usize = 32;

/// The events a watcher wants.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EventPatterns {
    /// Names that are wanted. No name means all, so that whoever asks for nothing misses nothing.
    names: Vec<&'static str>,
}

/// Why a list of patterns was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadPattern {
    /// It would never match; names are spelled as in [`EventKind::NAMES`].
    #[error("no event is called {0:?}")]
    Unknown(String),
    /// The list has more than [`EVENT_PATTERNS_MAX`] patterns.
    #[error("more than {EVENT_PATTERNS_MAX} patterns of events")]
    TooMany,
}

impl EventPatterns {
    /// Reads a list like `tool.*,notice`.
    ///
    /// # Errors
    /// A pattern that no event can match, because it would be waited for in vain, and a list that is too long.
    pub fn parse(list: &str) -> Result<Self, BadPattern> {
        let mut names = Vec::new();
        for (place, pattern) in list.split(',').map(str::trim).enumerate() {
            if place == EVENT_PATTERNS_MAX {
                return Err(BadPattern::TooMany);
            }
            let before = names.len();
            names.extend(EventKind::NAMES.iter().filter(|name| matches(pattern, name)));
            if names.len() == before {
                return Err(BadPattern::Unknown(pattern.chars().take(64).collect()));
            }
        }
        Ok(Self { names })
    }

    /// Whether this one is wanted.
    pub fn want(&self, kind: &EventKind) -> bool {
        self.names.is_empty() || self.names.contains(&kind.name())
    }
}

fn matches(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix(".*") {
        Some(family) => name.split_once('.').is_some_and(|(of, _)| of == family),
        None => pattern == "*" || pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::TurnId;

    fn notice() -> EventKind {
        EventKind::Notice { code: "test".into(), text: "text".into() }
    }

    #[test]
    fn a_family_a_name_and_all_are_understood() {
        let suspended = EventKind::TurnSuspended { turn: TurnId::new() };
        for (list, turn, other) in [
            ("*", true, true),
            ("turn.*", true, false),
            ("turn.suspended", true, false),
            ("turn.ended, notice", false, true),
            ("turn.*,notice", true, true),
        ] {
            let patterns = EventPatterns::parse(list).unwrap();
            assert_eq!((patterns.want(&suspended), patterns.want(&notice())), (turn, other), "{list}");
        }
        assert!(EventPatterns::default().want(&notice()));
    }

    #[test]
    fn what_can_never_happen_is_refused() {
        for list in ["", "turn", "turn.", ".*", "tool.*,turns.*", "notice.*", "turn*", "Turn.ended"] {
            assert!(matches!(EventPatterns::parse(list), Err(BadPattern::Unknown(_))), "{list}");
        }
        let long = vec!["notice"; EVENT_PATTERNS_MAX + 1].join(",");
        assert_eq!(EventPatterns::parse(&long), Err(BadPattern::TooMany));
    }

    #[test]
    fn a_name_is_the_type_with_a_dot_for_the_first_underscore() {
        for kind in [notice(), EventKind::TurnContinued { turn: TurnId::new() }] {
            let value = serde_json::to_value(&kind).unwrap();
            assert_eq!(value["type"].as_str().unwrap().replacen('_', ".", 1), kind.name());
            assert!(EventKind::NAMES.contains(&kind.name()));
        }
    }
}
