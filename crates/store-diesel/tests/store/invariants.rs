//! Tests that the checks of the books find changes that were made directly in the database, and return a
//! counter-example. The other account is not affected.

use crate::batches::{confirm, open};
use crate::support::{Fixture, MINE, OTHER, authorize, budget, card, fresh, gbp, id, seed_data, stamp};
use florin_domain::books::{BrokenLink, BrokenLinkReason, BudgetPool, CounterExample, Invariant, check_books, explain};
use florin_domain::card::LimitWindow;
use florin_domain::ids::JournalId;
use florin_domain::ledger::HashChain;
use florin_domain::mfa::{MfaProviderName, MfaVerdict};
use florin_domain::money::{Currency, Minor, Total};
use florin_domain::page::PageRequest;
use florin_domain::test_support::a_limit;
use florin_ports::{Books, ExplainResult, MfaSessions, PaymentBatches, Seeding};

/// Creates a store with 95.00 in each budget. In one budget, an authorization on a card with a limit holds 10.00, and a
/// batch reserves 10.00.
async fn with_hold_and_reservation() -> Fixture {
    let fixture = Fixture::empty();
    let mut data = seed_data(9_500);
    data.accounts[0].cards[0].limits = vec![a_limit(LimitWindow::Month, "50.00 GBP")];
    fixture.store.seed(data).await.unwrap();
    authorize(&fixture.store, 1, "10").await;
    let provider = MfaProviderName::Sandbox;
    fresh(fixture.store.open(open(MINE, MINE, 1, provider)).await);
    fresh(fixture.store.confirm(confirm(1, 1, provider, MfaVerdict::Correct { step: None })).await);
    fixture
}

/// Returns the broken invariants, each with its counter-example.
async fn broken(fixture: &Fixture, account: &str) -> Vec<(Invariant, CounterExample)> {
    let report = check_books(&fixture.store.books(&id(account)).await.unwrap());
    report.checks.into_iter().filter_map(|check| Some((check.invariant, check.counter_example?))).collect()
}

/// Returns the failed proofs of the explanation.
async fn disproved(fixture: &Fixture) -> Vec<&'static str> {
    let page = PageRequest::default();
    let ExplainResult::Parts(parts) = fixture.store.explain(&id(MINE), budget(MINE), gbp(), page).await.unwrap() else {
        panic!("there is nothing to explain")
    };
    let explained = explain(*parts, page);
    assert_eq!(explained.adds_up(), explained.proofs.iter().all(florin_domain::books::Proof::holds));
    explained.proofs.iter().filter(|proof| !proof.holds()).map(|proof| proof.name.as_str()).collect()
}

fn pool(pool: BudgetPool, stated: i128, computed: i128) -> CounterExample {
    let (budget, currency) = (budget(MINE), gbp());
    CounterExample::Pool { budget, currency, pool, stated: Total(stated), computed: Total(computed) }
}

/// Returns the violation in the hash chain of a balance of `MINE`. `leg` is its journal transaction and line.
fn chain(currency: Currency, leg: Option<(JournalId, i64)>, reason: BrokenLinkReason) -> (Invariant, CounterExample) {
    let chain = HashChain::Balance(budget(MINE), currency);
    (Invariant::HashChains, CounterExample::Chain { chain, broken: BrokenLink { leg, reason } })
}

