//! Sending payments to a bank.

use async_trait::async_trait;
use florin_domain::batch::{PaymentInstruction, PaymentReport};
use florin_domain::ids::{AccountId, PaymentId};

/// Sends payments to a bank and reports their outcomes.
///
/// Promises: the payment's id is the idempotency key. An instruction that is sent again, after a timeout, after a crash
/// or by another instance, is the same payment and never a second one; the call returns the current report on the
/// first. After `send` has returned, `ask` finds the payment.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PaymentRail: Send + Sync {
    /// Sends a payment. `RailUnavailable`: the payment may or may not have arrived; query it, or send it again.
    async fn send(&self, instruction: PaymentInstruction) -> Result<PaymentReport, RailUnavailable>;

    /// Returns the bank's report on a payment of this account. `None`: the bank never accepted a payment with that id,
    /// so it can be sent.
    async fn ask(&self, account: &AccountId, payment: PaymentId) -> Result<Option<PaymentReport>, RailUnavailable>;
}

/// The bank could not be reached, did not answer in time, or sent an invalid answer. A retry may succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bank is unavailable: {0}")]
pub struct RailUnavailable(pub String);
