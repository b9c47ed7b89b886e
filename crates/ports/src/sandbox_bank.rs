//! Storage of the simulated bank.

use crate::StoreError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::{AccountId, PaymentId};
use florin_domain::money::Money;

/// A payment that the simulated bank has accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedPayment {
    /// The id of the payment.
    pub id: PaymentId,
    /// The amount.
    pub amount: Money,
    /// The reference of the payment, which selects the outcome.
    pub reference: Option<String>,
    /// The time at which it was accepted.
    pub accepted_at: DateTime<Utc>,
}

/// The storage of the simulated bank. It is durable, and shared by all instances that use the same store.
///
/// The id of a payment is unique among the payments of all accounts. The `account` of a call is the account that pays:
/// a store of several cells keeps the payment in the cell of this account.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SandboxBankStorage: Send + Sync {
    /// Stores a payment unless one with its id exists, and returns the stored payment. The payment is durable before
    /// the call returns. Of two concurrent calls for one id, only one stores its payment. `NotFound`: the store does
    /// not have the account, for example because it was deleted or has moved to another store.
    async fn accept(&self, account: &AccountId, payment: AcceptedPayment) -> Result<AcceptedPayment, StoreError>;

    /// Returns the payment with that id, which this account pays. `None`: the bank has accepted no such payment.
    async fn find(&self, account: &AccountId, payment: PaymentId) -> Result<Option<AcceptedPayment>, StoreError>;
}
