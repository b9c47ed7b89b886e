-- A world of a client does not refer to another client any more, whose snapshot it was created from: the two can move.
-- This comes first: it reads whole tables, and every request waits for the change of `cell_entries` below.
UPDATE payment_batches SET created_by = w.client_id
FROM worlds AS w
WHERE w.account_id = payment_batches.account_id AND payment_batches.created_by <> w.client_id;

UPDATE payment_batches SET confirmed_by = w.client_id
FROM worlds AS w
WHERE w.account_id = payment_batches.account_id AND payment_batches.confirmed_by <> w.client_id;

UPDATE card_transitions SET client_id = w.client_id
FROM worlds AS w
WHERE w.account_id = card_transitions.account_id AND card_transitions.client_id <> w.client_id;

-- The cell that the client of an entry is being moved to, and the client. NULL: the client is not being moved. And the
-- last move, in progress or ended.
ALTER TABLE cell_entries
ADD COLUMN moving_to TEXT COLLATE "C" CHECK (length(moving_to) BETWEEN 1 AND 32),
ADD COLUMN moving_client UUID,
ADD COLUMN move_id UUID;

CREATE INDEX cell_entries_by_move ON cell_entries (moving_client) WHERE moving_client IS NOT NULL;

-- The rows of clients that have left this database, as text, until they are deleted after the arrival in another one.
-- Part 0 describes the others.
CREATE TABLE __florin_departures (
    client_id TEXT COLLATE "C" NOT NULL CHECK (length(client_id) BETWEEN 1 AND 36),
    part BIGINT NOT NULL CHECK (part >= 0),
    contents TEXT NOT NULL,
    PRIMARY KEY (client_id, part)
);

-- The moves by which a client has left this database, or can't leave it any more because they were undone.
CREATE TABLE __florin_moves (
    move_id TEXT COLLATE "C" PRIMARY KEY CHECK (length(move_id) = 36)
);

-- The rows of snapshots are as before, so these snapshots can still be restored.
UPDATE world_snapshots SET schema_name = '2026-11-28-000058_client_moves'
WHERE schema_name = '2026-11-27-000057_cell_entries';
UPDATE imported_snapshots SET schema_name = '2026-11-28-000058_client_moves'
WHERE schema_name = '2026-11-27-000057_cell_entries';
