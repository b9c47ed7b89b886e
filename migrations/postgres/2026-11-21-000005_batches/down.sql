DROP TABLE totp_enrolments;
DROP TABLE mfa_sessions;
DROP TABLE payment_orders;
DROP TABLE payment_batches;
