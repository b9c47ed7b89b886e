//! Budgets and transfers.

use super::{Amount, DryRunView, Time};
use florin_domain::budget::{BudgetFeature, BudgetRecord, TransferDone};
use florin_domain::ledger::Balances;
use florin_domain::money::Currency;
use serde::Serialize;
use utoipa::ToSchema;

/// A budget: a pot of money with a balance in each of its currencies.
#[derive(Serialize, ToSchema)]
#[schema(as = Budget)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BudgetView {
    #[schema(format = Uuid)]
    id: String,
    account_id: String,
    name: String,
    /// The parent budget; null for a top-level budget.
    #[schema(required, nullable, format = Uuid)]
    parent_budget_id: Option<String>,
    /// The currencies that the budget holds: ISO 4217 codes, sorted.
    currencies: Vec<&'static str>,
    /// What the budget may be used for: `cards`, `payments`, `transfers`.
    features: Vec<&'static str>,
    /// When the budget was created; null if it was seeded together with the account.
    #[schema(required, nullable, value_type = Option<String>, format = DateTime)]
    created_at: Option<Time>,
    /// The balances in each currency; with `include=balances` only.
    #[serde(skip_serializing_if = "Option::is_none")]
    balances: Option<Vec<BalanceView>>,
}

/// The balance of a budget in one currency, without its sub-budgets.
#[derive(Serialize, ToSchema)]
#[schema(as = BudgetBalance)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BalanceView {
    currency_code: &'static str,
    /// Ledger balance: the sum of available, held and reserved.
    #[schema(value_type = String)]
    ledger: Amount,
    /// Available balance. Can be negative after a clearing above its hold.
    #[schema(value_type = String)]
    available: Amount,
    /// Held by open card authorizations.
    #[schema(value_type = String)]
    held: Amount,
    /// Reserved for confirmed payment batches.
    #[schema(value_type = String)]
    reserved: Amount,
}

/// A transfer from one budget to another.
#[derive(Serialize, ToSchema)]
#[schema(as = Transfer)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TransferView {
    #[schema(format = Uuid)]
    id: String,
    account_id: String,
    #[schema(format = Uuid)]
    from_budget_id: String,
    #[schema(format = Uuid)]
    to_budget_id: String,
    #[schema(value_type = String)]
    amount: Amount,
    currency_code: &'static str,
    #[schema(required, nullable)]
    reference: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
    /// The balance of the sending budget after the transfer.
    from_balance: BalanceView,
    /// The balance of the receiving budget after the transfer.
    to_balance: BalanceView,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    dry_run: Option<DryRunView>,
}

impl BudgetView {
    /// Builds the view of a budget, with or without its balances.
    pub(crate) fn new(record: BudgetRecord, with_balances: bool) -> Self {
        let BudgetRecord { budget, parent, features, created_at } = record;
        let held = || budget.balances.iter().map(|(currency, balances)| BalanceView::new(*currency, balances));
        Self {
            id: budget.id.to_string(),
            account_id: budget.account.to_string(),
            parent_budget_id: parent.map(|parent| parent.to_string()),
            currencies: budget.balances.iter().map(|(currency, _)| currency.code()).collect(),
            features: features.into_iter().map(BudgetFeature::as_str).collect(),
            created_at: created_at.map(Time),
            balances: with_balances.then(|| held().collect()),
            name: budget.name,
        }
    }
}

impl BalanceView {
    fn new(currency: Currency, balances: &Balances) -> Self {
        Self {
            currency_code: currency.code(),
            ledger: Amount(balances.ledger().of(currency)),
            available: Amount(balances.available().of(currency)),
            held: Amount(balances.held().of(currency)),
            reserved: Amount(balances.reserved().of(currency)),
        }
    }
}

impl TransferView {
    /// Builds the view of a transfer, or of its dry run.
    pub(crate) fn new(done: &TransferDone, dry_run: Option<DryRunView>) -> Self {
        let transfer = &done.transfer;
        let currency = transfer.currency;
        Self {
            id: transfer.id.to_string(),
            account_id: transfer.account.to_string(),
            from_budget_id: transfer.from.to_string(),
            to_budget_id: transfer.to.to_string(),
            amount: Amount(transfer.amount.of(currency)),
            currency_code: currency.code(),
            reference: transfer.reference.clone(),
            created_at: Time(transfer.created_at),
            from_balance: BalanceView::new(currency, &done.from),
            to_balance: BalanceView::new(currency, &done.to),
            dry_run,
        }
    }
}
