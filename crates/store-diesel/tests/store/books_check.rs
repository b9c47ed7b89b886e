//! Tests that the check of the books finds changes that were made without the store.

use crate::support::{Fixture, MINE, amount, authorization, authorize, budget, first_message, fresh, gbp, id, stamp};
use florin_domain::books::{BrokenLink, BrokenLinkReason};
use florin_domain::card::decide::{DisputeRequest, FirstKind, decide_dispute, decide_first, decide_new_dispute};
use florin_domain::card::{DisputeAction, DisputeReason};
use florin_domain::ids::JournalId;
use florin_domain::ledger::HashChain;
use florin_ports::{
    BooksCheck, BooksReport, CardLedger, Discrepancy, DisputeCommand, Disputes, FirstMessageCommand, Mode,
    OpenDisputeCommand,
};
use std::sync::Arc;

const BALANCE: fn() -> Discrepancy = || Discrepancy::Balance { budget: budget(MINE), currency: gbp() };
const RESERVATIONS: fn() -> Discrepancy = || Discrepancy::Reservations { budget: budget(MINE), currency: gbp() };
const HOLDS: fn() -> Discrepancy = || Discrepancy::Holds { budget: budget(MINE), currency: gbp() };

/// Returns the violation in the hash chain of the GBP balance of `MINE`. `leg` is its journal transaction and line.
fn chain(leg: Option<(JournalId, i64)>, reason: BrokenLinkReason) -> Discrepancy {
    let chain = HashChain::Balance(budget(MINE), gbp());
    Discrepancy::HashChain { account: id(MINE), chain, broken: BrokenLink { leg, reason } }
}

/// Returns the discrepancies that the check finds after a statement.
async fn found_after(statement: &str) -> Vec<Discrepancy> {
    let fixture = Fixture::seeded().await;
    authorize(&fixture.store, 1, "10").await;
    let report = fixture.store.check_all().await.unwrap();
    // A credit for each account, and the authorization.
    assert_eq!(report, BooksReport { journal_transactions: 3, balances: 4, discrepancies: vec![] });
    fixture.sql(statement);
    fixture.store.check_all().await.unwrap().discrepancies
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
    let statement = format!("UPDATE journal_legs SET amount_minor = amount_minor - 1 WHERE journal_id = '{journal}'");
    let changed = chain(Some((journal, 0)), BrokenLinkReason::Changed);
    assert_eq!(found_after(&statement).await, [BALANCE(), changed.clone()]);
    let missing = [Discrepancy::Legs(journal), BALANCE(), chain(None, BrokenLinkReason::OtherEnd)];
    assert_eq!(found_after(&format!("DELETE FROM journal_legs WHERE journal_id = '{journal}'")).await, missing);
    let renumbered = format!("UPDATE journal_legs SET line = 1 WHERE journal_id = '{journal}'");
    let found = [Discrepancy::Legs(journal), chain(Some((journal, 1)), BrokenLinkReason::Changed)];
    assert_eq!(found_after(&renumbered).await, found);
    let elsewhere = format!("UPDATE journal_legs SET to_pool = 'reserved' WHERE journal_id = '{journal}'");
    assert_eq!(found_after(&elsewhere).await, [BALANCE(), changed]);
    // A difference of 2^32 is detected, too: the check combines the high and low halves of a sum correctly.
    let statement =
        "UPDATE journal_legs SET amount_minor = amount_minor + 4294967296 WHERE from_pool = 'inbound_payments'";
    // It changes a leg, and thereby a balance, of each account.
    assert_eq!(found_after(statement).await.len(), 4);
}

