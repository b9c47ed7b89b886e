//! Payment batches and their orders.

use super::{Alert, BatchState, Payment, PaymentBatchStatus};
use crate::ids::{AccountId, BudgetId, ClientId, OrderId, PaymentBatchId};
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};

/// A payment batch with its orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentBatch {
    /// Its id.
    pub id: PaymentBatchId,
    /// The account it belongs to.
    pub account: AccountId,
    /// Its name, 1 to 256 characters.
    pub name: String,
    /// Its state.
    pub state: BatchState,
    /// Its orders: one for each funding budget and currency of the payments without Errors.
    pub orders: Vec<PaymentOrder>,
    /// The API client that created it.
    pub created_by: ClientId,
    /// Whether lists include it by default.
    pub visible: bool,
    /// Whether uploads are refused, because the batch was created with its payments.
    pub locked: bool,
    /// Its last upload. `None`: nothing was uploaded.
    pub input: Option<BatchInput>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

impl PaymentBatch {
    /// Returns its status.
    pub const fn status(&self) -> PaymentBatchStatus {
        self.state.status()
    }
}

/// The payments of a batch in one currency from one funding budget.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentOrder {
    /// Its id.
    pub id: OrderId,
    /// The budget that pays.
    pub budget: BudgetId,
    /// The currency.
    pub currency: Currency,
    /// The sum of the amounts of its payments, above zero.
    pub total: Minor,
    /// The sum of the fees of its payments, zero or more.
    pub fees: Minor,
    /// Number of its payments.
    pub payments: u64,
}

impl PaymentOrder {
    /// Returns the cost of the order to its budget: amounts plus fees. `None` if it overflows 64 bits.
    pub fn cost(&self) -> Option<Minor> {
        self.total.plus(self.fees)
    }
}

/// The last upload of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchInput {
    /// Its format.
    pub format: InputFormat,
    /// The result of the checks.
    pub status: InputStatus,
    /// The budget that pays for rows that name no budget.
    pub default_budget: Option<BudgetId>,
    /// When payments were first uploaded.
    pub created_at: DateTime<Utc>,
    /// When payments were last uploaded.
    pub updated_at: DateTime<Utc>,
}

/// The format of an upload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputFormat {
    /// Uploaded as JSON.
    Json,
    /// Uploaded as CSV.
    Csv,
}

impl InputFormat {
    /// All formats.
    pub const ALL: [Self; 2] = [Self::Json, Self::Csv];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Csv => "csv",
        }
    }
}

/// The result of the checks of an upload. Florin checks an upload before it answers. Therefore the values `accepted`
/// and `uploaded` of the contract, for services that check later, never occur.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum InputStatus {
    /// Checked, without alerts of type Error.
    Validated,
    /// Checked, with alerts of type Error.
    Failed,
}

impl InputStatus {
    /// All results.
    pub const ALL: [Self; 2] = [Self::Validated, Self::Failed];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Validated => "validated",
            Self::Failed => "failed",
        }
    }
}

/// A batch with its first alerts, for lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchSummary {
    /// The batch.
    pub batch: PaymentBatch,
    /// Its first alerts by input index, at most [`BatchSummary::MAX_ALERTS`].
    pub alerts: Vec<Alert>,
}

impl BatchSummary {
    /// Maximum number of alerts that are shown with a batch.
    pub const MAX_ALERTS: usize = 100;
}

/// A batch with its payments and alerts, read in one consistent view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchContent {
    /// The batch.
    pub batch: PaymentBatch,
    /// Its payments, by input index.
    pub payments: Vec<Payment>,
    /// All its alerts, by input index (those without a row first), then in the order found.
    pub alerts: Vec<Alert>,
}
