//! Explains how one balance is composed.

use super::body::backend::Conn;
use super::body::backend::sql::{IdSql, TimeSql};
use super::body::balances::must_be_there;
use super::body::cards;
use super::body::errors::Outcome;
use super::body::tables::money::{balances, budgets};
use super::body::types::{Account, Currency, Id, Named, Time};
use super::halves::Halves;
use super::reservations::open_orders;
use diesel::prelude::*;
use diesel::sql_query;
use diesel::sql_types::{BigInt, Text};
use florin_domain::books::{Booking, ExplanationParts, Held, KindSum, MAX_LISTED, OpenHold, PoolSums, Reservation};
use florin_domain::ids::{AccountId, BudgetId, JournalId, OrderId, PaymentBatchId};
use florin_domain::ledger::JournalKind;
use florin_domain::money::{self, Minor, Total};
use florin_domain::page::PageRequest;
use florin_ports::Explained;

/// Sums the effect of each journal transaction on the pools of the budget, in halves.
const MOVES: &str = "SELECT t.id AS journal_id, t.kind AS kind, t.cause_id AS cause_id, t.created_at AS created_at, \
    SUM(CASE WHEN e.pool = 'available' THEN e.amount_minor >> 32 ELSE 0 END) AS available_high, \
    SUM(CASE WHEN e.pool = 'available' THEN e.amount_minor & 4294967295 ELSE 0 END) AS available_low, \
    SUM(CASE WHEN e.pool = 'held' THEN e.amount_minor >> 32 ELSE 0 END) AS held_high, \
    SUM(CASE WHEN e.pool = 'held' THEN e.amount_minor & 4294967295 ELSE 0 END) AS held_low, \
    SUM(CASE WHEN e.pool = 'reserved' THEN e.amount_minor >> 32 ELSE 0 END) AS reserved_high, \
    SUM(CASE WHEN e.pool = 'reserved' THEN e.amount_minor & 4294967295 ELSE 0 END) AS reserved_low \
    FROM journal_entries e JOIN journal_transactions t ON t.account_id = e.account_id AND t.id = e.journal_id \
    WHERE e.account_id = $1 AND e.budget_id = $2 AND t.currency = $3 \
    GROUP BY t.id, t.kind, t.cause_id, t.created_at";

/// The order of the list: newest first.
const NEWEST: &str = "ORDER BY m.created_at DESC, m.journal_id DESC";

const PLAIN: &str = "CAST(m.available_high AS BIGINT) AS available_high, \
    CAST(m.available_low AS BIGINT) AS available_low, CAST(m.held_high AS BIGINT) AS held_high, \
    CAST(m.held_low AS BIGINT) AS held_low, CAST(m.reserved_high AS BIGINT) AS reserved_high, \
    CAST(m.reserved_low AS BIGINT) AS reserved_low";

const SUMMED: &str = "CAST(COALESCE(SUM(m.available_high), 0) AS BIGINT) AS available_high, \
    CAST(COALESCE(SUM(m.available_low), 0) AS BIGINT) AS available_low, \
    CAST(COALESCE(SUM(m.held_high), 0) AS BIGINT) AS held_high, \
    CAST(COALESCE(SUM(m.held_low), 0) AS BIGINT) AS held_low, \
    CAST(COALESCE(SUM(m.reserved_high), 0) AS BIGINT) AS reserved_high, \
    CAST(COALESCE(SUM(m.reserved_low), 0) AS BIGINT) AS reserved_low";

#[derive(QueryableByName)]
struct KindRow {
    #[diesel(sql_type = Text)]
    kind: Named<JournalKind>,
    #[diesel(sql_type = BigInt)]
    count: i64,
    #[diesel(embed)]
    moved: Halves,
}

#[derive(QueryableByName)]
struct BookingRow {
    #[diesel(sql_type = IdSql)]
    journal_id: Id,
    #[diesel(sql_type = Text)]
    kind: Named<JournalKind>,
    #[diesel(sql_type = IdSql)]
    cause_id: Id,
    #[diesel(sql_type = TimeSql)]
    created_at: Time,
    #[diesel(embed)]
    moved: Halves,
}

/// Identifies a balance: account, budget and currency.
#[derive(Clone)]
pub(super) struct Of {
    account: Account,
    budget: Id,
    currency: Currency,
}

impl From<BookingRow> for Booking {
    fn from(row: BookingRow) -> Self {
        Self {
            journal: JournalId(row.journal_id.0),
            kind: row.kind.0,
            cause: row.cause_id.0,
            at: row.created_at.0,
            moved: row.moved.into(),
        }
    }
}

impl Of {
    pub(super) fn new(account: &AccountId, budget: BudgetId, currency: money::Currency) -> Self {
        Self { account: Account(account.clone()), budget: Id(budget.0), currency: Currency(currency) }
    }
}

/// Builds a statement about the budget's journal.
macro_rules! ask {
    ($of:expr, $($text:tt)*) => {
        sql_query(format!($($text)*))
            .bind::<Text, _>($of.account.clone())
            .bind::<IdSql, _>($of.budget)
            .bind::<Text, _>($of.currency)
    };
}

