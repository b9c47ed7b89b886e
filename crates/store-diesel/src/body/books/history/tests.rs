//! Reads from checkpoints return what a read from the first movement returns.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use super::body::backend::testing::{PLANNER, with_store};
use super::body::backend::{Conn, Db};
use super::body::driver;
use super::body::plans::plan;
use super::body::types::Id;
use super::movements::{self, legs};
use super::{BalanceId, History, Read, Sizes, checkpoints, verify};
use chrono::{DateTime, TimeDelta, Utc};
use diesel::connection::SimpleConnection;
use diesel::prelude::*;
use florin_domain::books::{Booking, KindSum, PoolSums};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::money::Currency;
use florin_domain::page::PageRequest;
use uuid::Uuid;

/// Small, so that few movements have many checkpoints.
const SMALL: Sizes = Sizes { segment: 4, spread: 30, hurry: 1_000_000, margin: TimeDelta::seconds(5) };

/// Numbers that look random, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }
}

const ACCOUNTS: [&str; 2] = ["F1", "F2"];

fn budget(number: u64) -> Uuid {
    Uuid::from_u128(u128::from(number) + 1)
}

fn of(account: &str, number: u64, currency: &str) -> BalanceId {
    BalanceId::new(&AccountId::parse(account).unwrap(), BudgetId(budget(number)), Currency::parse(currency).unwrap())
}

/// Creates two accounts with two budgets each, in two currencies. The rows to which these rows refer are missing, so
/// foreign keys must be off.
fn prepare(conn: &mut Conn) {
    for account in ACCOUNTS {
        for (number, currency) in [(0, "GBP"), (0, "JPY"), (1, "GBP"), (1, "JPY")] {
            conn.batch_execute(&format!(
                "INSERT INTO balances (account_id, budget_id, currency, available_minor, held_minor, reserved_minor) \
                VALUES ('{account}', '{}', '{currency}', 0, 0, 0)",
                budget(number)
            ))
            .unwrap();
        }
    }
}

fn without_foreign_keys(conn: &mut Conn) {
    let sqlite = conn.batch_execute("PRAGMA foreign_keys = OFF");
    if sqlite.is_err() {
        conn.batch_execute("SET session_replication_role = replica").unwrap();
    }
}

/// Books a movement, and counts it.
fn book(conn: &mut Conn, of: &BalanceId, (at, id): (DateTime<Utc>, Uuid), minor: u64) {
    let kind = ["credit", "card", "transfer"][(minor % 3) as usize];
    let (account, budget, currency) = (of.account.0.as_str(), of.budget.0, of.currency.0.code());
    let time = time_sql(at);
    conn.batch_execute(&format!(
        "INSERT INTO journal_legs (account_id, journal_id, line, amount_minor, created_at, kind, cause_id, currency, \
            from_pool, to_pool, to_budget_id) VALUES \
            ('{account}', '{id}', 0, {minor}, {time}, '{kind}', '{id}', '{currency}', 'fees', \
            'available', '{budget}'), \
            ('{account}', '{id}', 1, 1, {time}, '{kind}', '{id}', '{currency}', 'fees', 'held', '{budget}'); \
        UPDATE balances SET movements = movements + 1 WHERE account_id = '{account}' AND budget_id = '{budget}' \
            AND currency = '{currency}'"
    ))
    .unwrap();
}

fn time_sql(at: DateTime<Utc>) -> String {
    if std::any::type_name::<Db>().contains("sqlite") {
        at.timestamp_micros().to_string()
    } else {
        format!("'{}'", at.to_rfc3339())
    }
}

fn id_at(at: DateTime<Utc>, number: u64) -> Uuid {
    Uuid::from_u128((u128::from(at.timestamp_millis().unsigned_abs()) << 80) + u128::from(number))
}

fn counted(conn: &mut Conn, of: &BalanceId) -> i64 {
    use super::body::tables::money::balances;
    let row = balances::table
        .filter(balances::account_id.eq(&of.account))
        .filter(balances::budget_id.eq(of.budget))
        .filter(balances::currency.eq(of.currency));
    row.select(balances::movements).get_result(conn).unwrap()
}

/// The contents of an explanation.
type Shown = (Vec<KindSum>, Vec<Booking>, PoolSums);

