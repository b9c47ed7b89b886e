-- An entry of the journal names the settlement account or payee that it settles.

ALTER TABLE journal_entries ADD COLUMN settled_to UUID;

UPDATE journal_entries SET settled_to = COALESCE(s.settlement_account_id, s.payee_id)
FROM journal_transactions t
JOIN merchant_payments p ON p.account_id = t.account_id AND p.id = t.cause_id
JOIN checkout_sessions s ON s.account_id = p.account_id AND s.id = p.session_id
WHERE t.account_id = journal_entries.account_id AND t.id = journal_entries.journal_id
    AND journal_entries.pool = 'merchant_settled';

-- Earlier snapshots have rows of the earlier table. They can't be restored, and need no space.
UPDATE world_snapshots SET contents = '';
