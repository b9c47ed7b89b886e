-- Snapshots of worlds that clients imported from files.
CREATE TABLE imported_snapshots (
    client_id TEXT NOT NULL REFERENCES clients (id),
    id TEXT NOT NULL CHECK (length(id) = 36),
    name TEXT CHECK (length(name) BETWEEN 1 AND 64),
    -- By the clock of the world that the snapshot was taken of.
    created_at INTEGER NOT NULL,
    -- In real time.
    imported_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    -- The last migration of the store that wrote the file.
    schema_name TEXT NOT NULL,
    -- One line of JSON per row, as in `world_snapshots`.
    contents TEXT NOT NULL,
    PRIMARY KEY (client_id, id)
) STRICT;

CREATE INDEX imported_snapshots_by_end ON imported_snapshots (expires_at, client_id, id);
