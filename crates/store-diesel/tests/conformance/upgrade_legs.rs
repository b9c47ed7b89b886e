//! A database whose journal has entries, and its expected state after they became legs.

use florin_domain::activity::ActivityFilter;
use florin_domain::books::{Invariant, check_books, explain};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::JournalKind;
use florin_domain::money::Currency;
use florin_domain::page::PageRequest;
use florin_ports::{Activities, Books, BooksCheck, ExplainResult};
use uuid::Uuid;

/// The first migration that is missing.
pub(crate) const MIGRATION: &str = "2026-11-26-000048";
/// The rows of the database.
pub(crate) const ROWS: &str = include_str!("before_legs.sql");

/// The contents of snapshots of worlds.
pub(crate) const SNAPSHOTS: &str = "SELECT contents AS line FROM world_snapshots";

/// The postings of every transaction, from entries.
pub(crate) const ENTRIES: &str = "SELECT CAST(e.journal_id AS TEXT) || ' ' || t.kind || ' ' \
    || CAST(t.cause_id AS TEXT) || ' ' \
    || t.currency || ' ' || CAST(t.created_at AS TEXT) || ' ' || e.pool || ' ' \
    || COALESCE(CAST(e.budget_id AS TEXT), '') || ' ' \
    || COALESCE(CAST(e.settled_to AS TEXT), '') || ' ' || CAST(e.amount_minor AS TEXT) AS line \
    FROM journal_entries e JOIN journal_transactions t ON t.account_id = e.account_id AND t.id = e.journal_id \
    ORDER BY 1";

/// The postings of every transaction, from legs.
pub(crate) const LEGS: &str = "SELECT CAST(s.journal_id AS TEXT) || ' ' || s.kind || ' ' \
    || CAST(s.cause_id AS TEXT) || ' ' \
    || s.currency || ' ' || CAST(s.created_at AS TEXT) || ' ' || s.pool || ' ' \
    || COALESCE(CAST(s.budget_id AS TEXT), '') || ' ' \
    || COALESCE(CAST(s.settled_to AS TEXT), '') || ' ' || CAST(SUM(s.amount_minor) AS TEXT) AS line FROM ( \
    SELECT journal_id, kind, cause_id, currency, created_at, from_pool AS pool, from_budget_id AS budget_id, \
        CASE from_pool WHEN 'merchant_settled' THEN settled_to END AS settled_to, -amount_minor AS amount_minor \
        FROM journal_legs \
    UNION ALL SELECT journal_id, kind, cause_id, currency, created_at, to_pool, to_budget_id, \
        CASE to_pool WHEN 'merchant_settled' THEN settled_to END, amount_minor FROM journal_legs) s \
    GROUP BY s.journal_id, s.kind, s.cause_id, s.currency, s.created_at, s.pool, s.budget_id, s.settled_to ORDER BY 1";

/// The legs of the transactions with more than two entries, and of the credits, in the order of their lines.
pub(crate) const MOVES: &str = "SELECT kind || ' ' || CAST(line AS TEXT) || ': ' || CAST(amount_minor AS TEXT) || ' ' \
    || from_pool || ' > ' || to_pool || COALESCE(' at ' || CAST(position AS TEXT), '') AS line FROM journal_legs \
    WHERE journal_id IN (SELECT journal_id FROM journal_legs WHERE line > 0 OR position IS NOT NULL) \
    ORDER BY journal_id, line";

/// Checks the data after the upgrade.
pub(crate) async fn check_legs(store: &(impl BooksCheck + Books + Activities), legs: &[String]) {
    let expected = [
        "credit 0: 100000 inbound_payments > available at 1",
        "card 0: 300 held > available",
        "card 1: 700 held > card_network",
        "card 0: 200 available > card_network",
        "card 1: 1000 held > card_network",
        "payment 0: 500 reserved > outbound_payments",
        "payment 1: 10 reserved > fees",
        "top_up 0: 700 inbound_payments > available at 16",
        // Two losses of 30 and 20, and three gains of 25, 15 and 10.
        "transfer 0: 25 available > fees",
        "transfer 1: 5 available > outbound_payments",
        "transfer 2: 10 available > outbound_payments",
        "transfer 3: 10 available > card_network",
        "credit 0: 9007199254740993 inbound_payments > available at 18",
    ];
    assert_eq!(legs, expected);
    let books_report = store.check_all().await.unwrap();
    assert_eq!((books_report.journal_transactions, books_report.balances, books_report.discrepancies), (18, 2, vec![]));
    let (account, gbp) = (AccountId::parse("F1").unwrap(), Currency::parse("GBP").unwrap());
    let report = check_books(&store.books(&account).await.unwrap());
    assert!(report.holds(), "{report:?}");
    assert_eq!((report.checks[0].invariant, report.checks[0].checked), (Invariant::Conservation, 18));
    let page = PageRequest::default();
    for (budget, available, movements) in [(0xb1, 93_060, 14), (0xb2, 9_007_199_254_746_673, 4)] {
        let budget = BudgetId(Uuid::from_u128(budget));
        let ExplainResult::Parts(parts) = store.explain(&account, budget, gbp, page).await.unwrap() else {
            panic!("there is nothing to explain")
        };
        let explained = explain(*parts, page);
        assert!(explained.adds_up(), "{explained:?}");
        // A transaction in which the budget is on several legs is one movement.
        assert_eq!((explained.stated.available.0, explained.bookings.count), (available, movements));
        let transfers = explained.sums.iter().find(|sum| sum.kind == JournalKind::Transfer).unwrap();
        assert_eq!(transfers.count, 2);
    }
    let found = store.list(&account, ActivityFilter::default(), page).await.unwrap();
    let moved: Vec<_> = found.rows.iter().map(|row| row.impacted.0).filter(|moved| moved.abs() != 5_000).collect();
    assert_eq!((moved, found.rows.len()), (vec![9_007_199_254_740_993, 700, 100_000], 5));
    // Restricted to a budget: its credit, its top-up, and the transfer to it.
    let budgets = vec![BudgetId(Uuid::from_u128(0xb2))];
    let found = store.list(&account, ActivityFilter { budgets, ..ActivityFilter::default() }, page).await.unwrap();
    assert_eq!(found.rows.len(), 3);
}
