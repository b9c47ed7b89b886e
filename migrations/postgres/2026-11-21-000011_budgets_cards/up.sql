-- Budgets have parents and features, cards have owners and a history, and money moves between budgets.

ALTER TABLE journal_transactions
DROP CONSTRAINT journal_transactions_kind_check,
ADD CONSTRAINT journal_transactions_kind_check CHECK (
        kind IN (
            'credit', 'card', 'batch_reservation', 'batch_payout', 'batch_release', 'payment', 'payment_release',
            'payment_return', 'transfer'
        )
    );

-- Existing budgets get all features. Their creation time is unknown.
ALTER TABLE budgets ADD COLUMN parent_id UUID;
ALTER TABLE budgets ADD COLUMN features TEXT NOT NULL DEFAULT 'cards payments transfers';
ALTER TABLE budgets ADD COLUMN created_at TIMESTAMPTZ;

-- The sub-budgets of a budget.
CREATE INDEX budgets_by_parent ON budgets (account_id, parent_id, id);

CREATE TABLE transfers (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    id UUID NOT NULL,
    from_budget_id UUID NOT NULL,
    to_budget_id UUID NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
    journal_id UUID NOT NULL,
    reference TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, from_budget_id, currency) REFERENCES balances (account_id, budget_id, currency),
    FOREIGN KEY (account_id, to_budget_id, currency) REFERENCES balances (account_id, budget_id, currency),
    FOREIGN KEY (account_id, journal_id) REFERENCES journal_transactions (account_id, id),
    CHECK (from_budget_id <> to_budget_id)
);

-- Newest first.
CREATE INDEX transfers_newest ON transfers (account_id, created_at DESC, id DESC);

ALTER TABLE cards ADD COLUMN name TEXT;
ALTER TABLE cards ADD COLUMN owner TEXT NOT NULL DEFAULT 'PERSON' CHECK (owner IN ('BUDGET', 'PERSON'));
ALTER TABLE cards ADD COLUMN created_at TIMESTAMPTZ;

-- The cards of a budget, of a holder, and in a state.
CREATE INDEX cards_by_budget ON cards (account_id, budget_id, id);
CREATE INDEX cards_by_user ON cards (account_id, user_token, id);
CREATE INDEX cards_in_state ON cards (account_id, state, id);

-- The history of card states. Rows are never changed and never deleted.
CREATE TABLE card_transitions (
    account_id TEXT COLLATE "C" NOT NULL,
    card_id UUID NOT NULL,
    position BIGINT NOT NULL CHECK (position >= 0),
    from_state TEXT NOT NULL CHECK (from_state IN ('UNACTIVATED', 'ACTIVE', 'SUSPENDED', 'REPLACED', 'TERMINATED')),
    to_state TEXT NOT NULL CHECK (to_state IN ('UNACTIVATED', 'ACTIVE', 'SUSPENDED', 'REPLACED', 'TERMINATED')),
    reason TEXT NOT NULL,
    client_id UUID NOT NULL REFERENCES clients (id),
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, card_id, position),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id)
);