/// Changes after which all sums are right: the hash chains find them, and name the leg.
#[tokio::test(flavor = "multi_thread")]
async fn a_changed_journal_whose_sums_are_right_is_detected() {
    use BrokenLinkReason::{Changed, NotFollowing, OtherEnd, Unlinked};

    let [first, second] = [stamp(1).journal, stamp(2).journal];
    let of_mine = format!("WHERE budget_id = '{}' AND currency = 'GBP'", budget(MINE).0);
    let leg = |set: &str| format!("UPDATE journal_legs SET {set} WHERE journal_id = '{first}'");
    for (statement, at, reason) in [
        (leg("cause_id = journal_id"), Some(first), Changed),
        (leg("created_at = (SELECT MIN(due_at) FROM card_chains)"), Some(first), Changed),
        (leg("kind = 'batch_release'"), Some(first), Changed),
        (leg("number = 77"), Some(first), Changed),
        (leg("from_hash = (SELECT hash FROM api_keys LIMIT 1)"), Some(first), Changed),
        (leg("from_link = 9"), Some(second), NotFollowing),
        (leg("from_link = NULL, from_hash = NULL"), Some(second), NotFollowing),
        // The two legs swap their causes.
        (
            format!(
                "UPDATE journal_legs AS t SET cause_id = (SELECT m.token FROM card_transactions m \
                 WHERE m.journal_id <> t.journal_id AND m.journal_id IN ('{first}', '{second}')) \
                 WHERE t.journal_id IN ('{first}', '{second}')"
            ),
            Some(first),
            Changed,
        ),
        (format!("UPDATE balances SET last_link = 9 {of_mine}"), None, OtherEnd),
        (format!("UPDATE balances SET last_hash = (SELECT hash FROM api_keys LIMIT 1) {of_mine}"), None, OtherEnd),
        (format!("UPDATE balances SET movements = movements + 1 {of_mine}"), None, Unlinked),
    ] {
        let fixture = Fixture::seeded().await;
        authorize(&fixture.store, 1, "10").await;
        authorize(&fixture.store, 2, "10").await;
        fixture.check_books().await;
        fixture.sql(&statement);
        let found = fixture.store.check_all().await.unwrap().discrepancies;
        assert_eq!(found, [chain(at.map(|journal| (journal, 0)), reason)], "{statement}");
    }
}

