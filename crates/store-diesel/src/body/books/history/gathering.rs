//! Divides the movements of a balance into segments.

use super::kind_sums::KindSums;
use chrono::{DateTime, Utc};
use florin_domain::books::{Booking, PoolSums};
use std::collections::BTreeMap;
use uuid::Uuid;

/// The place of a movement in the list: time, then id.
pub(super) type ListKey = (DateTime<Utc>, Uuid);

/// Returns the place of a movement in the list.
pub(super) const fn key_of(booking: &Booking) -> ListKey {
    (booking.at, booking.journal.0)
}

/// Consecutive movements of the list, oldest first.
#[derive(Debug)]
pub(super) struct Segment {
    pub(super) keys: Vec<ListKey>,
    pub(super) sums: KindSums,
}

impl Segment {
    /// Returns the place of the last movement.
    pub(super) fn last(&self) -> Option<ListKey> {
        self.keys.last().copied()
    }

    fn insert(&mut self, booking: &Booking) {
        let key = key_of(booking);
        let place = self.keys.partition_point(|other| *other < key);
        self.keys.insert(place, key);
        self.sums.add(booking);
    }
}

/// Movements after a place in the list, divided into segments. They arrive in any order, mostly in the order of the
/// list.
#[derive(Debug)]
pub(super) struct Gathering {
    /// Only movements after this place count.
    after: Option<ListKey>,
    /// The number of movements of a segment.
    size: usize,
    /// The older movements, of which only places and sums are kept.
    pub(super) closed: Vec<Segment>,
    /// The newest movements.
    pub(super) open: BTreeMap<ListKey, Booking>,
    /// The sums of all movements, older and newest.
    pub(super) sums: KindSums,
}

impl Gathering {
    pub(super) fn new(after: Option<ListKey>, size: usize) -> Self {
        Self { after, size, closed: Vec::new(), open: BTreeMap::new(), sums: KindSums::default() }
    }

    /// Adds a movement if it is after the place.
    pub(super) fn add(&mut self, booking: Booking) {
        let key = key_of(&booking);
        if self.after.is_some_and(|after| key <= after) {
            return;
        }
        self.sums.add(&booking);
        if self.closed.last().and_then(Segment::last).is_some_and(|last| key < last) {
            let place = self.closed.partition_point(|segment| segment.last().is_some_and(|last| last < key));
            self.closed[place].insert(&booking);
            return;
        }
        self.open.insert(key, booking);
        if self.open.len() >= 2 * self.size {
            self.close(self.size);
        }
    }

    /// Closes full segments of movements before a time. With `rest_too`, the remaining movements before that time
    /// become a shorter segment.
    pub(super) fn close_before(&mut self, until: DateTime<Utc>, rest_too: bool) {
        loop {
            let older = self.open.range(..(until, Uuid::nil())).take(self.size).count();
            if older == 0 || (older < self.size && !rest_too) {
                return;
            }
            self.close(older);
        }
    }

    fn close(&mut self, number: usize) {
        let mut segment = Segment { keys: Vec::with_capacity(number), sums: KindSums::default() };
        for _ in 0..number {
            let Some((key, booking)) = self.open.pop_first() else { break };
            segment.keys.push(key);
            segment.sums.add(&booking);
        }
        self.closed.push(segment);
    }

    /// Returns how many of the closed segments end before a time.
    pub(super) fn closed_before(&self, until: DateTime<Utc>) -> usize {
        self.closed.partition_point(|segment| segment.last().is_some_and(|(at, _)| at < until))
    }

    /// Returns for each closed segment the least id of the movements after it.
    pub(super) fn least_ids_after(&self) -> Vec<Option<Uuid>> {
        let mut least = self.open.keys().map(|(_, id)| *id).min();
        let mut all: Vec<_> = self
            .closed
            .iter()
            .rev()
            .map(|segment| {
                let after = least;
                let own = segment.keys.iter().map(|(_, id)| *id).min();
                least = [least, own].into_iter().flatten().min();
                after
            })
            .collect();
        all.reverse();
        all
    }

    /// Returns the sum of all movements.
    pub(super) fn total(&self) -> PoolSums {
        self.sums.total()
    }
}
