//! Budgets in responses.

use super::Time;
use super::scalars::Number;
use florin_domain::books::PoolSums;
use florin_domain::budget::{BudgetFeature, BudgetFunds, BudgetOverview, BudgetRecord};
use florin_domain::ids::BudgetId;
use florin_domain::money::{Currency, Total};
use serde::Serialize;
use sha2::{Digest, Sha256};
use utoipa::ToSchema;
use uuid::{Builder, Uuid};

/// A budget: a pot of money with a balance in each of its currencies.
#[derive(Serialize, ToSchema)]
#[schema(as = Budget)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BudgetView {
    /// The id of the budget.
    #[schema(format = Uuid)]
    id: String,
    /// The id of the account.
    account_id: String,
    /// The budget directly above this one; null for the parent budget of the account.
    #[schema(required, nullable, format = Uuid)]
    parent_id: Option<String>,
    /// The `boxId` that was sent when the budget was created; null if none was sent.
    #[schema(required, nullable)]
    box_id: Option<String>,
    /// The name of the budget.
    name: String,
    /// `accountBalance`: the parent budget of the account. `shared` or `individual`: all other budgets.
    #[serde(rename = "type")]
    #[schema(pattern = "^(accountBalance|shared|individual)$")]
    kind: &'static str,
    /// The persona that owns an individual budget; absent on other budgets. Florin extension.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, format = Uuid)]
    persona_id: Option<String>,
    /// Whether your programs show the budget to people. Florin only stores it.
    #[schema(pattern = "^(active|hidden)$")]
    status: &'static str,
    /// Always false.
    allow_currency_alignment: bool,
    #[serde(flatten)]
    times: Times,
    /// The features of the budget, as a list of one item.
    feature: [FeatureView; 1],
    /// The currencies that the budget holds, by code.
    currency: Vec<CurrencyView>,
    /// The budget's own balance in each currency, by code. Only with `include=balance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    balance: Option<Vec<BalanceView>>,
    /// The balance of the budget and all its sub-budgets in each currency, by code. Only with `include=totalBalance`.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_balance: Option<Vec<BalanceView>>,
}

/// When a budget was created, and when it last changed.
#[derive(Clone, Copy, Serialize, ToSchema)]
#[schema(as = BudgetTimes)]
#[serde(rename_all = "camelCase")]
struct Times {
    /// When the budget was created; null if that was before Florin recorded it.
    #[schema(required, nullable, value_type = Option<String>, format = DateTime)]
    created_at: Option<Time>,
    /// When the budget last changed, other than by movements of money; null if that was before Florin recorded it.
    #[schema(required, nullable, value_type = Option<String>, format = DateTime)]
    updated_at: Option<Time>,
}

/// The features of a budget: what it can be used for.
#[derive(Serialize, ToSchema)]
#[schema(as = BudgetFeatures)]
#[expect(clippy::struct_excessive_bools, reason = "these are the members of the interface")]
#[serde(rename_all = "camelCase")]
struct FeatureView {
    /// The id of this item.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// The id of the budget.
    #[schema(format = Uuid)]
    budget_id: String,
    /// Whether the budget can fund payment batches.
    payments: bool,
    /// Whether shared cards can be created on the budget.
    budget_cards: bool,
    /// Whether cards of people can be created on the budget.
    people_cards: bool,
    /// Always false.
    forward_deposits: bool,
    /// The balance below which you consider the budget low; null if none is set.
    #[schema(required, nullable, value_type = Option<f64>)]
    low_balance_threshold: Option<Number>,
    /// The currency of `lowBalanceThreshold`; null if none is set.
    #[schema(required, nullable)]
    low_balance_currency_code: Option<&'static str>,
    #[serde(flatten)]
    times: Times,
}

/// A currency that a budget holds.
#[derive(Serialize, ToSchema)]
#[schema(as = BudgetCurrency)]
#[serde(rename_all = "camelCase")]
struct CurrencyView {
    /// The id of this item.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// Equals `id`.
    #[schema(value_type = String, format = Uuid)]
    box_currency_id: Uuid,
    /// The id of the budget.
    #[schema(format = Uuid)]
    budget_id: String,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// Always `unique`.
    local: &'static str,
    /// Always `unique`.
    international: &'static str,
    #[serde(flatten)]
    times: Times,
}

/// The balance of a budget in one currency. All amounts are exact decimals.
#[derive(Serialize, ToSchema)]
#[schema(as = BudgetBalance)]
#[serde(rename_all = "camelCase")]
struct BalanceView {
    /// The id of this item.
    #[schema(value_type = String, format = Uuid)]
    id: Uuid,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The id of the budget.
    #[schema(format = Uuid)]
    budget_id: String,
    /// The amount that can be spent now. It can be negative after a clearing above its hold.
    #[schema(value_type = f64)]
    available_balance: Number,
    /// The sum of `availableBalance` and `pendingBalance`.
    #[schema(value_type = f64)]
    ledger_balance: Number,
    /// The amount held by open card authorizations and reserved for confirmed payment batches.
    #[schema(value_type = f64)]
    pending_balance: Number,
    /// The sum of the ledger balances of all sub-budgets.
    #[schema(value_type = f64)]
    allocated_balance: Number,
    /// The sum of the budget's own ledger balance and `allocatedBalance`.
    #[schema(value_type = f64)]
    ledger_and_allocated_balance: Number,
    /// The number of the last credit, transfer, payment or top-up that changed the budget's own balance; null if there
    /// was none.
    #[schema(required, nullable)]
    last_updated_sequential_id: Option<i64>,
    /// Always true.
    active_currency_on_budget: bool,
    #[serde(flatten)]
    times: Times,
}

