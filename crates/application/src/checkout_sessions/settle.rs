//! Applies the due steps of sessions and refunds: bank reports and expiries.

use super::banks::{news_of_refund, news_of_session};
use crate::CheckoutServices;
use crate::sweep::Sweep;
use chrono::{DateTime, Utc};
use florin_domain::access::Account;
use florin_domain::checkout::{
    CheckoutSession, DueCheckout, MerchantPayment, RefundAction, RefundRefusal, RefundSituation, SessionAction,
    SessionRefusal, SessionSituation, decide_refund, decide_session,
};
use florin_domain::ids::{AccountId, CheckoutSessionId, RefundId};
use florin_domain::world::Timeline;
use florin_ports::{
    BankUnavailable, FoundSession, Mode, RefundCommand, SessionCommand, StoreError, WriteError, Written,
};
use std::fmt::Debug;
use std::sync::Arc;

/// Applies the due steps of all sessions and refunds, and returns the number of settled objects. A step is dated when
/// it was due. For an account with its own clock, that clock decides what is due.
pub async fn settle_checkouts(services: &CheckoutServices) -> Result<usize, StoreError> {
    let mut written = sweep(services, None, &Timeline::default()).await?;
    for (account, timeline) in services.sessions.due_accounts(services.time.real_now()).await? {
        written += settle_checkouts_of(services, &account, &timeline).await?;
    }
    Ok(written)
}

/// Applies the due steps of an account's sessions and refunds by the account's time, the earliest first.
pub(crate) async fn settle_checkouts_of(
    services: &CheckoutServices,
    account: &AccountId,
    timeline: &Timeline,
) -> Result<usize, StoreError> {
    sweep(services, Some(account), timeline).await
}

async fn sweep(
    services: &CheckoutServices,
    account: Option<&AccountId>,
    timeline: &Timeline,
) -> Result<usize, StoreError> {
    let mut sweep = Sweep::new();
    loop {
        let now = timeline.clock.now(services.time.real_now());
        let due = services.sessions.due(account.cloned(), now, sweep.portion()).await?;
        let due = sweep.without_stuck(due, DueCheckout::clone);
        if due.is_empty() {
            return Ok(sweep.written());
        }
        for due in due {
            match &due {
                DueCheckout::Session(account, id) => {
                    let settled = ask_and_settle_session(services, account, *id, (timeline, now)).await;
                    let is_due = |session: CheckoutSession| session.due_at.is_some_and(|due| due <= now);
                    sweep.record(due, settled.map(|session| !session.is_some_and(is_due)))?;
                }
                DueCheckout::Refund(account, id) => {
                    let settled = ask_and_settle_refund(services, account, *id, (timeline, now)).await;
                    let is_due = |refund: MerchantPayment| refund.refund_due_at().is_some_and(|due| due <= now);
                    sweep.record(due, settled.map(|refund| !refund.is_some_and(is_due)))?;
                }
            }
        }
    }
}

/// Applies the due steps of a session or top-up, and returns it. `None`: the account has none with this id.
pub async fn find_session(
    services: &CheckoutServices,
    account: &Account,
    id: CheckoutSessionId,
) -> Result<Option<FoundSession>, StoreError> {
    let Some(found) = services.sessions.find(&account.id, id).await? else { return Ok(None) };
    if !settle_session(services, account, &found).await? {
        return Ok(Some(found));
    }
    services.sessions.find(&account.id, id).await
}

/// Applies the due steps of a session, and the report of its bank. Returns `true` if the session may have changed.
pub async fn settle_session(
    services: &CheckoutServices,
    account: &Account,
    found: &FoundSession,
) -> Result<bool, StoreError> {
    let (session, now) = (&found.session, services.time.now_of(account));
    let Some(news) = heard(session.id, news_of_session(services, found, now).await) else { return Ok(false) };
    if news == SessionAction::Due && session.due_at.is_none_or(|due| due > now) {
        return Ok(false);
    }
    let settled = settle_due_session(services, &account.id, session.id, news, (&account.timeline, now)).await;
    log_refusal(session.id, settled)?;
    Ok(true)
}

