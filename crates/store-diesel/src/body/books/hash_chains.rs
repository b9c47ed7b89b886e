//! Reads the hash chains of the journal, for one account or for all.

use super::about::about;
use super::body::backend::sql::IdSql;
use super::body::backend::{Conn, Db, RowByRow};
use super::body::errors::Outcome;
use super::body::legs::link;
use super::body::statements::identified_by_text;
use super::body::tables::money::LegRow;
use super::body::types::{Account, Bytes, Currency, Id};
use diesel::dsl::SqlTypeOf;
use diesel::prelude::*;
use diesel::query_builder::{AstPass, QueryFragment};
use diesel::sql_types::{BigInt, Binary, Nullable, Text};
use florin_domain::books::{ChainBooks, ChainsOfAccounts, verify_link};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::ledger::{HashChain, LegSide};
use florin_ports::BooksCheckStep;

/// The ends of the chains of balances. `{of}` is replaced by the condition on the account.
const BALANCES: &str = "SELECT e.account_id AS account_id, e.budget_id AS budget_id, e.currency AS currency, \
    e.movements AS movements, e.last_link AS link, e.last_hash AS hash FROM balances e WHERE {of}";

/// The ends of the chains of settlements.
const SETTLEMENTS: &str = "SELECT e.account_id AS account_id, e.last_link AS link, e.last_hash AS hash \
    FROM credit_counters e WHERE {of}";

/// The number of journal transactions of each balance whose legs have no links.
const UNLINKED: &str = "SELECT s.account_id AS account_id, s.budget_id AS budget_id, s.currency AS currency, \
    COUNT(*) AS count FROM (SELECT e.account_id AS account_id, e.from_budget_id AS budget_id, e.currency AS currency, \
        e.journal_id AS journal_id FROM journal_legs e \
        WHERE {of} AND e.from_link IS NULL AND e.to_link IS NULL AND e.from_budget_id IS NOT NULL \
    UNION SELECT e.account_id, e.to_budget_id, e.currency, e.journal_id FROM journal_legs e \
        WHERE {of} AND e.from_link IS NULL AND e.to_link IS NULL AND e.to_budget_id IS NOT NULL) s \
    GROUP BY s.account_id, s.budget_id, s.currency";

/// Number of links between two reports of progress.
const LINKS_PER_REPORT: u64 = 1024;

/// The statement that selects the links of both sides of the legs, in the order of their numbers, each with its leg.
struct Links {
    selection: Selection,
    account: Option<Account>,
}

type Selection = <LegRow as Selectable<Db>>::SelectExpression;

impl QueryFragment<Db> for Links {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Db>) -> QueryResult<()> {
        for (select, side) in [("SELECT CAST(0 AS BIGINT)", "from"), (" UNION ALL SELECT CAST(1 AS BIGINT)", "to")] {
            for part in [select, " AS is_to, ", side, "_link AS link, "] {
                out.push_sql(part);
            }
            self.selection.walk_ast(out.reborrow())?;
            for part in [" FROM journal_legs WHERE ", side, "_link IS NOT NULL"] {
                out.push_sql(part);
            }
            if let Some(account) = &self.account {
                out.push_sql(" AND account_id = ");
                out.push_bind_param::<Text, _>(account)?;
            }
        }
        out.push_sql(" ORDER BY link, journal_id, line");
        Ok(())
    }
}

identified_by_text! {
    Links => (BigInt, BigInt, SqlTypeOf<Selection>);
}

#[derive(QueryableByName)]
struct EndRow {
    #[diesel(sql_type = Text)]
    account_id: Account,
    #[diesel(sql_type = BigInt)]
    link: i64,
    #[diesel(sql_type = Nullable<Binary>)]
    hash: Option<Bytes>,
}

#[derive(QueryableByName)]
struct BalanceRow {
    #[diesel(embed)]
    end: EndRow,
    #[diesel(sql_type = IdSql)]
    budget_id: Id,
    #[diesel(sql_type = Text)]
    currency: Currency,
    #[diesel(sql_type = BigInt)]
    movements: i64,
}

#[derive(QueryableByName)]
struct UnlinkedRow {
    #[diesel(sql_type = Text)]
    account_id: Account,
    #[diesel(sql_type = IdSql)]
    budget_id: Id,
    #[diesel(sql_type = Text)]
    currency: Currency,
    #[diesel(sql_type = BigInt)]
    count: i64,
}

/// Verifies the hash chains of one account, or of all. The database sorts the links, and they are read one at a time.
pub(super) fn gather(
    conn: &mut Conn,
    account: Option<&AccountId>,
    progress: &dyn Fn(BooksCheckStep),
) -> Outcome<ChainsOfAccounts> {
    let mut chains = ends(conn, account)?;
    let stated = chains.values().filter_map(|chain| u64::try_from(chain.stated.number).ok());
    let all = stated.fold(0, u64::saturating_add);
    let mut verified = 0_u64;
    progress(BooksCheckStep::HashChains { verified, all });
    for row in about(UNLINKED, account).load::<UnlinkedRow>(conn)? {
        let chain = HashChain::Balance(BudgetId(row.budget_id.0), row.currency.0);
        chains.entry((row.account_id.0, chain)).or_default().unlinked = row.count;
    }
    let selection = <LegRow as Selectable<Db>>::construct_selection();
    let links = Links { selection, account: account.cloned().map(Account) };
    for row in links.load_iter::<(i64, i64, LegRow), RowByRow>(conn)? {
        let (is_to, _, leg) = row?;
        let side = if is_to == 0 { LegSide::From } else { LegSide::To };
        verify_link(&mut chains, &leg.account_id.0, &leg.line(), leg.links()?, side);
        verified += 1;
        if verified.is_multiple_of(LINKS_PER_REPORT) {
            progress(BooksCheckStep::HashChains { verified, all });
        }
    }
    Ok(chains)
}

/// Reads the ends of the chains.
fn ends(conn: &mut Conn, account: Option<&AccountId>) -> Outcome<ChainsOfAccounts> {
    let mut chains = ChainsOfAccounts::new();
    for BalanceRow { end, budget_id, currency, movements } in about(BALANCES, account).load::<BalanceRow>(conn)? {
        let chain = HashChain::Balance(BudgetId(budget_id.0), currency.0);
        let stated = link(end.link, end.hash.as_ref())?;
        chains.insert((end.account_id.0, chain), ChainBooks::new(stated, Some(movements)));
    }
    for end in about(SETTLEMENTS, account).load::<EndRow>(conn)? {
        let stated = link(end.link, end.hash.as_ref())?;
        chains.insert((end.account_id.0, HashChain::Settlements), ChainBooks::new(stated, None));
    }
    Ok(chains)
}
