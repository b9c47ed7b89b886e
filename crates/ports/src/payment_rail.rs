//! Sending payments to a bank.

use async_trait::async_trait;
use florin_domain::batch::{PaymentInstruction, PaymentReport};
use florin_domain::ids::PaymentId;

/// Sends payments to a bank, and reads their outcomes.
///
/// Promises: the payment's id is the idempotency key. An instruction that is sent again, after a time-out, a crash, or by
/// another instance, is the same payment and never a second one; the answer is the state of the first. Once `send` has
/// answered, `ask` knows the payment.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PaymentRail: Send + Sync {
    /// Sends a payment. `RailUnavailable`: it may have arrived or not. Ask, or send it again.
    async fn send(&self, instruction: PaymentInstruction) -> Result<PaymentReport, RailUnavailable>;

    /// Returns the outcome of a payment. `None`: the bank has never accepted a payment with this id, so it can be sent.
    async fn ask(&self, payment: PaymentId) -> Result<Option<PaymentReport>, RailUnavailable>;
}

/// The bank could not be reached, did not answer in time, or its answer can't be read. A later try may work.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bank is unavailable: {0}")]
pub struct RailUnavailable(pub String);
