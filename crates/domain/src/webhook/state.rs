//! Whether a subscription is enabled, and the data of a disabled one.

use super::DisabledReason;
use chrono::{DateTime, Utc};

/// The state of a subscription, with the data that only this state has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WebhookState {
    /// It receives events.
    Enabled,
    /// It receives no events, and its deliveries are paused.
    Disabled {
        /// When it was disabled.
        at: DateTime<Utc>,
        /// The reason that Florin disabled it. `None`: the client or an operator disabled it.
        reason: Option<DisabledReason>,
    },
}

impl WebhookState {
    /// Creates a state from its parts. `None` if they contradict each other.
    pub const fn from_parts(
        is_enabled: bool,
        disabled_at: Option<DateTime<Utc>>,
        disabled_reason: Option<DisabledReason>,
    ) -> Option<Self> {
        match (is_enabled, disabled_at, disabled_reason) {
            (true, None, None) => Some(Self::Enabled),
            (false, Some(at), reason) => Some(Self::Disabled { at, reason }),
            _ => None,
        }
    }

    /// Returns whether the subscription receives events.
    pub const fn is_enabled(self) -> bool {
        matches!(self, Self::Enabled)
    }

    /// Returns the time at which the subscription was disabled. `None`: it is enabled.
    pub const fn disabled_at(self) -> Option<DateTime<Utc>> {
        match self {
            Self::Enabled => None,
            Self::Disabled { at, .. } => Some(at),
        }
    }

    /// Returns the reason that Florin disabled the subscription. `None`: it is enabled, or the client or an operator
    /// disabled it.
    pub const fn disabled_reason(self) -> Option<DisabledReason> {
        match self {
            Self::Enabled => None,
            Self::Disabled { reason, .. } => reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_can_be_restored_from_its_parts() {
        let at = DateTime::UNIX_EPOCH;
        let reasons = [None, Some(DisabledReason::Gone), Some(DisabledReason::Failing)];
        let disabled = reasons.map(|reason| WebhookState::Disabled { at, reason });
        for state in [WebhookState::Enabled].into_iter().chain(disabled) {
            let (disabled_at, reason) = (state.disabled_at(), state.disabled_reason());
            assert_eq!(WebhookState::from_parts(state.is_enabled(), disabled_at, reason), Some(state));
        }
        let gone = Some(DisabledReason::Gone);
        let contradictions = [
            (true, Some(at), None),
            (true, None, gone),
            (true, Some(at), gone),
            (false, None, None),
            (false, None, gone),
        ];
        for (is_enabled, disabled_at, reason) in contradictions {
            assert_eq!(WebhookState::from_parts(is_enabled, disabled_at, reason), None, "{is_enabled} {disabled_at:?}");
        }
    }
}
