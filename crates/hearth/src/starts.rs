//! When the daemon was started since it last ended by itself. One that dies again and again soon after its start is
//! started in safe mode: without what can be left out.

use std::path::PathBuf;

use hearth_contract::clock::UnixMs;

use crate::home::Home;
use crate::words::{Words, words};

/// So many deaths within [`DEATHS_WITHIN_MS`] lead to safe mode.
const DEATHS_MAX: usize = 3;
/// Deaths soon after a start count, in milliseconds: 10 minutes.
const DEATHS_WITHIN_MS: i64 = 600_000;
/// Starts that are remembered.
const STARTS_MAX: usize = 20;

/// Whether a daemon does without what can be left out: telemetry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SafeMode {
    /// It has everything.
    Off,
    /// Somebody asked for it with `--safe`.
    Asked,
    /// It died so often within ten minutes.
    Crashes(usize),
}

impl SafeMode {
    /// Its name, for programs; empty when it is off.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Off => "",
            Self::Asked => "asked",
            Self::Crashes(_) => "crashes",
        }
    }

    /// Why, and how it is left; none when it is off.
    pub(crate) fn told(self) -> Option<Words> {
        match self {
            Self::Off => None,
            Self::Asked => Some(words!(
                "Safe mode, as asked for with --safe: telemetry is off. A restart or a change of the config ends it.",
                "安全模式（--safe 指定）：遥测已关闭。重启或修改配置后恢复正常。"
            )),
            Self::Crashes(deaths) => Some(words!(
                "Safe mode: Hearth died {deaths} times within 10 minutes, so telemetry is off. logs/hearth.log may \
                 say why. A restart or a change of the config ends it.",
                "安全模式：Hearth 在 10 分钟内异常退出 {deaths} 次，遥测已关闭。原因可查看 logs/hearth.log。重启或修改配置后恢复正常。"
            )),
        }
    }
}

/// The starts of a home's daemon since one ended by itself, the newest last.
#[derive(Debug)]
pub(crate) struct Starts {
    path: PathBuf,
    at_ms: Vec<i64>,
}

impl Starts {
    /// Those of a home.
    pub(crate) fn of(home: &Home) -> Self {
        let path = home.root().join("starts.json");
        // Without the file there were none; one that cannot be read must not keep Hearth from starting.
        let text = std::fs::read(&path).unwrap_or_default();
        Self { at_ms: serde_json::from_slice(&text).unwrap_or_default(), path }
    }

    /// The mode for a daemon that starts now, after those that are known have died.
    pub(crate) fn mode(&self, now: UnixMs) -> SafeMode {
        let is_recent = |at_ms: &&i64| (now.0 - DEATHS_WITHIN_MS..=now.0).contains(*at_ms);
        match self.at_ms.iter().filter(is_recent).count() {
            deaths if deaths >= DEATHS_MAX => SafeMode::Crashes(deaths),
            _ => SafeMode::Off,
        }
    }

    /// The same while the daemon runs, whose own start is the newest.
    pub(crate) fn without_newest(mut self) -> Self {
        self.at_ms.pop();
        self
    }

    /// A daemon starts.
    pub(crate) fn begin(&mut self, now: UnixMs) {
        self.at_ms.push(now.0);
        let too_many = self.at_ms.len().saturating_sub(STARTS_MAX);
        self.at_ms.drain(..too_many);
        self.write();
    }

    /// What may have been the reason has changed: the deaths until now count no more.
    pub(crate) fn forget_deaths(&mut self) {
        let own = self.at_ms.pop();
        self.at_ms = own.into_iter().collect();
        self.write();
    }

    /// The daemon ends by itself.
    pub(crate) fn end(self) {
        match std::fs::remove_file(&self.path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => self.warn(&error),
            _ => {}
        }
    }

    fn write(&self) {
        let text = serde_json::to_vec(&self.at_ms).map_err(std::io::Error::from);
        // Beside it first, so that a death in between leaves the old one.
        let new = self.path.with_extension("tmp");
        let written =
            text.and_then(|text| std::fs::write(&new, text)).and_then(|()| std::fs::rename(new, &self.path));
        if let Err(error) = written {
            self.warn(&error);
        }
    }

    fn warn(&self, error: &std::io::Error) {
        let path = self.path.display();
        tracing::warn!(%path, %error, "whether Hearth dies again and again cannot be told");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(at_ms: &[i64]) -> Starts {
        Starts { path: PathBuf::new(), at_ms: at_ms.to_vec() }
    }

    #[test]
    fn three_deaths_within_ten_minutes_are_too_many() {
        let now = UnixMs(10_000_000);
        for (at_ms, mode) in [
            (&[][..], SafeMode::Off),
            (&[9_999_000, 9_999_500], SafeMode::Off),
            (&[9_400_000, 9_999_000, 9_999_500], SafeMode::Crashes(3)),
            (&[9_399_999, 9_999_000, 9_999_500], SafeMode::Off),
            // A clock that was turned back says nothing.
            (&[10_000_001, 9_999_000, 9_999_500], SafeMode::Off),
        ] {
            assert_eq!(starts(at_ms).mode(now), mode, "{at_ms:?}");
        }
        assert_eq!(starts(&[1, 2, 3]).without_newest().mode(UnixMs(4)), SafeMode::Off);
    }
}
