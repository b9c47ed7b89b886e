//! Bugs in events.

use crate::bugs::Bug;
use crate::mutant::Mutant;
use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use florin_domain::access::Feature;
use florin_domain::event::{EventFilter, EventKind, EventPosition, Redeliveries, StoredEvent};
use florin_domain::ids::{ClientId, EventId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{EventReach, EventRecording, Events, StoreError};
use std::sync::atomic::Ordering;

impl Mutant {
    /// Returns an event as a store with the bug would show it.
    fn with_bug(&self, mut event: StoredEvent) -> Option<StoredEvent> {
        match self.bug {
            Some(Bug::EventsLate) => event.occurred_at += TimeDelta::seconds(1),
            Some(Bug::EventsChange) => {
                // Every read returns another body.
                event.body.push_str(&self.reads.fetch_add(1, Ordering::Relaxed).to_string());
            }
            Some(Bug::SequencesWithGaps) if event.sequence > 1 => event.sequence += 1,
            Some(Bug::EventsOfMessagesLost) if event.kind == EventKind::CardTransaction => return None,
            _ => {}
        }
        Some(event)
    }
}

#[async_trait]
impl Events for Mutant {
    fn start_recording_events(&self, recording: EventRecording) {
        self.inner.start_recording_events(recording);
    }

    async fn list(
        &self,
        mut reach: EventReach,
        filter: EventFilter,
        mut page: PageRequest,
    ) -> Result<Page<StoredEvent>, StoreError> {
        if self.has(Bug::EventsOfAnyAccount) {
            reach.accounts = None;
            if let Some(account) = florin_ports::Registry::accounts(&self.inner).await?.first() {
                reach.client = account.client;
            }
        }
        if self.has(Bug::SecondPageOfEventsIsTheFirst) {
            page.offset = 0;
        }
        let client = reach.client;
        let mut found = Events::list(&self.inner, reach, filter, page).await?;
        if self.has(Bug::EventsOfSubscribersLost)
            && let Some(client) = florin_ports::Accounts::client(&self.inner, client).await?
            && !client.features.contains(&Feature::Events)
        {
            found.rows.clear();
        }
        found.rows = found.rows.into_iter().filter_map(|event| self.with_bug(event)).collect();
        if self.has(Bug::UndoneEventsStay) {
            let mut listed = self.listed.lock().unwrap();
            listed.extend(found.rows.iter().map(|event| (event.position, event.clone())));
            found.rows = listed.values().rev().cloned().collect();
        }
        if self.has(Bug::EventsWithoutCause) && self.has_failed.load(Ordering::Relaxed) {
            found.rows.extend(found.rows.first().cloned());
        }
        Ok(found)
    }

    async fn position_of(&self, reach: EventReach, event: EventId) -> Result<Option<EventPosition>, StoreError> {
        self.inner.position_of(reach, event).await
    }

    async fn tail(&self, client: ClientId) -> Result<Option<EventPosition>, StoreError> {
        let tail = self.inner.tail(client).await?;
        // The tail includes positions that later transactions will draw.
        Ok(if self.has(Bug::TailTooFar) { tail.map(|EventPosition(last)| EventPosition(last + 3)) } else { tail })
    }

    async fn between(
        &self,
        reach: EventReach,
        filter: EventFilter,
        (after, until): (EventPosition, EventPosition),
        max: u32,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        let after = if self.has(Bug::BetweenIncludesItsStart) { EventPosition(after.0 - 1) } else { after };
        self.inner.between(reach, filter, (after, until), max).await
    }

    async fn redeliveries(
        &self,
        mut reach: EventReach,
        filter: EventFilter,
        range: (EventPosition, EventPosition),
        max: u32,
    ) -> Result<Redeliveries, StoreError> {
        if self.has(Bug::RedeliveriesOfAnyAccount) {
            reach.accounts = None;
        }
        let filter = if self.has(Bug::RedeliveriesUnfiltered) { EventFilter::default() } else { filter };
        let mut done = self.inner.redeliveries(reach, filter, range, max).await?;
        if self.has(Bug::RedeliveriesSkipped) {
            done.until = range.1;
        }
        if self.has(Bug::RedeliveriesLost) {
            done.found.clear();
        }
        Ok(done)
    }

    async fn delete_events(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
        let max = if self.has(Bug::EventsDeletedUnbounded) { u32::MAX } else { max };
        let before = if self.has(Bug::YoungEventsDeleted) { before + TimeDelta::microseconds(1) } else { before };
        self.inner.delete_events(before, max).await
    }
}
