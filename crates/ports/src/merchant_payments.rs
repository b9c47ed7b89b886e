//! Payments of checkout sessions, and refunds of these payments.

use crate::{Decide, IdempotencyClaim, Mode, StoreError, WriteError, Written};
use async_trait::async_trait;
use florin_domain::checkout::{
    CreateRefundSituation, ListedPayment, MerchantPayment, MerchantPaymentFilter, PageTokenHash, PaymentOverview,
    PaymentSort, PaymentsSummary, RefundChange, RefundRefusal, RefundSituation,
};
use florin_domain::ids::{AccountId, MerchantPaymentId, RefundId};
use florin_domain::page::{Page, PageRequest};

/// A command to create a refund.
pub struct CreateRefundCommand {
    /// The account of the caller.
    pub account: AccountId,
    /// The payment, which must be the account's.
    pub payment: MerchantPaymentId,
    /// The rule.
    pub decide: Decide<CreateRefundSituation, Result<MerchantPayment, RefundRefusal>>,
    /// Whether it is a dry run.
    pub mode: Mode,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<MerchantPayment>>,
}

/// A command to change a refund.
pub struct RefundCommand {
    /// The account of the refund.
    pub account: AccountId,
    /// The refund, which must be the account's.
    pub refund: RefundId,
    /// The rule. It changes neither ids nor the amount.
    pub decide: Decide<RefundSituation, Result<RefundChange, RefundRefusal>>,
    /// Whether it is a dry run.
    pub mode: Mode,
    /// The idempotency claim, if the caller made one.
    pub claim: Option<IdempotencyClaim<MerchantPayment>>,
}

/// A refund that was found by its page token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundRefund {
    /// The account of the refund.
    pub account: AccountId,
    /// The id of the refund.
    pub refund: RefundId,
}

/// Reads payments, and stores refunds. Payments are stored with their sessions, by [`crate::CheckoutSessions`].
#[cfg_attr(feature = "test-support", mockall::automock)]
#[async_trait]
pub trait MerchantPayments: Send + Sync {
    /// Returns a payment, or a refund by the id of its payment row. `None`: no such row on the account.
    async fn find(
        &self,
        account: &AccountId,
        payment: MerchantPaymentId,
    ) -> Result<Option<PaymentOverview>, StoreError>;

    /// Lists the account's matching payments and refunds, sorted by creation, then by id in the same direction. Each
    /// row agrees with what [`MerchantPayments::find`] returns. The count ignores the page.
    async fn list(
        &self,
        account: &AccountId,
        filter: MerchantPaymentFilter,
        sort: PaymentSort,
        page: PageRequest,
    ) -> Result<Page<ListedPayment>, StoreError>;

    /// Returns the sums of the COMPLETED payments and refunds of an account, for each currency, in the order of
    /// currency codes.
    async fn summary(&self, account: &AccountId) -> Result<Vec<PaymentsSummary>, StoreError>;

    /// Returns a refund. `None`: no such refund on the account.
    async fn find_refund(&self, account: &AccountId, refund: RefundId) -> Result<Option<MerchantPayment>, StoreError>;

    /// Returns the refund with this page token, of any account. Page tokens are unique across accounts.
    async fn refund_with_token(&self, token: PageTokenHash) -> Result<Option<FoundRefund>, StoreError>;

    /// Decides the creation of a refund. Refunds of one payment are decided sequentially. While a refund is decided, no
    /// settlement account of its account is deleted. `Absent`: no such payment on the account.
    async fn create_refund(
        &self,
        command: CreateRefundCommand,
    ) -> Result<Written<MerchantPayment>, WriteError<RefundRefusal>>;

    /// Decides a change of a refund. Changes of one refund are decided sequentially. `Absent`: no such refund on the
    /// account.
    async fn act(&self, command: RefundCommand) -> Result<Written<MerchantPayment>, WriteError<RefundRefusal>>;
}
