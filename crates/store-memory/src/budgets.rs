//! Reads, creates and changes budgets.

use crate::MemoryStore;
use crate::data::{Data, add, replace};
use crate::idempotency::once;
use crate::pages::paginate;
use async_trait::async_trait;
use florin_domain::books::PoolSums;
use florin_domain::budget::{
    Budget, BudgetFilter, BudgetFunds, BudgetKind, BudgetOverview, BudgetRecord, CreateBudgetRefusal,
    CreateBudgetSituation, EditBudgetRefusal, EditBudgetSituation, MAX_LEVELS, ParentBudget,
};
use florin_domain::ids::{AccountId, BudgetId, PersonaId};
use florin_domain::money::Currency;
use florin_domain::page::{Page, PageRequest};
use florin_ports::{Budgets, CreateBudgetCommand, EditBudgetCommand, StoreError, WriteError, Written};

#[async_trait]
impl Budgets for MemoryStore {
    async fn find(&self, account: &AccountId, budget: BudgetId) -> Result<Option<BudgetRecord>, StoreError> {
        Ok(self.read(|data| find(data, account, budget)))
    }

    async fn find_with_funds(
        &self,
        account: &AccountId,
        budget: BudgetId,
    ) -> Result<Option<BudgetOverview>, StoreError> {
        Ok(self.read(|data| find(data, account, budget).map(|record| with_funds(data, record))))
    }

    async fn list(
        &self,
        account: &AccountId,
        filter: BudgetFilter,
        page: PageRequest,
    ) -> Result<Page<BudgetRecord>, StoreError> {
        Ok(self.read(|data| list(data, account, filter, page)))
    }

    async fn list_with_funds(
        &self,
        account: &AccountId,
        filter: BudgetFilter,
        page: PageRequest,
    ) -> Result<Page<BudgetOverview>, StoreError> {
        Ok(self.read(|data| {
            let Page { count, rows } = list(data, account, filter, page);
            Page { count, rows: rows.into_iter().map(|record| with_funds(data, record)).collect() }
        }))
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
                let record = (command.decide)(&situation(data, &command)?).map_err(WriteError::Refused)?;
                insert(data, record.clone())?;
                Ok(record)
            })
        })
    }

    async fn edit(&self, command: EditBudgetCommand) -> Result<Written<BudgetRecord>, WriteError<EditBudgetRefusal>> {
        self.decide(|data| {
            once(data, command.claim.as_ref(), |data| {
                let record = find(data, &command.account, command.budget).ok_or(WriteError::Absent)?;
                let name = command.name.as_deref();
                let name_is_taken =
                    name.is_some_and(|name| is_taken(data, &command.account, name, Some(command.budget)));
                let situation = EditBudgetSituation { record, name_is_taken };
                let edited = (command.decide)(&situation).map_err(WriteError::Refused)?;
                let key = (command.account.clone(), command.budget);
                replace(&mut data.budgets, &key, edited.budget.clone())?;
                replace(&mut data.budget_records, &key, edited.clone())?;
                Ok(edited)
            })
        })
    }
}

/// Whether names of budgets must be unique on the account, and a budget other than `except` has this name.
fn is_taken(data: &Data, account: &AccountId, name: &str, except: Option<BudgetId>) -> bool {
    let is_other = |budget: &Budget| budget.account == *account && Some(budget.id) != except && budget.name == name;
    data.accounts.get(account).is_some_and(|account| account.unique_budget_names) && data.budgets.values().any(is_other)
}

/// Stores a new budget.
pub(crate) fn insert(data: &mut Data, mut record: BudgetRecord) -> Result<(), StoreError> {
    record.budget.balances.sort_by_key(|(currency, _)| currency.code());
    let key = (record.budget.account.clone(), record.budget.id);
    add(&mut data.budgets, key.clone(), record.budget.clone())?;
    add(&mut data.budget_records, key, record)
}

/// Finds a budget of the account with its record.
pub(crate) fn find(data: &Data, account: &AccountId, budget: BudgetId) -> Option<BudgetRecord> {
    data.budgets.get(&(account.clone(), budget)).and_then(|budget| record(data, budget))
}

/// Returns the full record of a budget.
pub(crate) fn record(data: &Data, budget: &Budget) -> Option<BudgetRecord> {
    let record = data.budget_records.get(&(budget.account.clone(), budget.id))?;
    Some(BudgetRecord { budget: budget.clone(), ..record.clone() })
}

fn of_account<'a>(data: &'a Data, account: &'a AccountId) -> impl Iterator<Item = BudgetRecord> + 'a {
    data.budgets.values().filter(|budget| budget.account == *account).filter_map(|budget| record(data, budget))
}

