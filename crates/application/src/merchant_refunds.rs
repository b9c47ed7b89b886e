//! Payments of merchants, and their refunds.

use crate::CheckoutServices;
use crate::checkout_sessions::{find_merchant_refund, settle_checkouts_of};
use florin_domain::access::Account;
use florin_domain::checkout::{
    CreateRefundSituation, MerchantPayment, PayerDecision, PaymentOverview, RefundAction, RefundRefusal, RefundRequest,
    RefundSituation, decide_create_refund, decide_refund,
};
use florin_domain::ids::{MerchantPaymentId, RefundId};
use florin_domain::money::Money;
use florin_domain::text::Text;
use florin_ports::{CreateRefundCommand, IdempotencyClaim, Mode, RefundCommand, StoreError, WriteError, Written};
use std::sync::Arc;

/// Returns a payment or refund after everything that is due on the account: a refund that ran out releases its part of the
/// payment. `None`: none on the account.
pub async fn find_merchant_payment(
    services: &CheckoutServices,
    account: &Account,
    id: MerchantPaymentId,
) -> Result<Option<PaymentOverview>, StoreError> {
    settle_checkouts_of(services, &account.id, &account.timeline).await?;
    services.payments.find(&account.id, id).await
}

/// Creates a refund of a payment, after everything that is due on the account: an authorisation that ran out releases its
/// part of the payment. `Absent`: no such payment on the account.
pub async fn create_merchant_refund(
    services: &CheckoutServices,
    account: &Account,
    payment: MerchantPaymentId,
    (amount, reason): (Money, Option<Text<1, 140>>),
    mode: Mode,
    claim: Option<IdempotencyClaim<MerchantPayment>>,
) -> Result<Written<MerchantPayment>, WriteError<RefundRefusal>> {
    settle_checkouts_of(services, &account.id, &account.timeline).await?;
    let clock = services.clock_of(account).await?;
    let id = RefundId(clock.next_id());
    let request = RefundRequest {
        id,
        payment: MerchantPaymentId(clock.next_id()),
        amount,
        reason,
        token: services.page_tokens.hash_of(&account.id, id.0),
        now: clock.now(),
    };
    let decide = Arc::new(move |situation: &CreateRefundSituation| decide_create_refund(situation, &request));
    let command = CreateRefundCommand { account: account.id.clone(), payment, decide, mode, claim };
    services.payments.create_refund(command).await
}

/// Decides about a refund at the merchant's bank. `Absent`: no such refund on the account.
pub async fn authorise_refund(
    services: &CheckoutServices,
    account: &Account,
    refund: RefundId,
    decision: PayerDecision,
    mode: Mode,
    claim: Option<IdempotencyClaim<MerchantPayment>>,
) -> Result<Written<MerchantPayment>, WriteError<RefundRefusal>> {
    find_merchant_refund(services, account, refund).await?.ok_or(WriteError::Absent)?;
    let clock = services.clock_of(account).await?;
    let decide = Arc::new(move |situation: &RefundSituation| {
        clock.rule(|stamp| decide_refund(situation, RefundAction::AtBank(decision), stamp))
    });
    services.payments.act(RefundCommand { account: account.id.clone(), refund, decide, mode, claim }).await
}
