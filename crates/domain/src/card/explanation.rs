//! Why a message was declined: the rules that were looked at, with what each of them saw.

use super::{CardState, Response, SpendingLimit, SpendingWindow};
use crate::money::Minor;
use chrono::NaiveDate;

/// A rule of contract 5.3, and what it was decided on. Amounts are in the card's currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The caller of the sandbox wanted a decline. It is looked at only where one was wanted.
    Forced {
        /// The code that was wanted.
        code: Response,
    },
    /// The card was made for use: any state but UNACTIVATED.
    CardActivated {
        /// Where it stands.
        state: CardState,
    },
    /// The card is still in use: neither REPLACED nor TERMINATED.
    CardInUse {
        /// Where it stands.
        state: CardState,
    },
    /// The card is not SUSPENDED.
    CardNotSuspended {
        /// Where it stands.
        state: CardState,
    },
    /// The card's expiry date has not passed.
    CardNotExpired {
        /// The last day on which it is valid.
        expires_on: NaiveDate,
        /// That day's date, UTC.
        today: NaiveDate,
    },
    /// A spending limit has room.
    SpendingLimit(LimitSeen),
    /// The budget has the money.
    AvailableBalance {
        /// What can be spent.
        available: Minor,
        /// What was wanted.
        asked: Minor,
    },
}

/// A spending limit as it was looked at: with what counts in the window of that moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LimitSeen {
    /// The window it counts over.
    pub window: SpendingWindow,
    /// The first day of the window.
    pub window_start: NaiveDate,
    /// At most this amount in a window.
    pub amount: Minor,
    /// What was spent in it.
    pub spent: Minor,
    /// At most so many uses in a window; `None`: any number, or uses don't matter to the message.
    pub most_uses: Option<u32>,
    /// How often the card was used in it.
    pub uses: u32,
    /// What was wanted.
    pub asked: Minor,
}

impl LimitSeen {
    /// What a message of `asked` sees of a limit whose window is that of the moment.
    pub(super) fn of(current: &SpendingLimit, asked: Minor) -> Self {
        let SpendingLimit { window, amount, most_uses, window_start, spent, uses } = *current;
        Self { window, window_start, amount, spent, most_uses, uses, asked }
    }

    /// Whether what is wanted stays within the limit.
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

    /// Whether it is kept.
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

    /// How a message that breaks it is answered.
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

/// Why a message was declined. Rules behind the one that failed were not looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The rules that were kept, in the order in which they were looked at.
    pub kept: Vec<Rule>,
    /// The rule that decided.
    pub failed: Rule,
}

impl Explanation {
    /// All rules that were looked at, in order, and whether each was kept.
    pub fn rules(&self) -> impl Iterator<Item = (&Rule, bool)> {
        self.kept.iter().map(|rule| (rule, true)).chain([(&self.failed, false)])
    }
}
