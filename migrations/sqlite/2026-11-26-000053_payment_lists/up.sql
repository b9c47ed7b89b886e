-- What lists show of the session of a merchant's payment, kept in the payment's row, so that a list reads no sessions.
-- The settlement account and the merchant's reference of a session never change. Neither does its order, once a payment
-- has completed it.

ALTER TABLE merchant_payments ADD COLUMN settlement_account_id TEXT CHECK (length(settlement_account_id) = 36);
-- Of completed payments and of refunds only.
ALTER TABLE merchant_payments ADD COLUMN order_id TEXT CHECK (length(order_id) = 36);
ALTER TABLE merchant_payments ADD COLUMN merchant_reference TEXT;
-- Whether the payment has refunds, in any status.
ALTER TABLE merchant_payments ADD COLUMN has_refunds INTEGER NOT NULL DEFAULT 0 CHECK (has_refunds IN (0, 1));

UPDATE merchant_payments AS p
SET settlement_account_id = s.settlement_account_id,
    order_id = CASE WHEN p.kind = 'REFUND' OR p.status = 'COMPLETED' THEN s.order_id END,
    merchant_reference = s.merchant_reference,
    has_refunds = EXISTS (
        SELECT 1 FROM merchant_payments r WHERE r.account_id = p.account_id AND r.refunded_payment_id = p.id
    )
FROM checkout_sessions s
WHERE s.account_id = p.account_id AND s.id = p.session_id;

-- Earlier snapshots lack the new columns. They can't be restored, and need no space.
UPDATE world_snapshots SET contents = '';
