//! Hash chains of legs. They show whether a stored leg was changed, removed or inserted.

use super::{JournalKind, JournalTransaction, Pool};
use crate::ids::{BudgetId, JournalId};
use crate::money::{Currency, Minor};
use chrono::{DateTime, Utc};
use sha2::{Digest, Sha256};
use std::fmt;
use uuid::Uuid;

/// The stored name of the pools into which merchants' payments are settled.
const SETTLED: &str = Pool::MerchantSettled(Uuid::nil()).kind();
/// Maximum number of bytes to hash for a leg.
const MAX_BYTES: usize = 288;

/// The SHA-256 of a leg and of the link before it. The default, all zeros, stands for no hash.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkHash(pub [u8; 32]);

/// Formats the hash as 64 hexadecimal digits.
impl fmt::Display for LinkHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A link of a hash chain. The default is the start of every chain, before its first link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// Its number in the chain, from 1.
    pub number: i64,
    /// Its hash.
    pub hash: LinkHash,
}

/// Identifies a hash chain of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum HashChain {
    /// The chain of a balance: of a budget in one currency.
    Balance(BudgetId, Currency),
    /// The chain of the payments to merchants and of their refunds, in all currencies.
    Settlements,
}

/// A side of a leg.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LegSide {
    /// The pool that the leg takes from.
    From,
    /// The pool that the leg adds to.
    To,
}

/// A pool as stored: its name and its budget, which may contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredPool {
    /// The name of the kind of pool.
    pub name: &'static str,
    /// The budget that owns it, if any.
    pub budget: Option<BudgetId>,
}

impl From<Pool> for StoredPool {
    fn from(pool: Pool) -> Self {
        Self { name: pool.kind(), budget: pool.budget() }
    }
}

/// A line of the journal: a leg with the data that all legs of its transaction share, except the account. Its members
/// have the stored values, so that a line that was changed can be verified, too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JournalLine {
    /// The journal transaction.
    pub journal: JournalId,
    /// The place of the leg in its transaction, from 0.
    pub line: i64,
    /// The kind of movement.
    pub kind: JournalKind,
    /// The id of its cause.
    pub cause: Uuid,
    /// The currency.
    pub currency: Currency,
    /// When it was booked. Only whole microseconds count.
    pub at: DateTime<Utc>,
    /// The number in the account's sequence that the transaction took; on its first leg only.
    pub number: Option<i64>,
    /// The amount.
    pub amount: Minor,
    /// The pool that it takes from.
    pub from: StoredPool,
    /// The pool that it adds to.
    pub to: StoredPool,
    /// The settlement account or payee, if a side is a pool of a merchant.
    pub settled_to: Option<Uuid>,
}

impl JournalTransaction {
    /// Its legs as lines of the journal.
    pub fn lines(&self) -> impl Iterator<Item = JournalLine> {
        (0..).zip(self.legs()).map(move |(line, leg)| JournalLine {
            journal: self.id,
            line,
            kind: self.kind,
            cause: self.cause,
            currency: self.currency,
            at: self.at,
            number: self.number.filter(|_| line == 0),
            amount: leg.amount(),
            from: leg.from().into(),
            to: leg.to().into(),
            settled_to: leg.from().settled_to().or(leg.to().settled_to()),
        })
    }
}

impl JournalLine {
    /// The chain to which a side of the leg belongs. `None` if its pool is of neither a budget nor a merchant.
    pub fn chain(&self, side: LegSide) -> Option<HashChain> {
        let pool = match side {
            LegSide::From => self.from,
            LegSide::To => self.to,
        };
        match pool.budget {
            Some(budget) => Some(HashChain::Balance(budget, self.currency)),
            None => (pool.name == SETTLED).then_some(HashChain::Settlements),
        }
    }

    /// The chains that the leg continues: the chain of `from`, and the chain of `to` unless it is the same.
    pub fn chains(&self) -> [Option<HashChain>; 2] {
        let [from, to] = [self.chain(LegSide::From), self.chain(LegSide::To)];
        [from, to.filter(|_| to != from)]
    }

    /// The links of the leg in its [`chains`](Self::chains), after the last link of each.
    pub fn links(&self, [from, to]: [Option<Link>; 2]) -> [Option<Link>; 2] {
        let paying = from.map(|last| self.link(last, LegSide::From, LinkHash::default()));
        let hash = paying.map(|link| link.hash).unwrap_or_default();
        [paying, to.map(|last| self.link(last, LegSide::To, hash))]
    }

    /// The link of the leg in the chain of one side, after the last link of that chain. For the receiving side,
    /// `paying` is the hash of the leg in the chain of the paying side, if there is one. Otherwise it is the default.
    pub fn link(&self, last: Link, side: LegSide, paying: LinkHash) -> Link {
        let number = last.number.saturating_add(1);
        let bytes = self.bytes_to_hash(number, side, [last.hash, paying]);
        Link { number, hash: LinkHash(Sha256::digest(bytes).into()) }
    }

    /// The bytes to hash, as [ADR 21](../../../../docs/adr/0021-hash-chains-of-the-journal.md) defines them.
    fn bytes_to_hash(&self, number: i64, side: LegSide, hashes: [LinkHash; 2]) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(MAX_BYTES);
        bytes.extend(b"florin leg 1");
        for number in [number, self.line, self.at.timestamp_micros(), self.amount.0] {
            bytes.extend(number.to_be_bytes());
        }
        bytes.push(u8::from(side == LegSide::To));
        for hash in hashes {
            bytes.extend(hash.0);
        }
        bytes.extend(self.journal.0.as_bytes());
        bytes.extend(self.cause.as_bytes());
        for name in [self.kind.as_str(), self.currency.code(), self.from.name, self.to.name] {
            bytes.extend(name.as_bytes());
            bytes.push(0);
        }
        let budgets = [self.from.budget, self.to.budget].map(|budget| budget.map(|budget| budget.0));
        for id in budgets.into_iter().chain([self.settled_to]) {
            bytes.push(u8::from(id.is_some()));
            bytes.extend(id.iter().flat_map(Uuid::as_bytes));
        }
        bytes.push(u8::from(self.number.is_some()));
        bytes.extend(self.number.into_iter().flat_map(i64::to_be_bytes));
        bytes
    }
}

#[cfg(test)]
#[path = "hash_chain_tests.rs"]
mod tests;
