//! The movements of a balance: their sums, and a page of them.
//!
//! Checkpoints contain the sums of the oldest movements of a balance, in the order of the list. A read starts at the
//! last checkpoint, and adds the movements after it. It compares the number of movements with `balances.movements`,
//! which counts them: movements are never changed or deleted, so a read that finds this many has missed none. A
//! movement that was committed late may be missing, because its place in the list, or its id, is before the point from
//! which the read starts. Then the read starts at an earlier checkpoint, or at the first movement, and the checkpoints
//! after that are replaced. See `docs/adr/0018-checkpoints-of-explanations.md`.

mod checkpoints;
mod gathering;
mod kind_sums;
mod movements;
mod page;
#[cfg(test)]
mod tests;
mod verify;

pub(super) use checkpoints::Extension;
pub(crate) use verify::wrong;

use super::BalanceId;
use super::body;
use super::body::backend::Conn;
use super::body::epochs;
use super::body::errors::{Outcome, corrupt};
use super::body::tables::checkpoints::CoverageRow;
use super::body::types::Id;
use checkpoints::Checkpoint;
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::books::{Booking, KindSum, PoolSums};
use florin_domain::page::PageRequest;
use gathering::Gathering;
use page::Covered;
use uuid::Uuid;

/// Sizes of reads and checkpoints.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    /// The number of movements between two checkpoints.
    segment: usize,
    /// A read that has to pass more than this many of the account's journal transactions moves the checkpoints forward,
    /// however few of them concern the balance.
    spread: i64,
    /// A read in a hurry gives up if it has to pass more than this many of the account's journal transactions.
    hurry: i64,
    /// Checkpoints leave out the movements of the account's last `margin`, because movements that come before them in
    /// the list may still be committed.
    margin: TimeDelta,
}

/// The sizes that are used, except in tests.
pub(super) const SIZES: Sizes = Sizes { segment: 500, spread: 5_000, hurry: 50_000, margin: TimeDelta::seconds(60) };

/// The movements of a balance.
#[derive(Debug)]
pub(super) struct History {
    /// The sum of each kind.
    pub(super) sums: Vec<KindSum>,
    /// The page, newest first.
    pub(super) bookings: Vec<Booking>,
    /// The sum of the newer movements, which the page skips.
    pub(super) skipped: PoolSums,
    /// The checkpoints to store, for the next read.
    pub(super) extension: Option<Extension>,
}

/// The result of a read that started at a checkpoint, or at the beginning.
struct Found {
    /// The checkpoint where it started.
    start: Option<Checkpoint>,
    gathering: Gathering,
    /// The number of movements that `balances.movements` does not count: see [`CoverageRow::uncounted`].
    uncounted: i64,
    /// Whether the read passed many journal transactions of the account.
    is_spread: bool,
    /// Whether checkpoints after the start are to be deleted.
    replaces: bool,
}

/// A read of a balance whose count of movements is known.
pub(super) struct Read<'a> {
    pub(super) of: &'a BalanceId,
    /// `balances.movements`.
    pub(super) counted: i64,
    pub(super) page: PageRequest,
    /// Whether to give up if there is much to read.
    pub(super) in_a_hurry: bool,
    pub(super) sizes: Sizes,
}

/// Reads the movements, in the view of the transaction. Returns `None` if it gave up.
pub(super) fn read(conn: &mut Conn, read: &Read<'_>) -> Outcome<Option<History>> {
    let epoch = epochs::current(conn, &read.of.account.0)?;
    let coverage = checkpoints::coverage(conn, read.of)?;
    if let Some(coverage) = coverage.as_ref().filter(|coverage| coverage.epoch == epoch) {
        match read.start(conn, coverage)? {
            Start::Found(found) => {
                if let Some(history) = read.complete(conn, epoch, Some(coverage), *found)? {
                    return Ok(Some(history));
                }
            }
            Start::TooFar => return Ok(None),
            Start::Stale => {}
        }
    }
    let Some((gathering, is_spread)) = read.gather(conn, None, Id(Uuid::nil()))? else { return Ok(None) };
    let uncounted = gathering.sums.count() - read.counted;
    let found = Found { start: None, gathering, uncounted, is_spread, replaces: coverage.is_some() };
    let history = read.complete(conn, epoch, coverage.as_ref(), found)?;
    Ok(Some(history.ok_or_else(|| corrupt("a movement that was read does not exist"))?))
}

/// The outcome of a read from checkpoints.
enum Start {
    Found(Box<Found>),
    /// The read was in a hurry, and there was too much to read.
    TooFar,
    /// Movements are missing.
    Stale,
}

