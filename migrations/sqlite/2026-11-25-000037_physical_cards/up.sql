-- Physical cards, with the virtual cards that they were ordered for.

ALTER TABLE cards ADD COLUMN virtual_card_id TEXT CHECK (length(virtual_card_id) = 36);
-- Where it is sent, as JSON; null for a virtual card, and after the end of a physical one.
ALTER TABLE cards ADD COLUMN recipient_address TEXT;

CREATE INDEX cards_by_virtual_card ON cards (account_id, virtual_card_id) WHERE virtual_card_id IS NOT NULL;

-- Snapshots of the older schema can't be restored.
UPDATE world_snapshots SET contents = '';
