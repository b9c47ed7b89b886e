//! Legs of the journal and links of hash chains as rows.

use super::errors::{Outcome, corrupt};
use super::names::PoolName;
use super::tables::money::LegRow;
use super::types::{Account, Bytes, Currency, Id, Named, Time};
use florin_domain::ids::{AccountId, BudgetId, JournalId};
use florin_domain::ledger::{JournalLine, Link, LinkHash, StoredPool};
use florin_domain::money::Minor;

/// Reads a link. Without a hash it is the start of its chain.
pub(crate) fn link(number: i64, hash: Option<&Bytes>) -> Outcome<Link> {
    let Some(Bytes(hash)) = hash else { return Ok(Link::default()) };
    let hash =
        <[u8; 32]>::try_from(hash.as_slice()).map_err(|_| corrupt("a hash of the journal has a wrong length"))?;
    Ok(Link { number, hash: LinkHash(hash) })
}

/// Returns the value of the column of a link's hash; null for the start of a chain.
pub(crate) fn hash_column(link: Link) -> Option<Bytes> {
    (link != Link::default()).then(|| Bytes(link.hash.0.to_vec()))
}

impl LegRow {
    /// Returns the row of a line with its links. Only the first leg of a credit or top-up gets the position.
    pub(crate) fn of(account: AccountId, line: &JournalLine, [from, to]: [Option<Link>; 2], position: i64) -> Self {
        let budget = |budget: Option<BudgetId>| budget.map(|budget| Id(budget.0));
        Self {
            account_id: Account(account),
            journal_id: Id(line.journal.0),
            line: line.line,
            amount_minor: line.amount.0,
            created_at: Time(line.at),
            position: (line.line == 0 && line.kind.is_activity()).then_some(position),
            kind: Named(line.kind),
            cause_id: Id(line.cause),
            currency: Currency(line.currency),
            from_pool: Named(PoolName(line.from.name)),
            from_budget_id: budget(line.from.budget),
            to_pool: Named(PoolName(line.to.name)),
            to_budget_id: budget(line.to.budget),
            settled_to: line.settled_to.map(Id),
            number: line.number,
            from_link: from.map(|link| link.number),
            to_link: to.map(|link| link.number),
            from_hash: from.and_then(hash_column),
            to_hash: to.and_then(hash_column),
        }
    }

    /// Returns the line.
    pub(crate) fn line(&self) -> JournalLine {
        let budget = |budget: Option<Id>| budget.map(|budget| BudgetId(budget.0));
        JournalLine {
            journal: JournalId(self.journal_id.0),
            line: self.line,
            kind: self.kind.0,
            cause: self.cause_id.0,
            currency: self.currency.0,
            at: self.created_at.0,
            number: self.number,
            amount: Minor(self.amount_minor),
            from: StoredPool { name: self.from_pool.0.0, budget: budget(self.from_budget_id) },
            to: StoredPool { name: self.to_pool.0.0, budget: budget(self.to_budget_id) },
            settled_to: self.settled_to.map(|id| id.0),
        }
    }

    /// Returns the links of the line: that of the side that it takes from, then that of the side that it adds to.
    /// `None`: the row has no link for that side.
    pub(crate) fn links(&self) -> Outcome<[Option<Link>; 2]> {
        let of = |number: Option<i64>, hash: Option<&Bytes>| number.map(|number| link(number, hash)).transpose();
        Ok([of(self.from_link, self.from_hash.as_ref())?, of(self.to_link, self.to_hash.as_ref())?])
    }
}
