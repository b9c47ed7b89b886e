-- Budgets, the journal, and balances, which can be recomputed from it.

CREATE TABLE budgets (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    name TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

-- One row per currency of a budget. The ledger balance, the sum of the three pools, always fits 64 bits.
CREATE TABLE balances (
    account_id TEXT NOT NULL,
    budget_id TEXT NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    -- May be negative, because card networks settle above a hold.
    available_minor INTEGER NOT NULL,
    held_minor INTEGER NOT NULL CHECK (held_minor >= 0),
    reserved_minor INTEGER NOT NULL CHECK (reserved_minor >= 0),
    PRIMARY KEY (account_id, budget_id, currency),
    FOREIGN KEY (account_id, budget_id) REFERENCES budgets (account_id, id),
    CHECK (typeof(available_minor + held_minor + reserved_minor) = 'integer')
) STRICT, WITHOUT ROWID;

-- Rows of the journal are never changed and never deleted.
CREATE TABLE journal_transactions (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    kind TEXT NOT NULL CHECK (kind IN ('credit', 'card', 'batch_reservation', 'batch_payout')),
    -- The card message, credit or batch that caused it.
    cause_id TEXT NOT NULL CHECK (length(cause_id) = 36),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, id)
) STRICT, WITHOUT ROWID;

-- The entries of a transaction add up to zero.
CREATE TABLE journal_entries (
    account_id TEXT NOT NULL,
    journal_id TEXT NOT NULL,
    line INTEGER NOT NULL CHECK (line >= 0),
    pool TEXT NOT NULL CHECK (
        pool IN ('available', 'held', 'reserved', 'card_network', 'inbound_payments', 'outbound_payments')
    ),
    budget_id TEXT,
    amount_minor INTEGER NOT NULL CHECK (amount_minor <> 0),
    PRIMARY KEY (account_id, journal_id, line),
    FOREIGN KEY (account_id, journal_id) REFERENCES journal_transactions (account_id, id),
    FOREIGN KEY (account_id, budget_id) REFERENCES budgets (account_id, id),
    CHECK ((budget_id IS NOT NULL) = (pool IN ('available', 'held', 'reserved')))
) STRICT, WITHOUT ROWID;

-- Numbers the credits of an account.
CREATE TABLE credit_counters (
    account_id TEXT NOT NULL PRIMARY KEY REFERENCES accounts (id),
    last_number INTEGER NOT NULL CHECK (last_number >= 0)
) STRICT, WITHOUT ROWID;

CREATE TABLE credits (
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
    FOREIGN KEY (account_id, journal_id) REFERENCES journal_transactions (account_id, id)
) STRICT, WITHOUT ROWID;
