//! The state of a dispute: its status, and the data of each status.

use crate::ids::TransactionToken;
use crate::money::Minor;
use chrono::{DateTime, Utc};

/// The status of a dispute.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DisputeStatus {
    /// The network has not decided yet.
    Open,
    /// The cardholder keeps the money.
    Won,
    /// The merchant keeps the money.
    Lost,
}

impl DisputeStatus {
    /// All statuses.
    pub const ALL: [Self; 3] = [Self::Open, Self::Won, Self::Lost];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Won => "WON",
            Self::Lost => "LOST",
        }
    }

    /// Returns the amount that a dispute of this status has credited to the budget, with or without a provisional
    /// credit.
    pub const fn credited(self, amount: Minor, with_credit: bool) -> Minor {
        match self {
            Self::Won => amount,
            Self::Open if with_credit => amount,
            Self::Open | Self::Lost => Minor::ZERO,
        }
    }

    /// Whether a dispute of this status claims its amount, so that the amount cannot also be returned.
    pub const fn claims(self) -> bool {
        matches!(self, Self::Open | Self::Won)
    }
}

/// The state of a dispute, with the data that only this state has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DisputeState {
    /// The network has not decided yet.
    Open,
    /// The cardholder keeps the money.
    Won {
        /// The message that the outcome caused.
        settlement: TransactionToken,
        /// When the network decided.
        at: DateTime<Utc>,
    },
    /// The merchant keeps the money.
    Lost {
        /// The message that the outcome caused. `None`: there was no provisional credit to take back.
        settlement: Option<TransactionToken>,
        /// When the network decided.
        at: DateTime<Utc>,
    },
}

impl DisputeState {
    /// Creates a state from its parts. `None` if they contradict each other.
    pub const fn from_parts(
        status: DisputeStatus,
        settlement: Option<TransactionToken>,
        resolved_at: Option<DateTime<Utc>>,
    ) -> Option<Self> {
        match (status, settlement, resolved_at) {
            (DisputeStatus::Open, None, None) => Some(Self::Open),
            (DisputeStatus::Won, Some(settlement), Some(at)) => Some(Self::Won { settlement, at }),
            (DisputeStatus::Lost, settlement, Some(at)) => Some(Self::Lost { settlement, at }),
            _ => None,
        }
    }

    /// Returns the status.
    pub const fn status(self) -> DisputeStatus {
        match self {
            Self::Open => DisputeStatus::Open,
            Self::Won { .. } => DisputeStatus::Won,
            Self::Lost { .. } => DisputeStatus::Lost,
        }
    }

    /// Returns the message that the outcome caused. `None` while the dispute is open, or if it was lost without a
    /// provisional credit.
    pub const fn settlement(self) -> Option<TransactionToken> {
        match self {
            Self::Open => None,
            Self::Won { settlement, .. } => Some(settlement),
            Self::Lost { settlement, .. } => settlement,
        }
    }

    /// Returns the time at which the dispute was won or lost. `None` while it is open.
    pub const fn resolved_at(self) -> Option<DateTime<Utc>> {
        match self {
            Self::Open => None,
            Self::Won { at, .. } | Self::Lost { at, .. } => Some(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use uuid::Uuid;

    #[test]
    fn a_state_can_be_restored_from_its_parts() {
        let (settlement, at) = (TransactionToken(Uuid::nil()), DateTime::UNIX_EPOCH);
        let states = [
            DisputeState::Open,
            DisputeState::Won { settlement, at },
            DisputeState::Lost { settlement: None, at },
            DisputeState::Lost { settlement: Some(settlement), at },
        ];
        for state in states {
            let (settlement, resolved_at) = (state.settlement(), state.resolved_at());
            assert_eq!(DisputeState::from_parts(state.status(), settlement, resolved_at), Some(state));
        }
        let contradictions = [
            (DisputeStatus::Open, Some(settlement), None),
            (DisputeStatus::Open, None, Some(at)),
            (DisputeStatus::Won, None, Some(at)),
            (DisputeStatus::Won, Some(settlement), None),
            (DisputeStatus::Lost, None, None),
            (DisputeStatus::Lost, Some(settlement), None),
        ];
        for (status, settlement, resolved_at) in contradictions {
            assert_eq!(DisputeState::from_parts(status, settlement, resolved_at), None, "{status:?}");
        }
    }
}
