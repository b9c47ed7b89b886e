//! Reads payments of merchants, and creates and authorises refunds.

use crate::CheckoutServices;
use crate::checkout_sessions::{find_merchant_refund, settle_account_checkouts};
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

/// Returns a payment or refund, after applying the due steps of the account: a refund that expires releases its part of
/// the payment. `None`: the account has none with this id.
pub async fn find_merchant_payment(
    services: &CheckoutServices,
    account: &Account,
    id: MerchantPaymentId,
) -> Result<Option<PaymentOverview>, StoreError> {
    settle_account_checkouts(services, &account.id, &account.timeline).await?;
    services.payments.find(&account.id, id).await
}

/// Creates a refund of a payment, after applying the due steps of the account: an earlier refund that expires releases
/// its part of the payment. `Absent`: the account has no such payment.
pub async fn create_merchant_refund(
    services: &CheckoutServices,
    account: &Account,
    payment: MerchantPaymentId,
    (amount, reason): (Money, Option<Text<1, 140>>),
    mode: Mode,
    claim: Option<IdempotencyClaim<MerchantPayment>>,
) -> Result<Written<MerchantPayment>, WriteError<RefundRefusal>> {
    settle_account_checkouts(services, &account.id, &account.timeline).await?;
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

/// Applies the merchant's decision on a refund, made at the merchant's bank. `Absent`: the account has no such refund.
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
