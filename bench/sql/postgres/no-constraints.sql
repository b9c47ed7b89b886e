-- Removes the constraints that constraints.sql adds.
ALTER TABLE card_transactions
DROP CONSTRAINT earlier_card,
DROP CONSTRAINT earlier_chain_kind,
DROP CONSTRAINT earlier_kind,
DROP CONSTRAINT earlier_state,
DROP CONSTRAINT earlier_response,
DROP CONSTRAINT earlier_network;
ALTER TABLE card_chains
DROP CONSTRAINT earlier_message,
DROP CONSTRAINT earlier_balance,
DROP CONSTRAINT earlier_kind,
DROP CONSTRAINT earlier_end;
ALTER TABLE outbox_events
DROP CONSTRAINT earlier_account,
DROP CONSTRAINT earlier_kind;
ALTER TABLE idempotency_records
DROP CONSTRAINT earlier_account
