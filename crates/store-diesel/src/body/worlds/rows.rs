//! Worlds as rows.

use super::body::backend::Conn;
use super::body::driver;
use super::body::errors::{Outcome, corrupt};
use super::body::statements;
use super::body::tables::worlds::{TimelineRow, WorldRow, timelines, worlds};
use super::body::types::{Account, Id, Named, Time};
use chrono::{DateTime, Utc};
use diesel::prelude::*;
use florin_domain::ids::{AccountId, ClientId};
use florin_domain::page::{Page, PageRequest};
use florin_domain::text::Text;
use florin_domain::world::{CreationClaim, SandboxWorld};
use std::collections::BTreeSet;

impl WorldRow {
    fn of(world: &SandboxWorld, claim: Option<&CreationClaim>, epoch: i64) -> Self {
        Self {
            account_id: Account(world.account.clone()),
            client_id: Id(world.client.0),
            template: Named(world.template),
            seed_text: world.seed.as_ref().map(|seed| seed.as_str().to_owned()),
            created_at: Time(world.created_at),
            expires_at: Time(world.expires_at),
            made_under: claim.map(|claim| claim.key.clone()),
            request_hash: claim.map(|claim| claim.request.clone()),
            epoch,
        }
    }
}

fn read((row, timeline): (WorldRow, TimelineRow)) -> Outcome<SandboxWorld> {
    let seed = row.seed_text.map(Text::parse).transpose();
    Ok(SandboxWorld {
        account: row.account_id.0,
        client: ClientId(row.client_id.0),
        template: row.template.0,
        seed: seed.map_err(|flaw| corrupt(flaw.message))?,
        created_at: row.created_at.0,
        expires_at: row.expires_at.0,
        clock: timeline.clock(),
    })
}

pub(super) fn insert(conn: &mut Conn, world: &SandboxWorld, claim: Option<&CreationClaim>) -> Outcome<()> {
    let epoch = driver::draw_position(conn)?;
    statements::insert(vec![WorldRow::of(world, claim, epoch)], conn)
}

/// Begins a new epoch of a world.
pub(super) fn begin_epoch(conn: &mut Conn, account: &AccountId) -> Outcome<()> {
    let epoch = driver::draw_position(conn)?;
    let row = worlds::table.filter(worlds::account_id.eq(account.as_str()));
    diesel::update(row).set(worlds::epoch.eq(epoch)).execute(conn)?;
    Ok(())
}

/// Sets when a world expires.
pub(super) fn set_expiry(conn: &mut Conn, account: &AccountId, expires_at: DateTime<Utc>) -> Outcome<()> {
    let row = worlds::table.filter(worlds::account_id.eq(account.as_str()));
    diesel::update(row).set(worlds::expires_at.eq(Time(expires_at))).execute(conn)?;
    Ok(())
}

pub(super) fn find(conn: &mut Conn, account: &AccountId) -> Outcome<Option<SandboxWorld>> {
    let row = worlds::table
        .inner_join(timelines::table.on(timelines::account_id.eq(worlds::account_id)))
        .filter(worlds::account_id.eq(account.as_str()))
        .select((WorldRow::as_select(), TimelineRow::as_select()))
        .get_result(conn)
        .optional()?;
    row.map(read).transpose()
}

pub(super) fn list(
    conn: &mut Conn,
    client: ClientId,
    only: Option<&BTreeSet<AccountId>>,
    page: PageRequest,
) -> Outcome<Page<SandboxWorld>> {
    let only = only.map(|only| only.iter().map(AccountId::as_str).collect::<Vec<_>>());
    let of_client = || worlds::table.filter(worlds::client_id.eq(Id(client.0)));
    let mut counted = of_client().count().into_boxed();
    let mut query = of_client()
        .inner_join(timelines::table.on(timelines::account_id.eq(worlds::account_id)))
        .order((worlds::created_at.desc(), worlds::account_id))
        .limit(page.limit)
        .offset(page.offset)
        .select((WorldRow::as_select(), TimelineRow::as_select()))
        .into_boxed();
    if let Some(only) = only {
        counted = counted.filter(worlds::account_id.eq_any(only.clone()));
        query = query.filter(worlds::account_id.eq_any(only));
    }
    let count = counted.get_result(conn)?;
    let rows = query.load::<(WorldRow, TimelineRow)>(conn)?;
    Ok(Page { count, rows: rows.into_iter().map(read).collect::<Outcome<_>>()? })
}

/// Counts the worlds of a client.
pub(super) fn count(conn: &mut Conn, client: ClientId) -> Outcome<i64> {
    Ok(worlds::table.filter(worlds::client_id.eq(Id(client.0))).count().get_result(conn)?)
}

/// Returns the world that a client created under an idempotency key, with the hash of its request.
pub(super) fn made_under(conn: &mut Conn, client: ClientId, key: &str) -> Outcome<Option<(AccountId, String)>> {
    let row = worlds::table
        .filter(worlds::client_id.eq(Id(client.0)))
        .filter(worlds::made_under.eq(key))
        .select((worlds::account_id, worlds::request_hash))
        .get_result::<(Account, Option<String>)>(conn)
        .optional()?;
    Ok(row.map(|(account, request)| (account.0, request.unwrap_or_default())))
}

/// Returns expired worlds, the longest expired first.
pub(super) fn expired(conn: &mut Conn, real_now: DateTime<Utc>, max: u32) -> Outcome<Vec<AccountId>> {
    let accounts = worlds::table
        .filter(worlds::expires_at.le(Time(real_now)))
        .order((worlds::expires_at, worlds::account_id))
        .limit(i64::from(max))
        .select(worlds::account_id)
        .load::<Account>(conn)?;
    Ok(accounts.into_iter().map(|account| account.0).collect())
}
