//! Budgets with their features and parents.

use super::Budget;
use crate::ids::BudgetId;
use crate::money::Currency;
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// A use that a budget permits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BudgetFeature {
    /// Cards can be created on it. Existing cards do not need the feature.
    Cards,
    /// Payment batches can be funded from it. Batches already checked do not need the feature.
    Payments,
    /// Money can be transferred from it and to it.
    Transfers,
}

impl BudgetFeature {
    /// All features.
    pub const ALL: [Self; 3] = [Self::Cards, Self::Payments, Self::Transfers];

    /// The name callers use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Cards => "cards",
            Self::Payments => "payments",
            Self::Transfers => "transfers",
        }
    }

    /// Every feature: the default of a new budget.
    pub fn every() -> BTreeSet<Self> {
        Self::ALL.into()
    }
}

/// A budget with all its data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetRecord {
    /// Its name and balances.
    pub budget: Budget,
    /// Its parent. A parent's balances do not include those of its sub-budgets.
    pub parent: Option<BudgetId>,
    /// Its features.
    pub features: BTreeSet<BudgetFeature>,
    /// When it was created. `None` for a seeded budget.
    pub created_at: Option<DateTime<Utc>>,
}

impl BudgetRecord {
    /// A seeded budget, without a parent and with every feature.
    pub fn seeded(budget: Budget) -> Self {
        Self { budget, parent: None, features: BudgetFeature::every(), created_at: None }
    }
}

/// A filter of budgets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetFilter {
    /// The parent to match.
    pub parent: Option<BudgetId>,
    /// The currency that a budget must hold.
    pub currency: Option<Currency>,
}
