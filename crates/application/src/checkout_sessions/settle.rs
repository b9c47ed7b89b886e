//! Applies the due steps of sessions and refunds: bank reports and expiries.

use super::banks::{next_refund_action, next_session_action};
use crate::CheckoutServices;
use crate::sweep::Sweep;
use chrono::{DateTime, Utc};
use florin_domain::access::Account;
use florin_domain::checkout::{
    CheckoutSession, DueItem, MerchantPayment, RefundAction, RefundRefusal, RefundSituation, SessionAction,
    SessionRefusal, SessionSituation, decide_refund, decide_session,
};
use florin_domain::ids::{AccountId, CheckoutSessionId, RefundId};
use florin_domain::world::Timeline;
use florin_ports::{BankUnavailable, FoundSession, Mode, RefundCommand, SessionCommand, StoreError, WriteError};
use std::fmt::Debug;
use std::sync::Arc;

/// Applies the due steps of all sessions and refunds, and returns the number of settled objects. Steps are applied in
/// the order in which they were due, and dated accordingly. For an account with its own clock, that clock decides what
/// is due.
pub async fn settle_checkouts(services: &CheckoutServices) -> Result<usize, StoreError> {
    let mut written = sweep(services, None, &Timeline::default()).await?;
    for (account, timeline) in services.sessions.due_accounts(services.time.real_now()).await? {
        written += settle_checkouts_of(services, &account, &timeline).await?;
    }
    Ok(written)
}

/// Applies the due steps of an account's sessions and refunds by the account's time, in the order in which they are due.
pub(crate) async fn settle_checkouts_of(
    services: &CheckoutServices,
    account: &AccountId,
    timeline: &Timeline,
) -> Result<usize, StoreError> {
    sweep(services, Some(account), timeline).await
}

/// The result of applying the next due step of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    /// Nothing is due.
    NotDue,
    /// Everything that was due is applied.
    Settled,
    /// A step was applied, and another one is due. Steps of other objects may come before it.
    DueAgain,
    /// The answer of the bank left the object due.
    Stuck,
    /// The bank is unavailable, and nothing was applied.
    Unavailable,
}

impl Progress {
    /// Compares when an object was due with when it is due next. `before` is `None` after a report of a bank, because a
    /// bank could report again and again.
    fn of(before: Option<DateTime<Utc>>, next: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Self {
        match next.filter(|next| *next <= now) {
            None => Self::Settled,
            Some(next) if before.is_some_and(|before| next > before) => Self::DueAgain,
            Some(_) => Self::Stuck,
        }
    }
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
        let due = sweep.without_stuck(due, DueItem::clone);
        if due.is_empty() {
            return Ok(sweep.written());
        }
        for due in due {
            let at = (timeline, now);
            let is_due_again = match due.clone() {
                DueItem::Session(account, id) => {
                    record(&mut sweep, due, advance_session_of(services, &account, id, at).await)?
                }
                DueItem::Refund(account, id) => {
                    record(&mut sweep, due, advance_refund_of(services, &account, id, at).await)?
                }
            };
            if is_due_again {
                // The store knows which step comes next.
                break;
            }
        }
    }
}

/// Records the progress of an object, and returns whether it is due again.
fn record<R: Debug>(
    sweep: &mut Sweep<DueItem>,
    due: DueItem,
    progress: Result<Progress, WriteError<R>>,
) -> Result<bool, StoreError> {
    if let Ok(Progress::DueAgain) = progress {
        return Ok(true);
    }
    sweep.record(due, progress.map(|progress| !matches!(progress, Progress::Stuck | Progress::Unavailable)))?;
    Ok(false)
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
    let (id, at) = (found.session.id, (&account.timeline, services.time.now_of(account)));
    let mut progress = advance_session(services, found, at).await;
    let is_changed = !matches!(progress, Ok(Progress::NotDue | Progress::Unavailable));
    while progress == Ok(Progress::DueAgain) {
        progress = advance_session_of(services, &account.id, id, at).await;
    }
    log_refusal(id, progress)?;
    Ok(is_changed)
}

