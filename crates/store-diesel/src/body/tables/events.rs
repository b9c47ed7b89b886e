//! Events, and the sequences of their objects.

use super::access::accounts;
use super::body::types::{Account, Id, Named, Time};
use super::cards::card_transactions;
use super::declare::{changes, lookups, parts, tables};
use florin_domain::event::EventKind;

tables! {
    /// The last sequence of a budget, payment batch or checkout session. Chains and cards need none: their messages and
    /// transitions are counted.
    struct SequenceRow in event_sequences(account_id, object_id) owned by account_id {
        account_id: Account,
        object_id: Id,
        last_sequence: i64,
    }

    /// An event. It never changes.
    struct EventRow in outbox_events(position) owned by account_id unchecked {
        position: i64,
        account_id: Account,
        id: Id,
        kind: Named<EventKind>,
        object_id: Id,
        sequence: i64,
        occurred_at: Time,
        recorded_at: Time,
        body: String,
        checkout_id: Option<Id>,
    }

    /// A request to send an event again. Its position belongs to the same sequence as the positions of events.
    struct RedeliveryRow in event_redeliveries(position) of account by account_id {
        position: i64,
        account_id: Account,
        event_id: Id,
        recorded_at: Time,
    }
}

diesel::allow_tables_to_appear_in_same_query!(accounts, outbox_events);

parts! {
    /// The chain of a card message.
    struct ChainOfMessage of card_transactions { account_id, chain_id, }
}

changes! {
    /// The last sequence of an object.
    struct SequenceChange of event_sequences {
        set { last_sequence, }
        by { account_id, object_id, }
    }
}

lookups! {
    /// The last sequences of objects. A lock of the object protects its row.
    struct SequencesOfObjects: SequenceRow {
        from event_sequences by (account_id, object_id)
    }

    /// The follow-ups of chains.
    struct FollowUpsOfChains: ChainOfMessage {
        from card_transactions by (account_id, chain_id)
        filter "card_transactions.preceding IS NOT NULL"
    }
}
