//! Banks at which payers decide about payments, and merchants about refunds.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::checkout::{BankVisit, MerchantPaymentKind, PayerDecision, PaymentProgress, PaymentReference};
use florin_domain::ids::{AccountId, MerchantPaymentId};
use florin_domain::merchant::BankId;
use florin_domain::money::Money;

/// A payment or refund to start at a bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentStart {
    /// The merchant's account.
    pub account: AccountId,
    /// The id of the payment, or of the payment row of the refund.
    pub payment: MerchantPaymentId,
    /// Whether a payer pays or the merchant refunds.
    pub kind: MerchantPaymentKind,
    /// The bank that pays: the payer's bank for a payment, the merchant's bank for a refund. `None`: the bank is no
    /// longer on the bank list.
    pub bank: Option<BankId>,
    /// The amount.
    pub amount: Money,
    /// The reference on the bank statement.
    pub reference: PaymentReference,
    /// The page of Florin to which the bank sends the browser back.
    pub return_url: String,
    /// The deadline of the authorisation, exclusive.
    pub authorise_before: DateTime<Utc>,
}

/// The place where a payer or merchant decides about a started payment or refund.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecisionPlace {
    /// On a page of Florin: the bank is simulated, and [`SimulatedBank`] returns the result.
    Here,
    /// At the bank, at this URL.
    AtBank(String),
}

/// Starts payments and refunds at banks, and returns their progress. A server without an adapter for this port creates
/// no sessions.
///
/// Promises: the payment's id is the idempotency key. A payment that is started again, after a timeout, after a crash
/// or by another instance, is the same payment, and the call returns the [`DecisionPlace`] of the first start. An
/// authorisation moves no money until `progress` is called, which submits it. Therefore a payment that is given up
/// before this call, because its payer chose another bank or cancelled, moves no money. A decision that `progress` has
/// returned is final; its result follows in a later call.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PaymentInitiation: Send + Sync {
    /// Starts a payment, and returns where it is decided. `BankUnavailable`: the payment may or may not have been
    /// started; start it again.
    async fn start(&self, payment: PaymentStart) -> Result<DecisionPlace, BankUnavailable>;

    /// Returns the progress of a payment that has no result yet, by the clock of its account. It is called until there
    /// is a result: whenever somebody reads the payment, and at the times at which the bank asked for a call.
    async fn progress(
        &self,
        account: &AccountId,
        payment: MerchantPaymentId,
        now: DateTime<Utc>,
    ) -> Result<PaymentProgress, BankUnavailable>;
}

/// The simulated bank of the sandbox, at which visitors choose the outcome.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait SimulatedBank: Send + Sync {
    /// Returns the result of a visit by a payer, or by a merchant who authorises a refund. The result of an approval
    /// can be in the future, by the clock of the account.
    fn visit(&self, visit: BankVisit, now: DateTime<Utc>) -> PayerDecision;
}

/// A bank could not be reached, did not answer in time, or sent an invalid answer. A retry may succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bank is unavailable: {0}")]
pub struct BankUnavailable(pub String);