/// Applies the due steps of a refund, and the report of its bank, and returns it. `None`: the account has none with
/// this id.
pub async fn find_merchant_refund(
    services: &CheckoutServices,
    account: &Account,
    id: RefundId,
) -> Result<Option<MerchantPayment>, StoreError> {
    let Some(found) = services.payments.find_refund(&account.id, id).await? else { return Ok(None) };
    let at = (&account.timeline, services.time.now_of(account));
    let mut progress = advance_refund(services, (&found, id), at).await;
    if matches!(progress, Ok(Progress::NotDue | Progress::Unavailable)) {
        return Ok(Some(found));
    }
    while progress == Ok(Progress::DueAgain) {
        progress = advance_refund_of(services, &account.id, id, at).await;
    }
    log_refusal(id, progress)?;
    services.payments.find_refund(&account.id, id).await
}

/// Returns what the bank reported. `None`: the bank is unavailable. Nothing is settled then, because the bank may have
/// moved the money.
fn report_or_log<T>(object: impl Debug, news: Result<T, BankUnavailable>) -> Option<T> {
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

/// Reads a session, and advances it like [`advance_session`].
async fn advance_session_of(
    services: &CheckoutServices,
    account: &AccountId,
    id: CheckoutSessionId,
    at: (&Timeline, DateTime<Utc>),
) -> Result<Progress, WriteError<SessionRefusal>> {
    match services.sessions.find(account, id).await? {
        Some(found) => advance_session(services, &found, at).await,
        None => Ok(Progress::NotDue),
    }
}

/// Asks the bank of a session, and applies its report at the present time, or else the next due step at the time when
/// it was due. In a seeded world, ids are derived from the session and that time, no matter who applies the step.
async fn advance_session(
    services: &CheckoutServices,
    found: &FoundSession,
    (timeline, now): (&Timeline, DateTime<Utc>),
) -> Result<Progress, WriteError<SessionRefusal>> {
    let CheckoutSession { account, id: session, due_at, .. } = &found.session;
    let Some(action) = report_or_log(session, next_session_action(services, found, now).await) else {
        return Ok(Progress::Unavailable);
    };
    let before = match action {
        SessionAction::Due => due_at.filter(|due| *due <= now),
        _ => None,
    };
    if action == SessionAction::Due && before.is_none() {
        return Ok(Progress::NotDue);
    }
    let at = before.unwrap_or(now);
    let cause: [&[u8]; 3] = [b"session", session.0.as_bytes(), &at.timestamp_micros().to_be_bytes()];
    let clock = services.time.for_background(timeline, at, &cause);
    let decide =
        Arc::new(move |situation: &SessionSituation| clock.rule(|stamp| decide_session(situation, &action, stamp)));
    let command =
        SessionCommand { account: account.clone(), session: *session, decide, mode: Mode::Commit, claim: None };
    let settled = services.sessions.act(command).await?.outcome();
    Ok(Progress::of(before, settled.and_then(|session| session.due_at), now))
}

/// Reads a refund, and advances it like [`advance_refund`].
async fn advance_refund_of(
    services: &CheckoutServices,
    account: &AccountId,
    id: RefundId,
    at: (&Timeline, DateTime<Utc>),
) -> Result<Progress, WriteError<RefundRefusal>> {
    match services.payments.find_refund(account, id).await? {
        Some(found) => advance_refund(services, (&found, id), at).await,
        None => Ok(Progress::NotDue),
    }
}

/// Asks the bank of a refund, and applies its report at the present time, or else the next due step at the time when it
/// was due. In a seeded world, ids are derived from the refund and that time, no matter who applies the step.
async fn advance_refund(
    services: &CheckoutServices,
    (found, refund): (&MerchantPayment, RefundId),
    (timeline, now): (&Timeline, DateTime<Utc>),
) -> Result<Progress, WriteError<RefundRefusal>> {
    let Some(action) = report_or_log(refund, next_refund_action(services, found, now).await) else {
        return Ok(Progress::Unavailable);
    };
    let before = match action {
        RefundAction::Due => found.refund_due_at().filter(|due| *due <= now),
        _ => None,
    };
    if action == RefundAction::Due && before.is_none() {
        return Ok(Progress::NotDue);
    }
    let at = before.unwrap_or(now);
    let cause: [&[u8]; 3] = [b"merchant refund", refund.0.as_bytes(), &at.timestamp_micros().to_be_bytes()];
    let clock = services.time.for_background(timeline, at, &cause);
    let decide =
        Arc::new(move |situation: &RefundSituation| clock.rule(|stamp| decide_refund(situation, action, stamp)));
    let command = RefundCommand { account: found.account.clone(), refund, decide, mode: Mode::Commit, claim: None };
    let settled = services.payments.act(command).await?.outcome();
    Ok(Progress::of(before, settled.and_then(|refund| refund.refund_due_at()), now))
}
