-- Numbers of people, so that a list is counted without reading it. Every change of people updates them. No row means
-- zero.

CREATE TABLE people_counts (
    account_id TEXT NOT NULL REFERENCES accounts (id),
    role TEXT NOT NULL,
    total INTEGER NOT NULL CHECK (total >= 0),
    PRIMARY KEY (account_id, role)
) STRICT, WITHOUT ROWID;

-- Lists of the people with a role, in the order of the list.
CREATE INDEX people_by_role ON people (account_id, role, created_at, id);

INSERT INTO people_counts (account_id, role, total)
SELECT account_id, role, COUNT(*) FROM people GROUP BY account_id, role;

-- Earlier snapshots lack the new table. They can't be restored, and need no space. An instance of the earlier version
-- must not take the empty contents for a snapshot of its schema.
UPDATE world_snapshots SET contents = '', schema_name = '';
