//! Locking ahead: before a group runs, every row that its jobs will lock is locked, in one order for all instances, so
//! that groups of two instances wait for each other in turn and never in a ring.
//!
//! The order: operators' changes, balances by account, budget and currency, batches by account and id, sessions by
//! account and id, enrolments by account, counters by account. All else that a job locks (cards, limits, chains) belongs
//! to one budget, whose balances are locked before it. What is not there yet can't be locked ahead: then a deadlock may
//! happen, and is tried again.

use super::Conn;
use super::body::errors::Outcome;
use super::body::job::Job;
use super::body::schema::{credit_counters as counters, totp_enrolments as enrolments};
use super::body::types::{Account, Id};
use diesel::pg::Pg;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::sql_query;
use diesel::sql_types::{Array, Text, Uuid as UuidSql};
use florin_domain::ids::AccountId;
use std::collections::BTreeSet;
use uuid::Uuid;

/// Operators' changes are seldom and may touch anything: instances make them one after the other.
const OPERATOR: &str = "SELECT pg_advisory_xact_lock(7003214872)";

/// Rows of a table by account and id.
type Keys = BTreeSet<(Account, Id)>;

/// What the jobs of a group touch.
#[derive(Default)]
struct Touched {
    operator: bool,
    cards: Keys,
    messages: Keys,
    budgets: Keys,
    batches: Keys,
    sessions: Keys,
    enrolments: BTreeSet<Account>,
    counters: BTreeSet<Account>,
}

impl Touched {
    fn add(&mut self, job: &Job) {
        match job {
            Job::FirstMessage(ticket) => put(&mut self.cards, &ticket.order.account, ticket.order.card.0),
            Job::FollowUp(ticket) => put(&mut self.messages, &ticket.order.account, ticket.order.token.0),
            Job::Expiry(ticket) => {
                put(&mut self.messages, &ticket.order.hold.account, ticket.order.hold.chain.0);
            }
            Job::Credit(ticket) => {
                let account = &ticket.order.account;
                put(&mut self.budgets, account, ticket.order.budget.0);
                self.counters.insert(Account(account.clone()));
            }
            Job::Confirm(ticket) => {
                let account = &ticket.order.account;
                put(&mut self.batches, account, ticket.order.batch.0);
                if let Some(session) = ticket.order.session {
                    put(&mut self.sessions, account, session.0);
                }
                self.enrolments.insert(Account(account.clone()));
            }
            Job::OpenSession(ticket) => {
                let account = &ticket.order.account;
                put(&mut self.batches, account, ticket.order.batch.0);
                self.enrolments.insert(Account(account.clone()));
            }
            Job::Admin(_) => self.operator = true,
        }
    }
}

fn put(keys: &mut Keys, account: &AccountId, id: Uuid) {
    keys.insert((Account(account.clone()), Id(id)));
}

/// A statement on rows by account and id: two arrays between two pieces of SQL. It stays prepared.
macro_rules! keyed {
    ($($(#[$doc:meta])* $name:ident: $head:literal, $tail:literal;)*) => {$(
        $(#[$doc])*
        struct $name {
            accounts: Vec<Account>,
            ids: Vec<Id>,
        }

        impl $name {
            /// The ids that it finds, with their accounts.
            fn on(keys: &Keys, conn: &mut Conn) -> Outcome<Vec<(Account, Id)>> {
                if keys.is_empty() {
                    return Ok(Vec::new());
                }
                let (accounts, ids) = keys.iter().cloned().unzip();
                Ok(Self { accounts, ids }.load(conn)?)
            }
        }

        impl QueryFragment<Pg> for $name {
            fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
                out.push_sql($head);
                out.push_sql(" JOIN unnest(");
                out.push_bind_param::<Array<Text>, _>(&self.accounts)?;
                out.push_sql(", ");
                out.push_bind_param::<Array<UuidSql>, _>(&self.ids)?;
                out.push_sql(") AS k (account_id, id) ON t.account_id = k.account_id AND ");
                out.push_sql($tail);
                Ok(())
            }
        }

        impl QueryId for $name {
            type QueryId = Self;
            const HAS_STATIC_QUERY_ID: bool = true;
        }

        impl Query for $name {
            type SqlType = (Text, UuidSql);
        }

        impl RunQueryDsl<Conn> for $name {}
    )*};
}

keyed! {
    /// The budgets of cards.
    OfCards: "SELECT t.account_id, t.budget_id FROM cards t", "t.id = k.id";
    /// The budgets of card messages.
    OfMessages: "SELECT t.account_id, t.budget_id FROM card_transactions t", "t.token = k.id";
    /// The budgets that pay batches.
    OfBatches: "SELECT t.account_id, t.budget_id FROM payment_orders t", "t.batch_id = k.id";
    /// Locks all balances of budgets.
    LockBalances: "SELECT t.account_id, t.budget_id FROM balances t",
        "t.budget_id = k.id ORDER BY t.account_id, t.budget_id, t.currency FOR UPDATE OF t";
    /// Locks batches.
    LockBatches: "SELECT t.account_id, t.id FROM payment_batches t",
        "t.id = k.id ORDER BY t.account_id, t.id FOR UPDATE OF t";
    /// Locks sessions.
    LockSessions: "SELECT t.account_id, t.id FROM mfa_sessions t",
        "t.id = k.id ORDER BY t.account_id, t.id FOR UPDATE OF t";
}

/// Locks all that the jobs of a group will lock.
pub(crate) fn lock_ahead(conn: &mut Conn, group: &[Job]) -> Outcome<()> {
    let mut touched = Touched::default();
    for job in group {
        touched.add(job);
    }
    if touched.operator {
        sql_query(OPERATOR).execute(conn)?;
    }
    // What says which budget these are of is never changed.
    let mut budgets = touched.budgets;
    budgets.extend(OfCards::on(&touched.cards, conn)?);
    budgets.extend(OfMessages::on(&touched.messages, conn)?);
    budgets.extend(OfBatches::on(&touched.batches, conn)?);
    LockBalances::on(&budgets, conn)?;
    LockBatches::on(&touched.batches, conn)?;
    LockSessions::on(&touched.sessions, conn)?;
    lock_enrolments(conn, touched.enrolments)?;
    lock_counters(conn, touched.counters)
}

fn lock_enrolments(conn: &mut Conn, accounts: BTreeSet<Account>) -> Outcome<()> {
    if accounts.is_empty() {
        return Ok(());
    }
    let accounts: Vec<_> = accounts.into_iter().collect();
    let rows = enrolments::table.filter(enrolments::account_id.eq_any(accounts)).order(enrolments::account_id);
    rows.select(enrolments::account_id).for_update().load::<Account>(conn)?;
    Ok(())
}

fn lock_counters(conn: &mut Conn, accounts: BTreeSet<Account>) -> Outcome<()> {
    if accounts.is_empty() {
        return Ok(());
    }
    let accounts: Vec<_> = accounts.into_iter().collect();
    let rows = counters::table.filter(counters::account_id.eq_any(accounts)).order(counters::account_id);
    rows.select(counters::account_id).for_update().load::<Account>(conn)?;
    Ok(())
}
