//! The check of a payment batch before its confirmation.

use crate::codes::ErrorCode;
use florin_domain::batch::{Confirmability, PaymentBatch, Shortage};
use serde::Serialize;
use utoipa::ToSchema;

/// Whether a payment batch could be confirmed now, and if not, what prevents it.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentBatchValidation)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BatchCheckView {
    /// Whether the batch could be confirmed, apart from multi-factor authentication.
    is_valid: bool,
    /// Whether the status allows a confirmation.
    payment_batch_status: StatusCheckView,
    /// Whether the budgets have sufficient funds.
    orders_balances: BalancesCheckView,
}

/// Whether the status allows a confirmation.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentBatchStatusValidation)]
#[serde(rename_all = "camelCase")]
struct StatusCheckView {
    /// Whether the check passed.
    is_valid: bool,
    /// The status, if it does not allow a confirmation; otherwise empty.
    issues: Vec<StatusIssueView>,
}

/// Whether the budgets have sufficient funds.
#[derive(Serialize, ToSchema)]
#[schema(as = OrdersBalancesValidation)]
#[serde(rename_all = "camelCase")]
struct BalancesCheckView {
    /// Whether the check passed.
    is_valid: bool,
    /// The budgets with insufficient funds.
    issues: Vec<BalanceIssueView>,
}

/// A status that does not allow a confirmation.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentBatchStatusIssue)]
struct StatusIssueView {
    /// The error code that a confirmation would return.
    #[schema(pattern = "^invalid_state$")]
    code: &'static str,
    /// A human-readable message.
    message: String,
    /// The data of the issue.
    data: StatusDataView,
}

/// The status that does not allow a confirmation.
#[derive(Serialize, ToSchema)]
#[schema(as = PaymentBatchStatusIssueData)]
struct StatusDataView {
    /// The status of the batch.
    #[schema(pattern = "^(draft|validated|confirmed|started|completed|failed|cancelled)$")]
    status: &'static str,
}

/// A budget with insufficient funds.
#[derive(Serialize, ToSchema)]
#[schema(as = OrdersBalancesIssue)]
struct BalanceIssueView {
    /// The error code that a confirmation would return.
    #[schema(pattern = "^insufficient_funds$")]
    code: &'static str,
    /// A human-readable message.
    message: String,
    /// The data of the issue.
    data: BalanceDataView,
}

/// The required and the available balance of an order.
#[derive(Serialize, ToSchema)]
#[schema(as = OrdersBalancesIssueData)]
#[serde(rename_all = "camelCase")]
struct BalanceDataView {
    /// The order that cannot be paid.
    #[schema(required, format = Uuid)]
    order_id: Option<String>,
    /// The budget that pays the order.
    #[schema(format = Uuid)]
    budget_id: String,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// The amount that the order requires, including fees.
    required_balance: String,
    /// The available balance of the budget.
    available_balance: String,
}

/// Formats the message for a budget with insufficient funds.
pub(crate) fn shortage_message(shortage: &Shortage) -> String {
    let Shortage { budget, needed, available } = shortage;
    let currency = needed.currency;
    format!("budget {budget} needs {needed} {currency} and has {available} {currency} available")
}

impl BatchCheckView {
    pub(crate) fn new(batch: &PaymentBatch, check: &Confirmability) -> Self {
        let status = check.status.map(|illegal| StatusIssueView {
            code: ErrorCode::InvalidState.as_str(),
            message: format!("only a validated payment batch can be confirmed; this one is {}", illegal.current),
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