/// The optional members of a budget to include.
#[derive(Clone, Copy)]
pub(crate) struct BudgetParts {
    /// Whether to include `balance`.
    pub(crate) balance: bool,
    /// Whether to include `totalBalance`.
    pub(crate) total: bool,
}

impl BudgetParts {
    /// Whether any optional member is included.
    pub(crate) const fn any(self) -> bool {
        self.balance || self.total
    }
}

impl BudgetView {
    /// Builds the view of a budget without its balances.
    pub(crate) fn new(record: BudgetRecord) -> Self {
        let times = Times { created_at: record.created_at.map(Time), updated_at: record.updated_at.map(Time) };
        let id = record.budget.id;
        let currencies = record.budget.balances.iter().map(|(currency, _)| CurrencyView::new(id, *currency, times));
        Self {
            id: id.to_string(),
            account_id: record.budget.account.to_string(),
            parent_id: record.parent.map(|parent| parent.to_string()),
            box_id: record.box_id.clone(),
            kind: record.kind.as_str(),
            persona_id: record.persona.map(|persona| persona.to_string()),
            status: record.status.as_str(),
            allow_currency_alignment: false,
            times,
            feature: [FeatureView::new(&record, times)],
            currency: currencies.collect(),
            balance: None,
            total_balance: None,
            name: record.budget.name,
        }
    }

    /// Builds the view of a budget. `parts` selects the optional members.
    pub(crate) fn with(overview: BudgetOverview, parts: BudgetParts) -> Self {
        let BudgetOverview { record, funds } = overview;
        let (id, balances) = (record.budget.id, record.budget.balances.clone());
        let view = Self::new(record);
        let rows = |includes_sub_budgets: bool| {
            let each = balances.iter().zip(&funds);
            each.map(|((currency, own), funds)| {
                BalanceView::new((id, *currency), (*own).into(), *funds, (includes_sub_budgets, view.times))
            })
            .collect()
        };
        let (balance, total_balance) = (parts.balance.then(|| rows(false)), parts.total.then(|| rows(true)));
        Self { balance, total_balance, ..view }
    }
}

impl FeatureView {
    fn new(record: &BudgetRecord, times: Times) -> Self {
        let has = |feature| record.features.contains(&feature);
        Self {
            id: part_id(record.budget.id, "feature", ""),
            budget_id: record.budget.id.to_string(),
            payments: has(BudgetFeature::Payments),
            budget_cards: has(BudgetFeature::BudgetCards),
            people_cards: has(BudgetFeature::PeopleCards),
            forward_deposits: false,
            low_balance_threshold: record.low_balance.map(Number::from),
            low_balance_currency_code: record.low_balance.map(|money| money.currency.code()),
            times,
        }
    }
}

impl CurrencyView {
    fn new(budget: BudgetId, currency: Currency, times: Times) -> Self {
        let id = part_id(budget, "currency", currency.code());
        Self {
            id,
            box_currency_id: id,
            budget_id: budget.to_string(),
            currency_code: currency.code(),
            local: "unique",
            international: "unique",
            times,
        }
    }
}

impl BalanceView {
    fn new(
        (budget, currency): (BudgetId, Currency),
        own: PoolSums,
        funds: BudgetFunds,
        (includes_sub_budgets, times): (bool, Times),
    ) -> Self {
        let shown = if includes_sub_budgets { own.plus(funds.below) } else { own };
        let number = |sum: Total| Number(sum.of(currency));
        Self {
            id: part_id(budget, if includes_sub_budgets { "totalBalance" } else { "balance" }, currency.code()),
            currency_code: currency.code(),
            budget_id: budget.to_string(),
            available_balance: number(shown.available),
            ledger_balance: number(shown.ledger()),
            pending_balance: number(shown.held.plus(shown.reserved)),
            allocated_balance: number(funds.below.ledger()),
            ledger_and_allocated_balance: number(own.plus(funds.below).ledger()),
            last_updated_sequential_id: funds.last_number,
            active_currency_on_budget: true,
            times,
        }
    }
}

/// Derives the id of a part of a budget from the budget's id: a UUID of version 8 from SHA-256.
fn part_id(budget: BudgetId, kind: &str, code: &str) -> Uuid {
    let digest = Sha256::new().chain_update(budget.0.as_bytes()).chain_update(kind).chain_update(code).finalize();
    let mut bytes = [0; 16];
    bytes.iter_mut().zip(digest).for_each(|(byte, from)| *byte = from);
    Builder::from_custom_bytes(bytes).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_ids_of_their_own_that_never_change() {
        let budget = BudgetId(Uuid::from_u128(1));
        let ids = [("feature", ""), ("currency", "GBP"), ("balance", "GBP"), ("balance", "EUR")]
            .map(|(kind, code)| part_id(budget, kind, code));
        assert_eq!(ids[0], part_id(budget, "feature", ""));
        assert_eq!(ids.iter().collect::<std::collections::BTreeSet<_>>().len(), 4);
        assert_eq!(ids[0].get_version_num(), 8);
        assert_ne!(ids[0], part_id(BudgetId(Uuid::from_u128(2)), "feature", ""));
    }
}
