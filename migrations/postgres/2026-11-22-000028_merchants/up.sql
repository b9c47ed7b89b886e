-- Merchants: profiles, settlement accounts and payees.

-- The profiles that differ from that of a merchant that was never changed: active, without permissions, with the name of
-- its account. An account whose column `merchant` is set has a profile with or without a row here.
CREATE TABLE merchant_profiles (
    account_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id),
    status TEXT NOT NULL CHECK (status IN ('ACTIVE', 'DEACTIVATED')),
    name TEXT NOT NULL,
    return_policy_url TEXT,
    primary_colour TEXT CHECK (length(primary_colour) = 7),
    background_colour TEXT CHECK (length(background_colour) = 7),
    hide_service_logo BOOLEAN NOT NULL,
    -- Names of permissions, separated by spaces.
    permissions TEXT NOT NULL
);

CREATE TABLE settlement_accounts (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    id UUID NOT NULL,
    name TEXT,
    details_type TEXT NOT NULL CHECK (details_type IN ('SORT_CODE', 'IBAN')),
    -- Sort code and account number, or the IBAN.
    details TEXT NOT NULL,
    bank_id TEXT COLLATE "C" CHECK (length(bank_id) = 32),
    approval TEXT NOT NULL CHECK (approval IN ('PENDING', 'APPROVED', 'REJECTED')),
    is_default BOOLEAN NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, id),
    CHECK (approval = 'APPROVED' OR NOT is_default)
);

CREATE UNIQUE INDEX settlement_accounts_by_details ON settlement_accounts (account_id, details_type, details);
CREATE UNIQUE INDEX settlement_accounts_default ON settlement_accounts (account_id, details_type) WHERE is_default;

CREATE TABLE payees (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    id UUID NOT NULL,
    name TEXT NOT NULL,
    details_type TEXT NOT NULL CHECK (details_type IN ('SORT_CODE', 'IBAN')),
    -- Sort code and account number, or the IBAN.
    details TEXT NOT NULL,
    approval TEXT NOT NULL CHECK (approval IN ('PENDING', 'APPROVED', 'REJECTED')),
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, id)
);

CREATE UNIQUE INDEX payees_by_details ON payees (account_id, details_type, details);
CREATE INDEX payees_newest ON payees (account_id, created_at DESC, id DESC);

-- An account with checkouts is a merchant.
UPDATE accounts SET merchant = TRUE WHERE id IN (SELECT account_id FROM checkouts);

-- Checkout sessions have scopes of their own name, and payments can't be written.
UPDATE api_keys SET scopes = REPLACE(scopes, 'merchant:sessions:', 'merchant:checkout-sessions:');
UPDATE api_keys SET scopes = TRIM(REPLACE(' ' || scopes || ' ', ' merchant:payments:write:any ', ' '));
