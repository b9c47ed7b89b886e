-- People of accounts.

CREATE TABLE people (
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    id UUID NOT NULL,
    persona_id UUID NOT NULL,
    first_name TEXT NOT NULL,
    last_name TEXT NOT NULL,
    -- As written; null if the person was erased.
    email TEXT,
    -- In small letters.
    email_key TEXT,
    born DATE,
    role TEXT NOT NULL CHECK (role IN ('Owner', 'Admin', 'Payer', 'Viewer', 'Accountant', 'User')),
    status TEXT NOT NULL CHECK (status IN ('active', 'inactive')),
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL,
    PRIMARY KEY (account_id, id),
    CHECK ((email IS NULL) = (email_key IS NULL))
);

CREATE UNIQUE INDEX people_by_persona ON people (account_id, persona_id);
CREATE UNIQUE INDEX people_by_email ON people (account_id, email_key) WHERE email_key IS NOT NULL;
-- A person is known by the address on all accounts of a client.
CREATE INDEX people_known ON people (email_key) WHERE email_key IS NOT NULL;
CREATE INDEX people_by_id ON people (id);
CREATE INDEX people_by_creation ON people (account_id, created_at, id);
