-- What lists show of the session of a merchant's payment, kept in the payment's row, so that a list reads no sessions.
-- The settlement account and the merchant's reference of a session never change. Neither does its order, once a payment
-- has completed it.

ALTER TABLE merchant_payments
ADD COLUMN settlement_account_id UUID,
-- Of completed payments and of refunds only.
ADD COLUMN order_id UUID,
ADD COLUMN merchant_reference TEXT,
-- Whether the payment has refunds, in any status.
ADD COLUMN has_refunds BOOLEAN NOT NULL DEFAULT FALSE;

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