/// Runs a statement that falsifies the data. Returns the broken invariants and the failed proofs.
async fn found_after(statement: &str) -> (Vec<(Invariant, CounterExample)>, Vec<&'static str>) {
    let fixture = with_hold_and_reservation().await;
    assert_eq!((broken(&fixture, MINE).await, disproved(&fixture).await), (vec![], vec![]));
    fixture.sql(statement);
    assert_eq!(broken(&fixture, OTHER).await, []);
    (broken(&fixture, MINE).await, disproved(&fixture).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_falsified_balance_is_found() {
    let of_mine = format!("WHERE budget_id = '{}'", budget(MINE).0);
    let found = found_after(&format!("UPDATE balances SET available_minor = available_minor + 5 {of_mine}")).await;
    assert_eq!(found.0, [(Invariant::Balances, pool(BudgetPool::Available, 7_505, 7_500))]);
    assert_eq!(found.1, ["available_is_postings"]);
    let found = found_after(&format!("UPDATE balances SET held_minor = held_minor - 1 {of_mine}")).await;
    let expected = pool(BudgetPool::Held, 999, 1_000);
    assert_eq!(found.0, [(Invariant::Balances, expected.clone()), (Invariant::Holds, expected)]);
    assert_eq!(found.1, ["held_is_postings", "held_is_open_holds"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_falsified_hold_is_found() {
    let found = found_after("UPDATE card_chains SET held_minor = 1").await;
    assert_eq!(found.0, [(Invariant::Holds, pool(BudgetPool::Held, 1_000, 1))]);
    assert_eq!(found.1, ["held_is_open_holds"]);
    let found = found_after("UPDATE card_chains SET held_minor = 0, due_at = NULL, ended_by = 'expired'").await;
    assert_eq!(found.0, [(Invariant::Holds, pool(BudgetPool::Held, 1_000, 0))]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_falsified_leg_is_found() {
    let journal = stamp(1).journal;
    let statement = |change: &str| {
        format!("UPDATE journal_legs SET amount_minor = amount_minor {change} WHERE journal_id = '{journal}'")
    };
    let changed = chain(gbp(), Some((journal, 0)), BrokenLinkReason::Changed);
    let found = found_after(&statement("- 1")).await;
    let expected = (Invariant::Balances, pool(BudgetPool::Available, 7_500, 7_501));
    assert_eq!(found.0, [expected, changed.clone()]);
    assert_eq!(found.1, ["available_is_postings", "held_is_postings"]);
    // An error of 2 to the power of 32: the two halves of a sum are combined correctly.
    let found = found_after(&statement("+ 4294967296")).await;
    let expected = (Invariant::Balances, pool(BudgetPool::Available, 7_500, 7_500 - (1 << 32)));
    assert_eq!(found.0, [expected, changed.clone()]);
    // A change after which all sums are right.
    let found =
        found_after(&format!("UPDATE journal_legs SET cause_id = journal_id WHERE journal_id = '{journal}'")).await;
    assert_eq!(found, (vec![changed], vec![]));
}

#[tokio::test(flavor = "multi_thread")]
async fn missing_and_contradicting_legs_are_found() {
    let journal = stamp(1).journal;
    let (broken, currency) = (journal, gbp());
    let added = |currency| chain(currency, None, BrokenLinkReason::Unlinked);
    let transaction = |currency| (Invariant::Conservation, CounterExample::Transaction { journal: broken, currency });
    // Two more legs of the transaction: the first one takes back what moved, and the second one moves it again.
    let more_legs = |kind: &str, cause: &str, currency: &str, at: &str| {
        format!(
            "INSERT INTO journal_legs (account_id, journal_id, line, amount_minor, created_at, \
             kind, cause_id, currency, \
             from_pool, from_budget_id, to_pool, to_budget_id) \
             SELECT account_id, journal_id, n, amount_minor, {at}, {kind}, \
             {cause}, {currency}, CASE n WHEN 1 THEN to_pool ELSE from_pool END, from_budget_id, \
             CASE n WHEN 1 THEN from_pool ELSE to_pool END, to_budget_id \
             FROM journal_legs, (SELECT 1 AS n UNION ALL SELECT 2) numbers WHERE journal_id = '{journal}'"
        )
    };
    let found = found_after(&more_legs("kind", "cause_id", "currency", "created_at")).await;
    assert_eq!(found, (vec![added(currency)], vec![]));
    let later = "(SELECT MIN(due_at) FROM card_chains)";
    let differ = [
        more_legs("'credit'", "cause_id", "currency", "created_at"),
        more_legs("kind", "journal_id", "currency", "created_at"),
        more_legs("kind", "cause_id", "currency", later),
    ];
    for statement in differ {
        assert_eq!(found_after(&statement).await.0, [transaction(currency), added(currency)], "{statement}");
    }
    let eur = Currency::parse("EUR").unwrap();
    let found = found_after(&more_legs("kind", "cause_id", "'EUR'", "created_at")).await;
    assert_eq!(found.0, [transaction(eur), added(eur)]);
    let found = found_after(&format!("UPDATE journal_legs SET line = 1 WHERE journal_id = '{journal}'")).await;
    let moved = chain(currency, Some((journal, 1)), BrokenLinkReason::Changed);
    assert_eq!(found.0, [transaction(currency), moved]);
    // A message names a journal transaction that does not exist.
    let found = found_after(&format!("DELETE FROM journal_legs WHERE journal_id = '{journal}'")).await;
    assert_eq!(found.0[0], transaction(currency));
    assert_eq!(found.0[1], (Invariant::Balances, pool(BudgetPool::Available, 7_500, 8_500)));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_falsified_reservation_is_found() {
    let found = found_after("UPDATE payment_orders SET total_minor = total_minor + 7").await;
    assert_eq!(found.0, [(Invariant::Reservations, pool(BudgetPool::Reserved, 1_000, 1_007))]);
    assert_eq!(found.1, ["reserved_is_reservations"]);
    let ended = format!("UPDATE payment_batches SET status = 'completed' WHERE account_id = '{MINE}'");
    let found = found_after(&ended).await;
    assert_eq!(found.0, [(Invariant::Reservations, pool(BudgetPool::Reserved, 1_000, 0))]);
    let of_mine = format!("WHERE budget_id = '{}'", budget(MINE).0);
    let found = found_after(&format!("UPDATE balances SET reserved_minor = reserved_minor - 1 {of_mine}")).await;
    let expected = pool(BudgetPool::Reserved, 999, 1_000);
    assert_eq!(found.0, [(Invariant::Balances, expected.clone()), (Invariant::Reservations, expected)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_falsified_limit_is_found() {
    for (set, spent, uses) in [("spent_minor = 1001", 1_001, 1), ("uses = 2", 1_000, 2)] {
        let found = found_after(&format!("UPDATE card_limits SET {set}")).await;
        let expected = CounterExample::Limit {
            card: card(MINE),
            window: LimitWindow::Month,
            currency: gbp(),
            spent: Minor(spent),
            max_spent: Total(1_000),
            uses,
            max_uses: 1,
        };
        assert_eq!(found, (vec![(Invariant::SpendingLimits, expected)], vec![]));
    }
}
