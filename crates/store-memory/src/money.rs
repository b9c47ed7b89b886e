//! Writes the journal and balances.

use crate::activities::renew_positions;
use crate::data::{Data, add, must_exist};
use florin_domain::ids::{AccountId, ActivityId, BudgetId};
use florin_domain::ledger::{Balances, HashChain, JournalTransaction, Pool};
use florin_domain::money::Currency;
use florin_ports::StoreError;
use std::collections::BTreeSet;

/// Writes a new journal transaction on budgets of its account.
pub(crate) fn write_journal(data: &mut Data, journal: &JournalTransaction) -> Result<(), StoreError> {
    let pools = journal.legs().iter().flat_map(|leg| [leg.from(), leg.to()]);
    for budget in pools.filter_map(Pool::budget) {
        must_exist(data.budgets.contains_key(&(journal.account.clone(), budget)), &budget)?;
    }
    add(&mut data.journal, (journal.account.clone(), journal.id), journal.clone())?;
    append_links(data, journal);
    if journal.kind.is_activity() {
        renew_positions(data, &journal.account, [ActivityId(journal.id.0)]);
    }
    Ok(())
}

/// Appends the legs of a new journal transaction to their hash chains.
fn append_links(data: &mut Data, journal: &JournalTransaction) {
    let Data { links, ends, .. } = data;
    let key = |chain: HashChain| (journal.account.clone(), chain);
    let mut extended = BTreeSet::new();
    let mut appended = Vec::new();
    for line in journal.lines() {
        let chains = line.chains();
        let last = chains.map(|chain| Some(ends.get(&key(chain?)).copied().unwrap_or_default().last));
        let new = line.links(last);
        for (chain, link) in chains.into_iter().zip(new).filter_map(|(chain, link)| chain.zip(link)) {
            ends.entry(key(chain)).or_default().last = link;
            extended.insert(chain);
        }
        appended.push(new);
    }
    for chain in extended {
        ends.entry(key(chain)).or_default().movements += 1;
    }
    links.insert((journal.account.clone(), journal.id), appended);
}

/// Stores the balances of a budget in one of its currencies.
pub(crate) fn store_balances(
    data: &mut Data,
    account: &AccountId,
    (budget, currency): (BudgetId, Currency),
    after: Balances,
) -> Result<(), StoreError> {
    let found = data.budgets.get_mut(&(account.clone(), budget));
    let entry = found.and_then(|budget| budget.balances.iter_mut().find(|(known, _)| *known == currency));
    let Some((_, balances)) = entry else {
        return Err(StoreError::Corrupt(format!("budget {budget} has no {currency} to be changed")));
    };
    *balances = after;
    Ok(())
}
