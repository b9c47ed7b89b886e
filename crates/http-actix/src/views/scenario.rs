//! Played scenarios in responses.

use super::decline::DeclineView;
use super::{Amount, Time};
use chrono::{DateTime, Utc};
use florin_domain::card::ExplainedMessage;
use florin_domain::ids::BudgetId;
use florin_domain::ledger::Balances;
use florin_domain::money::{Currency, Minor};
use florin_ports::StoredResponse;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;
use uuid::Uuid;

/// The result of a scenario that was played.
#[derive(Serialize, ToSchema)]
#[schema(as = Scenario)]
pub(crate) struct ScenarioView {
    /// The steps, in order.
    #[schema(min_items = 1, max_items = 100)]
    pub(crate) steps: Vec<StepView>,
}

/// A step of a scenario.
#[derive(Serialize, ToSchema)]
#[schema(as = ScenarioStep)]
pub(crate) struct StepView {
    /// The path of the message's operation, below `/v2/cards/simulations/`.
    message: &'static str,
    /// When the message was decided on, by the account's clock.
    #[schema(value_type = String, format = DateTime)]
    at: Time,
    /// The HTTP status with which the message's own operation responds.
    #[schema(minimum = 200, maximum = 499)]
    status: u16,
    /// The body of the response of the message's own operation: a record or an error.
    #[schema(value_type = Object)]
    answer: Box<RawValue>,
    /// The balance after the step, of the budget and in the currency of the last recorded message. Null until a message
    /// is recorded.
    #[schema(required, nullable)]
    balances: Option<StepBalancesView>,
    /// Why the message was declined; null if it was not declined.
    #[schema(required, nullable)]
    explanation: Option<DeclineView>,
}

/// The balance of a budget in one currency.
#[derive(Serialize, ToSchema)]
#[schema(as = ScenarioBalances)]
#[serde(rename_all = "camelCase")]
struct StepBalancesView {
    #[schema(value_type = String, format = Uuid)]
    /// The id of the budget.
    budget_id: Uuid,
    /// The ISO 4217 code of the currency.
    currency_code: &'static str,
    /// The ledger balance: all money in the budget.
    #[schema(value_type = String)]
    ledger_balance: Amount,
    /// The available balance: what can be spent now.
    #[schema(value_type = String)]
    available_balance: Amount,
}

impl StepBalancesView {
    fn of(budget: BudgetId, currency: Currency, ledger: Minor, available: Minor) -> Self {
        Self {
            budget_id: budget.0,
            currency_code: currency.code(),
            ledger_balance: Amount(ledger.of(currency)),
            available_balance: Amount(available.of(currency)),
        }
    }
}

impl StepView {
    /// Builds the view of a step with a recorded message. `None`: the body of the response is not JSON.
    pub(crate) fn recorded(
        message: &'static str,
        response: StoredResponse,
        recorded: &ExplainedMessage,
    ) -> Option<Self> {
        let record = &recorded.transaction;
        let (ledger, available) = (record.ledger_balance, record.available_balance);
        Some(Self {
            message,
            at: Time(record.created_at),
            status: response.status,
            answer: RawValue::from_string(response.body).ok()?,
            balances: Some(StepBalancesView::of(record.budget, record.currency, ledger, available)),
            explanation: recorded.declined.as_ref().map(|declined| DeclineView::of(declined, record.currency)),
        })
    }

    /// Builds the view of a step without a recorded message. `None`: the body of the response is not JSON.
    pub(crate) fn unrecorded(
        message: &'static str,
        response: StoredResponse,
        now: DateTime<Utc>,
        balances: Option<(BudgetId, Currency, Balances)>,
    ) -> Option<Self> {
        let balances = balances.map(|(budget, currency, balances)| {
            StepBalancesView::of(budget, currency, balances.ledger(), balances.available())
        });
        let answer = RawValue::from_string(response.body).ok()?;
        Some(Self { message, at: Time(now), status: response.status, answer, balances, explanation: None })
    }
}
