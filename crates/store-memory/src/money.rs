//! The journal and the balances that it explains.

use crate::activities::moved;
use crate::data::{Data, add, must_exist};
use florin_domain::ids::{AccountId, ActivityId, BudgetId};
use florin_domain::ledger::{Balances, JournalTransaction, Pool};
use florin_domain::money::Currency;
use florin_ports::StoreError;

/// Writes a new journal transaction on budgets of its account.
pub(crate) fn write_journal(data: &mut Data, journal: &JournalTransaction) -> Result<(), StoreError> {
    let pools = journal.legs().iter().flat_map(|leg| [leg.from(), leg.to()]);
    for budget in pools.filter_map(Pool::budget) {
        must_exist(data.budgets.contains_key(&(journal.account.clone(), budget)), &budget)?;
    }
    add(&mut data.journal, (journal.account.clone(), journal.id), journal.clone())?;
    if journal.kind.is_activity() {
        moved(data, &journal.account, [ActivityId(journal.id.0)]);
    }
    Ok(())
}

/// Stores the balance of a budget in one of its currencies.
pub(crate) fn store_balances(
    data: &mut Data,
    account: &AccountId,
    (budget, currency): (BudgetId, Currency),
    after: Balances,
) -> Result<(), StoreError> {
    let found = data.budgets.get_mut(&(account.clone(), budget));
    let held = found.and_then(|budget| budget.balances.iter_mut().find(|(held, _)| *held == currency));
    let Some((_, balances)) = held else {
        return Err(StoreError::Corrupt(format!("budget {budget} has no {currency} to be changed")));
    };
    *balances = after;
    Ok(())
}
