//! Payment batches with their orders, payments and alerts, and payments that the sandbox's bank accepted.

use super::body::types::{Account, Currency, Id, Named, Time};
use super::declare::{changes, lookups, tables};
use florin_domain::batch::{
    AlertCode, AlertKind, FailureReason, InputFormat, InputStatus, PaymentBatchStatus, PaymentNetwork, PaymentStatus,
};

tables! {
    /// A batch, without its orders and payments.
    struct BatchRow in payment_batches(account_id, id) owned by account_id {
        account_id: Account,
        id: Id,
        name: String,
        status: Named<PaymentBatchStatus>,
        created_by: Id,
        visible: bool,
        /// Whether uploads are refused, because the batch was created with its payments.
        locked: bool,
        input_format: Option<Named<InputFormat>>,
        input_status: Option<Named<InputStatus>>,
        input_budget_id: Option<Id>,
        input_created_at: Option<Time>,
        input_updated_at: Option<Time>,
        created_at: Time,
        updated_at: Time,
        confirmed_by: Option<Id>,
        confirmed_at: Option<Time>,
        passed_mfa_check_at: Option<Time>,
        orders_sent_at: Option<Time>,
        /// The time at which it next needs processing. Null: it needs none.
        work_at: Option<Time>,
        /// The lease of the worker that processes it.
        lease_id: Option<Id>,
        leased_until: Option<Time>,
    }

    /// An order of a batch.
    struct OrderRow in payment_orders(account_id, batch_id, position) owned by account_id {
        account_id: Account,
        batch_id: Id,
        position: i64,
        id: Id,
        budget_id: Id,
        currency: Currency,
        total_minor: i64,
        fees_minor: i64,
        payments: i64,
    }

    /// A payment of a batch.
    struct PaymentRow in payments(account_id, batch_id, input_index) owned by account_id {
        account_id: Account,
        batch_id: Id,
        input_index: i64,
        id: Id,
        status: Named<PaymentStatus>,
        order_id: Option<Id>,
        budget_id: Option<Id>,
        currency: Option<Currency>,
        amount_minor: Option<i64>,
        fee_minor: Option<i64>,
        network: Option<Named<PaymentNetwork>>,
        failure: Option<Named<FailureReason>>,
        input: String,
        created_at: Time,
        updated_at: Time,
        started_at: Option<Time>,
        /// When the bank is queried about it.
        ask_at: Option<Time>,
        /// When its batch was confirmed.
        confirmed_at: Option<Time>,
        /// Its place in the feed of changes. Before the confirmation it has none.
        position: Option<i64>,
    }

    /// An alert, with its position among the alerts of its batch.
    struct AlertRow in payment_alerts(account_id, batch_id, position) owned by account_id {
        account_id: Account,
        batch_id: Id,
        position: i64,
        created_at: Time,
        kind: Named<AlertKind>,
        code: Named<AlertCode>,
        input_index: Option<i64>,
        message: String,
    }

    /// A payment that the sandbox's bank accepted. It has no account column: its id is the id of an account's payment.
    struct AcceptedRow in sandbox_payments(id) owned by payments {
        id: Id,
        currency: Currency,
        amount_minor: i64,
        reference: Option<String>,
        accepted_at: Time,
    }
}

changes! {
    /// A batch after a change: every column that ever changes, except the lease. Its orders are stored separately.
    struct BatchChange of payment_batches {
        set {
            name,
            status,
            visible,
            input_format,
            input_status,
            input_budget_id,
            input_created_at,
            input_updated_at,
            updated_at,
            confirmed_by,
            confirmed_at,
            passed_mfa_check_at,
            orders_sent_at,
            work_at,
        }
        by { account_id, id, }
        from BatchRow keeping { created_by, locked, created_at, lease_id, leased_until, }
    }

    /// The lease of a batch.
    struct LeaseChange of payment_batches {
        set { lease_id, leased_until, }
        by { account_id, id, }
    }

    /// The progress of a payment.
    struct PaymentChange of payments {
        set { status, failure, updated_at, started_at, ask_at, position, }
        by { account_id, id, }
    }

    /// The time of the next query about a payment, whose status stays.
    struct PaymentWait of payments {
        set { updated_at, ask_at, }
        by { account_id, id, }
    }

    /// The same status for all payments of a batch.
    struct StatusOfAllChange of payments {
        set { status, updated_at, confirmed_at, position, }
        by { account_id, batch_id, }
    }
}

lookups! {
    /// Batches, with a lock on their rows.
    struct LockedBatches: BatchRow {
        from payment_batches by (account_id, id)
        order by "payment_batches.account_id, payment_batches.id"
        for update
    }

    /// The orders of batches, in their order.
    struct OrdersOfBatches: OrderRow {
        from payment_orders by (account_id, batch_id)
        order by "payment_orders.account_id, payment_orders.batch_id, payment_orders.position"
    }

    /// Payments by their ids.
    struct PaymentsById: PaymentRow {
        from payments by (account_id, id)
    }

    /// The alerts that are shown with a batch: its first ones, [`florin_domain::batch::BatchSummary::MAX_ALERTS`] at
    /// most.
    struct FirstAlerts: AlertRow {
        from payment_alerts by (account_id, batch_id)
        filter "payment_alerts.position < 100"
        order by "payment_alerts.account_id, payment_alerts.batch_id, payment_alerts.position"
    }

    /// Payments that the sandbox's bank accepted.
    struct AcceptedPayments: AcceptedRow {
        from sandbox_payments by (id)
    }
}
