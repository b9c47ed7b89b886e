//! Applies the due steps of sessions and refunds: bank reports and expiries.

use super::banks::{next_refund_action, next_session_action};
use crate::sweep::Sweep;
use crate::{AccountClock, CheckoutServices};
use chrono::{DateTime, Utc};
use florin_domain::access::Account;
use florin_domain::checkout::{
    CheckoutSession, DueItem, MerchantPayment, RefundAction, RefundRefusal, RefundSituation, SessionAction,
    SessionRefusal, SessionSituation, decide_refund, decide_session,
};
use florin_domain::ids::{AccountId, CheckoutSessionId, RefundId};
use florin_domain::world::Timeline;
use florin_ports::{
    AccountTimeline, BankUnavailable, Due, FoundSession, Mode, RefundCommand, SessionCommand, StoreError, WriteError,
};
use std::collections::BTreeSet;
use std::fmt::Debug;
use std::sync::Arc;
use uuid::Uuid;

/// Applies the due steps of all sessions and refunds, and returns the number of those that changed. Steps are applied
/// in the order in which they were due, and dated accordingly. The exception is an object whose bank reports
/// meanwhile: the report is applied at the present time, and later due steps of the object wait for the next sweep. For
/// an account with its own clock, that clock decides what is due.
pub async fn settle_checkouts(services: &CheckoutServices) -> Result<usize, StoreError> {
    let mut written = sweep(services, None, &Timeline::default()).await?;
    for AccountTimeline { account, timeline } in services.sessions.due_accounts(services.time.real_now()).await? {
        written += settle_account_checkouts(services, &account, &timeline).await?;
    }
    Ok(written)
}

/// Applies the due steps of an account's sessions and refunds by the account's time, like [`settle_checkouts`].
pub(crate) async fn settle_account_checkouts(
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
    /// A step was applied, and another one is due since this time. Steps of other objects may come before it.
    DueAgain(DateTime<Utc>),
    /// The object is still due after the step, and waits for the next sweep.
    Stuck,
    /// The bank is unavailable, and nothing was applied.
    Unavailable,
}

impl Progress {
    /// Returns the progress after a step: `before` is when the step was due, `next` is when the object is due next.
    /// After a report of a bank, `before` is `None`. A bank could report again and again, so the object then waits for
    /// the next sweep.
    fn of(before: Option<DateTime<Utc>>, next: Option<DateTime<Utc>>, now: DateTime<Utc>) -> Self {
        match next.filter(|next| *next <= now) {
            None => Self::Settled,
            Some(next) if before.is_some_and(|before| next > before) => Self::DueAgain(next),
            Some(_) => Self::Stuck,
        }
    }
}

/// The next step of an object: the report of its bank at the present time, or else its next due step at the time when
/// it was due.
struct Step {
    /// When the step was due. `None` for a report of a bank.
    due_at: Option<DateTime<Utc>>,
    /// The time and the ids of the step. In a seeded world, ids are derived from the object and that time, no matter
    /// who applies the step.
    clock: AccountClock,
    now: DateTime<Utc>,
}

impl Step {
    /// Returns the next step of an object. `is_report`: whether its bank has reported. `due_at`: when the object is
    /// due, which can be in the future. `None`: there is neither a report nor a due step.
    fn next(
        services: &CheckoutServices,
        (kind, id): (&str, Uuid),
        (is_report, due_at): (bool, Option<DateTime<Utc>>),
        (timeline, now): (&Timeline, DateTime<Utc>),
    ) -> Option<Self> {
        let due_at = due_at.filter(|due| *due <= now && !is_report);
        if !is_report && due_at.is_none() {
            return None;
        }
        let at = due_at.unwrap_or(now);
        let cause: [&[u8]; 3] = [kind.as_bytes(), id.as_bytes(), &at.timestamp_micros().to_be_bytes()];
        Some(Self { due_at, clock: services.time.for_background(timeline, at, &cause), now })
    }

