-- The directory of cells: the cell of each client, account and API key. Only the home of several cells has entries.
CREATE TABLE cell_entries (
    -- The kind of the key, a colon, and the id of the client or account, or the hash of the API key.
    entry TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    cell TEXT COLLATE "C" NOT NULL CHECK (length(cell) BETWEEN 1 AND 32),
    -- The world that the entry belongs to. NULL: the entry is permanent.
    world TEXT COLLATE "C",
    -- Differs each time the entry is added, also after it was removed.
    revision BIGINT NOT NULL CHECK (revision > 0)
);

CREATE INDEX cell_entries_by_world ON cell_entries (world) WHERE world IS NOT NULL;

-- The cells that an operator has added. Only the home of several cells lists any.
CREATE TABLE cells (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY CHECK (length(name) BETWEEN 1 AND 32),
    accepts_clients BOOLEAN NOT NULL
);

-- The cell that this database is, written once. A database without cells has no row.
CREATE TABLE __florin_cell (
    id SMALLINT NOT NULL PRIMARY KEY CHECK (id = 1),
    name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 32)
);

-- The rows of snapshots are as before, so these snapshots can still be restored.
UPDATE world_snapshots SET schema_name = '2026-11-27-000057_cell_entries'
WHERE schema_name = '2026-11-26-000056_checks_without_lists';
UPDATE imported_snapshots SET schema_name = '2026-11-27-000057_cell_entries'
WHERE schema_name = '2026-11-26-000056_checks_without_lists';
