//! Verifies the hash chains of the journal.

use crate::data::Data;
use florin_domain::books::ChainBooks;
use florin_domain::ids::AccountId;
use florin_domain::ledger::{HashChain, JournalLine, LegSide, Link, LinkHash};
use std::collections::BTreeMap;

/// A stored link: where it is, and its line and side.
type Stored = (AccountId, Link, JournalLine, LegSide, LinkHash);

/// Verifies the hash chains of some accounts. Every leg in memory has links.
pub(crate) fn gather(
    data: &Data,
    matches: impl Fn(&AccountId) -> bool,
) -> BTreeMap<(AccountId, HashChain), ChainBooks> {
    let mut chains = BTreeMap::new();
    for budget in data.budgets.values().filter(|budget| matches(&budget.account)) {
        for (currency, _) in &budget.balances {
            add(data, &mut chains, &budget.account, HashChain::Balance(budget.id, *currency));
        }
    }
    for account in data.accounts.keys().filter(|account| matches(account)) {
        add(data, &mut chains, account, HashChain::Settlements);
    }
    let mut links: Vec<Stored> = Vec::new();
    for ((account, id), journal) in data.journal.iter().filter(|((account, _), _)| matches(account)) {
        let stored = data.links.get(&(account.clone(), *id)).into_iter().flatten();
        for (line, [from, to]) in journal.lines().zip(stored) {
            let paying = from.map(|link| link.hash).unwrap_or_default();
            let sides = [(*from, LegSide::From, LinkHash::default()), (*to, LegSide::To, paying)];
            let found = sides.into_iter().filter_map(|(link, side, paying)| Some((link?, side, paying)));
            links.extend(found.map(|(link, side, paying)| (account.clone(), link, line.clone(), side, paying)));
        }
    }
    links.sort_by_key(|(_, link, line, ..)| (link.number, line.journal, line.line));
    for (account, link, line, side, paying) in links {
        let chain = line.chain(side).unwrap_or(HashChain::Settlements);
        chains.entry((account, chain)).or_default().verify(&line, side, link, paying);
    }
    chains
}

/// Adds a chain with its stored end.
fn add(data: &Data, chains: &mut BTreeMap<(AccountId, HashChain), ChainBooks>, account: &AccountId, chain: HashChain) {
    let key = (account.clone(), chain);
    let end = data.ends.get(&key).copied().unwrap_or_default();
    let movements = (chain != HashChain::Settlements).then_some(end.movements);
    chains.insert(key, ChainBooks::new(end.last, movements));
}
