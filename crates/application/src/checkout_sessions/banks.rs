//! Starts payments at banks, and asks the banks for the results.

use crate::CheckoutServices;
use chrono::{DateTime, Utc};
use florin_domain::checkout::{
    CheckoutSession, MerchantPayment, MerchantPaymentKind, MerchantPaymentStatus, PaymentProgress, RefundAction,
    SessionAction,
};
use florin_domain::merchant::BankId;
use florin_ports::{BankUnavailable, DecisionPlace, FoundSession, PaymentStart};

/// Starts a payment of a session at the payer's bank, and returns where the payer decides on it.
pub async fn start_payment(
    services: &CheckoutServices,
    session: &CheckoutSession,
    payment: &MerchantPayment,
) -> Result<DecisionPlace, BankUnavailable> {
    let bank = Some(payment.bank.id.clone());
    let return_url = services.checkout_url(&session.account, session.id.0);
    start(services, session, payment, (bank, return_url, session.expires_at)).await
}

/// Starts a refund at the bank of the settlement account, and returns where the merchant decides on it.
pub async fn start_refund(
    services: &CheckoutServices,
    session: &CheckoutSession,
    refund: &MerchantPayment,
    bank: Option<BankId>,
) -> Result<DecisionPlace, BankUnavailable> {
    let Some(part) = &refund.refund else { return Err(BankUnavailable("a payment is not a refund".to_owned())) };
    let return_url = services.authorisation_url(&session.account, part.id.0);
    start(services, session, refund, (bank, return_url, part.authorise_before)).await
}

async fn start(
    services: &CheckoutServices,
    session: &CheckoutSession,
    payment: &MerchantPayment,
    (bank, return_url, authorise_before): (Option<BankId>, String, DateTime<Utc>),
) -> Result<DecisionPlace, BankUnavailable> {
    let banks = services.payer_banks().map_err(|error| BankUnavailable(error.to_string()))?;
    let start = PaymentStart {
        account: payment.account.clone(),
        payment: payment.id,
        kind: payment.kind(),
        bank,
        amount: payment.amount,
        reference: session.payment_reference.clone(),
        return_url,
        authorise_before,
    };
    banks.start(start).await
}

/// Returns the next action on a session: the bank's report on a payment without a result, or else
/// [`SessionAction::Due`].
pub(super) async fn next_session_action(
    services: &CheckoutServices,
    found: &FoundSession,
    now: DateTime<Utc>,
) -> Result<SessionAction, BankUnavailable> {
    let Some(payment) = found.pending().filter(|payment| payment.state.report().is_none()) else {
        return Ok(SessionAction::Due);
    };
    Ok(match progress(services, payment, now).await? {
        PaymentProgress::Undecided => SessionAction::Due,
        PaymentProgress::Decided(decision, at) => SessionAction::BankSays(payment.id, decision, at),
    })
}

/// Returns the next action on a refund: the bank's report if the refund has no result yet, or else
/// [`RefundAction::Due`].
pub(super) async fn next_refund_action(
    services: &CheckoutServices,
    refund: &MerchantPayment,
    now: DateTime<Utc>,
) -> Result<RefundAction, BankUnavailable> {
    let is_open = refund.status() == MerchantPaymentStatus::Pending && refund.state.report().is_none();
    if refund.kind() != MerchantPaymentKind::Refund || !is_open {
        return Ok(RefundAction::Due);
    }
    Ok(match progress(services, refund, now).await? {
        PaymentProgress::Undecided => RefundAction::Due,
        PaymentProgress::Decided(decision, at) => RefundAction::BankSays(decision, at),
    })
}

async fn progress(
    services: &CheckoutServices,
    payment: &MerchantPayment,
    now: DateTime<Utc>,
) -> Result<PaymentProgress, BankUnavailable> {
    match services.payer_banks() {
        Ok(banks) => banks.progress(&payment.account, payment.id, now).await,
        Err(_) => Ok(PaymentProgress::Undecided),
    }
}
