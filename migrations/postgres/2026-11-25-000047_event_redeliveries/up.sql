-- Events that were sent again on request, for streams of events. The event is not referenced: a restore may remove it.

CREATE TABLE event_redeliveries (
    -- From the sequence of the events.
    position BIGINT NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL,
    event_id UUID NOT NULL,
    -- By real time.
    recorded_at TIMESTAMPTZ NOT NULL
);

CREATE INDEX event_redeliveries_by_account ON event_redeliveries (account_id);
