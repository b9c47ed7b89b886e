-- Deliveries are queued after the commit of their event.

-- Deliveries of all events up to this position are queued.
CREATE TABLE event_fan_out (
    one BIGINT NOT NULL PRIMARY KEY CHECK (one = 1),
    position BIGINT NOT NULL
);

-- The transactions of earlier events have queued their deliveries, and those of instances of an earlier version will.
INSERT INTO event_fan_out (one, position)
SELECT 1, CASE WHEN is_called THEN last_value ELSE 0 END FROM outbox_positions;

-- A subscription receives events after `since`. While it is disabled, it receives events up to `until`.
ALTER TABLE webhooks ADD COLUMN since BIGINT NOT NULL DEFAULT 0;
ALTER TABLE webhooks ADD COLUMN until BIGINT;
