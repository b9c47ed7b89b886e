-- The environment that the store serves, written once.

CREATE TABLE __florin_store (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    environment TEXT NOT NULL CHECK (environment IN ('sandbox', 'production'))
) STRICT;

-- A store in use serves the environment of its keys. If it has keys of both, it is a production store: there, no money
-- is simulated.
INSERT INTO __florin_store (id, environment)
SELECT 1, min(environment) FROM api_keys HAVING count(*) > 0;
