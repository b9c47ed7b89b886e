-- How long the holds of an account last, and which clearings above a hold are refused.

CREATE TABLE card_settings (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id),
    hold_life TEXT,
    over_clearing TEXT NOT NULL CHECK (over_clearing IN ('ACCEPT', 'NETWORK'))
) STRICT;

-- What was cleared by force and took nothing from the hold.
ALTER TABLE card_chains ADD COLUMN forced_minor INTEGER NOT NULL DEFAULT 0 CHECK (forced_minor >= 0);

-- When the hold of an open chain expires: it was seven days after the first message. `due_at` stays what the sweeper reads:
-- the same time, while something is held.
ALTER TABLE card_chains ADD COLUMN expires_at INTEGER;
UPDATE card_chains SET expires_at = coalesce(due_at, created_at + 604800000000)
WHERE ended_by IS NULL AND kind IN ('purchase', 'atm');

-- Snapshots of the older schema can't be restored.
UPDATE world_snapshots SET contents = '';
