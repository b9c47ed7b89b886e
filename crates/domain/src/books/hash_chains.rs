//! Verification of the hash chains of the journal.

use crate::ids::{AccountId, JournalId};
use crate::ledger::{HashChain, JournalLine, LegSide, Link, LinkHash};
use std::collections::BTreeMap;

/// The hash chains of accounts.
pub type ChainsOfAccounts = BTreeMap<(AccountId, HashChain), ChainBooks>;

/// Verifies the stored link of one side of a leg as the next link of its chain. `links` are the stored links of both
/// sides: of `from`, then of `to`. An adapter passes the links of a chain in the order of their numbers.
///
/// A pool without a chain must have no link. If it has one, the leg was changed. Then the link is verified in the chain
/// of settlements, which reports the change.
pub fn verify_link(
    chains: &mut ChainsOfAccounts,
    account: &AccountId,
    line: &JournalLine,
    links: [Option<Link>; 2],
    side: LegSide,
) {
    let [from, to] = links;
    let (stored, paying) = match side {
        LegSide::From => (from, LinkHash::default()),
        LegSide::To => (to, from.unwrap_or_default().hash),
    };
    if let Some(stored) = stored {
        let chain = line.chain(side).unwrap_or(HashChain::Settlements);
        chains.entry((account.clone(), chain)).or_default().verify(line, side, stored, paying);
    }
}

/// A hash chain: its stored end, and the progress of its verification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChainBooks {
    /// The last link, as the balance or the account states it.
    pub stated: Link,
    /// Number of journal transactions that changed the balance, as the balance states it. `None` if nothing states it:
    /// for settlements, or because there is no such balance.
    pub movements: Option<i64>,
    /// Number of journal transactions of the balance without a link, which are older than the chain.
    pub unlinked: i64,
    /// The last link that was verified.
    verified: Link,
    /// Number of journal transactions with verified links, and the last one.
    linked: (i64, Option<JournalId>),
    broken: Option<BrokenLink>,
}

/// The first violation in a hash chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenLink {
    /// The journal transaction and the line of the leg. `None` if the chain as a whole is wrong.
    pub leg: Option<(JournalId, i64)>,
    /// The reason.
    pub reason: BrokenLinkReason,
}

/// Reasons that a hash chain is broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BrokenLinkReason {
    /// The number of the leg is not the next one: legs before it are missing, or were moved.
    NotFollowing,
    /// The hash of the leg is not the hash of its contents and of the link before: the leg was changed.
    Changed,
    /// The last leg is not the one that the balance or the account states: legs at the end are missing, or were added.
    OtherEnd,
    /// Legs without a link are missing, or were added.
    Unlinked,
}

impl BrokenLinkReason {
    /// All reasons.
    pub const ALL: [Self; 4] = [Self::NotFollowing, Self::Changed, Self::OtherEnd, Self::Unlinked];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NotFollowing => "not_following",
            Self::Changed => "changed",
            Self::OtherEnd => "other_end",
            Self::Unlinked => "unlinked",
        }
    }
}

impl ChainBooks {
    /// A chain with this last link, and a count of movements if there is one. Nothing is verified yet.
    pub fn new(stated: Link, movements: Option<i64>) -> Self {
        Self { stated, movements, ..Self::default() }
    }

    /// Verifies the stored link of one side of a line as the next link. `paying` is the stored hash of the paying side
    /// if this is the receiving side, or else the default. After the first violation, links are ignored.
    fn verify(&mut self, line: &JournalLine, side: LegSide, stored: Link, paying: LinkHash) {
        if self.broken.is_some() {
            return;
        }
        let expected = line.link(self.verified, side, paying);
        let reason = if stored.number != expected.number {
            BrokenLinkReason::NotFollowing
        } else if stored.hash != expected.hash {
            BrokenLinkReason::Changed
        } else {
            let (linked, last) = self.linked;
            // The legs of a transaction are consecutive.
            self.linked = (linked + i64::from(last != Some(line.journal)), Some(line.journal));
            self.verified = stored;
            return;
        };
        self.broken = Some(BrokenLink { leg: Some((line.journal, line.line)), reason });
    }

    /// Number of verified links.
    pub const fn verified(&self) -> i64 {
        self.verified.number
    }

    /// The first violation, after all links were verified.
    pub fn broken(&self) -> Option<BrokenLink> {
        self.broken.or_else(|| {
            let is_counted = match self.movements {
                Some(movements) => self.linked.0.checked_add(self.unlinked) == Some(movements),
                None => self.unlinked == 0,
            };
            let reason = if self.verified != self.stated {
                BrokenLinkReason::OtherEnd
            } else if is_counted {
                return None;
            } else {
                BrokenLinkReason::Unlinked
            };
            Some(BrokenLink { leg: None, reason })
        })
    }
}

#[cfg(test)]
#[path = "hash_chains_tests.rs"]
mod tests;
