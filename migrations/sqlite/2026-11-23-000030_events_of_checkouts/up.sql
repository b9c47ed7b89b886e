-- The checkout of an event about a session, by which subscriptions select events.
ALTER TABLE outbox_events ADD COLUMN checkout_id TEXT CHECK (length(checkout_id) = 36);