/// Reads a page and stores the checkpoints that the read returns, if it returns any.
fn shown(conn: &mut Conn, of: &BalanceId, page: PageRequest) -> (Shown, bool) {
    let read = Read { of, counted: counted(conn, of), page, in_a_hurry: false, sizes: SMALL };
    let History { sums, bookings, skipped, extension } = super::read(conn, &read).unwrap().unwrap();
    let stores = extension.is_some();
    for portion in extension.into_iter().flat_map(checkpoints::Extension::portions) {
        assert!(portion.store(conn, of).unwrap());
    }
    ((sums, bookings, skipped), stores)
}

/// Computes what an explanation must show, from all movements.
fn expected(conn: &mut Conn, of: &BalanceId, page: PageRequest) -> Shown {
    let mut all = Vec::new();
    movements::each_from(conn, of, Id(Uuid::nil()), &mut |booking| all.push(booking)).unwrap();
    all.sort_by_key(|booking| std::cmp::Reverse((booking.at, booking.journal)));
    let mut sums = super::kind_sums::KindSums::default();
    for booking in &all {
        sums.add(booking);
    }
    let skip = usize::try_from(page.offset).unwrap().min(all.len());
    let skipped = all[..skip].iter().fold(PoolSums::default(), |sum, booking| sum.plus(booking.moved));
    let rows = all.into_iter().skip(skip).take(usize::try_from(page.limit).unwrap()).collect();
    (sums.into_list(), rows, skipped)
}

/// Books random movements of all balances, mostly in order; some late in time, in id or in both. Compares a random page
/// after every few movements. Returns the number of reads that stored checkpoints, and the greatest number of movements
/// that checkpoints covered.
fn random_histories(conn: &mut Conn, seed: u64) -> (u64, u64) {
    let mut numbers = Numbers(seed);
    let mut now = DateTime::from_timestamp(1_788_264_000, 0).unwrap();
    let (mut stored, mut covered) = (0, 0);
    for step in 0..400 {
        now += TimeDelta::milliseconds(i64::try_from(numbers.below(1_500)).unwrap());
        let of = of(ACCOUNTS[usize::from(numbers.below(4) == 0)], u64::from(numbers.below(3) == 0), "GBP");
        let of = if numbers.below(6) == 0 { BalanceId { currency: yen(), ..of } } else { of };
        let ago = |numbers: &mut Numbers, range: u64| TimeDelta::seconds(i64::try_from(numbers.below(range)).unwrap());
        let (at, id) = match numbers.below(25) {
            0 => (now - ago(&mut numbers, 300), now),
            1 => (now, now - ago(&mut numbers, 300)),
            2 => (now - ago(&mut numbers, 300), now - ago(&mut numbers, 300)),
            3..=8 => (now - ago(&mut numbers, 3), now),
            _ => (now, now),
        };
        book(conn, &of, (at, id_at(id, step + 1)), numbers.below(90) + 1);
        if numbers.below(4) == 0 {
            let page = PageRequest {
                limit: i64::try_from(numbers.below(9)).unwrap() + 1,
                offset: i64::try_from(numbers.below(1 + step)).unwrap() / (1 + i64::from(numbers.below(3) == 0)),
            };
            let expected = expected(conn, &of, page);
            let (found, extends) = shown(conn, &of, page);
            assert_eq!(found, expected, "seed {seed}, step {step}, page {page:?}");
            stored += u64::from(extends);
            covered =
                covered.max(checkpoints::last(conn, &of, 0).unwrap().map_or(0, |last| last.covered.unsigned_abs()));
        }
        if numbers.below(40) == 0 {
            assert_eq!(verify::wrong(conn).unwrap(), vec![], "seed {seed}, step {step}");
        }
    }
    (stored, covered)
}

fn yen() -> super::body::types::Currency {
    super::body::types::Currency(Currency::parse("JPY").unwrap())
}

#[test]
fn explanations_are_the_same_with_and_without_checkpoints() {
    for seed in 0..12 {
        with_store(1, |store| {
            let mut conn = driver::connect_writer(store.place()).unwrap();
            without_foreign_keys(&mut conn);
            prepare(&mut conn);
            let (stored, covered) = random_histories(&mut conn, seed);
            assert!(stored > 15 && covered > 60, "seed {seed}: {stored} reads stored, {covered} covered");
        });
    }
}

