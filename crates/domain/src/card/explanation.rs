//! Explanations of declines: the evaluated rules, with the values that each compared.

use super::{CardState, Response, SpendingLimit, SpendingWindow};
use crate::money::Minor;
use chrono::NaiveDate;

/// A rule of contract 5.3 with the values it compared. Amounts are in the card's currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A caller of the sandbox forced a decline. Evaluated only in this case.
    Forced {
        /// The forced response.
        code: Response,
    },
    /// The card was activated: any state but UNACTIVATED.
    CardActivated {
        /// Its state.
        state: CardState,
    },
    /// The card is still in use: neither REPLACED nor TERMINATED.
    CardInUse {
        /// Its state.
        state: CardState,
    },
    /// The card is not SUSPENDED.
    CardNotSuspended {
        /// Its state.
        state: CardState,
    },
    /// The card's expiry date has not passed.
    CardNotExpired {
        /// The last day on which it is valid.
        expires_on: NaiveDate,
        /// The date of the message, UTC.
        today: NaiveDate,
    },
    /// A spending limit covers the amount.
    SpendingLimit(LimitSeen),
    /// The available balance covers the amount.
    AvailableBalance {
        /// The money that can be spent.
        available: Minor,
        /// The requested amount.
        asked: Minor,
    },
}

/// A spending limit as evaluated, with its use in the window at that time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitSeen {
    /// The window it counts over.
    pub window: SpendingWindow,
    /// The first day of the window.
    pub window_start: NaiveDate,
    /// Maximum amount in a window.
    pub amount: Minor,
    /// The amount spent in the window.
    pub spent: Minor,
    /// Maximum number of uses in a window. `None` for any number, or if the message does not count as a use.
    pub most_uses: Option<u32>,
    /// Number of uses of the card in the window.
    pub uses: u32,
    /// The requested amount.
    pub asked: Minor,
}

impl LimitSeen {
    /// Evaluates a current limit for a message of `asked`.
    pub(super) fn of(current: &SpendingLimit, asked: Minor) -> Self {
        let SpendingLimit { window, amount, most_uses, window_start, spent, uses } = *current;
        Self { window, window_start, amount, spent, most_uses, uses, asked }
    }

    /// Whether the amount stays within the limit.
    pub fn allows(&self) -> bool {
        self.spent.plus(self.asked).is_some_and(|sum| sum <= self.amount)
            && self.most_uses.is_none_or(|max| self.uses < max)
    }
}

impl Rule {
    /// The name, as stored and shown.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Forced { .. } => "forced",
            Self::CardActivated { .. } => "card_activated",
            Self::CardInUse { .. } => "card_in_use",
            Self::CardNotSuspended { .. } => "card_not_suspended",
            Self::CardNotExpired { .. } => "card_not_expired",
            Self::SpendingLimit(_) => "spending_limit",
            Self::AvailableBalance { .. } => "available_balance",
        }
    }

    /// Whether the rule passes.
    pub fn is_kept(&self) -> bool {
        match self {
            Self::Forced { .. } => false,
            Self::CardActivated { state } => *state != CardState::Unactivated,
            Self::CardInUse { state } => !matches!(state, CardState::Replaced | CardState::Terminated),
            Self::CardNotSuspended { state } => *state != CardState::Suspended,
            Self::CardNotExpired { expires_on, today } => today <= expires_on,
            Self::SpendingLimit(limit) => limit.allows(),
            Self::AvailableBalance { available, asked } => asked <= available,
        }
    }

    /// The response to a message that fails the rule.
    pub const fn response(&self) -> Response {
        match self {
            Self::Forced { code } => *code,
            Self::CardActivated { .. } | Self::CardInUse { .. } => Response::CardNotActive,
            Self::CardNotSuspended { .. } => Response::CardSuspended,
            Self::CardNotExpired { .. } => Response::CardExpired,
            Self::SpendingLimit(_) => Response::UsageLimitReached,
            Self::AvailableBalance { .. } => Response::NotSufficientFunds,
        }
    }
}

/// Why a message was declined. Rules after the failed one were not evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The rules that passed, in the order of evaluation.
    pub kept: Vec<Rule>,
    /// The rule that failed.
    pub failed: Rule,
}

impl Explanation {
    /// All evaluated rules in order, each with whether it passed.
    pub fn rules(&self) -> impl Iterator<Item = (&Rule, bool)> {
        self.kept.iter().map(|rule| (rule, true)).chain([(&self.failed, false)])
    }
}
