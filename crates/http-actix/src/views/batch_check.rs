//! Whether a payment batch could be confirmed.

use crate::codes::ErrorCode;
use florin_domain::batch::{Confirmability, PaymentBatch, Shortage};
use serde::Serialize;
use utoipa::ToSchema;

/// Whether a batch could be confirmed now, and if not, why.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentBatchValidation)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchCheckView {
    /// Whether nothing stands in the way but multi-factor authentication.
    is_valid: bool,
    payment_batch_status: StatusCheckView,
    orders_balances: BalancesCheckView,
}

/// Whether the status allows it.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentBatchStatusValidation)]
#[serde(rename_all = "camelCase")]
struct StatusCheckView {
    is_valid: bool,
    issues: Vec<StatusIssueView>,
}

/// Whether the budgets can pay.
#[derive(Serialize, ToSchema)]
#[schema(as = OrdersBalancesValidation)]
#[serde(rename_all = "camelCase")]
struct BalancesCheckView {
    is_valid: bool,
    issues: Vec<BalanceIssueView>,
}

/// A status that does not allow it.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentBatchStatusIssue)]
struct StatusIssueView {
    /// As a confirmation would answer.
    #[schema(pattern = "^invalid_state$")]
    code: &'static str,
    message: String,
    data: StatusDataView,
}

/// The status.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentBatchStatusIssueData)]
struct StatusDataView {
    #[schema(pattern = "^(draft|validated|confirmed|started|completed|failed|cancelled)$")]
    status: &'static str,
}

/// A budget that lacks money.
#[derive(Serialize, ToSchema)]
#[schema(as = OrdersBalancesIssue)]
struct BalanceIssueView {
    /// As a confirmation would answer.
    #[schema(pattern = "^insufficient_funds$")]
    code: &'static str,
    message: String,
    data: BalanceDataView,
}

/// What an order needs, and what is there.
#[derive(Serialize, ToSchema)]
#[schema(as = OrdersBalancesIssueData)]
#[serde(rename_all = "camelCase")]
struct BalanceDataView {
    /// The order that can't be paid.
    #[schema(required, format = Uuid)]
    order_id: Option<String>,
    /// The budget that would pay it.
    #[schema(format = Uuid)]
    budget_id: String,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// What the order takes, fees included.
    required_balance: String,
    /// What can be spent.
    available_balance: String,
}

/// Why a confirmation lacks money, in words.
pub(crate) fn shortage_message(shortage: &Shortage) -> String {
    let Shortage { budget, needed, available } = shortage;
    let currency = needed.currency;
    format!("Budget {budget} needs {needed} {currency} and has {available} {currency} available.")
}

impl BatchCheckView {
    pub(crate) fn new(batch: &PaymentBatch, check: &Confirmability) -> Self {
        let status = check.status.map(|illegal| StatusIssueView {
            code: ErrorCode::InvalidState.as_str(),
            message: format!("The payment batch is {}; only a validated one can be confirmed.", illegal.current),
            data: StatusDataView { status: illegal.current.as_str() },
        });
        let balance = |shortage: &Shortage| {
            let currency = shortage.needed.currency;
            let order = batch.orders.iter().find(|order| (order.budget, order.currency) == (shortage.budget, currency));
            BalanceIssueView {
                code: ErrorCode::InsufficientFunds.as_str(),
                message: shortage_message(shortage),
                data: BalanceDataView {
                    order_id: order.map(|order| order.id.to_string()),
                    budget_id: shortage.budget.to_string(),
                    currency_code: currency.code(),
                    required_balance: shortage.needed.to_string(),
                    available_balance: shortage.available.to_string(),
                },
            }
        };
        let balances: Vec<_> = check.shortages.iter().map(balance).collect();
        Self {
            is_valid: check.is_valid(),
            payment_batch_status: StatusCheckView { is_valid: status.is_none(), issues: status.into_iter().collect() },
            orders_balances: BalancesCheckView { is_valid: balances.is_empty(), issues: balances },
        }
    }
}
