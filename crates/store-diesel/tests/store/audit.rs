//! The audit finds changes that were made behind the store's back.

use crate::support::{Home, MINE, authorize, budget, gbp, id, stamp};
use florin_domain::ids::JournalId;
use florin_ports::{AuditReport, Discrepancy, LedgerAudit};

const BALANCE: fn() -> Discrepancy = || Discrepancy::Balance { budget: budget(MINE), currency: gbp() };
const RESERVATIONS: fn() -> Discrepancy = || Discrepancy::Reservations { budget: budget(MINE), currency: gbp() };
const HOLDS: fn() -> Discrepancy = || Discrepancy::Holds { budget: budget(MINE), currency: gbp() };

async fn found_after(statement: &str) -> Vec<Discrepancy> {
    let home = Home::seeded().await;
    authorize(&home.store, 1, "10").await;
    let report = home.store.audit().await.unwrap();
    // A credit for each account, and the authorization.
    assert_eq!(report, AuditReport { journal_transactions: 3, balances: 4, discrepancies: vec![] });
    home.sql(statement);
    home.store.audit().await.unwrap().discrepancies
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_balance_is_detected() {
    let statement =
        format!("UPDATE balances SET available_minor = available_minor + 1 WHERE budget_id = '{}'", budget(MINE).0);
    assert_eq!(found_after(&statement).await, [BALANCE()]);
    let statement = format!("UPDATE balances SET reserved_minor = 1 WHERE budget_id = '{}'", budget(MINE).0);
    assert_eq!(found_after(&statement).await, [BALANCE(), RESERVATIONS()]);
    let statement = format!("UPDATE balances SET held_minor = 999 WHERE budget_id = '{}'", budget(MINE).0);
    assert_eq!(found_after(&statement).await, [BALANCE(), HOLDS()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_hold_is_detected() {
    assert_eq!(found_after("UPDATE card_chains SET held_minor = 1").await, [HOLDS()]);
    assert_eq!(
        found_after("UPDATE card_chains SET held_minor = 0, due_at = NULL, ended_by = 'expired'").await,
        [HOLDS()]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_batch_is_detected() {
    let statement =
        format!("UPDATE payment_batches SET status = 'started', confirmed_at = created_at WHERE account_id = '{MINE}'");
    assert_eq!(found_after(&statement).await, [RESERVATIONS()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_journal_is_detected() {
    let journal = stamp(1).journal;
    let statement = format!(
        "UPDATE journal_entries SET amount_minor = amount_minor - 1 WHERE journal_id = '{journal}' AND pool = 'held'"
    );
    assert_eq!(found_after(&statement).await, [Discrepancy::Unbalanced(JournalId(journal.0)), BALANCE()]);
    let statement = format!("DELETE FROM journal_entries WHERE journal_id = '{journal}'");
    assert_eq!(found_after(&statement).await, [BALANCE()]);
    // A difference of 2^32 is detected, too: the audit combines the high and low halves of a sum correctly.
    let statement =
        "UPDATE journal_entries SET amount_minor = amount_minor + 4294967296 WHERE pool = 'inbound_payments'";
    assert_eq!(found_after(statement).await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn uncounted_checkouts_are_detected() {
    const NEW: &str = "INSERT INTO checkouts (account_id, id, checkout_type, status, currency, return_url, created_at, \
        updated_at) SELECT account_id, '0198c0de-0001-7000-8000-00000000c0de', 'TOP_UP', 'ACTIVE', 'GBP', \
        'https://shop.example/', created_at, created_at FROM journal_transactions WHERE account_id = '{account}' LIMIT 1";
    let count = |counts: &str| format!("INSERT INTO checkout_counts VALUES ('{MINE}', 'TOP_UP', 'ACTIVE', {counts})");
    let miscounted = [Discrepancy::CheckoutCount(id(MINE))];
    let new = NEW.replace("{account}", MINE);
    assert_eq!(found_after(&new).await, miscounted);
    assert_eq!(found_after(&count("1")).await, miscounted);
    assert_eq!(found_after(&format!("{new}; {}", count("2"))).await, miscounted);
    assert_eq!(found_after(&format!("{new}; {}", count("1"))).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn misnumbered_events_are_detected() {
    const OBJECT: &str = "0198c0de-0005-7000-8000-00000000c0de";
    let event = |number: u8, kind: &str, sequence: u8| {
        // The times come from a row that has some, because the databases write them in different ways.
        format!(
            "INSERT INTO outbox_events SELECT {number}, '{MINE}', '0198c0de-0001-7000-8000-00000000000{number}', '{kind}', \
             '{OBJECT}', {sequence}, created_at, created_at, '{{}}', NULL FROM card_transactions \
             WHERE account_id = '{MINE}'"
        )
    };
    let sequence = format!("INSERT INTO event_sequences VALUES ('{MINE}', '{OBJECT}', 1)");
    let misnumbered = [Discrepancy::Sequence(OBJECT.parse().unwrap())];
    assert_eq!(found_after(&event(1, "BoxCredited", 1)).await, misnumbered);
    assert_eq!(found_after(&format!("{sequence}; {}", event(1, "BoxCredited", 1))).await, []);
    for kind in ["CardTransaction", "CardStateUpdated"] {
        assert_eq!(found_after(&event(1, kind, 1)).await, []);
        assert_eq!(found_after(&event(1, kind, 2)).await, misnumbered, "beyond what the object has had");
        let twice = format!("{}; {}", event(1, kind, 1), event(2, kind, 1));
        assert_eq!(found_after(&twice).await, misnumbered);
    }
}
