//! Counts the steps of a script and looks at the clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};

use hearth_contract::clock::Clock;

use crate::limits::{Limits, STEPS_BETWEEN_LOOKS};

/// What is left of one call into a script. Shared with the interpreter, which asks it at each step.
#[derive(Debug)]
pub(crate) struct Watch {
    clock: Arc<dyn Clock>,
    limits: Limits,
    steps_left: AtomicU64,
    ends_at_ms: AtomicI64,
    is_over: AtomicBool,
}

impl Watch {
    pub(crate) fn new(clock: Arc<dyn Clock>, limits: Limits) -> Self {
        Self {
            clock,
            limits,
            steps_left: AtomicU64::new(0),
            ends_at_ms: AtomicI64::new(0),
            is_over: AtomicBool::new(false),
        }
    }

    /// A call begins.
    pub(crate) fn begin(&self) {
        let span = std::time::Duration::from_millis(self.limits.call_ms_max);
        self.ends_at_ms.store(self.clock.now().plus(span).0, Ordering::Relaxed);
        self.steps_left.store(self.limits.steps_max, Ordering::Relaxed);
        self.is_over.store(false, Ordering::Relaxed);
    }

    /// One step; false when the script must stop. Once it must, every further step says so: what catches the error
    /// gets no further than its own next step.
    pub(crate) fn may_go_on(&self) -> bool {
        if self.is_over() {
            return false;
        }
        let left = self.steps_left.load(Ordering::Relaxed);
        let late = left.is_multiple_of(STEPS_BETWEEN_LOOKS)
            && self.clock.now().0 > self.ends_at_ms.load(Ordering::Relaxed);
        if left == 0 || late {
            self.is_over.store(true, Ordering::Relaxed);
            return false;
        }
        self.steps_left.store(left - 1, Ordering::Relaxed);
        true
    }

    /// The limits it keeps.
    pub(crate) fn limits(&self) -> Limits {
        self.limits
    }

    /// Whether the call was stopped.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// The limit that stopped it, in words.
    pub(crate) fn limit(&self) -> String {
        if self.steps_left.load(Ordering::Relaxed) == 0 {
            format!("{} steps", self.limits.steps_max)
        } else {
            format!("{} ms", self.limits.call_ms_max)
        }
    }
}
