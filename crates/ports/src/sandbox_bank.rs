//! The memory of the simulated bank.

use crate::StoreError;
use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::ids::PaymentId;
use florin_domain::money::Money;

/// A payment that the simulated bank has accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AcceptedPayment {
    /// Its id.
    pub id: PaymentId,
    /// The amount.
    pub amount: Money,
    /// Its reference, which scripts its outcome.
    pub reference: Option<String>,
    /// The time at which it was accepted.
    pub accepted_at: DateTime<Utc>,
}

/// Stores the payments that the simulated bank has accepted. It is durable, and shared by all instances on one store.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SandboxBankMemory: Send + Sync {
    /// Stores a payment unless one with its id is stored, and returns the stored one. It is durable before the call returns.
    /// Of two concurrent calls one stores.
    async fn accept(&self, payment: AcceptedPayment) -> Result<AcceptedPayment, StoreError>;

    /// Returns the payment with that id.
    async fn find(&self, payment: PaymentId) -> Result<Option<AcceptedPayment>, StoreError>;
}
