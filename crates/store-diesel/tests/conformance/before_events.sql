-- What a database may hold before events have bodies: events of batches, and movements of two budgets. The rows are
-- added to those of `earlier.sql`.

INSERT INTO budgets (account_id, id, name, parent_id, features)
SELECT account_id, '00000000-0000-0000-0000-0000000000b2', 'Second', parent_id, features
FROM budgets WHERE id = '00000000-0000-0000-0000-0000000000b1';
INSERT INTO balances (account_id, budget_id, currency, available_minor, held_minor, reserved_minor, last_number) VALUES
('F1', '00000000-0000-0000-0000-0000000000b2', 'GBP', 500, 0, 0, 3);
UPDATE balances SET available_minor = 8000, last_number = 3 WHERE budget_id = '00000000-0000-0000-0000-0000000000b1';
UPDATE credit_counters SET last_number = 3;
-- A credit, a transfer, and a payment that came back.
INSERT INTO journal_transactions (account_id, id, kind, cause_id, currency, created_at) VALUES
('F1', '00000000-0000-0000-0000-000000000006', 'credit', '00000000-0000-0000-0000-000000000006', 'GBP', @time),
('F1', '00000000-0000-0000-0000-000000000007', 'transfer', '00000000-0000-0000-0000-0000000000e7', 'GBP', @time),
('F1', '00000000-0000-0000-0000-000000000008', 'payment', '00000000-0000-0000-0000-0000000000e8', 'GBP', @time),
('F1', '00000000-0000-0000-0000-000000000009', 'payment_return', '00000000-0000-0000-0000-0000000000e8', 'GBP', @time);
-- The payment has two entries of its budget, but is one movement.
INSERT INTO journal_entries (account_id, journal_id, line, pool, budget_id, amount_minor) VALUES
('F1', '00000000-0000-0000-0000-000000000006', 0, 'available', '00000000-0000-0000-0000-0000000000b1', 100),
('F1', '00000000-0000-0000-0000-000000000006', 1, 'inbound_payments', NULL, -100),
('F1', '00000000-0000-0000-0000-000000000007', 0, 'available', '00000000-0000-0000-0000-0000000000b1', -500),
('F1', '00000000-0000-0000-0000-000000000007', 1, 'available', '00000000-0000-0000-0000-0000000000b2', 500),
('F1', '00000000-0000-0000-0000-000000000008', 0, 'available', '00000000-0000-0000-0000-0000000000b1', -200),
('F1', '00000000-0000-0000-0000-000000000008', 1, 'reserved', '00000000-0000-0000-0000-0000000000b1', -100),
('F1', '00000000-0000-0000-0000-000000000008', 2, 'outbound_payments', NULL, 300),
('F1', '00000000-0000-0000-0000-000000000009', 0, 'outbound_payments', NULL, -300),
('F1', '00000000-0000-0000-0000-000000000009', 1, 'available', '00000000-0000-0000-0000-0000000000b1', 200),
('F1', '00000000-0000-0000-0000-000000000009', 2, 'reserved', '00000000-0000-0000-0000-0000000000b1', 100);
INSERT INTO credits (
    account_id, number, budget_id, journal_id, currency, amount_minor, scheme, remitters_name, remitters_address,
    beneficiary_name, available_minor, held_minor, reserved_minor, created_at
) VALUES (
    'F1', 2, '00000000-0000-0000-0000-0000000000b1', '00000000-0000-0000-0000-000000000006', 'GBP', 100, 'FasterPayment',
    'Ann', '1 High Street', 'Bob', 8500, 100, 500, @time
);
INSERT INTO transfers (
    account_id, id, from_budget_id, to_budget_id, currency, amount_minor, journal_id, created_at, number
) VALUES (
    'F1', '00000000-0000-0000-0000-0000000000e7', '00000000-0000-0000-0000-0000000000b1',
    '00000000-0000-0000-0000-0000000000b2', 'GBP', 500, '00000000-0000-0000-0000-000000000007', @time, 3
);
-- A batch was ready once, but its last upload has errors: its creation does not count yet.
INSERT INTO payment_batches (account_id, id, name, status, created_by, visible, locked, created_at, updated_at) VALUES (
    'F1', '00000000-0000-0000-0000-0000000000f4', 'Draft', 'draft', '00000000-0000-0000-0000-0000000000c1', @true,
    NOT @true, @time, @time
);
INSERT INTO outbox_events (account_id, id, kind, batch_id, created_at) VALUES
('F1', '00000000-0000-0000-0000-000000000101', 'PaymentBatchCreated', '00000000-0000-0000-0000-0000000000f1', @time),
('F1', '00000000-0000-0000-0000-000000000102', 'PaymentBatchCreated', '00000000-0000-0000-0000-0000000000f2', @time),
('F1', '00000000-0000-0000-0000-000000000103', 'PaymentBatchOrderCreated', '00000000-0000-0000-0000-0000000000f2', @time),
('F1', '00000000-0000-0000-0000-000000000104', 'PaymentBatchCreated', '00000000-0000-0000-0000-0000000000f3', @time),
('F1', '00000000-0000-0000-0000-000000000105', 'PaymentBatchOrderCreated', '00000000-0000-0000-0000-0000000000f3', @time),
('F1', '00000000-0000-0000-0000-000000000106', 'PaymentBatchProcessing', '00000000-0000-0000-0000-0000000000f3', @time),
('F1', '00000000-0000-0000-0000-000000000107', 'PaymentBatchCompleted', '00000000-0000-0000-0000-0000000000f3', @time),
('F1', '00000000-0000-0000-0000-000000000108', 'PaymentBatchCreated', '00000000-0000-0000-0000-0000000000f4', @time);
