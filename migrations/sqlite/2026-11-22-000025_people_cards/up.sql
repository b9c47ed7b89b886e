-- Individual cards: their owner, and the budgets that they name.

ALTER TABLE cards ADD COLUMN person_id TEXT CHECK (length(person_id) = 36);

CREATE INDEX cards_by_person ON cards (account_id, person_id, name, id) WHERE person_id IS NOT NULL;

CREATE TABLE card_budgets (
    account_id TEXT NOT NULL,
    card_id TEXT NOT NULL,
    position INTEGER NOT NULL CHECK (position >= 0),
    budget_id TEXT NOT NULL,
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    PRIMARY KEY (account_id, card_id, position),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id),
    FOREIGN KEY (account_id, budget_id) REFERENCES budgets (account_id, id)
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX card_budgets_by_budget ON card_budgets (account_id, budget_id, card_id);
