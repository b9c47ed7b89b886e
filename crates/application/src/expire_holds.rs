//! Holds that are due expire (contract 5.5).

use crate::Services;
use chrono::{DateTime, Utc};
use florin_domain::card::decide::{MessageStamp, decide_expiry};
use florin_domain::ids::{AccountId, JournalId, TransactionToken};
use florin_domain::world::Timeline;
use florin_ports::{DueHold, ExpiryOrder, StoreError};
use std::sync::Arc;

/// How many holds are asked for at a time.
const PORTION: u32 = 200;

/// Expires the holds that are due, until a round expires none; how many expired. Accounts with a clock of their own go by that.
///
/// A hold that can't be expired is logged and left to the next sweep; the others expire all the same.
pub async fn expire_holds(services: &Services) -> Result<usize, StoreError> {
    let mut written = 0;
    loop {
        let now = services.time.real_now();
        let due = services.cards.due_holds(now, PORTION).await?;
        let expired = expire_all(services, due, &Timeline::default(), now, false).await;
        written += expired;
        if expired == 0 {
            break;
        }
    }
    for (account, timeline) in services.timelines.own().await? {
        written += expire_holds_of(services, &account, &timeline).await?;
    }
    Ok(written)
}

/// Expires the holds of an account that are due by its own time, the oldest first, each at the time at which it was due: as if
/// the time that was skipped had passed.
pub(crate) async fn expire_holds_of(
    services: &Services,
    account: &AccountId,
    timeline: &Timeline,
) -> Result<usize, StoreError> {
    let mut written = 0;
    loop {
        let now = timeline.clock.now(services.time.real_now());
        let due = services.timelines.due_holds(account, now, PORTION).await?;
        let expired = expire_all(services, due, timeline, now, true).await;
        written += expired;
        if expired == 0 {
            return Ok(written);
        }
    }
}

async fn expire_all(
    services: &Services,
    due: Vec<DueHold>,
    timeline: &Timeline,
    now: DateTime<Utc>,
    when_due: bool,
) -> usize {
    let mut expired = 0;
    for hold in due {
        if expire(services, hold, timeline, now, when_due).await {
            expired += 1;
        }
    }
    expired
}

async fn expire(services: &Services, hold: DueHold, timeline: &Timeline, now: DateTime<Utc>, when_due: bool) -> bool {
    let chain = hold.chain;
    let (time, timeline) = (services.time.clone(), timeline.clone());
    let order = ExpiryOrder {
        hold,
        decide: Arc::new(move |situation| {
            let due_at = situation.chain.as_ref().and_then(florin_domain::card::Chain::due_at);
            let at = due_at.filter(|due_at| when_due && *due_at <= now).unwrap_or(now);
            let moment = time.because(&timeline, at, &[b"expiry", chain.0.as_bytes()]);
            let stamp = MessageStamp {
                token: TransactionToken(moment.next_id()),
                journal: JournalId(moment.next_id()),
                now: at,
            };
            decide_expiry(situation, &stamp)
        }),
    };
    match services.cards.expire(order).await {
        Ok(written) => written,
        Err(error) => {
            tracing::error!(%chain, %error, "a hold could not be expired");
            false
        }
    }
}
