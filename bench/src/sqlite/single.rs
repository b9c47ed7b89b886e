//! The SQLite baseline: a loop in this process does the same work in SQL, with one durable commit per write.

use super::File;
use crate::pgbench::Measured;
use crate::requests::id;
use rusqlite::types::Value;
use rusqlite::{Connection, TransactionBehavior, params};
use std::time::{Duration, Instant};

const SITUATION: &str = "SELECT c.budget_id, c.user_token, c.state, c.expires_on, b.available_minor, b.held_minor, \
    b.reserved_minor, (SELECT min(l.amount_minor - l.spent_minor) FROM card_limits l \
        WHERE l.account_id = c.account_id AND l.card_id = c.id) \
    FROM cards c JOIN balances b ON b.account_id = c.account_id AND b.budget_id = c.budget_id \
    AND b.currency = c.currency WHERE c.account_id = ?1 AND c.id = ?2";
const MESSAGE: &str = "INSERT INTO card_transactions (account_id, token, chain_id, card_id, user_token, budget_id, \
    chain_kind, kind, \
    state, currency, amount_minor, requested_minor, impacted_minor, response, ledger_minor, available_minor, \
    preceding, \
    network, acceptor_mid, acceptor_name, acceptor_city, acceptor_state, acceptor_postal_code, acceptor_country_code, \
    acceptor_mcc, created_at, journal_id) \
    VALUES (?1, ?2, ?2, ?3, ?4, ?5, 'purchase', 'authorization', 'PENDING', 'GBP', \
    1000, 1000, -1000, '0000', ?6, \
    ?7, NULL, 'VISA', '000000000011111', 'Sandbox Merchant', 'London', '', 'EC1A 1BB', 'GBR', '5999', ?8, ?2)";
const CHAIN: &str = "INSERT INTO card_chains (account_id, id, card_id, budget_id, currency, kind, authorised_minor, \
    held_minor, \
    cleared_minor, due_at, created_at) \
    VALUES (?1, ?2, ?3, ?4, 'GBP', 'purchase', 1000, 1000, 0, ?5 + 604800000000, ?5)";
const JOURNAL: &str = "INSERT INTO journal_transactions (account_id, id, kind, cause_id, currency, created_at) \
    VALUES (?1, ?2, 'card', ?2, 'GBP', ?3)";
const ENTRIES: &str =
    "INSERT INTO journal_entries VALUES (?1, ?2, 0, 'available', ?3, -1000, NULL), (?1, ?2, 1, 'held', ?3, 1000, NULL)";
const BALANCES: &str = "UPDATE balances SET available_minor = ?1, held_minor = ?2 \
    WHERE account_id = ?3 AND budget_id = ?4 AND currency = 'GBP'";
const RECORD: &str = "INSERT INTO idempotency_records VALUES (?1, ?2, ?3, 'POST', \
    '/v2/cards/simulations/transaction/authorization', 'accountId=' || ?1, 'json', ?4, 201, ?5, ?6)";
const EVENT: &str = "INSERT INTO outbox_events (account_id, id, kind, object_id, sequence, occurred_at, \
    recorded_at, body) VALUES (?1, ?2, 'CardTransaction', ?2, 1, ?3, ?3, ?4)";
const PAGE: &str = "SELECT * FROM checkouts WHERE account_id = ?1 ORDER BY created_at DESC, id DESC LIMIT 100 OFFSET 0";
const COUNT: &str = "SELECT count(*) FROM checkouts WHERE account_id = ?1";

/// Writes authorizations of 10.00, spread over the cards, for a given time.
pub(crate) fn authorize(file: &mut File, round: u64, cards: u64, lasting: Duration) -> anyhow::Result<Measured> {
    let body = "b".repeat(110);
    let answer = "a".repeat(880);
    // All messages of the round have this time. It is close enough to the present that no hold is due.
    let now: i64 = file.conn.query_row("SELECT unixepoch('now') * 1000000", [], |row| row.get(0))?;
    repeat(lasting, |number| {
        let card = 1 + number.wrapping_mul(7919) % cards;
        authorize_once(&mut file.conn, (round, number, card), now, [&body, &answer])
    })
}

fn authorize_once(
    conn: &mut Connection,
    at: (u64, u64, u64),
    now: i64,
    [body, answer]: [&str; 2],
) -> anyhow::Result<()> {
    let (round, number, card) = at;
    let account = format!("bench-{}", card % 10);
    let token = id(u16::try_from(round)?, number);
    let card = id(4, card);
    let write = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let read = |row: &rusqlite::Row<'_>| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?, row.get::<_, i64>(4)?, row.get(5)?, row.get(6)?))
    };
    let (budget, user, available, held, reserved): (String, String, i64, i64, i64) =
        write.prepare_cached(SITUATION)?.query_row(params![account, card], read)?;
    write.prepare_cached(MESSAGE)?.execute(params![
        account,
        token,
        card,
        user,
        budget,
        available + held + reserved,
        available - 1000,
        now
    ])?;
    write.prepare_cached(CHAIN)?.execute(params![account, token, card, budget, now])?;
    write.prepare_cached(JOURNAL)?.execute(params![account, token, now])?;
    write.prepare_cached(ENTRIES)?.execute(params![account, token, budget])?;
    write.prepare_cached(BALANCES)?.execute(params![available - 1000, held + 1000, account, budget])?;
    write.prepare_cached(EVENT)?.execute(params![account, token, now, answer])?;
    let key = format!("{round}-{number}");
    write.prepare_cached(RECORD)?.execute(params![account, id(1, 1), key, body, answer, now])?;
    Ok(write.commit()?)
}

/// Reads the first 100 checkouts of an account and their count, for a given time.
pub(crate) fn list(file: &mut File, lasting: Duration) -> anyhow::Result<Measured> {
    let conn = &file.conn;
    repeat(lasting, |number| {
        let account = format!("bench-{}", number % 10);
        let mut page = conn.prepare_cached(PAGE)?;
        let columns = page.column_count();
        let mut rows = page.query([&account])?;
        while let Some(row) = rows.next()? {
            for index in 0..columns {
                row.get::<_, Value>(index)?;
            }
        }
        conn.prepare_cached(COUNT)?.query_row([&account], |row| row.get::<_, i64>(0))?;
        Ok(())
    })
}

fn repeat(lasting: Duration, mut workload: impl FnMut(u64) -> anyhow::Result<()>) -> anyhow::Result<Measured> {
    let began = Instant::now();
    let mut latencies = Vec::new();
    let mut last = began;
    while last.duration_since(began) < lasting {
        workload(latencies.len() as u64)?;
        let now = Instant::now();
        latencies.push(u32::try_from(now.duration_since(last).as_micros()).unwrap_or(u32::MAX));
        last = now;
    }
    let transactions = latencies.len() as u64;
    Ok(Measured { rate: transactions as f64 / last.duration_since(began).as_secs_f64(), transactions, latencies })
}
