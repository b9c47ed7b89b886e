-- New kinds of journal transactions and a new pool, because payments move money and cost fees.
--
-- SQLite cannot change a CHECK, so the tables are recreated. Referencing tables are dropped before the tables that they
-- reference, so that no reference ever dangles and no rows are deleted one by one.

CREATE TABLE new_journal_transactions (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    kind TEXT NOT NULL CHECK (
        kind IN (
            'credit', 'card', 'batch_reservation', 'batch_payout', 'batch_release', 'payment', 'payment_release',
            'payment_return'
        )
    ),
    -- The card message, credit, batch or payment that caused it.
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
