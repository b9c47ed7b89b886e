-- Checkpoints of balances: sums of the oldest journal transactions of a balance, from which explanations start. They are
-- derived from the journal, and deleted with the balance.

-- Counts the journal transactions that change the balance, from now on.
ALTER TABLE balances ADD COLUMN movements INTEGER NOT NULL DEFAULT 0;

CREATE TABLE balance_coverage (
    account_id TEXT NOT NULL,
    budget_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    version INTEGER NOT NULL,
    -- Journal transactions that balances.movements does not count.
    uncounted INTEGER NOT NULL,
    -- The lowest id after the last checkpoint.
    tail_from TEXT NOT NULL CHECK (length(tail_from) = 36),
    PRIMARY KEY (account_id, budget_id, currency),
    FOREIGN KEY (account_id, budget_id, currency) REFERENCES balances (account_id, budget_id, currency) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE balance_checkpoints (
    account_id TEXT NOT NULL,
    budget_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    -- The number of journal transactions that it covers.
    covered INTEGER NOT NULL CHECK (covered > 0),
    last_at INTEGER NOT NULL,
    last_id TEXT NOT NULL CHECK (length(last_id) = 36),
    tail_from TEXT NOT NULL CHECK (length(tail_from) = 36),
    -- The sums by kind, as JSON.
    sums TEXT NOT NULL,
    -- The ids of the journal transactions since the checkpoint before, in order.
    journals BLOB NOT NULL,
    PRIMARY KEY (account_id, budget_id, currency, covered),
    FOREIGN KEY (account_id, budget_id, currency)
    REFERENCES balance_coverage (account_id, budget_id, currency) ON DELETE CASCADE
) STRICT;

-- Earlier snapshots have rows of the earlier table. They can't be restored, and need no space.
UPDATE world_snapshots SET contents = '';
