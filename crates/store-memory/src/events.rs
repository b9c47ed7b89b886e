//! Events and their redeliveries.

use crate::MemoryStore;
use crate::data::Data;
use crate::deliveries;
use crate::pages::paginate;
use async_trait::async_trait;
use chrono::{DateTime, SubsecRound, Utc};
use florin_domain::access::{Environment, Feature};
use florin_domain::event::{
    Audience, Event, EventBody, EventFilter, EventObject, EventPosition, Redeliveries, Redelivery, StoredEvent,
};
use florin_domain::ids::{AccountId, ClientId, EventId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{EventReach, EventRecording, Events, StoreError};

#[async_trait]
impl Events for MemoryStore {
    fn start_recording_events(&self, recording: EventRecording) {
        // A change of the data can't fail.
        let _ = self.change(|data| {
            data.recording.get_or_insert(recording);
            Ok(())
        });
    }

    async fn list(
        &self,
        reach: EventReach,
        filter: EventFilter,
        page: PageRequest,
    ) -> Result<Page<StoredEvent>, StoreError> {
        Ok(self.read(|data| {
            let mut found: Vec<_> = reached(data, &reach).filter(|event| filter.selects(event)).cloned().collect();
            found.reverse();
            paginate(found, page)
        }))
    }

    async fn position_of(&self, reach: EventReach, event: EventId) -> Result<Option<EventPosition>, StoreError> {
        Ok(self.read(|data| {
            let place = Redelivery::position_in(event);
            let redelivered = place.and_then(|position| data.redeliveries.get(&position));
            let id = redelivered.map_or(event, |(event, _)| *event);
            let found = reached(data, &reach).find(|known| known.id == id)?;
            Some(place.unwrap_or(found.position))
        }))
    }

    async fn tail(&self, _client: ClientId) -> Result<Option<EventPosition>, StoreError> {
        Ok(Some(self.read(|data| data.last_position)))
    }

    async fn between(
        &self,
        reach: EventReach,
        filter: EventFilter,
        (after, until): (EventPosition, EventPosition),
        max: u32,
    ) -> Result<Vec<StoredEvent>, StoreError> {
        Ok(self.read(|data| {
            let found = reached(data, &reach).filter(|event| filter.selects(event));
            let found = found.filter(|event| event.position > after && event.position <= until);
            found.take(usize::try_from(max).unwrap_or(usize::MAX)).cloned().collect()
        }))
    }

    async fn redeliveries(
        &self,
        reach: EventReach,
        filter: EventFilter,
        (after, until): (EventPosition, EventPosition),
        max: u32,
    ) -> Result<Redeliveries, StoreError> {
        Ok(self.read(|data| {
            let in_range = data.redeliveries.iter().filter(|(position, _)| **position > after && **position <= until);
            let searched: Vec<_> = in_range.take(max as usize).collect();
            let last = searched.last().filter(|_| searched.len() >= max as usize);
            let until = last.map_or(until, |(position, _)| **position);
            let of = |(position, (id, _)): (&EventPosition, &(EventId, _))| {
                let event = reached(data, &reach).find(|event| event.id == *id && filter.selects(event))?;
                Some(Redelivery { position: *position, event: event.clone() })
            };
            Redeliveries { found: searched.into_iter().filter_map(of).collect(), until }
        }))
    }

    async fn delete_events(&self, before: DateTime<Utc>, max: u32) -> Result<u64, StoreError> {
        self.change(|data| {
            let oldest: Vec<_> = data.events.keys().copied().take(usize::try_from(max).unwrap_or(usize::MAX)).collect();
            let stored = data.events.len();
            data.events.retain(|position, event| event.recorded_at >= before || !oldest.contains(position));
            let old = data.redeliveries.iter().filter(|(_, (_, at))| *at < before).map(|(position, _)| *position);
            for position in old.take(max as usize).collect::<Vec<_>>() {
                data.redeliveries.remove(&position);
            }
            Ok((stored - data.events.len()) as u64)
        })
    }
}

/// Returns the events that a caller may read, in order.
fn reached<'d>(data: &'d Data, reach: &'d EventReach) -> impl Iterator<Item = &'d StoredEvent> {
    data.events.values().filter(|event| {
        data.accounts.get(&event.account).is_some_and(|account| account.client == reach.client)
            && reach.accounts.as_ref().is_none_or(|only| only.contains(&event.account))
    })
}

/// Numbers events, and writes those that somebody may see. Their causes must already be stored.
pub(crate) fn record(data: &mut Data, events: &[Event]) -> Result<(), StoreError> {
    for event in events {
        let Some(sequence) = next_sequence(data, event) else { continue };
        let Some(recording) = &data.recording else { continue };
        if !audience(data, recording, &event.account).sees(event.kind) {
            continue;
        }
        let (id, position) = (recording.renderer.next_id(), EventPosition(data.last_position.0.saturating_add(1)));
        let stored = StoredEvent {
            position,
            id,
            account: event.account.clone(),
            kind: event.kind,
            object: event.object().id(),
            sequence,
            occurred_at: event.at.trunc_subsecs(0),
            recorded_at: recording.renderer.now().trunc_subsecs(6),
            checkout: event.checkout(),
            body: recording.renderer.envelope(event, id, sequence)?,
        };
        deliveries::queue(data, &stored);
        data.last_position = position;
        data.events.insert(position, stored);
    }
    Ok(())
}

/// Returns the audience of an account's events.
fn audience(data: &Data, recording: &EventRecording, account: &AccountId) -> Audience {
    let enabled = || {
        let client = data.accounts.get(account).and_then(|account| data.clients.get(&account.client));
        client.is_some_and(|client| client.features.contains(&Feature::Events))
    };
    let subscribed = deliveries::subscribers(data, account).map(|webhook| webhook.kind).collect();
    Audience { may_list: recording.environment == Environment::Sandbox || enabled(), subscribed }
}

/// Returns the sequence of an event among the events of its object. `None`: it does not count as an event of its
/// object. For budgets, batches and checkout sessions, the last sequence is stored; for chains and cards, it follows
/// from the stored messages and transitions.
fn next_sequence(data: &mut Data, event: &Event) -> Option<u64> {
    let of_account = |account: &AccountId| *account == event.account;
    match (event.object(), &event.body) {
        (EventObject::Chain(chain), _) => {
            let messages = data.messages.values().filter(|known| of_account(&known.account) && known.chain == chain);
            Some(messages.count() as u64)
        }
        (EventObject::Card(_), EventBody::CardState(change)) if change.previous.is_none() => Some(1),
        (EventObject::Card(card), _) => {
            let transitions = data.transitions.iter().filter(|known| of_account(&known.account) && known.card == card);
            Some(1 + transitions.count() as u64)
        }
        (object @ (EventObject::Budget(_) | EventObject::Batch(_) | EventObject::CheckoutSession(_)), _) => {
            let last = data.sequences.get(&(event.account.clone(), object)).copied().unwrap_or_default();
            event.counts_after(last).then(|| {
                data.sequences.insert((event.account.clone(), object), last + 1);
                last + 1
            })
        }
    }
}