impl Read<'_> {
    /// Reads from the last checkpoint after which no movement is missing.
    fn start(&self, conn: &mut Conn, coverage: &CoverageRow) -> Outcome<Start> {
        let (mut before, mut step) = (0, 1);
        let mut start = checkpoints::last(conn, self.of, 0)?;
        let mut from = coverage.tail_from;
        let mut replaces = false;
        loop {
            let Some((gathering, is_spread)) = self.gather(conn, start.as_ref(), from)? else {
                return Ok(Start::TooFar);
            };
            let covered = start.as_ref().map_or(0, |start| start.covered);
            if covered + gathering.sums.count() == self.counted + coverage.uncounted {
                let uncounted = coverage.uncounted;
                return Ok(Start::Found(Box::new(Found { start, gathering, uncounted, is_spread, replaces })));
            }
            match &start {
                None => return Ok(Start::Stale),
                // A missing movement may have an id before the id from which the read started.
                Some(last) if last.tail_from != from && !replaces => from = last.tail_from,
                Some(_) => {
                    before += step;
                    step *= 8;
                    let Some(earlier) = checkpoints::last(conn, self.of, before)? else { return Ok(Start::Stale) };
                    from = earlier.tail_from;
                    start = Some(earlier);
                }
            }
            replaces = true;
        }
    }

    /// Reads the movements after a checkpoint. Also returns whether they are spread over many journal transactions of
    /// the account. Returns `None` if it gave up.
    fn gather(&self, conn: &mut Conn, start: Option<&Checkpoint>, from: Id) -> Outcome<Option<(Gathering, bool)>> {
        let limit = if self.in_a_hurry { self.sizes.hurry } else { self.sizes.spread };
        let distance = movements::distance(conn, self.of, from, limit + 1)?;
        if self.in_a_hurry && distance > limit {
            return Ok(None);
        }
        let mut gathering = Gathering::new(start.map(|start| start.last), self.sizes.segment);
        movements::each_from(conn, self.of, from, &mut |booking| gathering.add(booking))?;
        Ok(Some((gathering, distance > self.sizes.spread)))
    }

    /// Adds the page, and the checkpoints to store. Returns `None` if a movement that a checkpoint covers does not
    /// exist.
    fn complete(
        &self,
        conn: &mut Conn,
        epoch: i64,
        coverage: Option<&CoverageRow>,
        mut found: Found,
    ) -> Outcome<Option<History>> {
        let extension = match movements::newest(conn, self.of)? {
            Some((id, at)) => self.extension(epoch, coverage, &mut found, (earlier(id, self.sizes.margin), at.0)),
            None => None,
        };
        let Found { start, gathering, .. } = found;
        let (count, before) = start.map(|start| (start.covered, start.sums)).unwrap_or_default();
        let covered = Covered { count, sum: before.total() };
        let sums = before.plus(&gathering.sums).into_list();
        let page = page::page(conn, self.of, covered, gathering, self.page)?;
        Ok(page.map(|(bookings, skipped)| History { sums, bookings, skipped, extension }))
    }

    /// Returns the checkpoints to store, if there are any. `passed` is the greatest id from which a later read may
    /// start. `now` is the time of the account's newest journal transaction.
    fn extension(
        &self,
        epoch: i64,
        coverage: Option<&CoverageRow>,
        found: &mut Found,
        (passed, now): (Id, DateTime<Utc>),
    ) -> Option<Extension> {
        let until = now - self.sizes.margin;
        found.gathering.close_before(until, found.is_spread);
        let closed = found.gathering.closed_before(until);
        let mut covered = found.start.as_ref().map_or(0, |start| start.covered);
        let mut sums = found.start.as_ref().map(|start| start.sums.clone()).unwrap_or_default();
        let following = found.gathering.least_ids_after();
        let after = |place: usize| following.get(place).copied().flatten().map_or(passed, |id| Id(id).min(passed));
        let mut new = Vec::with_capacity(closed);
        for (place, segment) in found.gathering.closed.iter().take(closed).enumerate() {
            let Some(last) = segment.last() else { continue };
            covered += i64::try_from(segment.keys.len()).ok()?;
            sums = sums.plus(&segment.sums);
            let journals = segment.keys.iter().map(|(_, id)| Id(*id)).collect();
            new.push(Checkpoint { covered, last, tail_from: after(place), sums: sums.clone(), journals });
        }
        let tail_from = if let Some(last) = new.last() {
            last.tail_from
        } else {
            let all = found.gathering.closed.iter().flat_map(|segment| segment.keys.iter());
            let first = all.chain(found.gathering.open.keys()).map(|(_, id)| *id).min();
            first.map_or(passed, |id| Id(id).min(passed))
        };
        let moves_forward = found.is_spread && coverage.is_none_or(|coverage| coverage.tail_from < tail_from);
        (!new.is_empty() || found.replaces || moves_forward).then(|| Extension {
            read: coverage.map(|coverage| (coverage.epoch, coverage.version)),
            epoch,
            uncounted: found.uncounted,
            keep_up_to: found.start.as_ref().map_or(0, |start| start.covered),
            new,
            tail_from,
        })
    }
}

/// Returns the least id of the time that is `margin` before an id. Ids begin with a time, in milliseconds.
fn earlier(id: Id, margin: TimeDelta) -> Id {
    let millis = (id.0.as_u128() >> 80).saturating_sub(u128::try_from(margin.num_milliseconds()).unwrap_or(0));
    Id(Uuid::from_u128(millis << 80))
}
