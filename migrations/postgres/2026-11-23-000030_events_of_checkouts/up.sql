-- The checkout of an event about a session, by which subscriptions select events.
ALTER TABLE outbox_events ADD COLUMN checkout_id UUID;

-- What is due on one account, by its own clock.
CREATE INDEX checkout_sessions_due_of_account ON checkout_sessions (account_id, due_at, id) WHERE due_at IS NOT NULL;
CREATE INDEX merchant_payments_due_of_account ON merchant_payments (account_id, due_at, id) WHERE due_at IS NOT NULL;
