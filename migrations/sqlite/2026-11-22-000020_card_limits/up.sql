-- Cards have the members that clients of the API know, limits have ids and count by chain, and searches use an index.

-- A card without a name gets one. SQLite cannot change a column, so it is replaced.
ALTER TABLE cards ADD COLUMN new_name TEXT NOT NULL DEFAULT 'Card';
UPDATE cards SET new_name = name WHERE name IS NOT NULL;
ALTER TABLE cards DROP COLUMN name;
ALTER TABLE cards RENAME COLUMN new_name TO name;

-- No person is known, so every existing card belongs to its budget.
ALTER TABLE cards DROP COLUMN owner;
ALTER TABLE cards ADD COLUMN owner_type TEXT NOT NULL DEFAULT 'BUDGET' CHECK (owner_type IN ('BUDGET', 'PEOPLE'));

ALTER TABLE cards ADD COLUMN state_reason TEXT;
ALTER TABLE cards ADD COLUMN fulfillment TEXT NOT NULL DEFAULT 'ISSUED' CHECK (
    fulfillment IN ('ISSUED', 'ORDERED', 'REORDERED', 'REJECTED', 'SHIPPED', 'DIGITALLY_PRESENTED')
);
ALTER TABLE cards ADD COLUMN phone TEXT;
ALTER TABLE cards ADD COLUMN phone_person_id TEXT CHECK (length(phone_person_id) = 36);
-- The card that replaced it.
ALTER TABLE cards ADD COLUMN replaced_by TEXT CHECK (length(replaced_by) = 36);
ALTER TABLE cards ADD COLUMN updated_at INTEGER;

-- Lists are in the order of names.
DROP INDEX cards_by_budget;
DROP INDEX cards_by_user;
DROP INDEX cards_in_state;
CREATE INDEX cards_by_name ON cards (account_id, name, id);
CREATE INDEX cards_by_budget ON cards (account_id, budget_id, name, id);
CREATE INDEX cards_in_state ON cards (account_id, state, name, id);
CREATE INDEX cards_by_creation ON cards (account_id, created_at, id);

-- The texts under which a card is found: its name from the start of each word, in lower case, and its last four digits.
CREATE TABLE card_words (
    account_id TEXT NOT NULL,
    word TEXT NOT NULL,
    card_id TEXT NOT NULL,
    PRIMARY KEY (account_id, word, card_id),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id)
) STRICT, WITHOUT ROWID;

-- The words of a card.
CREATE INDEX card_words_of_card ON card_words (account_id, card_id);

WITH RECURSIVE starts (account_id, id, word, next) AS (
    SELECT account_id, id, lower(name), instr(name, ' ') FROM cards
    UNION ALL
    SELECT account_id, id, substr(word, next + 1), instr(substr(word, next + 1), ' ') FROM starts WHERE next > 0
)
INSERT INTO card_words SELECT DISTINCT account_id, word, id FROM starts WHERE word <> '';

-- The last four digits are the id modulo 10,000.
WITH RECURSIVE digits (account_id, id, rest, value) AS (
    SELECT account_id, id, replace(lower(id), '-', ''), 0 FROM cards
    UNION ALL
    SELECT
        account_id, id, substr(rest, 2), (value * 16 + instr('0123456789abcdef', substr(rest, 1, 1)) - 1) % 10000
    FROM digits WHERE rest <> ''
)
INSERT OR IGNORE INTO card_words SELECT account_id, printf('%04d', value), id FROM digits WHERE rest = '';

CREATE TABLE card_limits (
    account_id TEXT NOT NULL,
    card_id TEXT NOT NULL,
    limit_window TEXT NOT NULL CHECK (limit_window IN ('TRANSACTION', 'DAY', 'WEEK', 'MONTH', 'LIFETIME')),
    id TEXT NOT NULL CHECK (length(id) = 36),
    amount_minor INTEGER NOT NULL CHECK (amount_minor >= 0),
    max_uses INTEGER CHECK (max_uses >= 0),
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    turned_off INTEGER NOT NULL CHECK (turned_off IN (0, 1)),
    window_start TEXT NOT NULL CHECK (length(window_start) = 10),
    spent_minor INTEGER NOT NULL CHECK (spent_minor >= 0),
    uses INTEGER NOT NULL CHECK (uses >= 0),
    -- The part of the use that no chain of the card accounts for, such as that of a replaced card.
    carried_minor INTEGER NOT NULL CHECK (carried_minor >= 0),
    carried_uses INTEGER NOT NULL CHECK (carried_uses >= 0),
    PRIMARY KEY (account_id, card_id, limit_window),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id)
) STRICT, WITHOUT ROWID;

-- No chain knows yet which limits counted it, so the use so far is carried over.
INSERT INTO card_limits SELECT
    account_id, card_id, limit_window,
    lower(
        hex(randomblob(4)) || '-' || hex(randomblob(2)) || '-4' || substr(hex(randomblob(2)), 2) || '-8'
        || substr(hex(randomblob(2)), 2) || '-' || hex(randomblob(6))
    ),
    amount_minor, most_uses, 1, 0, window_start, spent_minor, uses, spent_minor, uses
FROM spending_limits;

DROP TABLE spending_limits;

-- What limits counted of the chain, as JSON; null for nothing.
ALTER TABLE card_chains ADD COLUMN counted TEXT;

-- A transition needs no reason.
CREATE TABLE new_card_transitions (
    account_id TEXT NOT NULL,
    card_id TEXT NOT NULL,
    position INTEGER NOT NULL CHECK (position >= 0),
    from_state TEXT NOT NULL CHECK (from_state IN ('UNACTIVATED', 'ACTIVE', 'SUSPENDED', 'REPLACED', 'TERMINATED')),
    to_state TEXT NOT NULL CHECK (to_state IN ('UNACTIVATED', 'ACTIVE', 'SUSPENDED', 'REPLACED', 'TERMINATED')),
    reason TEXT,
    client_id TEXT NOT NULL REFERENCES clients (id),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, card_id, position),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id)
) STRICT, WITHOUT ROWID;

INSERT INTO new_card_transitions SELECT
    account_id, card_id, position, from_state, to_state, reason, client_id, created_at
FROM card_transitions;

DROP TABLE card_transitions;
ALTER TABLE new_card_transitions RENAME TO card_transitions;

-- Snapshots of the older schema can't be restored.
UPDATE world_snapshots SET contents = '';
