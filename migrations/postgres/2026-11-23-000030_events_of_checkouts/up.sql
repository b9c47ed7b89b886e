-- The checkout of an event about a session, by which subscriptions select events.
ALTER TABLE outbox_events ADD COLUMN checkout_id UUID;
