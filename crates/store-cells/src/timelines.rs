//! Timelines of accounts.

use crate::Cells;
use crate::routes::routes;
use chrono::{DateTime, Utc};
use florin_domain::ids::AccountId;
use florin_domain::world::{ClockReading, ClockRefusal};
use florin_ports::{AccountTimeline, ClockCommand, DueHold, StoreError, Timelines, WriteError, Written};

routes! { Timelines:
    set_clock(command: ClockCommand) -> Result<Written<ClockReading>, WriteError<ClockRefusal>>
        => [account(&command.account)];
    next_number(account: &AccountId) -> Result<u64, StoreError> => [account(account)];
    accounts_with_timeline() -> Result<Vec<AccountTimeline>, StoreError> => [with(accounts_with_timeline)];
    due_holds(account: &AccountId, now: DateTime<Utc>, max: u32) -> Result<Vec<DueHold>, StoreError>
        => [account(account)];
}

async fn accounts_with_timeline(cells: &Cells) -> Result<Vec<AccountTimeline>, StoreError> {
    let mut timelines = cells.gather(|store| async move { Timelines::accounts_with_timeline(&*store).await }).await?;
    timelines.sort_by(|one, other| one.account.cmp(&other.account));
    Ok(timelines)
}
