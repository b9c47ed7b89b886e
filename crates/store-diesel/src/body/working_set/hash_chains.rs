//! The ends of hash chains.

use super::balances::BalanceSet;
use super::body::errors::{Failure, Outcome, corrupt};
use super::credits::NewCredits;
use florin_domain::ids::AccountId;
use florin_domain::ledger::{HashChain, JournalLine, Link};

/// The ends of the hash chains of a group, in the locked rows of balances and accounts.
pub(super) struct HashChains<'a> {
    pub(super) balance_set: &'a mut BalanceSet,
    pub(super) credits: &'a mut NewCredits,
}

impl HashChains<'_> {
    /// Appends a leg to its chains, and returns its links. Fails if the end of a chain was not loaded.
    pub(super) fn append(&mut self, account: &AccountId, line: &JournalLine) -> Outcome<[Option<Link>; 2]> {
        let chains = line.chains();
        let [from, to] = chains.map(|chain| chain.map(|chain| self.last(account, chain)).transpose());
        let links = line.links([from?, to?]);
        for (chain, link) in chains.into_iter().zip(links).filter_map(|(chain, link)| chain.zip(link)) {
            match chain {
                HashChain::Balance(budget, currency) => {
                    self.balance_set.set_last_link(account, (budget, currency), link);
                }
                HashChain::Settlements => self.credits.set_last_link(account, link),
            }
        }
        Ok(links)
    }

    fn last(&self, account: &AccountId, chain: HashChain) -> Outcome<Link> {
        let last = match chain {
            HashChain::Balance(budget, currency) => self.balance_set.last_link(account, (budget, currency)),
            HashChain::Settlements => self.credits.last_link(account),
        };
        let missing = || format!("the end of {chain:?} was not loaded");
        last.ok_or_else(|| match chain {
            // A restore of the account may have replaced the row while the transaction waited for it.
            HashChain::Settlements => Failure::Contended(missing()),
            HashChain::Balance(..) => corrupt(missing()),
        })
    }
}
