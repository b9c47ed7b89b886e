-- What limits counted of the holds that were open before chains recorded it. Without it, a reversal of such a hold would
-- give nothing back. A limit accounts for its oldest holds first, and at most for what it carried over.

CREATE TABLE counted_holds AS
SELECT
    c.account_id, c.id AS chain_id, l.id AS limit_id, l.window_start,
    CAST(least(
        c.held_minor,
        l.carried_minor - coalesce(sum(c.held_minor) OVER (
            PARTITION BY c.account_id, l.id ORDER BY c.created_at, c.id
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
        ), 0)
    ) AS BIGINT) AS amount_minor
FROM card_chains c
JOIN card_limits l ON l.account_id = c.account_id AND l.card_id = c.card_id
WHERE c.held_minor > 0 AND c.counted IS NULL AND l.limit_window <> 'TRANSACTION'
    AND CAST(c.created_at AT TIME ZONE 'UTC' AS DATE) >= l.window_start;

DELETE FROM counted_holds WHERE amount_minor <= 0;

UPDATE card_chains SET counted = h.counted
FROM (
    SELECT
        account_id, chain_id,
        '[' || string_agg(
            '["' || limit_id || '","' || to_char(window_start, 'YYYY-MM-DD') || '",' || amount_minor || ']', ',' ORDER BY window_start, limit_id
        ) || ']' AS counted
    FROM counted_holds
    GROUP BY account_id, chain_id
) AS h
WHERE h.account_id = card_chains.account_id AND h.chain_id = card_chains.id;

UPDATE card_limits SET carried_minor = carried_minor - h.amount_minor
FROM (
    SELECT account_id, limit_id, CAST(sum(amount_minor) AS BIGINT) AS amount_minor
    FROM counted_holds
    GROUP BY account_id, limit_id
) AS h
WHERE h.account_id = card_limits.account_id AND h.limit_id = card_limits.id;

DROP TABLE counted_holds;

-- Snapshots of the older schema can't be restored.
UPDATE world_snapshots SET contents = '';
