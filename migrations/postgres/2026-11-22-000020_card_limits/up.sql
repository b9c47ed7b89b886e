-- Cards have the members that clients of the API know, limits have ids and count by chain, and searches use an index.

-- A card without a name gets one.
UPDATE cards SET name = 'Card' WHERE name IS NULL;
ALTER TABLE cards ALTER COLUMN name TYPE TEXT COLLATE "C";
ALTER TABLE cards ALTER COLUMN name SET NOT NULL;
ALTER TABLE cards ALTER COLUMN name SET DEFAULT 'Card';

-- No person is known, so every existing card belongs to its budget.
ALTER TABLE cards DROP COLUMN owner;
ALTER TABLE cards ADD COLUMN owner_type TEXT NOT NULL DEFAULT 'BUDGET' CHECK (owner_type IN ('BUDGET', 'PEOPLE'));

ALTER TABLE cards ADD COLUMN state_reason TEXT;
ALTER TABLE cards ADD COLUMN fulfillment TEXT NOT NULL DEFAULT 'ISSUED' CHECK (
    fulfillment IN ('ISSUED', 'ORDERED', 'REORDERED', 'REJECTED', 'SHIPPED', 'DIGITALLY_PRESENTED')
);
ALTER TABLE cards ADD COLUMN phone TEXT;
ALTER TABLE cards ADD COLUMN phone_person_id UUID;
-- The card that replaced it.
ALTER TABLE cards ADD COLUMN replaced_by UUID;
ALTER TABLE cards ADD COLUMN updated_at TIMESTAMPTZ;

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
    account_id TEXT COLLATE "C" NOT NULL,
    word TEXT COLLATE "C" NOT NULL,
    card_id UUID NOT NULL,
    PRIMARY KEY (account_id, word, card_id),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id)
);

-- The words of a card.
CREATE INDEX card_words_of_card ON card_words (account_id, card_id);

WITH RECURSIVE starts (account_id, id, word, next) AS (
    SELECT account_id, id, lower(name), strpos(name, ' ') FROM cards
    UNION ALL
    SELECT account_id, id, substr(word, next + 1), strpos(substr(word, next + 1), ' ') FROM starts WHERE next > 0
)
INSERT INTO card_words SELECT DISTINCT account_id, word, id FROM starts WHERE word <> '';

-- The last four digits are the id modulo 10,000.
WITH RECURSIVE digits (account_id, id, rest, value) AS (
    SELECT account_id, id, replace(id::TEXT, '-', ''), 0 FROM cards
    UNION ALL
    SELECT
        account_id, id, substr(rest, 2), (value * 16 + strpos('0123456789abcdef', substr(rest, 1, 1)) - 1) % 10000
    FROM digits WHERE rest <> ''
)
INSERT INTO card_words SELECT account_id, lpad(value::TEXT, 4, '0'), id FROM digits WHERE rest = ''
ON CONFLICT DO NOTHING;

CREATE TABLE card_limits (
    account_id TEXT COLLATE "C" NOT NULL,
    card_id UUID NOT NULL,
    limit_window TEXT COLLATE "C" NOT NULL CHECK (limit_window IN ('TRANSACTION', 'DAY', 'WEEK', 'MONTH', 'LIFETIME')),
    id UUID NOT NULL,
    amount_minor BIGINT NOT NULL CHECK (amount_minor >= 0),
    max_uses BIGINT CHECK (max_uses >= 0),
    active BOOLEAN NOT NULL,
    turned_off BOOLEAN NOT NULL,
    window_start DATE NOT NULL,
    spent_minor BIGINT NOT NULL CHECK (spent_minor >= 0),
    uses BIGINT NOT NULL CHECK (uses >= 0),
    -- The part of the use that no chain of the card accounts for, such as that of a replaced card.
    carried_minor BIGINT NOT NULL CHECK (carried_minor >= 0),
    carried_uses BIGINT NOT NULL CHECK (carried_uses >= 0),
    PRIMARY KEY (account_id, card_id, limit_window),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id)
);

-- No chain knows yet which limits counted it, so the use so far is carried over.
INSERT INTO card_limits SELECT
    account_id, card_id, limit_window, gen_random_uuid(), amount_minor, most_uses, TRUE, FALSE, window_start, spent_minor,
    uses, spent_minor, uses
FROM spending_limits;

DROP TABLE spending_limits;

-- What limits counted of the chain, as JSON; null for nothing.
ALTER TABLE card_chains ADD COLUMN counted TEXT;

-- A transition needs no reason.
ALTER TABLE card_transitions ALTER COLUMN reason DROP NOT NULL;

-- Snapshots of the older schema can't be restored.
UPDATE world_snapshots SET contents = '';