fn list(data: &Data, account: &AccountId, filter: BudgetFilter, page: PageRequest) -> Page<BudgetRecord> {
    let matches = |record: &BudgetRecord| {
        filter.parent.is_none_or(|parent| record.parent == Some(parent))
            && filter.currency.is_none_or(|currency| record.budget.in_currency(currency).is_some())
    };
    let mut matching: Vec<_> = of_account(data, account).filter(matches).collect();
    matching.sort_by(|one, other| (&one.budget.name, one.budget.id).cmp(&(&other.budget.name, other.budget.id)));
    paginate(matching, page)
}

fn with_funds(data: &Data, record: BudgetRecord) -> BudgetOverview {
    let below = below(data, &record);
    let funds = |(currency, _): &(Currency, _)| BudgetFunds {
        below: below
            .iter()
            .filter_map(|budget| budget.in_currency(*currency))
            .fold(PoolSums::default(), |sums, balances| sums.plus(balances.into())),
        last_number: last_number(data, &record.budget, *currency),
    };
    BudgetOverview { funds: record.budget.balances.iter().map(funds).collect(), record }
}

/// Returns all budgets below a budget, at any depth.
fn below(data: &Data, root: &BudgetRecord) -> Vec<Budget> {
    let all: Vec<_> = of_account(data, &root.budget.account).collect();
    let mut above = vec![root.budget.id];
    let mut below = Vec::new();
    while let Some(parent) = above.pop() {
        for child in all.iter().filter(|record| record.parent == Some(parent)) {
            above.push(child.budget.id);
            below.push(child.budget.clone());
        }
    }
    below
}

/// Returns the number of the last credit, top-up, transfer or payment that changed a balance.
fn last_number(data: &Data, budget: &Budget, currency: Currency) -> Option<i64> {
    let credits = data.credits.values().map(|(_, credit)| credit);
    let credits = credits.filter(|credit| credit.account == budget.account);
    let credits = credits
        .filter(|credit| (credit.instruction.budget, credit.instruction.currency) == (budget.id, currency))
        .map(|credit| credit.box_transaction_id);
    let transfers = data.transfers.values();
    let transfers = transfers.filter(|transfer| (&transfer.account, transfer.currency) == (&budget.account, currency));
    let transfers = transfers.filter_map(|transfer| {
        let debit = (budget.id == transfer.from).then_some(transfer.number);
        debit.or_else(|| (budget.id == transfer.to).then(|| transfer.credit_number()))
    });
    let paid = data.last_payment_numbers.get(&(budget.account.clone(), (budget.id, currency))).copied();
    credits.chain(transfers).chain(paid).max()
}

/// Returns whether the person of this membership has an individual budget. `None`: no such person on the account.
fn has_budget(data: &Data, account: &AccountId, persona: PersonaId) -> Option<bool> {
    data.people.values().find(|person| person.account == *account && person.persona == persona)?;
    let own = |record: &BudgetRecord| record.persona == Some(persona);
    Some(data.budget_records.iter().any(|((owner, _), record)| owner == account && own(record)))
}

fn situation(data: &Data, command: &CreateBudgetCommand) -> Result<CreateBudgetSituation, StoreError> {
    let account = &command.account;
    let budgets = data.budgets.keys().filter(|(owner, _)| owner == account).count();
    let parent = if let Some(parent) = command.parent {
        find(data, account, parent)
    } else {
        let top = of_account(data, account).find(|record| record.kind == BudgetKind::AccountBalance);
        let missing = || StoreError::Corrupt(format!("account {account} has no parent budget"));
        Some(top.ok_or_else(missing)?)
    };
    Ok(CreateBudgetSituation {
        budgets: u64::try_from(budgets).unwrap_or(u64::MAX),
        parent: parent.map(|parent| ParentBudget {
            id: parent.budget.id,
            level: level(data, &parent),
            currencies: parent.budget.balances.iter().map(|(currency, _)| *currency).collect(),
        }),
        persona_has_budget: command.persona.and_then(|persona| has_budget(data, account, persona)),
        name_is_taken: is_taken(data, account, &command.name, None),
    })
}

/// Returns the nesting level of a budget, starting at 1.
fn level(data: &Data, budget: &BudgetRecord) -> u32 {
    let mut above = budget.parent;
    for level in 1..MAX_LEVELS {
        match above {
            Some(parent) => above = find(data, &budget.budget.account, parent).and_then(|record| record.parent),
            None => return level,
        }
    }
    MAX_LEVELS
}
