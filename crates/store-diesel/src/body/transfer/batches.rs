//! Rows of an export: payment batches and the authentication of their confirmation.

use super::super::backend::{Conn, RowByRow};
use super::super::errors::Outcome;
use super::super::schema::{mfa_sessions, payment_batches, payment_orders, totp_enrolments};
use super::super::types::{Id, Time};
use super::rows::rows;
use super::values::hexadecimal;
use diesel::prelude::*;

rows! {
    PaymentBatch of payment_batches {
        account_id: String,
        id: Id,
        name: String,
        status: String,
        created_at: Time,
        updated_at: Time,
        confirmed_at: Option<Time>,
        passed_mfa_check_at: Option<Time>,
    }

    PaymentOrder of payment_orders {
        account_id: String,
        batch_id: Id,
        position: i64,
        id: Id,
        budget_id: Id,
        currency: String,
        total_minor: i64,
    }

    MfaSession of mfa_sessions {
        account_id: String,
        id: Id,
        client_id: Id,
        batch_id: Id,
        provider: String,
        state: String,
        wrong_tokens: i64,
        created_at: Time,
        expires_at: Time,
    }

    TotpEnrolment of totp_enrolments {
        account_id: String,
        #[serde(with = "hexadecimal")]
        secret: Vec<u8>,
        used_steps: String,
        wrong_at: String,
        locked_until: Option<Time>,
    }
}
