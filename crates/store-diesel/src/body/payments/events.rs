//! What happened, written in the transaction of its cause.

use super::body::backend::Changes;
use super::body::errors::Outcome;
use super::body::schema::outbox_events;
use super::body::sets::{Stored, rows};
use super::body::types::{Account, Id, Named, Time};
use diesel::prelude::*;
use florin_domain::event::{Event, EventKind};

rows! {
    #[derive(Insertable)]
    #[diesel(table_name = outbox_events, treat_none_as_default_value = false)]
    struct EventRow in outbox_events {
        account_id: Account,
        id: Id,
        kind: Named<EventKind>,
        batch_id: Id,
        order_id: Option<Id>,
        payment_id: Option<Id>,
        created_at: Time,
    }
}

/// New events.
#[derive(Default)]
pub(crate) struct Events(Vec<EventRow>);

impl Events {
    /// Notes events.
    pub(crate) fn add(&mut self, events: &[Event]) {
        self.0.extend(events.iter().map(|event| EventRow {
            account_id: Account(event.account.clone()),
            id: Id(event.id.0),
            kind: Named(event.kind),
            batch_id: Id(event.subject.batch.0),
            order_id: event.subject.order.map(|id| Id(id.0)),
            payment_id: event.subject.payment.map(|id| Id(id.0)),
            created_at: Time(event.at),
        }));
    }

    /// Stores what was noted.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        EventRow::note(self.0, changes)
    }
}
