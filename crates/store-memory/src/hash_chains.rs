//! Verifies the hash chains of the journal.

use crate::data::Data;
use florin_domain::books::{ChainBooks, ChainsOfAccounts, verify_link};
use florin_domain::ids::AccountId;
use florin_domain::ledger::{HashChain, LegSide};

/// Verifies the hash chains of some accounts. Every leg in memory has links.
pub(crate) fn gather(data: &Data, matches: impl Fn(&AccountId) -> bool) -> ChainsOfAccounts {
    let mut chains = ChainsOfAccounts::new();
    for budget in data.budgets.values().filter(|budget| matches(&budget.account)) {
        for (currency, _) in &budget.balances {
            add(data, &mut chains, &budget.account, HashChain::Balance(budget.id, *currency));
        }
    }
    for account in data.accounts.keys().filter(|account| matches(account)) {
        add(data, &mut chains, account, HashChain::Settlements);
    }
    let mut stored = Vec::new();
    for ((account, id), journal) in data.journal.iter().filter(|((account, _), _)| matches(account)) {
        let of_journal = data.links.get(&(account.clone(), *id)).into_iter().flatten();
        for (line, links) in journal.lines().zip(of_journal) {
            for (link, side) in links.iter().zip([LegSide::From, LegSide::To]) {
                stored.extend(link.map(|link| (link.number, line.clone(), account, *links, side)));
            }
        }
    }
    stored.sort_by_key(|(number, line, ..)| (*number, line.journal, line.line));
    for (_, line, account, links, side) in stored {
        verify_link(&mut chains, account, &line, links, side);
    }
    chains
}

/// Adds a chain with its stored end.
fn add(data: &Data, chains: &mut ChainsOfAccounts, account: &AccountId, chain: HashChain) {
    let key = (account.clone(), chain);
    let end = data.ends.get(&key).copied().unwrap_or_default();
    let movements = (chain != HashChain::Settlements).then_some(end.movements);
    chains.insert(key, ChainBooks::new(end.last, movements));
}
