//! Expires holds that are due (contract 5.5).

use crate::Services;
use chrono::{DateTime, Utc};
use florin_domain::card::decide::decide_expiry;
use florin_domain::ids::{AccountId, TransactionToken};
use florin_domain::world::Timeline;
use florin_ports::{DueHold, ExpiryCommand, StoreError, WriteError};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Maximum number of holds per query.
const PORTION: u32 = 200;

/// Expires every hold that is due and returns the number of expired holds.
///
/// For an account with its own clock, that clock decides which holds are due. A hold that can't be expired is logged
/// and skipped until the next sweep, and does not delay the others. If the store is unavailable, the sweep ends with an
/// error.
pub async fn expire_holds(services: &Services) -> Result<usize, StoreError> {
    let mut sweep = Sweep::of(services, None);
    loop {
        let now = services.time.real_now();
        let due = services.cards.due_holds(now, sweep.portion()).await?;
        if !sweep.expire(due, &Timeline::default(), now).await? {
            break;
        }
    }
    let mut written = sweep.written;
    for (account, timeline) in services.timelines.own().await? {
        written += expire_holds_of(services, &account, &timeline).await?;
    }
    Ok(written)
}

/// Expires the holds of an account that are due by its own time, oldest first. Each expiry gets the time at which
/// its hold was due, not the current time.
pub(crate) async fn expire_holds_of(
    services: &Services,
    account: &AccountId,
    timeline: &Timeline,
) -> Result<usize, StoreError> {
    let mut sweep = Sweep::of(services, Some(WhenDue));
    loop {
        let now = timeline.clock.now(services.time.real_now());
        let due = services.timelines.due_holds(account, now, sweep.portion()).await?;
        if !sweep.expire(due, timeline, now).await? {
            return Ok(sweep.written);
        }
    }
}

/// Dates expiries when the holds were due, not when they are written.
#[derive(Clone, Copy)]
struct WhenDue;

/// A sweep of due holds in portions, until no remaining hold can be expired.
struct Sweep<'s> {
    services: &'s Services,
    when_due: Option<WhenDue>,
    written: usize,
    /// Holds that could not be expired. They are still due, so the store returns them first again.
    stuck: BTreeSet<(AccountId, TransactionToken)>,
}

impl<'s> Sweep<'s> {
    const fn of(services: &'s Services, when_due: Option<WhenDue>) -> Self {
        Self { services, when_due, written: 0, stuck: BTreeSet::new() }
    }

    fn portion(&self) -> u32 {
        PORTION.saturating_add(u32::try_from(self.stuck.len()).unwrap_or(u32::MAX))
    }

    /// Expires the holds that have not failed in this sweep. Returns `false` if there were none.
    async fn expire(
        &mut self,
        mut due: Vec<DueHold>,
        timeline: &Timeline,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        due.retain(|hold| !self.stuck.contains(&(hold.account.clone(), hold.chain)));
        let any = !due.is_empty();
        for hold in due {
            let key = (hold.account.clone(), hold.chain);
            if expire(self.services, hold, timeline, now, self.when_due).await? {
                self.written += 1;
            } else {
                self.stuck.insert(key);
            }
        }
        Ok(any)
    }
}

/// Expires one hold and returns whether it was written. An error means that the store is unavailable or overloaded.
async fn expire(
    services: &Services,
    hold: DueHold,
    timeline: &Timeline,
    now: DateTime<Utc>,
    when_due: Option<WhenDue>,
) -> Result<bool, StoreError> {
    let chain = hold.chain;
    let (time, timeline) = (services.time.clone(), timeline.clone());
    let command = ExpiryCommand {
        hold,
        decide: Arc::new(move |situation| {
            let due_at = situation.chain.as_ref().and_then(florin_domain::card::Chain::due_at);
            let at = due_at.filter(|due_at| when_due.is_some() && *due_at <= now).unwrap_or(now);
            let clock = time.for_background(&timeline, at, &[b"expiry", chain.0.as_bytes()]);
            clock.rule(|stamp| decide_expiry(situation, stamp))
        }),
    };
    match services.cards.expire(command).await {
        Ok(written) => Ok(written),
        Err(WriteError::Store(
            error @ (StoreError::Unavailable(_) | StoreError::OutcomeUnknown(_) | StoreError::Overloaded),
        )) => Err(error),
        Err(error) => {
            tracing::error!(%chain, %error, "cannot expire a hold; skipping it until the next sweep");
            Ok(false)
        }
    }
}

#[cfg(test)]
#[path = "expire_holds_tests.rs"]
mod tests;
