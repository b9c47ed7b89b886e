//! Budgets with all their data, and filters of budgets.

use super::Budget;
use crate::books::PoolSums;
use crate::card::Controls;
use crate::ids::{AccountId, BudgetId, PersonaId};
use crate::ledger::Balances;
use crate::money::{Currency, Money};
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// A use that a budget permits. It is checked when a card is created, and when payments of a batch are uploaded.
/// If a budget loses the feature, existing cards and payments stay usable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BudgetFeature {
    /// Payment batches can be funded from it.
    Payments,
    /// Individual cards that spend from it can be created.
    PeopleCards,
    /// Shared cards that spend from it can be created.
    BudgetCards,
}

impl BudgetFeature {
    /// All features.
    pub const ALL: [Self; 3] = [Self::Payments, Self::PeopleCards, Self::BudgetCards];

    /// The name callers use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Payments => "payments",
            Self::PeopleCards => "peopleCards",
            Self::BudgetCards => "budgetCards",
        }
    }

    /// All features, as a set.
    pub fn every() -> BTreeSet<Self> {
        Self::ALL.into()
    }
}

/// The type of a budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BudgetKind {
    /// The parent budget of an account. It is created with the account, and all other budgets are below it.
    AccountBalance,
    /// A budget of the whole account.
    Shared,
    /// A budget of one person.
    Individual,
}

impl BudgetKind {
    /// All types.
    pub const ALL: [Self; 3] = [Self::AccountBalance, Self::Shared, Self::Individual];

    /// The name callers use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::AccountBalance => "accountBalance",
            Self::Shared => "shared",
            Self::Individual => "individual",
        }
    }
}

/// Whether callers should show a budget to people. It has no other effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BudgetStatus {
    /// Shown.
    Active,
    /// Not shown.
    Hidden,
}

impl BudgetStatus {
    /// All statuses.
    pub const ALL: [Self; 2] = [Self::Active, Self::Hidden];

    /// The name callers use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Hidden => "hidden",
        }
    }
}

/// A budget with all its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetRecord {
    /// Its name and balances.
    pub budget: Budget,
    /// The budget directly above it. `None` for the parent budget of the account. The balances of a budget do not
    /// include those of its sub-budgets.
    pub parent: Option<BudgetId>,
    /// Its type.
    pub kind: BudgetKind,
    /// The person who owns an individual budget. `None` for any other budget.
    pub persona: Option<PersonaId>,
    /// Whether callers should show it to people.
    pub status: BudgetStatus,
    /// Its features.
    pub features: BTreeSet<BudgetFeature>,
    /// The caller's reference to a box (`boxId`). Florin only stores it.
    pub box_id: Option<String>,
    /// The threshold below which the caller considers its balance low.
    pub low_balance: Option<Money>,
    /// The controls of the cards that spend from it.
    pub controls: Controls,
    /// When it was created. `None` if the time was not recorded.
    pub created_at: Option<DateTime<Utc>>,
    /// When its data last changed; movements of money do not count. `None` if the time was not recorded.
    pub updated_at: Option<DateTime<Utc>>,
}

impl BudgetRecord {
    /// The name of every parent budget, until the caller changes it.
    pub const PARENT_NAME: &str = "Account balance";

    /// Creates the parent budget of a new account, without money.
    pub fn parent_of_account(
        id: BudgetId,
        account: AccountId,
        currencies: impl IntoIterator<Item = Currency>,
        now: DateTime<Utc>,
    ) -> Self {
        let currencies: BTreeSet<_> = currencies.into_iter().map(|currency| (currency.code(), currency)).collect();
        let balances = currencies.into_iter().map(|(_, currency)| (currency, Balances::default())).collect();
        Self {
            budget: Budget { id, account, name: Self::PARENT_NAME.to_owned(), balances },
            parent: None,
            kind: BudgetKind::AccountBalance,
            persona: None,
            status: BudgetStatus::Active,
            features: BudgetFeature::every(),
            box_id: None,
            low_balance: None,
            controls: Controls::default(),
            created_at: Some(now),
            updated_at: Some(now),
        }
    }

    /// Creates a seeded shared budget directly below the parent budget, with the times and features of the parent
    /// budget.
    pub fn seeded(budget: Budget, parent: &Self) -> Self {
        Self { budget, parent: Some(parent.budget.id), kind: BudgetKind::Shared, ..parent.clone() }
    }
}

/// A budget with its funds, as lists and lookups return it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetOverview {
    /// The budget.
    pub record: BudgetRecord,
    /// Its funds in each currency, in the order of its balances. Empty if the caller did not ask for them.
    pub funds: Vec<BudgetFunds>,
}

/// The funds of a budget in one currency that the API shows in addition to its balances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetFunds {
    /// The sums over all budgets below it, at any depth.
    pub below: PoolSums,
    /// The number of the last credit, top-up, transfer or payment that changed the balance. `None` if there was none.
    pub last_number: Option<i64>,
}

/// A filter of budgets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetFilter {
    /// The parent to match: budgets directly below it.
    pub parent: Option<BudgetId>,
    /// The currency that a budget must hold.
    pub currency: Option<Currency>,
}
