//! What is known of a budget beside its money.

use super::Budget;
use crate::ids::BudgetId;
use crate::money::Currency;
use chrono::{DateTime, Utc};
use std::collections::BTreeSet;

/// What a budget may be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BudgetFeature {
    /// Cards can be made on it. Cards that it has go on.
    Cards,
    /// Payment batches can be funded from it. Batches that were checked before go on.
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

    /// Every feature: of a budget that was made without saying which.
    pub fn every() -> BTreeSet<Self> {
        Self::ALL.into()
    }
}

/// A budget with all that is known of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetRecord {
    /// Its name, and what it holds.
    pub budget: Budget,
    /// The budget that it is a part of. A parent holds its own money: sub-budgets don't count in it.
    pub parent: Option<BudgetId>,
    /// What it may be used for.
    pub features: BTreeSet<BudgetFeature>,
    /// When it was made; `None` where it was seeded, not made by a client.
    pub created_at: Option<DateTime<Utc>>,
}

impl BudgetRecord {
    /// A budget that was seeded: no part of another one, and with every feature.
    pub fn seeded(budget: Budget) -> Self {
        Self { budget, parent: None, features: BudgetFeature::every(), created_at: None }
    }
}

/// Which budgets are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetFilter {
    /// Only the sub-budgets of this one.
    pub parent: Option<BudgetId>,
    /// Only those that hold this currency.
    pub currency: Option<Currency>,
}
