//! How long to wait before the next attempt.

/// Exponential back-off with full jitter above half: the wait is between half of and the whole of
/// `base_ms × 2^attempt`, never above `cap_ms`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    /// The wait after the first failed attempt, in milliseconds.
    pub base_ms: u64,
    /// The longest wait of our own choice, in milliseconds.
    pub cap_ms: u64,
}

impl Backoff {
    /// One second, doubling, up to a minute.
    pub const DEFAULT: Self = Self { base_ms: 1_000, cap_ms: 60_000 };

    /// The wait in milliseconds after failed attempt number `attempt` (the first is 0).
    ///
    /// `random` is evenly spread over `[0, 1)`; what lies outside is clamped. When the other side asked for a wait
    /// (`asked_ms`), the result is at least that, with the jitter on top so that many callers do not return at once.
    pub fn delay_ms(&self, attempt: u32, random: f64, asked_ms: Option<u64>) -> u64 {
        let doubled = self.base_ms.saturating_mul(1u64.checked_shl(attempt.min(63)).unwrap_or(u64::MAX));
        let whole = doubled.min(self.cap_ms);
        let random = if random.is_finite() { random.clamp(0.0, 1.0) } else { 0.0 };
        let half = whole / 2;
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_precision_loss,
            clippy::cast_sign_loss,
            reason = "a wait is far below 2^52 ms and not negative"
        )]
        let jitter = ((whole - half) as f64 * random) as u64;
        match asked_ms {
            Some(asked) => asked.saturating_add(jitter.min(asked / 10)),
            None => half + jitter,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BACKOFF: Backoff = Backoff { base_ms: 100, cap_ms: 1_000 };

    #[test]
    fn waits_double_and_stop_at_the_cap() {
        let longest: Vec<u64> = (0..6).map(|attempt| BACKOFF.delay_ms(attempt, 1.0, None)).collect();
        assert_eq!(longest, [100, 200, 400, 800, 1_000, 1_000]);
        let shortest: Vec<u64> = (0..6).map(|attempt| BACKOFF.delay_ms(attempt, 0.0, None)).collect();
        assert_eq!(shortest, [50, 100, 200, 400, 500, 500]);
        assert_eq!(BACKOFF.delay_ms(u32::MAX, 1.0, None), 1_000);
    }

    #[test]
    fn an_asked_wait_is_never_shortened() {
        assert_eq!(BACKOFF.delay_ms(0, 0.0, Some(30_000)), 30_000);
        assert!((30_000..=33_000).contains(&BACKOFF.delay_ms(5, 0.9, Some(30_000))));
        assert_eq!(BACKOFF.delay_ms(0, 0.5, Some(0)), 0);
    }

    #[test]
    fn odd_random_numbers_do_no_harm() {
        for random in [f64::NAN, -1.0, 7.0, f64::INFINITY] {
            assert!((50..=100).contains(&BACKOFF.delay_ms(0, random, None)));
        }
    }
}
