-- Budgets, the journal, and balances, which can be recomputed from it.

CREATE TABLE budgets (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    id UUID NOT NULL,
    name TEXT NOT NULL,
    PRIMARY KEY (account_id, id)
);

-- One row per currency of a budget. The ledger balance, the sum of the three pools, always fits 64 bits.
CREATE TABLE balances (
    account_id TEXT COLLATE "C" NOT NULL,
    budget_id UUID NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    -- May be negative, because card networks settle above a hold.
    available_minor BIGINT NOT NULL,
    held_minor BIGINT NOT NULL CHECK (held_minor >= 0),
    reserved_minor BIGINT NOT NULL CHECK (reserved_minor >= 0),
    PRIMARY KEY (account_id, budget_id, currency),
    FOREIGN KEY (account_id, budget_id) REFERENCES budgets (account_id, id),
    CHECK (
        CAST(available_minor AS NUMERIC) + held_minor + reserved_minor
        BETWEEN -9223372036854775808 AND 9223372036854775807
    )
);

-- Rows of the journal are never changed and never deleted.
CREATE TABLE journal_transactions (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    id UUID NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('credit', 'card', 'batch_reservation', 'batch_payout')),
    -- The card message, credit or batch that caused it.
    cause_id UUID NOT NULL,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, id)
);

-- The entries of a transaction add up to zero.
CREATE TABLE journal_entries (
    account_id TEXT COLLATE "C" NOT NULL,
    journal_id UUID NOT NULL,
    line BIGINT NOT NULL CHECK (line >= 0),
    pool TEXT NOT NULL CHECK (
        pool IN ('available', 'held', 'reserved', 'card_network', 'inbound_payments', 'outbound_payments')
    ),
    budget_id UUID,
    amount_minor BIGINT NOT NULL CHECK (amount_minor <> 0),
    PRIMARY KEY (account_id, journal_id, line),
    FOREIGN KEY (account_id, journal_id) REFERENCES journal_transactions (account_id, id),
    FOREIGN KEY (account_id, budget_id) REFERENCES budgets (account_id, id),
    CHECK ((budget_id IS NOT NULL) = (pool IN ('available', 'held', 'reserved')))
);

-- Numbers the credits of an account.
CREATE TABLE credit_counters (
    account_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id),
    last_number BIGINT NOT NULL CHECK (last_number >= 0)
);

CREATE TABLE credits (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    number BIGINT NOT NULL CHECK (number > 0),
    budget_id UUID NOT NULL,
    journal_id UUID NOT NULL,
    currency TEXT NOT NULL,
    amount_minor BIGINT NOT NULL CHECK (amount_minor > 0),
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
    available_minor BIGINT NOT NULL,
    held_minor BIGINT NOT NULL CHECK (held_minor >= 0),
    reserved_minor BIGINT NOT NULL CHECK (reserved_minor >= 0),
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, number),
    FOREIGN KEY (account_id, budget_id, currency) REFERENCES balances (account_id, budget_id, currency),
    FOREIGN KEY (account_id, journal_id) REFERENCES journal_transactions (account_id, id)
);
