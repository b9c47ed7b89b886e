//! Explains how one balance is composed.

use super::balance::BalanceId;
use super::body::backend::Conn;
use super::body::balances::require_balances;
use super::body::cards;
use super::body::driver;
use super::body::errors::Outcome;
use super::body::tables::money::{balances, budgets};
use super::body::types::Currency;
use super::history::{self, Extension, History, Read, SIZES};
use super::reservations::open_orders;
use diesel::prelude::*;
use florin_domain::books::{ExplanationParts, MAX_LISTED, OpenHold, OpenItems, PoolSums, Reservation};
use florin_domain::ids::{BudgetId, OrderId, PaymentBatchId};
use florin_domain::money::{Minor, Total};
use florin_domain::page::PageRequest;
use florin_ports::ExplainResult;

/// Returns the explanation and the checkpoints to store for the next one, in the view of the transaction. Returns
/// `None` if `in_a_hurry` is set and there is much to read.
pub(super) fn explained(
    conn: &mut Conn,
    of: &BalanceId,
    page: PageRequest,
    in_a_hurry: bool,
) -> Outcome<Option<(ExplainResult, Option<Extension>)>> {
    if in_a_hurry {
        driver::by_index(conn)?;
    } else {
        driver::without_time_limits(conn)?;
    }
    let Some((stated, counted)) = stated(conn, of)? else { return Ok(Some((why_absent(conn, of)?, None))) };
    let read = Read { of, counted, page, in_a_hurry, sizes: SIZES };
    let Some(History { sums, bookings, skipped, extension }) = history::read(conn, &read)? else { return Ok(None) };
    let parts = ExplanationParts {
        budget: BudgetId(of.budget.0),
        currency: of.currency.0,
        stated,
        sums,
        bookings,
        skipped,
        holds: holds(conn, of)?,
        reservations: reservations(conn, of)?,
    };
    Ok(Some((ExplainResult::Parts(Box::new(parts)), extension)))
}

/// Determines why there is no balance.
fn why_absent(conn: &mut Conn, of: &BalanceId) -> Outcome<ExplainResult> {
    let budget = budgets::table.filter(budgets::account_id.eq(&of.account)).filter(budgets::id.eq(of.budget));
    if budget.count().get_result::<i64>(conn)? == 0 {
        return Ok(ExplainResult::NoBudget);
    }
    let of_budget =
        balances::table.filter(balances::account_id.eq(&of.account)).filter(balances::budget_id.eq(of.budget));
    require_balances(of.budget, &of_budget.select(balances::currency).load::<Currency>(conn)?)?;
    Ok(ExplainResult::NoBalance)
}

/// Returns the stored balances, right or wrong, and the stored number of their movements.
fn stated(conn: &mut Conn, of: &BalanceId) -> Outcome<Option<(PoolSums, i64)>> {
    let stated = balances::table
        .filter(balances::account_id.eq(&of.account))
        .filter(balances::budget_id.eq(of.budget))
        .filter(balances::currency.eq(of.currency))
        .select((balances::available_minor, balances::held_minor, balances::reserved_minor, balances::movements))
        .get_result::<(i64, i64, i64, i64)>(conn)
        .optional()?;
    let pools = |(available, held, reserved, movements): (i64, i64, i64, i64)| {
        let total = |minor: i64| Total(minor.into());
        (PoolSums { available: total(available), held: total(held), reserved: total(reserved) }, movements)
    };
    Ok(stated.map(pools))
}

fn holds(conn: &mut Conn, of: &BalanceId) -> Outcome<OpenItems<OpenHold>> {
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
    Ok(OpenItems { count, total, rows: rows.collect() })
}

fn reservations(conn: &mut Conn, of: &BalanceId) -> Outcome<OpenItems<Reservation>> {
    let mut reserved = OpenItems::default();
    let orders = open_orders(conn, Some(&of.account.0))?.into_iter();
    for order in orders.filter(|order| (order.budget_id, order.currency) == (of.budget, of.currency)) {
        reserved.total = reserved.total.plus(Total(order.minor.into()));
        // The order is fully paid; the batch continues with other orders.
        if order.minor == 0 {
            continue;
        }
        reserved.count += 1;
        if reserved.rows.len() < MAX_LISTED {
            reserved.rows.push(Reservation {
                batch: PaymentBatchId(order.batch_id.0),
                order: OrderId(order.order_id.0),
                status: order.status.0,
                amount: Minor(order.minor),
            });
        }
    }
    Ok(reserved)
}
