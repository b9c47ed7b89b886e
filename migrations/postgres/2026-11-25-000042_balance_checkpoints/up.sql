-- Checkpoints of balances: sums of the oldest journal transactions of a balance, from which explanations start. They are
-- derived from the journal, and deleted with the balance.

-- Counts the journal transactions that change the balance, from now on.
ALTER TABLE balances ADD COLUMN movements BIGINT NOT NULL DEFAULT 0;

CREATE TABLE balance_coverage (
    account_id TEXT COLLATE "C" NOT NULL,
    budget_id UUID NOT NULL,
    currency TEXT NOT NULL,
    epoch BIGINT NOT NULL,
    version BIGINT NOT NULL,
    -- Journal transactions that balances.movements does not count.
    uncounted BIGINT NOT NULL,
    -- The lowest id after the last checkpoint.
    tail_from UUID NOT NULL,
    PRIMARY KEY (account_id, budget_id, currency),
    FOREIGN KEY (account_id, budget_id, currency) REFERENCES balances (account_id, budget_id, currency) ON DELETE CASCADE
);

CREATE TABLE balance_checkpoints (
    account_id TEXT COLLATE "C" NOT NULL,
    budget_id UUID NOT NULL,
    currency TEXT NOT NULL,
    -- The number of journal transactions that it covers.
    covered BIGINT NOT NULL CHECK (covered > 0),
    last_at TIMESTAMPTZ NOT NULL,
    last_id UUID NOT NULL,
    tail_from UUID NOT NULL,
    -- The sums by kind, as JSON.
    sums TEXT NOT NULL,
    -- The ids of the journal transactions since the checkpoint before, in order.
    journals BYTEA NOT NULL,
    PRIMARY KEY (account_id, budget_id, currency, covered),
    FOREIGN KEY (account_id, budget_id, currency)
    REFERENCES balance_coverage (account_id, budget_id, currency) ON DELETE CASCADE
);

-- Earlier snapshots have rows of the earlier table. They can't be restored, and need no space.
UPDATE world_snapshots SET contents = '';
