//! Explanations of declines: the evaluated rules, with the values that each compared.

use super::{CardState, ControlCheck, DecisionCheck, LimitCheck, Response, ThreeDSecure, WalletTokenState};
use crate::money::Minor;
use crate::people::PersonStatus;
use chrono::NaiveDate;

/// A rule of contract 5.3 with the values it compared. Amounts are in the card's currency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A caller of the sandbox forced a decline. This rule exists only in that case, and always fails.
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
    /// The person who owns the card is active. Evaluated for individual cards only.
    CardholderActive {
        /// The person's status.
        status: PersonStatus,
    },
    /// The PIN is the PIN of the card. Evaluated only if the message has a PIN.
    Pin {
        /// Whether the card has a PIN, and the PIN of the message equals it.
        matches: bool,
    },
    /// The security code is the code of the card. Evaluated only if the message has a security code.
    SecurityCode {
        /// Whether the two codes are equal.
        matches: bool,
    },
    /// The token of the digital wallet is active. Evaluated only if the message has a wallet token.
    WalletToken {
        /// Its state.
        state: WalletTokenState,
    },
    /// 3-D Secure did not fail. Evaluated only if the message has an outcome of 3-D Secure.
    ThreeDSecure {
        /// The outcome.
        outcome: ThreeDSecure,
    },
    /// A control of the card or of its budget allows the message.
    Controls(ControlCheck),
    /// The transaction limit covers the amount.
    TransactionLimit(LimitCheck),
    /// A spending limit covers the amount.
    SpendingLimit(LimitCheck),
    /// The verdict lets the message pass. Evaluated only if the account has an enabled decision endpoint.
    Decision(DecisionCheck),
    /// The available balance covers the amount.
    AvailableBalance {
        /// The available balance.
        available: Minor,
        /// The amount that must be available.
        requested: Minor,
    },
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
            Self::CardholderActive { .. } => "cardholder_active",
            Self::Pin { .. } => "pin",
            Self::SecurityCode { .. } => "security_code",
            Self::WalletToken { .. } => "wallet_token",
            Self::ThreeDSecure { .. } => "three_d_secure",
            Self::Controls(_) => "controls",
            Self::TransactionLimit(_) => "transaction_limit",
            Self::SpendingLimit(_) => "spending_limit",
            Self::Decision(_) => "decision",
            Self::AvailableBalance { .. } => "available_balance",
        }
    }

    /// Whether the rule passes.
    pub fn passes(&self) -> bool {
        match self {
            Self::Forced { .. } => false,
            Self::CardActivated { state } => *state != CardState::Unactivated,
            Self::CardInUse { state } => !matches!(state, CardState::Replaced | CardState::Terminated),
            Self::CardNotSuspended { state } => *state != CardState::Suspended,
            Self::CardNotExpired { expires_on, today } => today <= expires_on,
            Self::CardholderActive { status } => *status == PersonStatus::Active,
            Self::Pin { matches } | Self::SecurityCode { matches } => *matches,
            Self::WalletToken { state } => *state == WalletTokenState::Active,
            Self::ThreeDSecure { outcome } => outcome.passes(),
            Self::Controls(seen) => seen.allows,
            Self::TransactionLimit(limit) | Self::SpendingLimit(limit) => limit.allows(),
            Self::Decision(seen) => seen.declines_with().is_none(),
            Self::AvailableBalance { available, requested } => requested <= available,
        }
    }

    /// The response to a message that fails the rule.
    pub fn response(&self) -> Response {
        match self {
            Self::Forced { code } => *code,
            Self::CardActivated { .. } | Self::CardInUse { .. } | Self::WalletToken { .. } => Response::CardNotActive,
            Self::CardNotSuspended { .. } => Response::CardSuspended,
            Self::CardNotExpired { .. } => Response::CardExpired,
            Self::CardholderActive { .. } => Response::CardholderNotActive,
            Self::Pin { .. } => Response::IncorrectPin,
            Self::SecurityCode { .. } => Response::IncorrectSecurityCode,
            Self::ThreeDSecure { .. } => Response::SuspectedFraud,
            Self::Controls(seen) => seen.control.response(),
            Self::TransactionLimit(_) | Self::SpendingLimit(_) => Response::UsageLimitReached,
            Self::Decision(seen) => seen.declines_with().unwrap_or_default().response(),
            Self::AvailableBalance { .. } => Response::NotSufficientFunds,
        }
    }
}

/// The explanation of a decline. Rules after the failed one were not evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeclineExplanation {
    /// The rules that passed, in the order of evaluation.
    pub passed: Vec<Rule>,
    /// The rule that failed.
    pub failed: Rule,
}

impl DeclineExplanation {
    /// All evaluated rules in order, each with whether it passed.
    pub fn rules(&self) -> impl Iterator<Item = (&Rule, bool)> {
        self.passed.iter().map(|rule| (rule, true)).chain([(&self.failed, false)])
    }
}
