//! Sessions of checkouts and top-ups of budgets, their payments and refunds, and the secret of the payment pages.

use super::body::types::{Account, Bytes, Currency, Id, Named, Time};
use super::declare::{changes, lookups, parts, tables};
use florin_domain::checkout::{
    BankReportResult, MerchantPaymentKind, MerchantPaymentStatus, PaymentFailure, PurposeKind, SessionStatus,
};

tables! {
    /// A session or top-up.
    struct SessionRow in checkout_sessions(account_id, id) owned by account_id {
        account_id: Account,
        id: Id,
        purpose: Named<PurposeKind>,
        status: Named<SessionStatus>,
        /// Whether the payer has sent a form of the page.
        has_begun: bool,
        checkout_id: Option<Id>,
        settlement_account_id: Option<Id>,
        payee_id: Option<Id>,
        budget_id: Option<Id>,
        collect_address: Option<bool>,
        dynamic_rates_url: Option<String>,
        idempotency_key: String,
        merchant_reference: Option<String>,
        description: Option<String>,
        currency: Currency,
        amount_minor: i64,
        basket: Option<String>,
        shipping: Option<String>,
        locale: Option<String>,
        return_url: Option<String>,
        token_hash: Bytes,
        payment_reference: String,
        expires_at: Time,
        due_at: Option<Time>,
        payment_id: Option<Id>,
        order_id: Option<Id>,
        created_at: Time,
        updated_at: Time,
        completed_at: Option<Time>,
    }

    /// A payment of a session, or a refund.
    struct PaymentRow in merchant_payments(account_id, id) owned by account_id {
        account_id: Account,
        id: Id,
        session_id: Id,
        kind: Named<MerchantPaymentKind>,
        status: Named<MerchantPaymentStatus>,
        currency: Currency,
        amount_minor: i64,
        bank_id: String,
        bank_name: String,
        report: Option<Named<BankReportResult>>,
        report_at: Option<Time>,
        failure: Option<Named<PaymentFailure>>,
        initiated_at: Option<Time>,
        completed_at: Option<Time>,
        created_at: Time,
        refund_id: Option<Id>,
        refunded_payment_id: Option<Id>,
        reason: Option<String>,
        token_hash: Option<Bytes>,
        authorise_before: Option<Time>,
        due_at: Option<Time>,
        /// The settlement account of the session.
        settlement_account_id: Option<Id>,
        /// The order of the session. Only for completed payments and for refunds.
        order_id: Option<Id>,
        /// The merchant's reference of the session.
        merchant_reference: Option<String>,
        /// Whether the payment has refunds, in any status.
        has_refunds: bool,
    }

    /// The number of an account's payments or refunds in one status.
    struct PaymentCountRow in merchant_payment_counts(account_id, kind, status) owned by account_id {
        account_id: Account,
        kind: Named<MerchantPaymentKind>,
        status: Named<MerchantPaymentStatus>,
        total: i64,
    }

    /// The secret from which the tokens of payment pages are derived.
    struct PageSecretRow in page_secrets(id) of nobody {
        id: i64,
        secret: Bytes,
    }
}

diesel::numeric_expr!(merchant_payment_counts::total);
diesel::allow_tables_to_appear_in_same_query!(checkout_sessions, merchant_payments);

parts! {
    /// The columns of a payment or refund that a list shows.
    struct ListedPaymentRow of merchant_payments {
        id,
        session_id,
        status,
        currency,
        amount_minor,
        bank_name,
        failure,
        initiated_at,
        completed_at,
        created_at,
        refund_id,
        refunded_payment_id,
        settlement_account_id,
        merchant_reference,
    }

    /// The columns of a session that the overview of a payment shows.
    struct SessionOfPaymentRow of checkout_sessions {
        purpose,
        settlement_account_id,
        order_id,
        merchant_reference,
    }
}

changes! {
    /// A session after a change.
    struct SessionChange of checkout_sessions {
        set {
            status,
            has_begun,
            amount_minor,
            shipping,
            due_at,
            payment_id,
            order_id,
            updated_at,
            completed_at,
        }
        by { account_id, id, }
        from SessionRow keeping {
            purpose,
            checkout_id,
            settlement_account_id,
            payee_id,
            budget_id,
            collect_address,
            dynamic_rates_url,
            idempotency_key,
            merchant_reference,
            description,
            currency,
            basket,
            locale,
            return_url,
            token_hash,
            payment_reference,
            expires_at,
            created_at,
        }
    }

    /// A payment or refund after a change. Its mark of refunds is set separately.
    struct PaymentChange of merchant_payments {
        set { status, report, report_at, failure, initiated_at, completed_at, due_at, order_id, }
        by { account_id, id, }
        from PaymentRow keeping {
            session_id,
            kind,
            currency,
            amount_minor,
            bank_id,
            bank_name,
            created_at,
            refund_id,
            refunded_payment_id,
            reason,
            token_hash,
            authorise_before,
            settlement_account_id,
            merchant_reference,
            has_refunds,
        }
    }
}

lookups! {
    /// The sessions of payments, for their overviews.
    struct SessionsOfPayments: SessionOfPaymentRow {
        from checkout_sessions by (account_id, id)
    }

    /// Sessions, locked.
    struct LockedSessions: SessionRow {
        from checkout_sessions by (account_id, id)
        for update
    }

    /// Payments and refunds, locked.
    struct LockedPayments: PaymentRow {
        from merchant_payments by (account_id, id)
        for update
    }
}
