//! Events, written in the transaction of their cause.

use super::body::ask::ask;
use super::body::backend::{Changes, Conn};
use super::body::driver;
use super::body::errors::{Outcome, corrupt};
use super::body::recording::Recording;
use super::body::statements::load;
use super::body::tables::cards::card_transitions;
use super::body::tables::events::{
    ChainOfMessage, EventRow, FollowUpsOfChains, SequenceChange, SequenceRow, SequencesOfObjects,
};
use super::body::types::{Account, Id, Named, Time};
use super::body::webhooks::Observers;
use chrono::SubsecRound;
use diesel::prelude::*;
use florin_domain::event::{Event, EventBody, EventObject};
use florin_domain::ids::AccountId;
use florin_ports::EventRecording;
use std::collections::{BTreeMap, BTreeSet};

type Object = (AccountId, EventObject);

/// New events.
#[derive(Default)]
pub(crate) struct Events {
    /// How they are written; `None` if they are only counted.
    recording: Option<Recording>,
    new: Vec<Event>,
}

/// The rows of new events: events and sequences.
#[derive(Default)]
pub(crate) struct EventRows {
    events: Vec<EventRow>,
    new_sequences: Vec<SequenceRow>,
    sequences: Vec<SequenceChange>,
}

impl Events {
    /// Sets how events are written.
    pub(crate) fn record_with(&mut self, recording: Option<Recording>) {
        self.recording = recording;
    }

    /// Stages events.
    pub(crate) fn add(&mut self, events: &[Event]) {
        self.new.extend_from_slice(events);
    }

    /// Numbers and renders the staged events, in their order. All locks of their objects are held, so the numbers can't
    /// change. Also returns the last drawn position, which the group's changes of activity get. It is 0 if the group
    /// writes no events and `changes_activity` is false.
    pub(crate) fn rows(self, conn: &mut Conn, changes_activity: bool) -> Outcome<(EventRows, i64)> {
        let Self { recording, new } = self;
        let Numbered { mut rows, seen, are_received } = number(conn, recording.as_ref(), new)?;
        let count = seen.len().max(usize::from(changes_activity));
        let positions = if count > 0 { driver::draw_positions(conn, count)? } else { Vec::new() };
        let last = positions.last().copied().unwrap_or_default();
        if let Some(recording) = recording {
            rows.events = render(&recording.with, seen, positions)?;
            if are_received {
                recording.new_events.written();
            }
        }
        Ok((rows, last))
    }
}

/// Events that were numbered.
#[derive(Default)]
struct Numbered {
    /// The changes of the sequences.
    rows: EventRows,
    /// The events that somebody sees, with their sequences.
    seen: Vec<(Event, u64)>,
    /// Whether subscriptions may receive some of them.
    are_received: bool,
}

fn number(conn: &mut Conn, recording: Option<&Recording>, mut new: Vec<Event>) -> Outcome<Numbered> {
    if new.is_empty() {
        return Ok(Numbered::default());
    }
    let accounts = new.iter().map(|event| event.account.clone()).collect();
    let observers = match recording {
        Some(recording) => Observers::load(conn, &accounts, recording.with.environment)?,
        None => Observers::default(),
    };
    let is_seen = |event: &Event| observers.see(&event.account, event.kind);
    // The sequences of chains and cards are counted from the rows of messages and transitions. So their events can be
    // dropped if nobody sees them.
    new.retain(|event| has_sequence(event.object()) || is_seen(event));
    let before = Counts::load(conn, &new)?;
    let mut last = before.known.clone();
    let (mut seen, mut are_received) = (Vec::new(), false);
    for event in new {
        let last = last.entry((event.account.clone(), event.object())).or_default();
        if !event.counts_after(*last) {
            continue;
        }
        *last += 1;
        if is_seen(&event) {
            are_received |= observers.receive(&event.account, event.kind);
            seen.push((event, *last));
        }
    }
    Ok(Numbered { rows: before.changes(&last)?, seen, are_received })
}

/// Whether the last sequence of an object is stored. Otherwise other rows count its events.
const fn has_sequence(object: EventObject) -> bool {
    matches!(object, EventObject::Budget(_) | EventObject::Batch(_) | EventObject::CheckoutSession(_))
}

impl EventRows {
    /// Stores the rows.
    pub(crate) fn store(self, changes: &mut Changes<'_>) -> Outcome<()> {
        changes.insert(self.events)?;
        changes.insert(self.new_sequences)?;
        changes.update(self.sequences)
    }
}

