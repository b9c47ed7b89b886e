//! The tables of each source of movements, and the conditions of a filter on them.
//!
//! Names are literals in the SQL: the planner must see them to choose a partial index.

use super::body::backend::sql::{IdSql, TimeSql};
use super::body::backend::{ASCII_LOWER, Db, RECIPIENT_NAME, RECIPIENT_REFERENCE};
use super::body::names::Name;
use super::body::types::{Account, Currency, Id, Time};
use diesel::prelude::*;
use diesel::query_builder::AstPass;
use diesel::sql_types::{BigInt, Text};
use florin_domain::activity::{ActivityFilter, ActivitySearch, ActivitySource, MatchingChains};
use florin_domain::ids::AccountId;
use std::fmt::Write;

/// The table that holds the movements of a source.
pub(super) struct SourceTable {
    pub(super) source: ActivitySource,
    pub(super) name: &'static str,
    /// The table or the joined tables, with aliases. The alias of the table of the movements is `t`.
    pub(super) rows: &'static str,
    pub(super) id: &'static str,
    /// The column with the time when the money moved.
    pub(super) at: &'static str,
    /// The condition under which a row is a movement.
    pub(super) condition: &'static str,
    /// Its columns and condition in the feed of changes.
    pub(super) feed: Feed,
    /// The condition that restricts rows to budgets. The ids of the budgets go between the parts.
    of_budgets: [&'static str; 2],
    /// The condition that restricts rows to a text. A comparison for each column of `texts`, and that of the number, go
    /// between the parts.
    of_text: [&'static str; 2],
    texts: &'static [&'static str],
    /// The comparison with the number of an entry, which goes between the parts. `None`: the source has no numbers.
    number: Option<[&'static str; 2]>,
}

/// The columns and the condition with which the feed of changes reads a source.
pub(super) struct Feed {
    pub(super) rows: &'static str,
    pub(super) account: &'static str,
    pub(super) position: &'static str,
    pub(super) id: &'static str,
    pub(super) condition: &'static str,
}

impl Feed {
    /// Returns the feed of a source whose positions are in the table of its movements.
    const fn of(rows: &'static str, id: &'static str, condition: &'static str) -> Self {
        Self { rows, account: "t.account_id", position: "t.position", id, condition }
    }
}

/// The condition that restricts credits and top-ups to budgets.
const OF_CREDITED: [&str; 2] = [" AND t.to_budget_id IN (", ")"];

/// The condition that restricts first messages to open chains.
const OPEN: &str = " AND EXISTS (SELECT 1 FROM card_chains c WHERE c.account_id = t.account_id AND c.id = t.token \
    AND c.ended_by IS NULL)";

/// The condition that restricts first messages to chains that have ended.
const ENDED: &str = " AND EXISTS (SELECT 1 FROM card_chains c WHERE c.account_id = t.account_id AND c.id = t.token \
    AND c.ended_by IS NOT NULL)";

pub(super) const SOURCE_TABLES: [SourceTable; 6] = [
    SourceTable {
        source: ActivitySource::Card,
        name: "card",
        rows: "card_transactions t",
        id: "t.token",
        at: "t.created_at",
        condition: " AND t.preceding IS NULL",
        // The last message of a chain has the chain's position.
        feed: Feed {
            rows: "card_transactions m \
                JOIN card_transactions t ON t.account_id = m.account_id AND t.token = m.chain_id",
            account: "m.account_id",
            position: "m.position",
            id: "m.chain_id",
            condition: " AND NOT EXISTS (SELECT 1 FROM card_transactions l WHERE l.account_id = m.account_id \
                AND l.chain_id = m.chain_id AND l.preceding IS NOT NULL AND (l.position > m.position \
                OR (l.position = m.position AND (m.preceding IS NULL OR l.token > m.token))))",
        },
        of_budgets: [" AND t.budget_id IN (", ")"],
        of_text: [" AND (", ")"],
        texts: &["t.acceptor_name"],
        number: None,
    },
    SourceTable {
        source: ActivitySource::Credit,
        name: "credit",
        rows: "journal_legs t",
        id: "t.journal_id",
        at: "t.created_at",
        condition: " AND t.kind = 'credit' AND t.line = 0",
        feed: Feed::of("journal_legs t", "t.journal_id", " AND t.kind = 'credit'"),
        of_budgets: OF_CREDITED,
        of_text: [
            " AND EXISTS (SELECT 1 FROM credits c WHERE c.account_id = t.account_id \
            AND c.journal_id = t.journal_id AND (",
            "))",
        ],
        texts: &["c.remitters_name", "c.reference"],
        number: Some(["c.number = ", ""]),
    },
    SourceTable {
        source: ActivitySource::Payment,
        name: "payment",
        rows: "payments t",
        id: "t.id",
        at: "t.confirmed_at",
        condition: " AND t.confirmed_at IS NOT NULL",
        feed: Feed::of("payments t", "t.id", ""),
        of_budgets: [" AND t.budget_id IN (", ")"],
        of_text: [" AND (", ")"],
        texts: &[RECIPIENT_NAME, RECIPIENT_REFERENCE],
        number: Some([
            "EXISTS (SELECT 1 FROM journal_legs j WHERE j.account_id = t.account_id AND j.cause_id = t.id \
                AND j.number = ",
            ")",
        ]),
    },
    SourceTable {
        source: ActivitySource::Unload,
        name: "unload",
        rows: "transfers t",
        id: "t.id",
        at: "t.created_at",
        condition: "",
        feed: Feed::of("transfers t", "t.id", ""),
        of_budgets: [" AND t.from_budget_id IN (", ")"],
        of_text: [" AND (", ")"],
        texts: &["t.reference"],
        number: Some(["t.number = ", ""]),
    },
    SourceTable {
        source: ActivitySource::Load,
        name: "load",
        rows: "transfers t",
        id: "t.journal_id",
        at: "t.created_at",
        condition: "",
        feed: Feed::of("transfers t", "t.journal_id", ""),
        of_budgets: [" AND t.to_budget_id IN (", ")"],
        of_text: [" AND (", ")"],
        texts: &["t.reference"],
        // The receiving side has the next number.
        number: Some(["t.number + 1 = ", ""]),
    },
    SourceTable {
        source: ActivitySource::TopUp,
        name: "top_up",
        rows: "journal_legs t",
        id: "t.journal_id",
        at: "t.created_at",
        condition: " AND t.kind = 'top_up' AND t.line = 0",
        feed: Feed::of("journal_legs t", "t.journal_id", " AND t.kind = 'top_up'"),
        of_budgets: OF_CREDITED,
        // Top-ups are read only if the search text is a number.
        of_text: [" AND (", ")"],
        texts: &[],
        number: Some(["t.number = ", ""]),
    },
];

/// Selects the movements of an account that match a filter. Most fields are values of the filter, converted to be
/// bound.
#[derive(Clone)]
pub(super) struct ActivityQuery {
    account: Account,
    filter: ActivityFilter,
    from: Option<Time>,
    to: Option<Time>,
    budgets: Vec<Id>,
    people: Vec<Id>,
    card: Option<Id>,
    currency: Option<Currency>,
    /// The pattern of the text to search for, and the number if the text is one.
    pattern: Option<String>,
    number: Option<i64>,
    /// The conditions on the kinds and states of first messages, and on the statuses of payments.
    chains: String,
    payments: String,
}

impl ActivityQuery {
    pub(super) fn new(account: Account, filter: ActivityFilter) -> Self {
        let restricted = filter.restricts_type_or_status();
        Self {
            account,
            from: filter.from.map(Time),
            to: filter.to.map(Time),
            budgets: filter.budgets.iter().map(|id| Id(id.0)).collect(),
            people: filter.people.iter().map(|id| Id(id.0)).collect(),
            card: filter.card.map(|card| Id(card.0)),
            currency: filter.currency.map(Currency),
            pattern: filter.search.as_ref().map(pattern),
            number: filter.search.as_ref().and_then(ActivitySearch::number),
            chains: if restricted { chains(&filter) } else { String::new() },
            payments: if restricted { payments(&filter) } else { String::new() },
            filter,
        }
    }

    /// Returns the account whose movements are selected.
    pub(super) const fn account(&self) -> &AccountId {
        &self.account.0
    }

    /// Returns the tables that can have matching movements.
    pub(super) fn tables(&self) -> impl Iterator<Item = &'static SourceTable> {
        SOURCE_TABLES.iter().filter(|table| self.filter.can_match(table.source))
    }

    /// Writes the condition on the account.
    pub(super) fn of_account<'b>(&'b self, column: &str, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        // The lists of the filter can have any length, so there would be too many different statements to cache.
        if self.filter.restricts_type_or_status() || !(self.budgets.is_empty() && self.people.is_empty()) {
            out.unsafe_to_cache_prepared();
        }
        out.push_sql(" WHERE ");
        out.push_sql(column);
        out.push_sql(" = ");
        out.push_bind_param::<Text, _>(&self.account)
    }

