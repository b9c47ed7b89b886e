//! Finds and reads stored events.

use super::body::backend::Db;
use super::body::tables::access::accounts;
use super::body::tables::events::{EventRow, outbox_events};
use super::body::types::{Id, Named, Time};
use diesel::prelude::*;
use florin_domain::event::{EventFilter, EventPosition, StoredEvent};
use florin_domain::ids::{AccountId, CheckoutId, EventId};
use florin_ports::EventReach;

/// Selects the events in reach that match the filter.
pub(super) fn matching<'a>(reach: &'a EventReach, filter: &'a EventFilter) -> outbox_events::BoxedQuery<'a, Db> {
    let of_client = accounts::table.filter(accounts::client_id.eq(Id(reach.client.0))).select(accounts::id);
    let mut rows = outbox_events::table.filter(outbox_events::account_id.eq_any(of_client)).into_boxed();
    if let Some(only) = &reach.accounts {
        rows = match only.first().filter(|_| only.len() == 1) {
            Some(account) => rows.filter(outbox_events::account_id.eq(account.as_str())),
            None => rows.filter(outbox_events::account_id.eq_any(only.iter().map(AccountId::as_str))),
        };
    }
    if !filter.kinds.is_empty() {
        rows = rows.filter(outbox_events::kind.eq_any(filter.kinds.iter().copied().map(Named)));
    }
    if let Some(object) = filter.object {
        rows = rows.filter(outbox_events::object_id.eq(Id(object)));
    }
    if let Some(from) = filter.from {
        rows = rows.filter(outbox_events::occurred_at.ge(Time(from)));
    }
    if let Some(to) = filter.to {
        rows = rows.filter(outbox_events::occurred_at.le(Time(to)));
    }
    rows
}

impl EventRow {
    /// Converts the row to the domain.
    pub(super) fn read(self) -> StoredEvent {
        StoredEvent {
            position: EventPosition(self.position),
            id: EventId(self.id.0),
            account: self.account_id.0,
            kind: self.kind.0,
            object: self.object_id.0,
            sequence: self.sequence.unsigned_abs(),
            occurred_at: self.occurred_at.0,
            recorded_at: self.recorded_at.0,
            body: self.body,
            checkout: self.checkout_id.map(|id| CheckoutId(id.0)),
        }
    }
}
