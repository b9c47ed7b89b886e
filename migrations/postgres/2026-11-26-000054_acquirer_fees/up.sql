-- The fee of an ATM's acquirer, which few messages have, becomes one of a message's details.

-- An instance that still runs must not write what the change below would miss.
LOCK TABLE card_transactions IN ACCESS EXCLUSIVE MODE;

UPDATE card_transactions
SET details = (
    coalesce(details::JSONB, '{}') || jsonb_build_object('acquirer_fee', acquirer_fee_minor)
)::TEXT
WHERE acquirer_fee_minor IS NOT NULL;

ALTER TABLE card_transactions DROP COLUMN acquirer_fee_minor;

-- Earlier snapshots have the column. They can't be restored, and need no space.
UPDATE world_snapshots SET contents = '';
