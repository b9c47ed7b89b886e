-- Columns with more than two possible values are checked by comparisons. For a list of more than two constants in a
-- CHECK, SQLite builds an index of the list for every row that it inserts or updates. The comparisons have the same
-- result for every value and for NULL.
--
-- Only the declarations of the tables change, not their rows: see "Making Other Kinds Of Table Schema Changes" in
-- SQLite's documentation of ALTER TABLE.

PRAGMA writable_schema = ON;

-- The only long list with NOT becomes two short lists.
UPDATE sqlite_schema
SET sql = replace(
    sql, 'status NOT IN (''confirmed'', ''started'', ''completed'', ''failed'')',
    '(status NOT IN (''confirmed'', ''started'') AND status NOT IN (''completed'', ''failed''))'
)
WHERE type = 'table' AND name = 'payment_batches';

-- A declaration is split where a list begins. So each piece except the first begins with the values of a list, and the
-- piece before it ends with the column. Parentheses surround every long list with its column, so they surround the
-- comparisons, too.
WITH pieces (name, number, piece, list, column_name) AS (
    SELECT name, number, piece, substr(piece, 1, instr(piece, ')') - 1),
        substr(previous, length(rtrim(previous, 'abcdefghijklmnopqrstuvwxyz_')) + 1)
    FROM (
        SELECT s.name, p.key AS number, p.value AS piece,
            lag(p.value) OVER (PARTITION BY s.name ORDER BY p.key) AS previous
        FROM sqlite_schema s, json_each('[' || replace(json_quote(s.sql), ' IN (', '","') || ']') p
        WHERE s.type = 'table' AND s.sql LIKE '% IN (%'
    )
), rewritten (name, number, piece) AS (
    SELECT name, number, CASE
        WHEN number = 0 THEN piece
        WHEN list LIKE '%,%,%'
        THEN ' = ' || trim(replace(list, ',', ' OR ' || column_name || ' ='), char(10) || ' ')
            || substr(piece, length(list) + 2)
        ELSE ' IN (' || piece
    END
    FROM pieces
)
UPDATE sqlite_schema AS s SET sql = r.sql
FROM (
    SELECT name, group_concat(piece, '') AS sql
    FROM (SELECT name, piece FROM rewritten ORDER BY name, number)
    GROUP BY name
) AS r
WHERE s.type = 'table' AND s.name = r.name;

-- This connection reads the declarations again. The view changes the version of the schema, so that other connections
-- read them again, too, and so does this one if the transaction is rolled back.
PRAGMA writable_schema = RESET;
CREATE VIEW version_of_schema AS SELECT 1;
DROP VIEW version_of_schema;

-- The rows of snapshots are as before, so these snapshots can still be restored.
UPDATE world_snapshots SET schema_name = '2026-11-26-000056_checks_without_lists'
WHERE schema_name = '2026-11-26-000055_hash_chains';
UPDATE imported_snapshots SET schema_name = '2026-11-26-000056_checks_without_lists'
WHERE schema_name = '2026-11-26-000055_hash_chains';