    /// Writes the conditions of the filter.
    pub(super) fn conditions<'b>(&'b self, table: &SourceTable, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        match table.source {
            ActivitySource::Card => out.push_sql(&self.chains),
            ActivitySource::Payment => out.push_sql(&self.payments),
            // Each of these sources has one type and one status.
            ActivitySource::Credit | ActivitySource::Unload | ActivitySource::Load | ActivitySource::TopUp => {}
        }
        one_of(table.of_budgets, &self.budgets, out)?;
        if !self.people.is_empty() {
            out.push_sql(" AND t.card_id IN (SELECT c.id FROM cards c WHERE c.account_id = ");
            out.push_bind_param::<Text, _>(&self.account)?;
            one_of([" AND c.person_id IN (", "))"], &self.people, out)?;
        }
        if let Some(card) = &self.card {
            out.push_sql(" AND t.card_id = ");
            out.push_bind_param::<IdSql, _>(card)?;
        }
        if let Some(currency) = &self.currency {
            out.push_sql(" AND t.currency = ");
            out.push_bind_param::<Text, _>(currency)?;
        }
        for (operator, time) in [(" >= ", &self.from), (" <= ", &self.to)] {
            if let Some(time) = time {
                out.push_sql(" AND ");
                out.push_sql(table.at);
                out.push_sql(operator);
                out.push_bind_param::<TimeSql, _>(time)?;
            }
        }
        self.of_text(table, out)
    }

    fn of_text<'b>(&'b self, table: &SourceTable, out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
        let Some(pattern) = &self.pattern else { return Ok(()) };
        let mut before = table.of_text[0];
        for text in table.texts {
            out.push_sql(before);
            out.push_sql(ASCII_LOWER[0]);
            out.push_sql(text);
            out.push_sql(ASCII_LOWER[1]);
            out.push_sql(" LIKE ");
            out.push_bind_param::<Text, _>(pattern)?;
            out.push_sql(" ESCAPE '\\'");
            before = " OR ";
        }
        if let (Some(number), Some([compared, end])) = (&self.number, table.number) {
            out.push_sql(before);
            out.push_sql(compared);
            out.push_bind_param::<BigInt, _>(number)?;
            out.push_sql(end);
        }
        out.push_sql(table.of_text[1]);
        Ok(())
    }
}

