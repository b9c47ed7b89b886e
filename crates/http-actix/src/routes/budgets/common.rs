//! Shared parts of the operations on budgets.

use crate::declare::{FieldType, named, parameters};
use crate::json::{Place, Reading, Value};
use crate::views::BudgetParts;
use florin_application::Requirement;
use florin_domain::access::Scope;
use florin_domain::budget::{BudgetFeature, check_features};
use florin_domain::ids::BudgetId;
use std::collections::BTreeSet;
use utoipa::openapi::schema::ArrayBuilder;
use utoipa::openapi::{RefOr, Schema};

pub(super) const READ: Requirement = Requirement::of(Scope::BudgetsRead);
pub(super) const WRITE: Requirement = Requirement::of(Scope::BudgetsWrite);
/// The path parameter that names a budget.
pub(super) const BUDGET: &str = "path.budgetId";

parameters! {
    /// Path parameter: a budget.
    pub(crate) struct BudgetPath in Path {
        /// The id of the budget.
        "budgetId" => id: BudgetId,
    }
}

/// An optional part of responses about budgets.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Included {
    /// The balances of the budget.
    Balance,
    /// Another name for [`Self::Balance`].
    Balances,
    /// The balances of the budget and all budgets below it, added up.
    TotalBalance,
}

impl Included {
    const ALL: [Self; 3] = [Self::Balance, Self::Balances, Self::TotalBalance];

    const fn as_str(self) -> &'static str {
        match self {
            Self::Balance => "balance",
            Self::Balances => "balances",
            Self::TotalBalance => "totalBalance",
        }
    }
}

named! {
    Included: Included::ALL, Included::as_str;
}

parameters! {
    /// The optional parts of a response about budgets.
    pub(crate) struct IncludeParameter in Query {
        /// Parts to add to the response, separated by commas: `balance` (or `balances`), the balances of each budget;
        /// `totalBalance`, its balances including those of its sub-budgets.
        "include" => parts: Vec<Included>,
    }
}

impl IncludeParameter {
    /// Returns the requested parts.
    pub(super) fn parts(&self) -> BudgetParts {
        let balance = self.parts.iter().any(|part| *part != Included::TotalBalance);
        BudgetParts { balance, total: self.parts.contains(&Included::TotalBalance) }
    }
}

/// Features of a budget. A feature that is listed twice is a validation error.
pub(crate) struct Features(pub(super) BTreeSet<BudgetFeature>);

impl FieldType for Features {
    fn read(value: Value<'_>, place: &Place<'_>, reading: &mut Reading<'_>) -> Option<Self> {
        let features = Vec::<BudgetFeature>::read(value, place, reading)?;
        reading.keep(place, check_features(&features)).map(Self)
    }

    fn schema() -> RefOr<Schema> {
        let items = <BudgetFeature as FieldType>::schema();
        ArrayBuilder::new().items(items).unique_items(true).max_items(Some(BudgetFeature::ALL.len())).into()
    }
}
