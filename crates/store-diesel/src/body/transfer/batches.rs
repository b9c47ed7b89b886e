//! Rows of an export: payment batches and the authentication of their confirmation.

use super::body::backend::{Conn, RowByRow};
use super::body::errors::Outcome;
use super::body::schema::{
    mfa_sessions, outbox_events, payment_alerts, payment_batches, payment_orders, payments, sandbox_payments,
    totp_enrolments,
};
use super::body::types::{Id, Time};
use super::rows::rows;
use super::values::hexadecimal;
use diesel::prelude::*;

rows! {
    PaymentBatch of payment_batches {
        account_id: String,
        id: Id,
        name: String,
        status: String,
        created_by: Id,
        visible: bool,
        locked: bool,
        input_format: Option<String>,
        input_status: Option<String>,
        input_budget_id: Option<Id>,
        input_created_at: Option<Time>,
        input_updated_at: Option<Time>,
        created_at: Time,
        updated_at: Time,
        confirmed_by: Option<Id>,
        confirmed_at: Option<Time>,
        passed_mfa_check_at: Option<Time>,
        orders_sent_at: Option<Time>,
        work_at: Option<Time>,
        lease_id: Option<Id>,
        leased_until: Option<Time>,
    }

    PaymentOrder of payment_orders {
        account_id: String,
        batch_id: Id,
        position: i64,
        id: Id,
        budget_id: Id,
        currency: String,
        total_minor: i64,
        fees_minor: i64,
    }

    Payment of payments {
        account_id: String,
        batch_id: Id,
        input_index: i64,
        id: Id,
        status: String,
        order_id: Option<Id>,
        budget_id: Option<Id>,
        currency: Option<String>,
        amount_minor: Option<i64>,
        fee_minor: Option<i64>,
        network: Option<String>,
        failure: Option<String>,
        input: String,
        created_at: Time,
        updated_at: Time,
        started_at: Option<Time>,
        ask_at: Option<Time>,
    }

    PaymentAlert of payment_alerts {
        account_id: String,
        batch_id: Id,
        position: i64,
        created_at: Time,
        kind: String,
        code: String,
        input_index: Option<i64>,
        message: String,
    }

    OutboxEvent of outbox_events {
        account_id: String,
        id: Id,
        kind: String,
        batch_id: Id,
        order_id: Option<Id>,
        payment_id: Option<Id>,
        created_at: Time,
    }

    SandboxPayment of sandbox_payments apart {
        id: Id,
        currency: String,
        amount_minor: i64,
        reference: Option<String>,
        accepted_at: Time,
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

impl SandboxPayment {
    /// The payment.
    pub(super) const fn id(&self) -> Id {
        self.id
    }
}