/// Reads the whole explanation, in the view of the transaction.
pub(super) fn explained(conn: &mut Conn, of: &Of, page: PageRequest) -> Outcome<Explained> {
    let Some(stated) = stated(conn, of)? else { return without(conn, of) };
    let (limit, offset) = (page.limit, page.offset);
    let sums = ask!(of, "SELECT m.kind AS kind, COUNT(*) AS count, {SUMMED} FROM ({MOVES}) m GROUP BY m.kind");
    let mut sums: Vec<_> = sums.load::<KindRow>(conn)?.into_iter().map(KindSum::from).collect();
    sums.sort_by_key(|sum| JournalKind::ALL.iter().position(|kind| *kind == sum.kind));
    let page = "SELECT m.journal_id AS journal_id, m.kind AS kind, m.cause_id AS cause_id, m.created_at AS created_at";
    let bookings = ask!(of, "{page}, {PLAIN} FROM ({MOVES}) m {NEWEST} LIMIT $4 OFFSET $5");
    let bookings = bookings.bind::<BigInt, _>(limit).bind::<BigInt, _>(offset).load::<BookingRow>(conn)?;
    let skipped = if offset == 0 {
        PoolSums::default()
    } else {
        let skipped = ask!(of, "SELECT {SUMMED} FROM (SELECT m.* FROM ({MOVES}) m {NEWEST} LIMIT $4) m");
        skipped.bind::<BigInt, _>(offset).get_result::<Halves>(conn)?.into()
    };
    let parts = ExplanationParts {
        budget: BudgetId(of.budget.0),
        currency: of.currency.0,
        stated,
        sums,
        bookings: bookings.into_iter().map(Booking::from).collect(),
        skipped,
        holds: holds(conn, of)?,
        reservations: reservations(conn, of)?,
    };
    Ok(Explained::Parts(Box::new(parts)))
}

impl From<KindRow> for KindSum {
    fn from(row: KindRow) -> Self {
        Self { kind: row.kind.0, count: row.count, moved: row.moved.into() }
    }
}

/// Determines why there is no balance.
fn without(conn: &mut Conn, of: &Of) -> Outcome<Explained> {
    let budget = budgets::table.filter(budgets::account_id.eq(&of.account)).filter(budgets::id.eq(of.budget));
    if budget.count().get_result::<i64>(conn)? == 0 {
        return Ok(Explained::NoBudget);
    }
    let of_budget =
        balances::table.filter(balances::account_id.eq(&of.account)).filter(balances::budget_id.eq(of.budget));
    must_be_there(of.budget, &of_budget.select(balances::currency).load::<Currency>(conn)?)?;
    Ok(Explained::NotHeld)
}

/// Returns the stored balances, right or wrong.
fn stated(conn: &mut Conn, of: &Of) -> Outcome<Option<PoolSums>> {
    let stated = balances::table
        .filter(balances::account_id.eq(&of.account))
        .filter(balances::budget_id.eq(of.budget))
        .filter(balances::currency.eq(of.currency))
        .select((balances::available_minor, balances::held_minor, balances::reserved_minor))
        .get_result::<(i64, i64, i64)>(conn)
        .optional()?;
    let pools = |(available, held, reserved): (i64, i64, i64)| {
        let total = |minor: i64| Total(minor.into());
        PoolSums { available: total(available), held: total(held), reserved: total(reserved) }
    };
    Ok(stated.map(pools))
}

fn holds(conn: &mut Conn, of: &Of) -> Outcome<Held<OpenHold>> {
    let max = i64::try_from(MAX_LISTED).unwrap_or(i64::MAX);
    let (count, total) = cards::held(conn, &of.account.0, (of.budget, of.currency))?;
    let chains = cards::open_holds(conn, &of.account.0, (of.budget, of.currency), max)?.into_iter();
    let rows = chains.map(|(chain, due)| OpenHold {
        chain: chain.id,
        card: chain.card,
        amount: chain.held(),
        created_at: chain.created_at,
        due_at: due,
    });
    Ok(Held { count, total, rows: rows.collect() })
}

fn reservations(conn: &mut Conn, of: &Of) -> Outcome<Held<Reservation>> {
    let mut held = Held::default();
    let orders = open_orders(conn, Some(&of.account.0))?.into_iter();
    for order in orders.filter(|order| (order.budget_id, order.currency) == (of.budget, of.currency)) {
        held.total = held.total.plus(Total(order.minor.into()));
        // The order is fully paid; the batch continues with other orders.
        if order.minor == 0 {
            continue;
        }
        held.count += 1;
        if held.rows.len() < MAX_LISTED {
            held.rows.push(Reservation {
                batch: PaymentBatchId(order.batch_id.0),
                order: OrderId(order.order_id.0),
                status: order.status.0,
                amount: Minor(order.minor),
            });
        }
    }
    Ok(held)
}