/// Books seven movements a minute apart, and stores a checkpoint of the first four.
fn with_checkpoint(conn: &mut Conn) -> BalanceId {
    without_foreign_keys(conn);
    prepare(conn);
    let of = of("F1", 0, "GBP");
    let start = DateTime::from_timestamp(1_788_264_000, 0).unwrap();
    for number in 0..7 {
        let at = start + TimeDelta::minutes(i64::try_from(number).unwrap());
        book(conn, &of, (at, id_at(at, number)), number + 1);
    }
    assert!(shown(conn, &of, PageRequest::default()).1);
    assert_eq!(checkpoints::last(conn, &of, 0).unwrap().unwrap().covered, 4);
    of
}

#[test]
fn checks_find_checkpoints_that_differ_from_their_postings() {
    const FALSIFIED: [&str; 5] = [
        "UPDATE balance_checkpoints SET sums = '[[\"credit\",4,[\"11\",\"4\",\"0\"]]]'",
        "UPDATE balance_checkpoints SET covered = 3; UPDATE balance_coverage SET uncounted = -1",
        "UPDATE journal_legs SET amount_minor = amount_minor + 1 WHERE line = 0",
        "DELETE FROM journal_legs WHERE journal_id IN \
            (SELECT l.journal_id FROM journal_legs l WHERE l.amount_minor = 2 AND l.line = 0)",
        "UPDATE journal_legs SET kind = 'credit'",
    ];
    for statement in FALSIFIED {
        with_store(1, |store| {
            let mut conn = driver::connect_writer(store.place()).unwrap();
            let of = with_checkpoint(&mut conn);
            assert_eq!(verify::wrong(&mut conn).unwrap(), vec![]);
            conn.batch_execute(statement).unwrap();
            let expected = (BudgetId(of.budget.0), of.currency.0);
            assert_eq!(verify::wrong(&mut conn).unwrap(), vec![expected], "{statement}");
        });
    }
}

/// Otherwise the check would report a discrepancy although the next explanation replaces the checkpoint.
#[test]
fn outdated_checkpoints_are_no_discrepancy() {
    with_store(1, |store| {
        let mut conn = driver::connect_writer(store.place()).unwrap();
        let of = with_checkpoint(&mut conn);
        let at = DateTime::from_timestamp(1_788_264_030, 0).unwrap();
        book(&mut conn, &of, (at, id_at(at, 1)), 5);
        assert_eq!(verify::wrong(&mut conn).unwrap(), vec![]);
        let page = PageRequest::default();
        let expected = expected(&mut conn, &of, page);
        assert_eq!(shown(&mut conn, &of, page).0, expected);
    });
}

/// Two explanations at the same time do not mix their checkpoints.
#[test]
fn only_the_first_of_two_extensions_is_stored() {
    with_store(1, |store| {
        let mut conn = driver::connect_writer(store.place()).unwrap();
        let of = with_checkpoint(&mut conn);
        for number in 7..16 {
            let at = DateTime::from_timestamp(1_788_264_000 + 60 * number, 0).unwrap();
            book(&mut conn, &of, (at, id_at(at, number.unsigned_abs())), 1);
        }
        let counted = counted(&mut conn, &of);
        let read = Read { of: &of, counted, page: PageRequest::default(), in_a_hurry: false, sizes: SMALL };
        let [first, second] = [(), ()].map(|()| super::read(&mut conn, &read).unwrap().unwrap().extension.unwrap());
        assert!(first.store(&mut conn, &of).unwrap());
        assert!(!second.store(&mut conn, &of).unwrap());
        assert_eq!(verify::wrong(&mut conn).unwrap(), vec![]);
    });
}

#[test]
fn a_read_from_a_checkpoint_is_bounded_by_a_range_of_ids() {
    use super::body::tables::money::journal_legs;
    with_store(1, |store| {
        let plans = driver::read(store.readers(), |conn| {
            conn.batch_execute(PLANNER)?;
            let of = of("F1", 0, "GBP");
            let from = Id(Uuid::nil());
            Ok(plan(conn, movements::legs_from!(&of, from))?)
        });
        let plan = plans.unwrap();
        assert!(!plan.contains("TEMP B-TREE") && !plan.contains("Sort"), "{plan}");
        let ranges = [
            "SEARCH journal_legs USING PRIMARY KEY (account_id=? AND journal_id>?)",
            "Index Scan using journal_legs_pkey on journal_legs",
        ];
        assert!(ranges.iter().any(|range| plan.contains(range)), "{plan}");
        assert!(!plan.contains("SCAN journal") && !plan.contains("Seq Scan"), "{plan}");
    });
}
