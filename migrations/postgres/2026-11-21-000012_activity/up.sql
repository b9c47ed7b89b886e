-- The activity of an account merges the newest rows of each source: one index per source, in list order.

CREATE INDEX card_transactions_newest ON card_transactions (account_id, created_at DESC, token DESC);
-- Payments whose batch was confirmed. Others move no money.
CREATE INDEX payments_newest ON payments (account_id, created_at DESC, id DESC)
    WHERE status IN ('confirmed', 'started', 'completed', 'failed', 'returned');
-- The kind is part of the index, so that counting does not read the rows.
CREATE INDEX journal_credits_newest ON journal_transactions (account_id, created_at DESC, id DESC, kind)
    WHERE kind = 'credit';
-- Finds a credit by its journal transaction.
CREATE INDEX credits_by_journal ON credits (account_id, journal_id);
