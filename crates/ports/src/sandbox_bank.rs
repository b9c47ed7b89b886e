//! What the simulated bank of the sandbox remembers.

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
    /// How much.
    pub amount: Money,
    /// Its reference, which says how it ends.
    pub reference: Option<String>,
    /// When it was accepted.
    pub accepted_at: DateTime<Utc>,
}

/// The memory of the simulated bank: durable, and shared by all instances on one store, as a bank's would be.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait SandboxBankMemory: Send + Sync {
    /// Remembers a payment, or, where one of its id is remembered already, changes nothing; answers with the one that is
    /// remembered. Durable before it is answered. Of two at once one is remembered.
    async fn accept(&self, payment: AcceptedPayment) -> Result<AcceptedPayment, StoreError>;

    /// The payment of that id.
    async fn find(&self, payment: PaymentId) -> Result<Option<AcceptedPayment>, StoreError>;
}
