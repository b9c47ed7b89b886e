//! Steps of sessions, and reads of them. Each applies what is due first.

use super::settle::settle_session;
use crate::CheckoutServices;
use florin_domain::access::Account;
use florin_domain::checkout::{
    BankChoice, CheckoutSession, PayerDecision, SessionAction, SessionRefusal, SessionSituation, SessionStage,
    Shipping, decide_session,
};
use florin_domain::ids::{CheckoutSessionId, MerchantOrderId};
use florin_ports::{FoundSession, IdempotencyClaim, SessionCommand, StoreError, WriteError, Written};
use std::sync::Arc;

/// Returns a session or top-up. `None`: none on the account.
pub async fn find_session(
    services: &CheckoutServices,
    account: &Account,
    id: CheckoutSessionId,
) -> Result<Option<FoundSession>, StoreError> {
    settle_session(services, account, id).await
}

/// Returns the session that has an order. `None`: no such order on the account.
pub async fn find_order(
    services: &CheckoutServices,
    account: &Account,
    order: MerchantOrderId,
) -> Result<Option<CheckoutSession>, StoreError> {
    services.sessions.with_order(&account.id, order).await
}

/// Does something to a session. `Absent`: no such session or top-up on the account.
pub async fn act_on_session(
    services: &CheckoutServices,
    account: &Account,
    session: CheckoutSessionId,
    action: SessionAction,
    claim: Option<IdempotencyClaim<CheckoutSession>>,
) -> Result<Written<CheckoutSession>, WriteError<SessionRefusal>> {
    settle_session(services, account, session).await?.ok_or(WriteError::Absent)?;
    let clock = services.clock_of(account).await?;
    let decide =
        Arc::new(move |situation: &SessionSituation| clock.rule(|stamp| decide_session(situation, &action, stamp)));
    services.sessions.act(SessionCommand { account: account.id.clone(), session, decide, claim }).await
}

/// Does something to a session, for a payer who saw this stage of it. At another stage only what is due happens. `Absent`: no
/// such session or top-up on the account.
pub async fn act_at_stage(
    services: &CheckoutServices,
    account: &Account,
    session: CheckoutSessionId,
    stage: SessionStage,
    action: SessionAction,
) -> Result<Written<CheckoutSession>, WriteError<SessionRefusal>> {
    let clock = services.clock_of(account).await?;
    let decide =
        Arc::new(move |situation: &SessionSituation| clock.rule(|stamp| stage.decide(situation, &action, stamp)));
    services.sessions.act(SessionCommand { account: account.id.clone(), session, decide, claim: None }).await
}

/// Cancels a session, for the merchant.
pub async fn cancel_session(
    services: &CheckoutServices,
    account: &Account,
    session: CheckoutSessionId,
    claim: Option<IdempotencyClaim<CheckoutSession>>,
) -> Result<Written<CheckoutSession>, WriteError<SessionRefusal>> {
    act_on_session(services, account, session, SessionAction::MerchantCancels, claim).await
}

/// Does all steps of a payer without a browser.
pub async fn pay(
    services: &CheckoutServices,
    account: &Account,
    session: CheckoutSessionId,
    (bank, shipping, decision): (BankChoice, Option<Shipping>, PayerDecision),
    claim: Option<IdempotencyClaim<CheckoutSession>>,
) -> Result<Written<CheckoutSession>, WriteError<SessionRefusal>> {
    act_on_session(services, account, session, SessionAction::Pay { bank, shipping, decision }, claim).await
}
