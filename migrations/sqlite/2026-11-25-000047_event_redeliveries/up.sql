-- Events that were sent again on request, for streams of events. The event is not referenced: a restore may remove it.

CREATE TABLE event_redeliveries (
    -- From the sequence of the events.
    position INTEGER NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL,
    event_id TEXT NOT NULL CHECK (length(event_id) = 36),
    -- By real time.
    recorded_at INTEGER NOT NULL
) STRICT;

CREATE INDEX event_redeliveries_by_account ON event_redeliveries (account_id);
