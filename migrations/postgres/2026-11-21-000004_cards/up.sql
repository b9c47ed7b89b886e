-- Cards, their messages and holds.

CREATE TABLE cards (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    id UUID NOT NULL,
    budget_id UUID NOT NULL,
    currency TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('UNACTIVATED', 'ACTIVE', 'SUSPENDED', 'REPLACED', 'TERMINATED')),
    user_token UUID NOT NULL,
    expires_on DATE NOT NULL,
    PRIMARY KEY (account_id, id),
    -- The card's budget holds the card's currency.
    FOREIGN KEY (account_id, budget_id, currency) REFERENCES balances (account_id, budget_id, currency)
);

CREATE TABLE spending_limits (
    account_id TEXT COLLATE "C" NOT NULL,
    card_id UUID NOT NULL,
    limit_window TEXT COLLATE "C" NOT NULL CHECK (limit_window IN ('DAY', 'WEEK', 'MONTH', 'LIFETIME')),
    amount_minor BIGINT NOT NULL CHECK (amount_minor >= 0),
    most_uses BIGINT CHECK (most_uses >= 0),
    window_start DATE NOT NULL,
    spent_minor BIGINT NOT NULL CHECK (spent_minor >= 0),
    uses BIGINT NOT NULL CHECK (uses >= 0),
    PRIMARY KEY (account_id, card_id, limit_window),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id)
);

-- One row per message, immutable except the state of a first message.
CREATE TABLE card_transactions (
    account_id TEXT COLLATE "C" NOT NULL,
    token UUID NOT NULL,
    -- The token of the first message, for the first message its own.
    chain_id UUID NOT NULL,
    card_id UUID NOT NULL,
    user_token UUID NOT NULL,
    budget_id UUID NOT NULL,
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
    amount_minor BIGINT NOT NULL CHECK (amount_minor >= 0),
    requested_minor BIGINT NOT NULL CHECK (requested_minor >= 0),
    impacted_minor BIGINT NOT NULL,
    response TEXT NOT NULL CHECK (response IN ('0000', '1830', '1806', '1003', '1001', '1817', '1016')),
    ledger_minor BIGINT NOT NULL,
    available_minor BIGINT NOT NULL,
    -- The token that the follow-up named; null for first messages.
    preceding UUID,
    network TEXT NOT NULL CHECK (network IN ('VISA', 'MASTERCARD', 'DISCOVER', 'PULSE')),
    acceptor_mid TEXT NOT NULL,
    acceptor_name TEXT NOT NULL,
    acceptor_city TEXT NOT NULL,
    acceptor_state TEXT NOT NULL,
    acceptor_postal_code TEXT NOT NULL,
    acceptor_country_code TEXT NOT NULL,
    acceptor_mcc TEXT NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, token),
    FOREIGN KEY (account_id, card_id) REFERENCES cards (account_id, id),
    CHECK ((preceding IS NULL) = (token = chain_id)),
    CHECK (state <> 'DECLINED' OR impacted_minor = 0)
);

-- Chains: one row per approved first message.
CREATE TABLE card_chains (
    account_id TEXT COLLATE "C" NOT NULL,
    -- The token of the first message.
    id UUID NOT NULL,
    card_id UUID NOT NULL,
    budget_id UUID NOT NULL,
    currency TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('purchase', 'atm', 'refund')),
    authorised_minor BIGINT NOT NULL CHECK (authorised_minor >= 0),
    held_minor BIGINT NOT NULL CHECK (held_minor >= 0),
    cleared_minor BIGINT NOT NULL CHECK (cleared_minor >= 0),
    ended_by TEXT CHECK (ended_by IN ('cleared', 'reversed', 'expired')),
    -- When the hold expires; null if nothing is held.
    due_at TIMESTAMPTZ,
    created_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, id),
    FOREIGN KEY (account_id, id) REFERENCES card_transactions (account_id, token),
    FOREIGN KEY (account_id, budget_id, currency) REFERENCES balances (account_id, budget_id, currency),
    CHECK (ended_by IS NULL OR held_minor = 0),
    CHECK (kind <> 'refund' OR held_minor = 0),
    CHECK ((due_at IS NULL) = (held_minor = 0))
);

-- Due holds, oldest first.
CREATE INDEX card_chains_due ON card_chains (due_at, account_id, id) WHERE due_at IS NOT NULL;
