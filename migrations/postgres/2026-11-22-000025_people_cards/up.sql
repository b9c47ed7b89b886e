-- Individual cards: their owner, and the budgets that they name.

ALTER TABLE cards ADD COLUMN person_id UUID;

CREATE INDEX cards_by_person ON cards (account_id, person_id, name, id) WHERE person_id IS NOT NULL;

CREATE TABLE card_budgets (
    account_id TEXT COLLATE "C" NOT NULL,
    card_id UUID NOT NULL,
    position BIGINT NOT NULL CHECK (position >= 0),
    budget_id UUID NOT NULL,
    active BOOLEAN NOT NULL,
    PRIMARY KEY (account_id, card_id, position),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id),
    FOREIGN KEY (account_id, budget_id) REFERENCES budgets (account_id, id)
);

CREATE UNIQUE INDEX card_budgets_by_budget ON card_budgets (account_id, budget_id, card_id);
