//! Timelines of accounts.

use super::ask::ask;
use super::backend::Conn;
use super::cards;
use super::driver;
use super::errors::{Failure, Outcome, Stop, corrupt};
use super::footprint::Footprint;
use super::group::under_claim;
use super::statements;
use super::store::Store;
use super::tables::access::accounts;
use super::tables::worlds::{TimelineRow, timelines};
use super::types::{Account, Time};
use super::webhooks;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};
use florin_domain::ids::AccountId;
use florin_domain::world::{ClockReading, ClockRefusal, ClockSetting, Timeline, WorldSeed};
use florin_ports::{AccountTimeline, ClockCommand, DueHold, StoreError, Timelines, WriteError, Written};

/// Increases the counter of an account's ids, and returns it.
const NEXT: &str = "UPDATE timelines SET last_number = last_number + 1 WHERE account_id = $1 RETURNING last_number";

#[derive(QueryableByName)]
struct Next {
    #[diesel(sql_type = BigInt)]
    last_number: i64,
}

impl TimelineRow {
    /// Returns the timeline with its account.
    pub(crate) fn read_with_account(self) -> Outcome<AccountTimeline> {
        Ok(AccountTimeline { account: self.account_id.0.clone(), timeline: self.read()? })
    }

    /// Converts the row to the domain.
    pub(crate) fn read(self) -> Outcome<Timeline> {
        Ok(Timeline { clock: self.clock(), seed: self.seed.as_deref().map(read_seed).transpose()? })
    }

    /// Returns the clock.
    pub(crate) fn clock(&self) -> ClockSetting {
        match &self.frozen_at {
            Some(at) => ClockSetting::Frozen { at: at.0 },
            None => ClockSetting::Running { ahead: TimeDelta::microseconds(self.ahead_micros) },
        }
    }
}

fn read_seed(text: &str) -> Outcome<WorldSeed> {
    let mut seed = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return Err(corrupt("a seed that is not a hash"));
    }
    for (index, byte) in seed.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * index..2 * index + 2], 16).map_err(corrupt)?;
    }
    Ok(WorldSeed(seed))
}

fn columns(clock: ClockSetting) -> Outcome<(i64, Option<Time>)> {
    Ok(match clock {
        ClockSetting::Frozen { at } => (0, Some(Time(at))),
        ClockSetting::Running { ahead } => {
            (ahead.num_microseconds().ok_or_else(|| corrupt("a clock that is too far ahead"))?, None)
        }
    })
}

/// Stores the timeline of an account that has none yet.
pub(crate) fn insert(conn: &mut Conn, account: &AccountId, timeline: &Timeline) -> Outcome<()> {
    let (ahead_micros, frozen_at) = columns(timeline.clock)?;
    let row = TimelineRow {
        account_id: Account(account.clone()),
        ahead_micros,
        frozen_at,
        seed: timeline.seed.map(|seed| florin_store_contract::export::hexadecimal(&seed.0)),
        last_number: 0,
    };
    statements::insert(vec![row], conn)
}

/// Changes an existing timeline. Its id counter does not change.
pub(crate) fn update(conn: &mut Conn, account: &AccountId, timeline: &Timeline) -> Outcome<()> {
    let (ahead_micros, frozen_at) = columns(timeline.clock)?;
    let seed = timeline.seed.map(|seed| florin_store_contract::export::hexadecimal(&seed.0));
    diesel::update(timelines::table.filter(timelines::account_id.eq(account.as_str())))
        .set((timelines::ahead_micros.eq(ahead_micros), timelines::frozen_at.eq(frozen_at), timelines::seed.eq(seed)))
        .execute(conn)?;
    Ok(())
}

/// Returns the timeline of an account, if it has one.
pub(crate) fn find(conn: &mut Conn, account: &AccountId) -> Outcome<Option<Timeline>> {
    let row = timelines::table.filter(timelines::account_id.eq(account.as_str()));
    let row = row.select(TimelineRow::as_select()).get_result(conn).optional()?;
    row.map(TimelineRow::read).transpose()
}

#[async_trait]
impl Timelines for Store {
    async fn set_clock(&self, command: ClockCommand) -> Result<Written<ClockReading>, WriteError<ClockRefusal>> {
        self.task(move |conn| {
            // Serializes changes of one clock, across all instances.
            driver::lock_operators(conn)?;
            let known = accounts::table.filter(accounts::id.eq(command.account.as_str()));
            if !diesel::select(diesel::dsl::exists(known)).get_result::<bool>(conn)? {
                return Err(WriteError::Absent.into());
            }
            under_claim(conn, Footprint::default(), command.claim.as_ref(), |conn, _| set(conn, &command))
        })
        .await
    }

    async fn next_number(&self, account: &AccountId) -> Result<u64, StoreError> {
        let account = account.clone();
        self.write(move |conn| next(conn, &account)).await
    }

    async fn accounts_with_timeline(&self) -> Result<Vec<AccountTimeline>, StoreError> {
        self.read(|conn| {
            let rows = timelines::table
                .order(timelines::account_id)
                .select(TimelineRow::as_select())
                .load::<TimelineRow>(conn)?;
            rows.into_iter().map(TimelineRow::read_with_account).collect()
        })
        .await
    }

    async fn due_holds(&self, account: &AccountId, now: DateTime<Utc>, max: u32) -> Result<Vec<DueHold>, StoreError> {
        let account = account.clone();
        self.read(move |conn| cards::due_of_account(conn, &account, now, max)).await
    }
}

fn set(conn: &mut Conn, command: &ClockCommand) -> Result<ClockReading, Stop<WriteError<ClockRefusal>>> {
    let own = find(conn, &command.account)?;
    let clock = own.as_ref().map_or_else(ClockSetting::default, |own| own.clock);
    let reading = ask(|| (command.decide)(&clock))?.map_err(WriteError::Refused)?;
    let timeline = Timeline { clock: reading.clock, seed: own.as_ref().and_then(|own| own.seed) };
    match own {
        Some(_) => update(conn, &command.account, &timeline)?,
        None => insert(conn, &command.account, &timeline)?,
    }
    webhooks::resume(conn, &command.account)?;
    Ok(reading)
}

fn next(conn: &mut Conn, account: &AccountId) -> Outcome<u64> {
    let row = sql_query(NEXT).bind::<Text, _>(Account(account.clone())).get_result::<Next>(conn).optional()?;
    let row = row.ok_or_else(|| Failure::NotFound(format!("a timeline of account {account}")))?;
    u64::try_from(row.last_number).map_err(corrupt)
}
