//! Selects the movements of a page, and counts them.
//!
//! One statement reads from each source, at most as many of its newest rows as the page can show, by an index in the
//! order of the list, and merges them. Names are literals in the SQL: the planner must see them to choose the partial
//! index.

use super::body::backend::sql::{IdSql, TimeSql};
use super::body::backend::{Conn, Db};
use super::body::errors::{Outcome, corrupt};
use super::body::names::Name;
use super::body::statements::identified_by_text;
use super::body::types::{Account, Currency, Id, Time};
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::{BigInt, Text};
use florin_domain::activity::{ActivityFilter, ActivitySource, ActivityStatus, ActivityType};
use florin_domain::ids::AccountId;
use florin_domain::page::PageRequest;
use uuid::Uuid;

/// The selection of a page: an account and its filters.
#[derive(Clone)]
pub(super) struct ActivityQuery {
    account: Account,
    filter: ActivityFilter,
    from: Option<Time>,
    to: Option<Time>,
    budget: Option<Id>,
    card: Option<Id>,
    currency: Option<Currency>,
}

/// The source and id of a movement on a page.
pub(super) struct Key {
    pub(super) source: ActivitySource,
    pub(super) id: Uuid,
}

/// The table that holds the movements of a source.
struct SourceTable {
    source: ActivitySource,
    name: &'static str,
    table: &'static str,
    id: &'static str,
    /// The condition under which a row is a movement.
    condition: &'static str,
    /// The condition that restricts rows to a budget. The budget's id goes between the parts.
    of_budget: &'static [&'static str],
}

const PLACES: [SourceTable; 5] = [
    SourceTable {
        source: ActivitySource::Card,
        name: "card",
        table: "card_transactions",
        id: "token",
        condition: "",
        of_budget: &[" AND budget_id = ", ""],
    },
    SourceTable {
        source: ActivitySource::Credit,
        name: "credit",
        table: "journal_transactions",
        id: "id",
        condition: " AND kind = 'credit'",
        of_budget: BY_ENTRIES,
    },
    SourceTable {
        source: ActivitySource::Payment,
        name: "payment",
        table: "payments",
        id: "id",
        condition: " AND status IN ('confirmed', 'started', 'completed', 'failed', 'returned')",
        of_budget: &[" AND budget_id = ", ""],
    },
    SourceTable {
        source: ActivitySource::Transfer,
        name: "transfer",
        table: "transfers",
        id: "id",
        condition: "",
        of_budget: &[" AND (from_budget_id = ", " OR to_budget_id = ", ")"],
    },
    SourceTable {
        source: ActivitySource::Deposit,
        name: "deposit",
        table: "journal_transactions",
        id: "id",
        condition: " AND kind = 'top_up'",
        of_budget: BY_ENTRIES,
    },
];

/// The condition that restricts transactions of the journal to a budget.
const BY_ENTRIES: &[&str] = &[
    " AND EXISTS (SELECT 1 FROM journal_entries e WHERE e.account_id = journal_transactions.account_id \
        AND e.journal_id = journal_transactions.id AND e.budget_id = ",
    ")",
];

/// The statement that selects a page.
struct Keys<'a> {
    query: &'a ActivityQuery,
    page: PageRequest,
    /// The number of rows to read from each source: the end of the page.
    max: i64,
}

/// The statement that counts the rows of all sources.
struct Count<'a>(&'a ActivityQuery);

impl ActivityQuery {
    pub(super) fn new(account: Account, filter: ActivityFilter) -> Self {
        Self {
            account,
            filter,
            from: filter.from.map(Time),
            to: filter.to.map(Time),
            budget: filter.budget.map(|budget| Id(budget.0)),
            card: filter.card.map(|card| Id(card.0)),
            currency: filter.currency.map(Currency),
        }
    }

    /// Returns the account whose movements are selected.
    pub(super) const fn account(&self) -> &AccountId {
        &self.account.0
    }

    /// Reads the keys of the page, in order.
    pub(super) fn keys(&self, conn: &mut Conn, page: PageRequest) -> Outcome<Vec<Key>> {
        if self.places().next().is_none() {
            return Ok(Vec::new());
        }
        let max = page.limit.saturating_add(page.offset);
        let rows = Keys { query: self, page, max }.load::<(String, Id)>(conn)?;
        let key = |(name, id): (String, Id)| {
            let place = PLACES.iter().find(|place| place.name == name).ok_or_else(|| corrupt("an unknown source"))?;
            Ok(Key { source: place.source, id: id.0 })
        };
        rows.into_iter().map(key).collect()
    }

