-- Cards, their messages and holds.

CREATE TABLE cards (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    budget_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('UNACTIVATED', 'ACTIVE', 'SUSPENDED', 'REPLACED', 'TERMINATED')),
    user_token TEXT NOT NULL CHECK (length(user_token) = 36),
    expires_on TEXT NOT NULL CHECK (length(expires_on) = 10),
    PRIMARY KEY (account_id, id),
    -- The card's budget holds the card's currency.
    FOREIGN KEY (account_id, budget_id, currency) REFERENCES balances (account_id, budget_id, currency)
) STRICT, WITHOUT ROWID;

CREATE TABLE spending_limits (
    account_id TEXT NOT NULL,
    card_id TEXT NOT NULL,
    limit_window TEXT NOT NULL CHECK (limit_window IN ('DAY', 'WEEK', 'MONTH', 'LIFETIME')),
    amount_minor INTEGER NOT NULL CHECK (amount_minor >= 0),
    most_uses INTEGER CHECK (most_uses >= 0),
    window_start TEXT NOT NULL CHECK (length(window_start) = 10),
    spent_minor INTEGER NOT NULL CHECK (spent_minor >= 0),
    uses INTEGER NOT NULL CHECK (uses >= 0),
    PRIMARY KEY (account_id, card_id, limit_window),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id)
) STRICT, WITHOUT ROWID;

-- One row per message, immutable except the state of a first message.
CREATE TABLE card_transactions (
    account_id TEXT NOT NULL,
    token TEXT NOT NULL CHECK (length(token) = 36),
    -- The token of the first message, for the first message its own.
    chain_id TEXT NOT NULL CHECK (length(chain_id) = 36),
    card_id TEXT NOT NULL,
    user_token TEXT NOT NULL,
    budget_id TEXT NOT NULL,
    chain_kind TEXT NOT NULL CHECK (chain_kind IN ('purchase', 'atm', 'refund')),
    kind TEXT NOT NULL CHECK (
        kind IN (
            'authorization', 'authorization.atm.withdrawal', 'refund.authorization', 'authorization.advice',
            'authorization.clearing', 'authorization.clearing.atm.withdrawal', 'refund.authorization.clearing',
            'authorization.reversal', 'authorization.reversal.issuerexpiration'
        )
    ),
    state TEXT NOT NULL CHECK (state IN ('PENDING', 'CLEARED', 'COMPLETION', 'DECLINED')),
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    amount_minor INTEGER NOT NULL CHECK (amount_minor >= 0),
    requested_minor INTEGER NOT NULL CHECK (requested_minor >= 0),
    impacted_minor INTEGER NOT NULL,
    response TEXT NOT NULL CHECK (response IN ('0000', '1830', '1806', '1003', '1001', '1817', '1016')),
    ledger_minor INTEGER NOT NULL,
    available_minor INTEGER NOT NULL,
    -- The token that the follow-up named; null for first messages.
    preceding TEXT CHECK (length(preceding) = 36),
    network TEXT NOT NULL CHECK (network IN ('VISA', 'MASTERCARD', 'DISCOVER', 'PULSE')),
    acceptor_mid TEXT NOT NULL,
    acceptor_name TEXT NOT NULL,
    acceptor_city TEXT NOT NULL,
    acceptor_state TEXT NOT NULL,
    acceptor_postal_code TEXT NOT NULL,
    acceptor_country_code TEXT NOT NULL,
    acceptor_mcc TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, token),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id),
    CHECK ((preceding IS NULL) = (token = chain_id)),
    CHECK (state <> 'DECLINED' OR impacted_minor = 0)
) STRICT, WITHOUT ROWID;

-- Chains: one row per approved first message.
CREATE TABLE card_chains (
    account_id TEXT NOT NULL,
    -- The token of the first message.
    id TEXT NOT NULL CHECK (length(id) = 36),
    card_id TEXT NOT NULL,
    budget_id TEXT NOT NULL,
    currency TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('purchase', 'atm', 'refund')),
    authorised_minor INTEGER NOT NULL CHECK (authorised_minor >= 0),
    held_minor INTEGER NOT NULL CHECK (held_minor >= 0),
    cleared_minor INTEGER NOT NULL CHECK (cleared_minor >= 0),
    ended_by TEXT CHECK (ended_by IN ('cleared', 'reversed', 'expired')),
    -- When the hold expires; null if nothing is held.
    due_at INTEGER,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, id) REFERENCES card_transactions (account_id, token),
    FOREIGN KEY (account_id, budget_id, currency) REFERENCES balances (account_id, budget_id, currency),
    CHECK (ended_by IS NULL OR held_minor = 0),
    CHECK (kind <> 'refund' OR held_minor = 0),
    CHECK ((due_at IS NULL) = (held_minor = 0))
) STRICT, WITHOUT ROWID;

-- Due holds, oldest first.
CREATE INDEX card_chains_due ON card_chains (due_at, account_id, id) WHERE due_at IS NOT NULL;