/// Applies the due steps of a refund, and the report of its bank, and returns it. `None`: the account has none with
/// this id.
pub async fn find_merchant_refund(
    services: &CheckoutServices,
    account: &Account,
    id: RefundId,
) -> Result<Option<MerchantPayment>, StoreError> {
    let Some(found) = services.payments.find_refund(&account.id, id).await? else { return Ok(None) };
    let now = services.time.now_of(account);
    let Some(news) = heard(id, news_of_refund(services, &found, now).await) else { return Ok(Some(found)) };
    if news == RefundAction::Due && found.refund_due_at().is_none_or(|due| due > now) {
        return Ok(Some(found));
    }
    let settled = settle_due_refund(services, &account.id, id, news, (&account.timeline, now)).await;
    log_refusal(id, settled)?;
    services.payments.find_refund(&account.id, id).await
}

/// Returns what the bank reported. `None`: the bank is unavailable. Nothing is settled then, because the bank may have
/// moved the money.
fn heard<T>(object: impl Debug, news: Result<T, BankUnavailable>) -> Option<T> {
    news.inspect_err(|error| tracing::warn!(?object, %error, "cannot settle what is due")).ok()
}

/// Logs a refusal to settle, so that the caller returns the object unchanged. Returns errors of the store.
fn log_refusal<T, R: Debug>(object: impl Debug, settled: Result<T, WriteError<R>>) -> Result<(), StoreError> {
    match settled {
        Ok(_) => Ok(()),
        Err(WriteError::Store(error)) => Err(error),
        Err(error) => {
            tracing::error!(?object, ?error, "cannot settle what is due");
            Ok(())
        }
    }
}

/// Asks the bank of a session, and applies the due steps. Returns the resulting session.
async fn ask_and_settle_session(
    services: &CheckoutServices,
    account: &AccountId,
    id: CheckoutSessionId,
    (timeline, now): (&Timeline, DateTime<Utc>),
) -> Result<Option<CheckoutSession>, WriteError<SessionRefusal>> {
    let Some(found) = services.sessions.find(account, id).await? else { return Ok(None) };
    match heard(id, news_of_session(services, &found, now).await) {
        Some(news) => settle_due_session(services, account, id, news, (timeline, now)).await,
        None => Ok(Some(found.session)),
    }
}

/// Asks the bank of a refund, and applies the due steps. Returns the resulting refund.
async fn ask_and_settle_refund(
    services: &CheckoutServices,
    account: &AccountId,
    id: RefundId,
    (timeline, now): (&Timeline, DateTime<Utc>),
) -> Result<Option<MerchantPayment>, WriteError<RefundRefusal>> {
    let Some(found) = services.payments.find_refund(account, id).await? else { return Ok(None) };
    match heard(id, news_of_refund(services, &found, now).await) {
        Some(news) => settle_due_refund(services, account, id, news, (timeline, now)).await,
        None => Ok(Some(found)),
    }
}

/// Applies the due steps of a session. In a seeded world, ids are derived from the session, no matter who applies the
/// steps.
async fn settle_due_session(
    services: &CheckoutServices,
    account: &AccountId,
    session: CheckoutSessionId,
    action: SessionAction,
    (timeline, now): (&Timeline, DateTime<Utc>),
) -> Result<Option<CheckoutSession>, WriteError<SessionRefusal>> {
    let clock = services.time.for_background(timeline, now, &[b"session", session.0.as_bytes()]);
    let decide =
        Arc::new(move |situation: &SessionSituation| clock.rule(|stamp| decide_session(situation, &action, stamp)));
    let command = SessionCommand { account: account.clone(), session, decide, mode: Mode::Commit, claim: None };
    services.sessions.act(command).await.map(Written::outcome)
}

/// Applies the due steps of a refund. In a seeded world, ids are derived from the refund, no matter who applies the
/// steps.
async fn settle_due_refund(
    services: &CheckoutServices,
    account: &AccountId,
    refund: RefundId,
    action: RefundAction,
    (timeline, now): (&Timeline, DateTime<Utc>),
) -> Result<Option<MerchantPayment>, WriteError<RefundRefusal>> {
    let clock = services.time.for_background(timeline, now, &[b"merchant refund", refund.0.as_bytes()]);
    let decide =
        Arc::new(move |situation: &RefundSituation| clock.rule(|stamp| decide_refund(situation, action, stamp)));
    let command = RefundCommand { account: account.clone(), refund, decide, mode: Mode::Commit, claim: None };
    services.payments.act(command).await.map(Written::outcome)
}
