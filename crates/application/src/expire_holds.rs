//! Expires holds that are due (contract 5.5).

use crate::Services;
use crate::sweep::Sweep;
use chrono::{DateTime, Utc};
use florin_domain::card::decide::{CardRefusal, decide_expiry};
use florin_domain::ids::{AccountId, TransactionToken};
use florin_domain::world::Timeline;
use florin_ports::{AccountTimeline, DueHold, ExpiryCommand, StoreError, WriteError};
use std::sync::Arc;

/// Expires every hold that is due, and returns the number of expired holds.
///
/// For an account with its own clock, that clock decides which holds are due. A hold that can't be expired is logged
/// and skipped until the next sweep, and does not delay the others. If the store is unavailable, the sweep ends with an
/// error.
pub async fn expire_holds(services: &Services) -> Result<usize, StoreError> {
    let mut sweep = Sweep::new();
    loop {
        let now = services.time.real_now();
        let due = services.cards.due_holds(now, sweep.portion()).await?.into_iter().map(|due| due.item).collect();
        if !expire_portion(services, &mut sweep, due, (&Timeline::default(), now, DatedAt::Now)).await? {
            break;
        }
    }
    let mut written = sweep.written();
    for AccountTimeline { account, timeline } in services.timelines.accounts_with_timeline().await? {
        written += expire_holds_of(services, &account, &timeline).await?;
    }
    Ok(written)
}

/// Expires the holds that are due by the account's time, the oldest first. Each expiry is dated when its hold was due,
/// not at the current time.
pub(crate) async fn expire_holds_of(
    services: &Services,
    account: &AccountId,
    timeline: &Timeline,
) -> Result<usize, StoreError> {
    let mut sweep = Sweep::new();
    loop {
        let now = timeline.clock.now(services.time.real_now());
        let due = services.timelines.due_holds(account, now, sweep.portion()).await?;
        if !expire_portion(services, &mut sweep, due, (timeline, now, DatedAt::DueTime)).await? {
            return Ok(sweep.written());
        }
    }
}

/// The time that an expiry gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DatedAt {
    /// The current time.
    Now,
    /// The time when its hold was due.
    DueTime,
}

/// The timeline of an account, its current time, and how expiries are dated.
type Times<'a> = (&'a Timeline, DateTime<Utc>, DatedAt);

/// Expires those of the `due` holds that have not failed in this sweep. Returns `false` if there are none.
async fn expire_portion(
    services: &Services,
    sweep: &mut Sweep<(AccountId, TransactionToken)>,
    due: Vec<DueHold>,
    times: Times<'_>,
) -> Result<bool, StoreError> {
    let key = |hold: &DueHold| (hold.account.clone(), hold.chain);
    let due = sweep.without_stuck(due, key);
    let any = !due.is_empty();
    for hold in due {
        sweep.record(key(&hold), expire(services, hold, times).await)?;
    }
    Ok(any)
}

/// Expires one hold, and returns whether the expiry was written.
async fn expire(
    services: &Services,
    hold: DueHold,
    (timeline, now, dated_at): Times<'_>,
) -> Result<bool, WriteError<CardRefusal>> {
    let chain = hold.chain;
    let (time, timeline) = (services.time.clone(), timeline.clone());
    let command = ExpiryCommand {
        hold,
        decide: Arc::new(move |situation| {
            let due_at = situation.chain.as_ref().and_then(florin_domain::card::Chain::due_at);
            let at = due_at.filter(|due_at| dated_at == DatedAt::DueTime && *due_at <= now).unwrap_or(now);
            let clock = time.for_background(&timeline, at, &[b"expiry", chain.0.as_bytes()]);
            clock.rule(|stamp| decide_expiry(situation, stamp))
        }),
    };
    services.cards.expire(command).await
}

#[cfg(test)]
#[path = "expire_holds_tests.rs"]
pub(crate) mod tests;
