-- The activity of an account is merged from what each source has newest: one index a source, in the order of the list.

CREATE INDEX card_transactions_newest ON card_transactions (account_id, created_at DESC, token DESC);
-- Payments whose batch was confirmed: others move no money, or none any more.
CREATE INDEX payments_newest ON payments (account_id, created_at DESC, id DESC)
    WHERE status IN ('confirmed', 'started', 'completed', 'failed', 'returned');
-- The kind is in it so that it is counted without a look at the rows.
CREATE INDEX journal_credits_newest ON journal_transactions (account_id, created_at DESC, id DESC, kind)
    WHERE kind = 'credit';
-- What was sent with a credit, by its journal transaction.
CREATE INDEX credits_by_journal ON credits (account_id, journal_id);
