-- Deliveries are queued after the commit of their event.

-- Deliveries of all events up to this position are queued.
CREATE TABLE event_fan_out (
    one INTEGER NOT NULL PRIMARY KEY CHECK (one = 1),
    position INTEGER NOT NULL
) STRICT;

-- The transactions of earlier events have queued their deliveries.
INSERT INTO event_fan_out (one, position)
SELECT 1, COALESCE(MAX(seq), 0) FROM sqlite_sequence WHERE name = 'outbox_events';

-- A subscription receives events after `since`. While it is disabled, it receives events up to `until`.
ALTER TABLE webhooks ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
ALTER TABLE webhooks ADD COLUMN until INTEGER;
