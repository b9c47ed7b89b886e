-- The directory of cells: the cell of each client, account and API key. Only the home of several cells has entries.
CREATE TABLE cell_entries (
    -- The kind of the key, a colon, and the id of the client or account, or the hash of the API key.
    entry TEXT NOT NULL PRIMARY KEY,
    cell TEXT NOT NULL CHECK (length(cell) BETWEEN 1 AND 32),
    -- The world that the entry belongs to. NULL: the entry is permanent.
    world TEXT,
    -- Differs each time the entry is added, also after it was removed.
    revision INTEGER NOT NULL CHECK (revision > 0)
) STRICT, WITHOUT ROWID;

CREATE INDEX cell_entries_by_world ON cell_entries (world) WHERE world IS NOT NULL;

-- The cells that an operator has added. Only the home of several cells lists any.
CREATE TABLE cells (
    name TEXT NOT NULL PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 32),
    accepts_clients INTEGER NOT NULL CHECK (accepts_clients IN (0, 1))
) STRICT, WITHOUT ROWID;

-- The cell that this database is, written once. A database without cells has no row.
CREATE TABLE __florin_cell (
    id INTEGER NOT NULL PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 32)
) STRICT;

-- The rows of snapshots are as before, so these snapshots can still be restored.
UPDATE world_snapshots SET schema_name = '2026-11-27-000057_cell_entries'
WHERE schema_name = '2026-11-26-000056_checks_without_lists';
UPDATE imported_snapshots SET schema_name = '2026-11-27-000057_cell_entries'
WHERE schema_name = '2026-11-26-000056_checks_without_lists';
