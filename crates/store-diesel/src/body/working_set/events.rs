//! Events, written in the transaction of their cause.

use super::body::backend::Changes;
use super::body::errors::Outcome;
use super::body::tables::batches::EventRow;
use super::body::types::{Account, Id, Named, Time};
use florin_domain::event::Event;

/// New events.
#[derive(Default)]
pub(crate) struct Events(Vec<EventRow>);

impl Events {
    /// Stages events.
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

    /// Stores the staged changes.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        changes.insert(self.0)
    }
}
