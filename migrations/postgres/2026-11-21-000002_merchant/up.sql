-- Checkouts of merchants, and the banks that can pay them.

CREATE TABLE checkouts (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    id UUID NOT NULL,
    checkout_type TEXT NOT NULL CHECK (checkout_type IN ('SHOPPING', 'TOP_UP')),
    status TEXT NOT NULL CHECK (status IN ('ACTIVE', 'DEACTIVATED')),
    name TEXT,
    currency TEXT NOT NULL CHECK (length(currency) = 3),
    return_url TEXT NOT NULL,
    locale TEXT,
    settlement_account_id UUID,
    collect_address BOOLEAN,
    dynamic_rates_url TEXT,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, id),
    CHECK (checkout_type = 'SHOPPING' OR (settlement_account_id IS NULL AND collect_address IS NULL)),
    CHECK (dynamic_rates_url IS NULL OR collect_address IS NOT NULL)
);

-- One index per combination of filters, each in list order.
CREATE INDEX checkouts_newest ON checkouts (account_id, created_at DESC, id DESC);
CREATE INDEX checkouts_newest_of_type ON checkouts (account_id, checkout_type, created_at DESC, id DESC);
CREATE INDEX checkouts_newest_in_status ON checkouts (account_id, status, created_at DESC, id DESC);
CREATE INDEX checkouts_newest_of_type_in_status
    ON checkouts (account_id, checkout_type, status, created_at DESC, id DESC);

CREATE TABLE banks (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (length(id) = 32),
    name TEXT COLLATE "C" NOT NULL,
    icon_url TEXT NOT NULL,
    supports_refunds BOOLEAN NOT NULL
);

CREATE INDEX banks_by_name ON banks (name, id);