/// Writes a condition on a list of ids, unless it is empty.
fn one_of<'b>(parts: [&str; 2], ids: &'b [Id], out: &mut AstPass<'_, 'b, Db>) -> QueryResult<()> {
    let mut before = parts[0];
    for id in ids {
        out.push_sql(before);
        out.push_bind_param::<IdSql, _>(id)?;
        before = ", ";
    }
    out.push_sql(if ids.is_empty() { "" } else { parts[1] });
    Ok(())
}

/// Returns the pattern for texts that contain the search text.
fn pattern(search: &ActivitySearch) -> String {
    let mut pattern = String::from("%");
    for character in search.as_str().chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

/// Returns the condition on the first messages of matching chains.
fn chains(filter: &ActivityFilter) -> String {
    let condition = |MatchingChains { class, states, is_open }: MatchingChains| {
        let comparison = if class.requests_nothing { "=" } else { "<>" };
        let states = names(states.into_iter());
        let ended = match is_open {
            Some(true) => OPEN,
            Some(false) => ENDED,
            None => "",
        };
        format!(
            "(t.kind = '{}' AND t.requested_minor {comparison} 0 AND t.state IN ({states}){ended})",
            class.kind.name()
        )
    };
    let conditions: Vec<_> = filter.chains().into_iter().map(condition).collect();
    format!(" AND ({})", conditions.join(" OR "))
}

/// Returns the condition on the statuses of matching payments.
fn payments(filter: &ActivityFilter) -> String {
    format!(" AND t.status IN ({})", names(filter.payments().into_iter()))
}

/// Writes names as a list of SQL texts. Names contain nothing that must be escaped.
fn names(list: impl Iterator<Item = impl Name>) -> String {
    let mut text = String::new();
    for name in list {
        let comma = if text.is_empty() { "" } else { ", " };
        // Writing into a string cannot fail.
        let _ = write!(text, "{comma}'{}'", name.name());
    }
    text
}
