-- Snapshots of worlds that clients imported from files.
CREATE TABLE imported_snapshots (
    client_id UUID NOT NULL REFERENCES clients (id),
    id UUID NOT NULL,
    name TEXT CHECK (length(name) BETWEEN 1 AND 64),
    -- By the clock of the world that the snapshot was taken of.
    created_at TIMESTAMPTZ NOT NULL,
    -- In real time.
    imported_at TIMESTAMPTZ NOT NULL,
    expires_at TIMESTAMPTZ NOT NULL,
    -- The last migration of the store that wrote the file.
    schema_name TEXT NOT NULL,
    -- One line of JSON per row, as in `world_snapshots`.
    contents TEXT NOT NULL,
    PRIMARY KEY (client_id, id)
);

CREATE INDEX imported_snapshots_by_end ON imported_snapshots (expires_at, client_id, id);
