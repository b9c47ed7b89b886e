//! The banks at which payers decide about payments, and merchants about refunds.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use florin_domain::checkout::{MerchantPaymentKind, PayerDecision, PayerVisit, PaymentProgress, PaymentReference};
use florin_domain::ids::{AccountId, MerchantPaymentId};
use florin_domain::merchant::BankId;
use florin_domain::money::Money;

/// A payment or refund to start at a bank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaymentStart {
    /// The merchant's account.
    pub account: AccountId,
    /// The payment or refund, by its row among the payments.
    pub payment: MerchantPaymentId,
    /// Whether a payer pays or the merchant refunds.
    pub kind: MerchantPaymentKind,
    /// The bank that is asked for the money: the payer's, for a refund the merchant's. `None`: the bank list has lost it.
    pub bank: Option<BankId>,
    /// The amount.
    pub amount: Money,
    /// The reference on the bank statement.
    pub reference: PaymentReference,
    /// The page of ours to which the bank sends the browser back.
    pub return_url: String,
    /// From this moment on it must not be authorised.
    pub authorise_before: DateTime<Utc>,
}

/// Where somebody decides about a payment that was started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DecisionPlace {
    /// On our page: the bank is simulated, and [`SimulatedBank`] says what follows.
    Here,
    /// At the bank, at this URL.
    AtBank(String),
}

/// Starts payments and refunds at banks, and reports what became of them. A server without an adapter creates no sessions.
///
/// Promises: the payment's id is the idempotency key. A payment that is started again, after a timeout, after a crash or by
/// another instance, is the same payment, and its answer names the place of the first. An authorisation moves no money before
/// `progress` is called, which submits it: so a payment that was given up before, because its payer chose another bank or
/// cancelled, moves none. A decision that `progress` has returned stays; its result follows.
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait PaymentInitiation: Send + Sync {
    /// Starts a payment, and returns where it is decided. `BankUnavailable`: it may or may not have been started; start it again.
    async fn start(&self, payment: PaymentStart) -> Result<DecisionPlace, BankUnavailable>;

    /// Returns what became of a payment without a result, by the clock of its account. Called again until there is a result:
    /// whenever somebody reads the payment, and when the bank said that it wants to be asked.
    async fn progress(
        &self,
        account: &AccountId,
        payment: MerchantPaymentId,
        now: DateTime<Utc>,
    ) -> Result<PaymentProgress, BankUnavailable>;
}

/// The bank of the sandbox, at which visitors say what happens.
#[cfg_attr(feature = "test-support", mockall::automock)]
pub trait SimulatedBank: Send + Sync {
    /// Returns what a visit of a payer, or of a merchant who authorises a refund, leads to. The result of an approval can be in
    /// the future, by the clock of the account.
    fn visit(&self, visit: PayerVisit, now: DateTime<Utc>) -> PayerDecision;
}

/// A bank could not be reached, did not answer in time, or sent an invalid answer. A retry may succeed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the bank is unavailable: {0}")]
pub struct BankUnavailable(pub String);