    /// Counts the movements of all pages.
    pub(super) fn count(&self, conn: &mut Conn) -> Outcome<i64> {
        if self.places().next().is_none() {
            return Ok(0);
        }
        Ok(Count(self).get_result(conn)?)
    }

    fn places(&self) -> impl Iterator<Item = &'static SourceTable> {
        PLACES.iter().filter(|place| self.filter.reaches(place.source))
    }

    /// Writes the `FROM` and `WHERE` clauses of a source.
    fn of_place<'b>(&'b self, place: &SourceTable, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql(" FROM ");
        out.push_sql(place.table);
        out.push_sql(" WHERE account_id = ");
        out.push_bind_param::<Text, _>(&self.account)?;
        out.push_sql(place.condition);
        let kind = self.filter.kind.and_then(|kind| match kind {
            ActivityType::Card(kind) => Some(kind.name()),
            ActivityType::Credit | ActivityType::Payment | ActivityType::Transfer | ActivityType::Deposit => None,
        });
        named(out, " AND kind = '", kind);
        let status = self.filter.status;
        match place.source {
            ActivitySource::Card => {
                named(out, " AND state = '", status.and_then(ActivityStatus::as_card_state).map(Name::name));
            }
            ActivitySource::Payment => {
                named(out, " AND status = '", status.and_then(ActivityStatus::as_payment_status).map(Name::name));
            }
            // All of these are completed.
            ActivitySource::Credit | ActivitySource::Transfer | ActivitySource::Deposit => {}
        }
        if let Some(budget) = &self.budget {
            for (number, part) in place.of_budget.iter().enumerate() {
                if number > 0 {
                    out.push_bind_param::<IdSql, _>(budget)?;
                }
                out.push_sql(part);
            }
        }
        if let Some(card) = &self.card {
            out.push_sql(" AND card_id = ");
            out.push_bind_param::<IdSql, _>(card)?;
        }
        if let Some(currency) = &self.currency {
            out.push_sql(" AND currency = ");
            out.push_bind_param::<Text, _>(currency)?;
        }
        for (compared, time) in [(" AND created_at >= ", &self.from), (" AND created_at <= ", &self.to)] {
            if let Some(time) = time {
                out.push_sql(compared);
                out.push_bind_param::<TimeSql, _>(time)?;
            }
        }
        Ok(())
    }
}

/// Writes a condition on a name. Names need no quoting.
fn named(out: &mut AstPass<'_, '_, Db>, condition: &str, name: Option<&str>) {
    if let Some(name) = name {
        out.push_sql(condition);
        out.push_sql(name);
        out.push_sql("'");
    }
}

impl QueryFragment<Db> for Keys<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        walk(self.query, (&self.page, &self.max), &mut out)
    }
}

/// Writes the statement of a page. `max` is the number of rows to read from each source.
pub(super) fn walk<'b>(
    query: &'b ActivityQuery,
    (page, max): (&'b PageRequest, &'b i64),
    out: &mut AstPass<'_, 'b, Db>,
) -> QueryResult<()> {
    out.push_sql("SELECT source, id FROM (");
    for (number, place) in query.places().enumerate() {
        if number > 0 {
            out.push_sql(" UNION ALL ");
        }
        out.push_sql("SELECT * FROM (SELECT '");
        out.push_sql(place.name);
        out.push_sql("' AS source, ");
        out.push_sql(place.id);
        out.push_sql(" AS id, created_at AS at");
        query.of_place(place, out)?;
        out.push_sql(" ORDER BY created_at DESC, ");
        out.push_sql(place.id);
        out.push_sql(" DESC LIMIT ");
        out.push_bind_param::<BigInt, _>(max)?;
        out.push_sql(") AS newest_");
        out.push_sql(place.name);
    }
    out.push_sql(") AS newest ORDER BY at DESC, id DESC LIMIT ");
    out.push_bind_param::<BigInt, _>(&page.limit)?;
    out.push_sql(" OFFSET ");
    out.push_bind_param::<BigInt, _>(&page.offset)
}

impl QueryFragment<Db> for Count<'_> {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        out.push_sql("SELECT ");
        for (number, place) in self.0.places().enumerate() {
            if number > 0 {
                out.push_sql(" + ");
            }
            out.push_sql("(SELECT COUNT(*)");
            self.0.of_place(place, &mut out)?;
            out.push_sql(")");
        }
        Ok(())
    }
}

identified_by_text! {
    Count<'_> => BigInt;
    Keys<'_> => (Text, IdSql);
}
