//! Reads and creates budgets.

use crate::MemoryStore;
use crate::data::{Data, add};
use crate::idempotency::once;
use crate::merchant::cut;
use async_trait::async_trait;
use florin_domain::budget::{
    Budget, BudgetFilter, BudgetRecord, CreateBudgetRefusal, CreateBudgetSituation, MAX_LEVELS,
};
use florin_domain::ids::{AccountId, BudgetId};
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Budgets, CreateBudgetCommand, StoreError, WriteError, Written};

#[async_trait]
impl Budgets for MemoryStore {
    async fn find(&self, account: &AccountId, budget: BudgetId) -> Result<Option<BudgetRecord>, StoreError> {
        Ok(self.read(|data| find(data, account, budget)))
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: BudgetFilter,
        page: PageRequest,
    ) -> Result<Page<BudgetRecord>, StoreError> {
        let matches = |record: &BudgetRecord| {
            filter.parent.is_none_or(|parent| record.parent == Some(parent))
                && filter.currency.is_none_or(|currency| record.budget.in_currency(currency).is_some())
        };
        let mut matching: Vec<_> = self.read(|data| {
            let of_account = data.budgets.values().filter(|budget| budget.account == *account);
            of_account.map(|budget| record(data, budget)).filter(matches).collect()
        });
        matching.sort_by_key(|record| std::cmp::Reverse(record.budget.id));
        Ok(cut(matching, page))
    }

    async fn create(
        &self,
        command: CreateBudgetCommand,
    ) -> Result<Written<BudgetRecord>, WriteError<CreateBudgetRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                if !data.accounts.contains_key(&command.account) {
                    return Err(WriteError::Absent);
                }
                let budgets = data.budgets.keys().filter(|(account, _)| *account == command.account).count();
                let situation = CreateBudgetSituation {
                    budgets: u64::try_from(budgets).unwrap_or(u64::MAX),
                    parent_level: command.parent.and_then(|parent| level(data, &command.account, parent)),
                };
                let record = (command.decide)(&situation).map_err(WriteError::Refused)?;
                let key = (command.account.clone(), record.budget.id);
                add(&mut data.budgets, key.clone(), record.budget.clone())?;
                add(&mut data.budget_records, key, record.clone())?;
                Ok(record)
            })
        })
    }
}

/// Finds a budget of the account with its record.
pub(crate) fn find(data: &Data, account: &AccountId, budget: BudgetId) -> Option<BudgetRecord> {
    data.budgets.get(&(account.clone(), budget)).map(|budget| record(data, budget))
}

/// Returns the full record of a budget.
pub(crate) fn record(data: &Data, budget: &Budget) -> BudgetRecord {
    match data.budget_records.get(&(budget.account.clone(), budget.id)) {
        Some(record) => BudgetRecord { budget: budget.clone(), ..record.clone() },
        None => BudgetRecord::seeded(budget.clone()),
    }
}

/// Returns the nesting level of a budget, starting at 1.
fn level(data: &Data, account: &AccountId, budget: BudgetId) -> Option<u32> {
    let mut record = find(data, account, budget)?;
    for level in 1..=MAX_LEVELS {
        match record.parent {
            Some(parent) => record = find(data, account, parent)?,
            None => return Some(level),
        }
    }
    Some(MAX_LEVELS)
}
