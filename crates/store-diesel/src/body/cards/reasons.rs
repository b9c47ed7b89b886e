//! Decline reasons as rows: the checked rules as JSON. The last rule of the list failed.

use super::body::errors::{Outcome, corrupt};
use super::body::json_values;
use super::body::names::{Name, read_name};
use super::body::tables::cards::ReasonRow;
use super::body::types::{Account, Id};
use super::decisions::StoredDecision;
use chrono::NaiveDate;
use florin_domain::card::{CardTransaction, ControlCheck, DeclineExplanation, LimitCheck, LimitWindow, Rule};
use florin_domain::money::Minor;
use serde::{Deserialize, Serialize};

/// A rule as stored. Names and members never change: newer versions must read the rows that this version stores.
#[derive(Serialize, Deserialize)]
#[serde(tag = "rule", rename_all = "snake_case")]
enum StoredRule {
    Forced {
        code: String,
    },
    CardActivated {
        state: String,
    },
    CardInUse {
        state: String,
    },
    CardNotSuspended {
        state: String,
    },
    CardNotExpired {
        expires_on: String,
        today: String,
    },
    CardholderActive {
        status: String,
    },
    Pin {
        matches: bool,
    },
    SecurityCode {
        matches: bool,
    },
    WalletToken {
        state: String,
    },
    ThreeDSecure {
        outcome: String,
    },
    Controls {
        control: String,
        owner: String,
        value: Option<String>,
        allows: bool,
    },
    SpendingLimit {
        window: String,
        window_start: String,
        amount: i64,
        spent: i64,
        #[serde(rename = "most_uses")]
        max_uses: Option<u32>,
        uses: u32,
        #[serde(rename = "asked")]
        requested: i64,
    },
    TransactionLimit {
        amount: i64,
        max_uses: Option<u32>,
        requested: i64,
    },
    Decision(StoredDecision),
    AvailableBalance {
        available: i64,
        #[serde(rename = "asked")]
        requested: i64,
    },
}

impl From<&Rule> for StoredRule {
    fn from(rule: &Rule) -> Self {
        match rule {
            Rule::Forced { code } => Self::Forced { code: code.name().into() },
            Rule::CardActivated { state } => Self::CardActivated { state: state.name().into() },
            Rule::CardInUse { state } => Self::CardInUse { state: state.name().into() },
            Rule::CardNotSuspended { state } => Self::CardNotSuspended { state: state.name().into() },
            Rule::CardNotExpired { expires_on, today } => {
                Self::CardNotExpired { expires_on: expires_on.to_string(), today: today.to_string() }
            }
            Rule::CardholderActive { status } => Self::CardholderActive { status: status.name().into() },
            Rule::Pin { matches } => Self::Pin { matches: *matches },
            Rule::SecurityCode { matches } => Self::SecurityCode { matches: *matches },
            Rule::WalletToken { state } => Self::WalletToken { state: state.name().into() },
            Rule::ThreeDSecure { outcome } => Self::ThreeDSecure { outcome: outcome.name().into() },
            Rule::Controls(ControlCheck { control, owner, value, allows }) => Self::Controls {
                control: control.name().into(),
                owner: owner.name().into(),
                value: value.clone(),
                allows: *allows,
            },
            Rule::SpendingLimit(limit) => Self::SpendingLimit {
                window: limit.window.name().into(),
                window_start: limit.window_start.to_string(),
                amount: limit.amount.0,
                spent: limit.spent.0,
                max_uses: limit.max_uses,
                uses: limit.uses,
                requested: limit.requested.0,
            },
            Rule::TransactionLimit(limit) => Self::TransactionLimit {
                amount: limit.amount.0,
                max_uses: limit.max_uses,
                requested: limit.requested.0,
            },
            Rule::Decision(check) => Self::Decision(StoredDecision::from(check)),
            Rule::AvailableBalance { available, requested } => {
                Self::AvailableBalance { available: available.0, requested: requested.0 }
            }
        }
    }
}

impl StoredRule {
    fn read(self) -> Outcome<Rule> {
        Ok(match self {
            Self::Forced { code } => Rule::Forced { code: read_name(&code)? },
            Self::CardActivated { state } => Rule::CardActivated { state: read_name(&state)? },
            Self::CardInUse { state } => Rule::CardInUse { state: read_name(&state)? },
            Self::CardNotSuspended { state } => Rule::CardNotSuspended { state: read_name(&state)? },
            Self::CardNotExpired { expires_on, today } => {
                Rule::CardNotExpired { expires_on: day(&expires_on)?, today: day(&today)? }
            }
            Self::CardholderActive { status } => Rule::CardholderActive { status: read_name(&status)? },
            Self::Pin { matches } => Rule::Pin { matches },
            Self::SecurityCode { matches } => Rule::SecurityCode { matches },
            Self::WalletToken { state } => Rule::WalletToken { state: read_name(&state)? },
            Self::ThreeDSecure { outcome } => Rule::ThreeDSecure { outcome: read_name(&outcome)? },
            Self::Controls { control, owner, value, allows } => {
                Rule::Controls(ControlCheck { control: read_name(&control)?, owner: read_name(&owner)?, value, allows })
            }
            Self::SpendingLimit { window, window_start, amount, spent, max_uses, uses, requested } => {
                Rule::SpendingLimit(LimitCheck {
                    window: read_name(&window)?,
                    window_start: day(&window_start)?,
                    amount: Minor(amount),
                    spent: Minor(spent),
                    max_uses,
                    uses,
                    requested: Minor(requested),
                })
            }
            Self::TransactionLimit { amount, max_uses, requested } => Rule::TransactionLimit(LimitCheck {
                window: LimitWindow::Transaction,
                window_start: NaiveDate::default(),
                amount: Minor(amount),
                spent: Minor::ZERO,
                max_uses,
                uses: 0,
                requested: Minor(requested),
            }),
            Self::Decision(stored) => Rule::Decision(stored.read()?),
            Self::AvailableBalance { available, requested } => {
                Rule::AvailableBalance { available: Minor(available), requested: Minor(requested) }
            }
        })
    }
}

fn day(text: &str) -> Outcome<NaiveDate> {
    text.parse().map_err(corrupt)
}

impl ReasonRow {
    /// Builds the row with the reason that a message was declined.
    pub(crate) fn of(message: &CardTransaction, declined: &DeclineExplanation) -> Self {
        let rules: Vec<_> = declined.rules().map(|(rule, _)| StoredRule::from(rule)).collect();
        Self {
            account_id: Account(message.account.clone()),
            token: Id(message.token.0),
            // Serialization cannot fail: the rules consist of texts, numbers and dates.
            rules: serde_json::to_string(&rules).unwrap_or_default(),
        }
    }

    /// Converts the row to the domain.
    pub(crate) fn read(&self) -> Outcome<DeclineExplanation> {
        let rules: Vec<StoredRule> = json_values::column("rules", &self.rules)?;
        let mut passed = rules.into_iter().map(StoredRule::read).collect::<Outcome<Vec<_>>>()?;
        let failed = passed.pop().ok_or_else(|| corrupt("a decline without a rule"))?;
        Ok(DeclineExplanation { passed, failed })
    }
}
