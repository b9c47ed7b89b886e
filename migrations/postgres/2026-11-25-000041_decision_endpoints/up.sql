-- The endpoints of accounts that decide on card messages, and the responses with which they decline.

CREATE TABLE decision_endpoints (
    account_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES accounts (id),
    url TEXT NOT NULL,
    enabled BOOLEAN NOT NULL,
    time_limit_ms BIGINT NOT NULL CHECK (time_limit_ms BETWEEN 100 AND 5000),
    -- What happens without a decision.
    fallback TEXT NOT NULL CHECK (fallback IN ('APPROVE', 'DECLINE')),
    -- Encrypted.
    secrets BYTEA NOT NULL,
    created_at TIMESTAMPTZ NOT NULL,
    updated_at TIMESTAMPTZ NOT NULL
);

ALTER TABLE card_transactions
DROP CONSTRAINT card_transactions_response_check,
ADD CONSTRAINT card_transactions_response_check CHECK (
        response IN (
            '0000', '1830', '1806', '1003', '1001', '1817', '1016', '0002', '1004', '1005', '1809', '1813', '1825', '1886',
            '1821', '1864', '1831', '1884', '1885', '1887', '1888', '1889'
        )
    );
