//! Payment batches (contract 3.1, 3.2).

mod confirm;
mod status;

pub use confirm::{
    ConfirmDecision, ConfirmRefusal, ConfirmSituation, ConfirmStamp, Confirmation, MfaProof, Shortage, decide_confirm,
};
pub use status::{BatchMove, IllegalMove, PaymentBatchStatus};

use crate::ids::{AccountId, BudgetId, OrderId, PaymentBatchId};
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};

/// A payment batch with the totals of its orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentBatch {
    /// Its id.
    pub id: PaymentBatchId,
    /// The account it belongs to.
    pub account: AccountId,
    /// The name it was given.
    pub name: String,
    /// Where it stands.
    pub status: PaymentBatchStatus,
    /// One order per funding budget and currency.
    pub orders: Vec<PaymentOrder>,
    /// When it was made.
    pub created_at: DateTime<Utc>,
    /// When it was changed last.
    pub updated_at: DateTime<Utc>,
    /// When it was confirmed.
    pub confirmed_at: Option<DateTime<Utc>>,
    /// When its confirmation passed multi-factor authentication.
    pub passed_mfa_check_at: Option<DateTime<Utc>>,
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
    /// The sum of its payments, above zero.
    pub total: Minor,
}
