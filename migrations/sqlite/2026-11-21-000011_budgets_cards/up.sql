-- Budgets have parents and features, cards have owners and a history, and money moves between budgets.
--
-- SQLite cannot change a CHECK, so the tables are recreated. Referencing tables are dropped before the tables that they
-- reference, so that no reference ever dangles and no rows are deleted one by one.

CREATE TABLE new_journal_transactions (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    kind TEXT NOT NULL CHECK (
        kind IN (
            'credit', 'card', 'batch_reservation', 'batch_payout', 'batch_release', 'payment', 'payment_release',
            'payment_return', 'transfer'
        )
    ),
    -- The card message, credit, batch, payment or transfer that caused it.
    cause_id TEXT NOT NULL CHECK (length(cause_id) = 36),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

INSERT INTO new_journal_transactions SELECT account_id, id, kind, cause_id, currency, created_at FROM journal_transactions;

CREATE TABLE new_journal_entries (
    account_id TEXT NOT NULL,
    journal_id TEXT NOT NULL,
    line INTEGER NOT NULL CHECK (line >= 0),
    pool TEXT NOT NULL CHECK (
        pool IN ('available', 'held', 'reserved', 'card_network', 'inbound_payments', 'outbound_payments', 'fees')
    ),
    budget_id TEXT,
    amount_minor INTEGER NOT NULL CHECK (amount_minor <> 0),
    PRIMARY KEY (account_id, journal_id, line),
    FOREIGN KEY (account_id, journal_id) REFERENCES new_journal_transactions (account_id, id),
    FOREIGN KEY (account_id, budget_id) REFERENCES budgets (account_id, id),
    CHECK ((budget_id IS NOT NULL) = (pool IN ('available', 'held', 'reserved')))
) STRICT, WITHOUT ROWID;

INSERT INTO new_journal_entries SELECT account_id, journal_id, line, pool, budget_id, amount_minor FROM journal_entries;

CREATE TABLE new_credits (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    number INTEGER NOT NULL CHECK (number > 0),
    budget_id TEXT NOT NULL,
    journal_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    scheme TEXT NOT NULL CHECK (scheme IN ('FasterPayment', 'BACS', 'CHAPS', 'Swift', 'SEPA')),
    remitters_name TEXT NOT NULL,
    remitters_address TEXT NOT NULL,
    beneficiary_name TEXT NOT NULL,
    reference TEXT,
    bank_identifier TEXT,
    account_identifier TEXT,
    order_id TEXT,
    third_party_reference TEXT,
    institution_name TEXT,
    institution_address TEXT,
    -- The budget's balances after the credit.
    available_minor INTEGER NOT NULL,
    held_minor INTEGER NOT NULL CHECK (held_minor >= 0),
    reserved_minor INTEGER NOT NULL CHECK (reserved_minor >= 0),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, number),
    FOREIGN KEY (account_id, budget_id, currency) REFERENCES balances (account_id, budget_id, currency),
    FOREIGN KEY (account_id, journal_id) REFERENCES new_journal_transactions (account_id, id)
) STRICT, WITHOUT ROWID;

INSERT INTO new_credits SELECT
    account_id, number, budget_id, journal_id, currency, amount_minor, scheme, remitters_name,
    remitters_address, beneficiary_name, reference, bank_identifier, account_identifier, order_id,
    third_party_reference, institution_name, institution_address, available_minor, held_minor, reserved_minor,
    created_at
FROM credits;

DROP TABLE credits;
DROP TABLE journal_entries;
DROP TABLE journal_transactions;

-- References follow renamed tables.
ALTER TABLE new_journal_transactions RENAME TO journal_transactions;
ALTER TABLE new_journal_entries RENAME TO journal_entries;
ALTER TABLE new_credits RENAME TO credits;

-- Existing budgets get all features. Their creation time is unknown.
ALTER TABLE budgets ADD COLUMN parent_id TEXT CHECK (length(parent_id) = 36);
ALTER TABLE budgets ADD COLUMN features TEXT NOT NULL DEFAULT 'cards payments transfers';
ALTER TABLE budgets ADD COLUMN created_at INTEGER;

-- The sub-budgets of a budget.
CREATE INDEX budgets_by_parent ON budgets (account_id, parent_id, id);

CREATE TABLE transfers (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    from_budget_id TEXT NOT NULL,
    to_budget_id TEXT NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount_minor INTEGER NOT NULL CHECK (amount_minor > 0),
    journal_id TEXT NOT NULL,
    reference TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, from_budget_id, currency) REFERENCES balances (account_id, budget_id, currency),
    FOREIGN KEY (account_id, to_budget_id, currency) REFERENCES balances (account_id, budget_id, currency),
    FOREIGN KEY (account_id, journal_id) REFERENCES journal_transactions (account_id, id),
    CHECK (from_budget_id <> to_budget_id)
) STRICT, WITHOUT ROWID;

-- Newest first.
CREATE INDEX transfers_newest ON transfers (account_id, created_at DESC, id DESC);

ALTER TABLE cards ADD COLUMN name TEXT;
ALTER TABLE cards ADD COLUMN owner TEXT NOT NULL DEFAULT 'PERSON' CHECK (owner IN ('BUDGET', 'PERSON'));
ALTER TABLE cards ADD COLUMN created_at INTEGER;

-- The cards of a budget, of a holder, and in a state.
CREATE INDEX cards_by_budget ON cards (account_id, budget_id, id);
CREATE INDEX cards_by_user ON cards (account_id, user_token, id);
CREATE INDEX cards_in_state ON cards (account_id, state, id);

-- The history of card states. Rows are never changed and never deleted.
CREATE TABLE card_transitions (
    account_id TEXT NOT NULL,
    card_id TEXT NOT NULL,
    position INTEGER NOT NULL CHECK (position >= 0),
    from_state TEXT NOT NULL CHECK (from_state IN ('UNACTIVATED', 'ACTIVE', 'SUSPENDED', 'REPLACED', 'TERMINATED')),
    to_state TEXT NOT NULL CHECK (to_state IN ('UNACTIVATED', 'ACTIVE', 'SUSPENDED', 'REPLACED', 'TERMINATED')),
    reason TEXT NOT NULL,
    client_id TEXT NOT NULL REFERENCES clients (id),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, card_id, position),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id)
) STRICT, WITHOUT ROWID;
