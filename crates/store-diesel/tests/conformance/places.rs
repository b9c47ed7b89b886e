//! SQL for injected failures: the writes of cards, budgets and payment batches at which a test injects a failure, and
//! changes of the list of applied migrations.

/// Makes the last migration appear pending.
pub(crate) const FORGET_THE_LAST_MIGRATION: &str =
    "DELETE FROM __diesel_schema_migrations WHERE version = (SELECT MAX(version) FROM __diesel_schema_migrations)";
/// Makes an unknown migration appear applied.
pub(crate) const ADD_A_LATER_MIGRATION: &str =
    "INSERT INTO __diesel_schema_migrations (version) VALUES ('99990101000000')";

/// Returns the writes in the syntax of a trigger: `INSERT ON table`.
pub(crate) fn all() -> Vec<String> {
    let inserts = [
        "card_transactions",
        "card_chains",
        "decline_reasons",
        "journal_legs",
        "credits",
        "mfa_sessions",
        "idempotency_records",
        "payment_batches",
        "payment_orders",
        "payments",
        "payment_alerts",
        "outbox_events",
        "event_sequences",
        "sandbox_payments",
        "budgets",
        "balances",
        "transfers",
        "cards",
        "card_words",
        "card_transitions",
        "card_limits",
    ];
    let updates = [
        "card_transactions",
        "card_chains",
        "balances",
        "card_limits",
        "credit_counters",
        "event_sequences",
        "payment_batches",
        "mfa_sessions",
        "totp_enrolments",
        "payments",
        "cards",
    ];
    let deletes = ["payment_orders", "payments", "payment_alerts", "card_limits", "card_words"];
    let inserts = inserts.map(|table| format!("INSERT ON {table}"));
    let updates = updates.map(|table| format!("UPDATE ON {table}"));
    let deletes = deletes.map(|table| format!("DELETE ON {table}"));
    inserts.into_iter().chain(updates).chain(deletes).collect()
}
