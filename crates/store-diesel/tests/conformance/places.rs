//! Where writes can be made to fail: each place that a decision writes to.

/// As a trigger has it: `INSERT ON table`.
pub(crate) fn all() -> Vec<String> {
    let inserts = [
        "card_transactions",
        "card_chains",
        "journal_transactions",
        "journal_entries",
        "credits",
        "mfa_sessions",
        "idempotency_records",
    ];
    let updates = [
        "card_transactions",
        "card_chains",
        "balances",
        "spending_limits",
        "credit_counters",
        "payment_batches",
        "mfa_sessions",
        "totp_enrolments",
    ];
    let inserts = inserts.map(|table| format!("INSERT ON {table}"));
    let updates = updates.map(|table| format!("UPDATE ON {table}"));
    inserts.into_iter().chain(updates).collect()
}