    /// Returns the progress after the step, from the time at which the object is due next.
    fn progress(&self, next: Option<DateTime<Utc>>) -> Progress {
        Progress::of(self.due_at, next, self.now)
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
        let mut queue: BTreeSet<_> = sweep.without_stuck(due, |due| due.item.clone()).into_iter().collect();
        let Some(last) = queue.last().cloned() else { return Ok(sweep.written()) };
        while let Some(Due { item, .. }) = queue.pop_first() {
            let at = (timeline, now);
            let due_again = match &item {
                DueItem::Session(account, id) => {
                    record(&mut sweep, &item, advance_session_of(services, account, *id, at).await)?
                }
                DueItem::Refund(account, id) => {
                    record(&mut sweep, &item, advance_refund_of(services, account, *id, at).await)?
                }
            };
            // A step that is due after the last item of this portion waits for the next portion, because items that
            // were not loaded yet may be due before it.
            queue.extend(due_again.map(|next| Due { at: next, item }).filter(|next| *next < last));
        }
    }
}

/// Records the progress of an object. Returns the time of its next step if that step is due already.
fn record<R: Debug>(
    sweep: &mut Sweep<DueItem>,
    item: &DueItem,
    progress: Result<Progress, WriteError<R>>,
) -> Result<Option<DateTime<Utc>>, StoreError> {
    if let Ok(Progress::DueAgain(next)) = progress {
        return Ok(Some(next));
    }
    let is_settled = progress.map(|progress| !matches!(progress, Progress::Stuck | Progress::Unavailable));
    sweep.record(item.clone(), is_settled)?;
    Ok(None)
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
    while let Ok(Progress::DueAgain(_)) = progress {
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
    while let Ok(Progress::DueAgain(_)) = progress {
        progress = advance_refund_of(services, &account.id, id, at).await;
    }
    log_refusal(id, progress)?;
    services.payments.find_refund(&account.id, id).await
}

/// Returns what the bank reported. `None`: the bank is unavailable. Nothing is applied then, because the bank may have
/// moved the money.
fn report_or_log<T>(object: impl Debug, report: Result<T, BankUnavailable>) -> Option<T> {
    report.inspect_err(|error| tracing::warn!(?object, %error, "cannot apply what is due")).ok()
}

/// Logs a refusal to settle, so that the caller returns the object unchanged. Returns errors of the store.
fn log_refusal<T, R: Debug>(object: impl Debug, settled: Result<T, WriteError<R>>) -> Result<(), StoreError> {
    match settled {
        Ok(_) => Ok(()),
        Err(WriteError::Store(error)) => Err(error),
        Err(error) => {
            tracing::error!(?object, ?error, "cannot apply what is due");
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

/// Asks the bank of a session, and applies the next [`Step`].
async fn advance_session(
    services: &CheckoutServices,
    found: &FoundSession,
    at: (&Timeline, DateTime<Utc>),
) -> Result<Progress, WriteError<SessionRefusal>> {
    let CheckoutSession { account, id: session, .. } = &found.session;
    let Some(action) = report_or_log(session, next_session_action(services, found, at.1).await) else {
        return Ok(Progress::Unavailable);
    };
    let due = (action != SessionAction::Due, found.session.due_at());
    let Some(step) = Step::next(services, ("session", session.0), due, at) else { return Ok(Progress::NotDue) };
    let clock = step.clock.clone();
    let decide =
        Arc::new(move |situation: &SessionSituation| clock.rule(|stamp| decide_session(situation, &action, stamp)));
    let command =
        SessionCommand { account: account.clone(), session: *session, decide, mode: Mode::Commit, claim: None };
    let settled = services.sessions.act(command).await?.outcome();
    Ok(step.progress(settled.and_then(|session| session.due_at())))
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

/// Asks the bank of a refund, and applies the next [`Step`].
async fn advance_refund(
    services: &CheckoutServices,
    (found, refund): (&MerchantPayment, RefundId),
    at: (&Timeline, DateTime<Utc>),
) -> Result<Progress, WriteError<RefundRefusal>> {
    let Some(action) = report_or_log(refund, next_refund_action(services, found, at.1).await) else {
        return Ok(Progress::Unavailable);
    };
    let due = (action != RefundAction::Due, found.refund_due_at());
    let Some(step) = Step::next(services, ("merchant refund", refund.0), due, at) else { return Ok(Progress::NotDue) };
    let clock = step.clock.clone();
    let decide =
        Arc::new(move |situation: &RefundSituation| clock.rule(|stamp| decide_refund(situation, action, stamp)));
    let command = RefundCommand { account: found.account.clone(), refund, decide, mode: Mode::Commit, claim: None };
    let settled = services.payments.act(command).await?.outcome();
    Ok(step.progress(settled.and_then(|refund| refund.refund_due_at())))
}

#[cfg(test)]
#[path = "settle_tests.rs"]
mod tests;