fn render(recording: &EventRecording, seen: Vec<(Event, u64)>, positions: Vec<i64>) -> Outcome<Vec<EventRow>> {
    if seen.is_empty() {
        return Ok(Vec::new());
    }
    let recorded_at = Time(recording.renderer.now().trunc_subsecs(6));
    let row = |((event, sequence), position): ((Event, u64), i64)| {
        let id = recording.renderer.next_id();
        let number = i64::try_from(sequence).map_err(corrupt)?;
        Ok(EventRow {
            position,
            id: Id(id.0),
            kind: Named(event.kind),
            object_id: Id(event.object().id()),
            sequence: number,
            occurred_at: Time(event.at.trunc_subsecs(0)),
            recorded_at,
            checkout_id: event.checkout().map(|id| Id(id.0)),
            body: ask(|| recording.renderer.envelope(&event, id, sequence))?.map_err(corrupt)?,
            account_id: Account(event.account),
        })
    };
    seen.into_iter().zip(positions).map(row).collect()
}

/// The number of events that each object had before this group.
struct Counts {
    known: BTreeMap<Object, u64>,
    /// The objects that have a row with their last sequence.
    stored: BTreeSet<Object>,
}

impl Counts {
    fn load(conn: &mut Conn, new: &[Event]) -> Outcome<Self> {
        let objects: BTreeSet<Object> = new.iter().map(|event| (event.account.clone(), event.object())).collect();
        let mut counts = Self { known: BTreeMap::new(), stored: BTreeSet::new() };
        let key = |(account, object): &Object| (Account(account.clone()), Id(object.id()));
        // The first message of a chain is the first event of the chain.
        let is_first = |event: &Event| matches!(&event.body, EventBody::CardTransaction(m) if m.token == m.chain);
        let firsts: BTreeSet<Object> =
            new.iter().filter(|event| is_first(event)).map(|event| (event.account.clone(), event.object())).collect();
        let chains = objects.iter().filter(|key| matches!(key.1, EventObject::Chain(_)) && !firsts.contains(key));
        let mut follow_ups: BTreeMap<(Account, Id), u64> = BTreeMap::new();
        for ChainOfMessage { account_id, chain_id } in load::<FollowUpsOfChains>(chains.map(key), conn)? {
            *follow_ups.entry((account_id, chain_id)).or_default() += 1;
        }
        let rows = load::<SequencesOfObjects>(objects.iter().filter(|key| has_sequence(key.1)).map(key), conn)?;
        let rows: BTreeMap<_, _> =
            rows.into_iter().map(|row| ((row.account_id, row.object_id), row.last_sequence.unsigned_abs())).collect();
        for object in objects {
            let before = match object.1 {
                EventObject::Chain(_) if firsts.contains(&object) => 0,
                EventObject::Chain(_) => 1 + follow_ups.get(&key(&object)).copied().unwrap_or_default(),
                EventObject::Card(_) => transitions_before(conn, &object, new)?,
                EventObject::Budget(_) | EventObject::Batch(_) | EventObject::CheckoutSession(_) => {
                    match rows.get(&key(&object)) {
                        Some(last) => {
                            counts.stored.insert(object.clone());
                            *last
                        }
                        None => 0,
                    }
                }
            };
            counts.known.insert(object, before);
        }
        Ok(counts)
    }

    /// Returns the new and the changed rows of sequences.
    fn changes(&self, last: &BTreeMap<Object, u64>) -> Outcome<EventRows> {
        let mut rows = EventRows::default();
        for (object, sequence) in last {
            if !has_sequence(object.1) || self.known.get(object) == Some(sequence) {
                continue;
            }
            let (account_id, object_id) = (Account(object.0.clone()), Id(object.1.id()));
            let last_sequence = i64::try_from(*sequence).map_err(corrupt)?;
            if self.stored.contains(object) {
                rows.sequences.push(SequenceChange { last_sequence, account_id, object_id });
            } else {
                rows.new_sequences.push(SequenceRow { account_id, object_id, last_sequence });
            }
        }
        Ok(rows)
    }
}

/// Returns the number of events that a card had before this transaction: its creation and its transitions. Transitions
/// of this transaction are already stored, so they are subtracted.
fn transitions_before(conn: &mut Conn, (account, object): &Object, new: &[Event]) -> Outcome<u64> {
    let is_of_card = |event: &&Event| event.account == *account && event.object() == *object;
    let is_new = |event: &Event| matches!(&event.body, EventBody::CardState(change) if change.previous.is_none());
    if new.iter().filter(is_of_card).any(is_new) {
        return Ok(0);
    }
    let stored: i64 = card_transitions::table
        .filter(card_transitions::account_id.eq(account.as_str()))
        .filter(card_transitions::card_id.eq(Id(object.id())))
        .count()
        .get_result(conn)?;
    let staged = new.iter().filter(is_of_card).count() as u64;
    Ok((stored.unsigned_abs() + 1).saturating_sub(staged))
}
