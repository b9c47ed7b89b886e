//! A payment batch as a whole, and its orders.

use super::{Alert, Payment, PaymentBatchStatus};
use crate::ids::{AccountId, BudgetId, ClientId, OrderId, PaymentBatchId};
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};

/// A payment batch with the totals of its orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentBatch {
    /// Its id.
    pub id: PaymentBatchId,
    /// The account it belongs to.
    pub account: AccountId,
    /// The name it was given, 1 to 256 characters.
    pub name: String,
    /// Where it stands.
    pub status: PaymentBatchStatus,
    /// One order per funding budget and currency, of the payments without Errors.
    pub orders: Vec<PaymentOrder>,
    /// The API client that made it.
    pub created_by: ClientId,
    /// Whether lists show it unless hidden batches are asked for.
    pub visible: bool,
    /// Whether uploads are refused: it was made with its payments.
    pub locked: bool,
    /// Its last upload, if there was one.
    pub input: Option<BatchInput>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was changed last.
    pub updated_at: DateTime<Utc>,
    /// The API client that confirmed it.
    pub confirmed_by: Option<ClientId>,
    /// When it was confirmed.
    pub confirmed_at: Option<DateTime<Utc>>,
    /// When its confirmation passed multi-factor authentication.
    pub passed_mfa_check_at: Option<DateTime<Utc>>,
    /// When processing picked it up.
    pub orders_sent_at: Option<DateTime<Utc>>,
}

/// The payments of a batch in one currency from one funding budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentOrder {
    /// Its id.
    pub id: OrderId,
    /// The budget that pays.
    pub budget: BudgetId,
    /// In which currency.
    pub currency: Currency,
    /// The sum of the amounts of its payments, above zero.
    pub total: Minor,
    /// The sum of the fees of its payments, zero or more.
    pub fees: Minor,
}

impl PaymentOrder {
    /// What it takes from its budget: amounts and fees. `None` where that leaves 64 bits.
    pub fn cost(&self) -> Option<Minor> {
        self.total.plus(self.fees)
    }
}

/// What was uploaded last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchInput {
    /// How it was written.
    pub format: InputFormat,
    /// What became of it.
    pub status: InputStatus,
    /// The budget that pays for rows which name none.
    pub default_budget: Option<BudgetId>,
    /// When payments were uploaded first.
    pub created_at: DateTime<Utc>,
    /// When payments were uploaded last.
    pub updated_at: DateTime<Utc>,
}

/// How payments were written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputFormat {
    /// As JSON.
    Json,
    /// As CSV.
    Csv,
}

impl InputFormat {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::Json, Self::Csv];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
        }
    }
}

/// What became of an upload. Florin checks before it answers, so that `accepted` and `uploaded`, which are for services
/// that check later, never occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputStatus {
    /// Checked, and no Error stands.
    Validated,
    /// Checked, and Errors stand.
    Failed,
}

impl InputStatus {
    /// All that occur.
    pub const ALL: [Self; 2] = [Self::Validated, Self::Failed];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Validated => "validated",
            Self::Failed => "failed",
        }
    }
}

/// A batch as it is shown: with the first of its alerts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchSummary {
    /// The batch.
    pub batch: PaymentBatch,
    /// Its first alerts by input index, at most [`BatchSummary::MAX_ALERTS`].
    pub alerts: Vec<Alert>,
}

impl BatchSummary {
    /// How many alerts are shown with a batch.
    pub const MAX_ALERTS: usize = 100;
}

/// A batch with what it is made of, seen at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchContent {
    /// The batch.
    pub batch: PaymentBatch,
    /// Payments of it by input index.
    pub payments: Vec<Payment>,
    /// All its alerts, by input index (those of no row first), then as they were found.
    pub alerts: Vec<Alert>,
}
