-- The fee of an ATM's acquirer, which few messages have, becomes one of a message's details.

UPDATE card_transactions
SET details = json_set(coalesce(details, '{}'), '$.acquirer_fee', acquirer_fee_minor)
WHERE acquirer_fee_minor IS NOT NULL;

ALTER TABLE card_transactions DROP COLUMN acquirer_fee_minor;

-- Earlier snapshots have the column. They can't be restored, and need no space.
UPDATE world_snapshots SET contents = '';
