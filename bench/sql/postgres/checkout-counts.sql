-- Recomputes the stored counts of checkouts.
DO $$
BEGIN
    IF to_regclass('checkout_counts') IS NOT NULL THEN
        DELETE FROM checkout_counts;
        INSERT INTO checkout_counts SELECT account_id, checkout_type, status, count(*) FROM checkouts GROUP BY 1, 2, 3;
    END IF;
END $$;