/// An instance of an earlier version counts its movements, but writes legs without links.
#[tokio::test(flavor = "multi_thread")]
async fn legs_of_an_earlier_instance_are_right() {
    let fixture = Fixture::seeded().await;
    authorize(&fixture.store, 1, "10").await;
    // The inserted legs move an amount, and move it back.
    fixture.sql(&format!(
        "INSERT INTO journal_legs (account_id, journal_id, line, amount_minor, created_at, kind, cause_id, currency, \
         from_pool, from_budget_id, to_pool, to_budget_id) SELECT account_id, '{}', n, amount_minor, created_at, kind, \
         cause_id, currency, CASE n WHEN 0 THEN from_pool ELSE to_pool END, from_budget_id, \
         CASE n WHEN 0 THEN to_pool ELSE from_pool END, to_budget_id \
         FROM journal_legs, (SELECT 0 AS n UNION ALL SELECT 1) numbers WHERE journal_id = '{}'; \
         UPDATE balances SET movements = movements + 1 WHERE budget_id = '{}' AND currency = 'GBP'",
        stamp(3).journal,
        stamp(1).journal,
        budget(MINE).0
    ));
    authorize(&fixture.store, 2, "10").await;
    fixture.check_books().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn credits_and_transfers_without_their_journal_are_detected() {
    const JOURNAL: &str = "0198c0de-0001-7000-8000-00000000c0de";
    let credit = format!(
        "INSERT INTO credits (account_id, number, journal_id, budget_id, currency, amount_minor, scheme, \
         remitters_name, remitters_address, beneficiary_name, available_minor, held_minor, reserved_minor, created_at) \
         SELECT account_id, 9, '{JOURNAL}', budget_id, 'GBP', 1, 'SEPA', 'a', 'b', 'c', 0, 0, 0, created_at \
         FROM card_transactions"
    );
    let transfer = format!(
        "INSERT INTO transfers (account_id, id, journal_id, from_budget_id, to_budget_id, currency, \
         amount_minor, created_at) \
         SELECT t.account_id, t.token, '{JOURNAL}', t.budget_id, b.budget_id, 'GBP', 1, t.created_at \
         FROM card_transactions t JOIN balances b ON b.account_id = t.account_id AND b.budget_id <> t.budget_id \
         WHERE b.currency = 'GBP'"
    );
    let missing = [Discrepancy::Legs(JournalId(JOURNAL.parse().unwrap()))];
    for statement in [credit, transfer] {
        assert_eq!(found_after(&statement).await, missing, "{statement}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn uncounted_checkouts_are_detected() {
    const NEW: &str = "INSERT INTO checkouts (account_id, id, checkout_type, status, currency, return_url, created_at, \
        updated_at) SELECT account_id, '0198c0de-0001-7000-8000-00000000c0de', 'TOP_UP', 'ACTIVE', 'GBP', \
        'https://shop.example/', created_at, created_at FROM journal_legs WHERE account_id = '{account}' LIMIT 1";
    let count = |counts: &str| format!("INSERT INTO checkout_counts VALUES ('{MINE}', 'TOP_UP', 'ACTIVE', {counts})");
    let miscounted = [Discrepancy::CheckoutCount(id(MINE))];
    let new = NEW.replace("{account}", MINE);
    assert_eq!(found_after(&new).await, miscounted);
    assert_eq!(found_after(&count("1")).await, miscounted);
    assert_eq!(found_after(&format!("{new}; {}", count("2"))).await, miscounted);
    assert_eq!(found_after(&format!("{new}; {}", count("1"))).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_counts_of_cards_budgets_and_payments_are_detected() {
    let miscounted = [Discrepancy::ListCount(id(MINE))];
    let of_mine = format!("WHERE account_id = '{MINE}'");
    for statement in [
        format!("UPDATE card_counts SET total = total + 1 {of_mine}"),
        format!("UPDATE cards SET state = 'SUSPENDED' {of_mine}"),
        format!("DELETE FROM card_counts {of_mine}"),
        format!("UPDATE budget_counts SET total = total + 1 {of_mine} AND below = '' AND held = ''"),
        format!("UPDATE budget_counts SET total = total - 1 {of_mine} AND held = 'GBP' AND below <> ''"),
        format!("DELETE FROM budget_counts {of_mine} AND held = 'GBP' AND below = ''"),
        format!("INSERT INTO merchant_payment_counts VALUES ('{MINE}', 'REFUND', 'FAILED', 1)"),
    ] {
        assert_eq!(found_after(&statement).await, miscounted, "{statement}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_counts_of_people_are_detected() {
    const NEW: &str = "INSERT INTO people (account_id, id, persona_id, first_name, last_name, role, status, \
        created_at, updated_at) SELECT account_id, token, token, 'Ada', 'Byron', 'User', 'active', created_at, \
        created_at FROM card_transactions";
    let count = |counts: &str| format!("INSERT INTO people_counts VALUES ('{MINE}', {counts})");
    let miscounted = [Discrepancy::ListCount(id(MINE))];
    assert_eq!(found_after(NEW).await, miscounted);
    assert_eq!(found_after(&count("'User', 1")).await, miscounted);
    for wrong in ["'User', 2", "'Owner', 1"] {
        assert_eq!(found_after(&format!("{NEW}; {}", count(wrong))).await, miscounted, "{wrong}");
    }
    assert_eq!(found_after(&format!("{NEW}; {}", count("'User', 1"))).await, []);
}

#[tokio::test(flavor = "multi_thread")]
async fn payments_that_contradict_their_sessions_or_refunds_are_detected() {
    const STORED: &str = "INSERT INTO checkout_sessions (account_id, id, purpose, status, has_begun, budget_id, \
        idempotency_key, merchant_reference, currency, amount_minor, token_hash, payment_reference, expires_at, \
        created_at, updated_at) \
        SELECT account_id, token, 'BUDGET', 'CANCELLED', TRUE, budget_id, 'key', 'order-1', 'GBP', 1, \
        (SELECT hash FROM api_keys LIMIT 1), '0000000000', created_at, created_at, created_at FROM card_transactions; \
        INSERT INTO merchant_payments (account_id, id, session_id, kind, status, currency, amount_minor, bank_id, \
        bank_name, created_at, merchant_reference) SELECT account_id, id, id, 'PAYMENT', 'CANCELLED', 'GBP', 1, \
        '00000000000000000000000000000000', 'Bank', created_at, 'order-1' FROM checkout_sessions; \
        INSERT INTO merchant_payment_counts SELECT account_id, kind, status, 1 FROM merchant_payments;";
    assert_eq!(found_after(STORED).await, []);
    for change in ["settlement_account_id = id", "order_id = id", "merchant_reference = NULL", "has_refunds = TRUE"] {
        let changed = format!("{STORED} UPDATE merchant_payments SET {change}");
        assert_eq!(found_after(&changed).await, [Discrepancy::ListedPayments(id(MINE))], "{change}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn misnumbered_events_are_detected() {
    const OBJECT: &str = "0198c0de-0005-7000-8000-00000000c0de";
    let event = |number: u8, kind: &str, sequence: u8| {
        // The times come from a row that has some, because the databases write them in different ways.
        format!(
            "INSERT INTO outbox_events SELECT {number}, '{MINE}', \
             '0198c0de-0001-7000-8000-00000000000{number}', '{kind}', \
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

#[tokio::test(flavor = "multi_thread")]
async fn a_changed_dispute_is_detected() {
    let fixture = Fixture::seeded().await;
    let posted = first_message(FirstKind::ForcePost, "10");
    let ids = stamp(1);
    let decide = Arc::new(move |situation: &_| ids.rule(|stamp| decide_first(situation, &posted, stamp)));
    let command = FirstMessageCommand { decide, ..authorization(MINE, ids, "10") };
    let transaction = fresh(fixture.store.first_message(command).await).token;
    let (request, ids) = (DisputeRequest { amount: Some(amount("4")), reason: DisputeReason::Fraud }, stamp(2));
    let decide = Arc::new(move |situation: &_| ids.rule(|stamp| decide_new_dispute(situation, &request, stamp)));
    let command = OpenDisputeCommand { account: id(MINE), transaction, decide, mode: Mode::Commit, claim: None };
    let dispute = fresh(Disputes::open(&fixture.store, command).await).dispute.id;
    let ids = stamp(3);
    let decide =
        Arc::new(move |situation: &_| ids.rule(|stamp| decide_dispute(situation, &DisputeAction::Credit, stamp)));
    let command = DisputeCommand { account: id(MINE), dispute, decide, mode: Mode::Commit, claim: None };
    fresh(Disputes::act(&fixture.store, command).await);
    for (change, undo, is_right) in [
        ("UPDATE disputes SET updated_at = created_at", "UPDATE disputes SET updated_at = created_at", true),
        ("UPDATE disputes SET amount_minor = 500", "UPDATE disputes SET amount_minor = 400", false),
        (
            "UPDATE card_chains SET disputed_minor = 401 WHERE disputed_minor = 400",
            "UPDATE card_chains SET disputed_minor = 400 WHERE disputed_minor = 401",
            false,
        ),
        (
            "UPDATE card_chains SET cleared_minor = 399 WHERE cleared_minor = 1000",
            "UPDATE card_chains SET cleared_minor = 1000 WHERE cleared_minor = 399",
            false,
        ),
        (
            "UPDATE disputes SET status = 'LOST', settlement_id = id, resolved_at = created_at",
            "UPDATE disputes SET updated_at = created_at",
            false,
        ),
    ] {
        fixture.sql(change);
        let found = fixture.store.check_all().await.unwrap().discrepancies;
        let expected = if is_right { vec![] } else { vec![Discrepancy::Dispute(dispute)] };
        assert_eq!(found, expected, "{change}");
        fixture.sql(undo);
    }
}
