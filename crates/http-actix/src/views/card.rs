//! Cards, their states and limits.

use super::{Amount, Time};
use chrono::{DateTime, Utc};
use florin_domain::card::{CardLimits, CardRecord, CardTransition, SpendingLimit, SpendingWindow};
use florin_domain::money::{Currency, Minor};
use serde::Serialize;
use utoipa::ToSchema;

/// A virtual card. It has no card number.
#[derive(Serialize, ToSchema)]
#[schema(as = Card)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CardView {
    #[schema(format = Uuid)]
    id: String,
    /// The same value as `id`, under the name that card messages use.
    #[schema(format = Uuid)]
    card_token: String,
    account_id: String,
    /// The id of the budget that the card spends from.
    #[schema(format = Uuid)]
    budget_id: String,
    currency_code: &'static str,
    /// Always `VIRTUAL`.
    #[serde(rename = "type")]
    card_type: &'static str,
    #[schema(pattern = "^(UNACTIVATED|ACTIVE|SUSPENDED|REPLACED|TERMINATED)$")]
    state: &'static str,
    /// The owner of the card.
    #[schema(pattern = "^(BUDGET|PERSON)$")]
    owner_type: &'static str,
    /// The cardholder. For a card of a budget, a token that identifies no person.
    #[schema(format = Uuid)]
    user_token: String,
    #[schema(required, nullable)]
    name: Option<String>,
    /// Last day of validity (UTC).
    #[schema(format = Date)]
    expiry_date: String,
    /// The last four digits, derived from the id.
    #[schema(pattern = "^[0-9]{4}$")]
    last_four: String,
    /// When the card was created; null if it came with the account.
    #[schema(required, nullable, value_type = Option<String>, format = DateTime)]
    created_at: Option<Time>,
}

/// A state change of a card.
#[derive(Serialize, ToSchema)]
#[schema(as = CardTransition)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TransitionView {
    from_state: &'static str,
    to_state: &'static str,
    /// The reason that the client gave.
    reason: String,
    /// The id of the API client that requested the change.
    #[schema(format = Uuid)]
    client_id: String,
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
}

/// The spending limits of a card.
#[derive(Serialize, ToSchema)]
#[schema(as = SpendingLimits)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LimitsView {
    #[schema(format = Uuid)]
    card_id: String,
    /// At most one limit per window: day, week, month, lifetime.
    spending_limits: Vec<LimitView>,
}

/// A spending limit over a window, with the usage of the current window.
#[derive(Serialize, ToSchema)]
#[schema(as = SpendingLimit)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LimitView {
    #[schema(pattern = "^(DAY|WEEK|MONTH|LIFETIME)$")]
    window: &'static str,
    currency_code: &'static str,
    /// Maximum amount per window.
    #[schema(value_type = String)]
    amount: Amount,
    /// Amount used in the current window.
    #[schema(value_type = String)]
    used: Amount,
    /// Amount left in the current window, never negative.
    #[schema(value_type = String)]
    remaining: Amount,
    /// Maximum number of uses per window; null: unlimited.
    #[schema(required, nullable)]
    most_uses: Option<u32>,
    /// Number of uses in the current window.
    uses: u32,
    /// First day of the current window (UTC); null for LIFETIME.
    #[schema(required, nullable, format = Date)]
    window_start: Option<String>,
}

impl From<&CardRecord> for CardView {
    fn from(record: &CardRecord) -> Self {
        let card = &record.card;
        Self {
            id: card.id.to_string(),
            card_token: card.id.to_string(),
            account_id: card.account.to_string(),
            budget_id: card.budget.to_string(),
            currency_code: card.currency.code(),
            card_type: "VIRTUAL",
            state: card.state.as_str(),
            owner_type: record.owner.as_str(),
            user_token: card.user_token.to_string(),
            name: record.name.clone(),
            expiry_date: card.expires_on.to_string(),
            last_four: record.last_four(),
            created_at: record.created_at.map(Time),
        }
    }
}

impl From<CardTransition> for TransitionView {
    fn from(step: CardTransition) -> Self {
        Self {
            from_state: step.from.as_str(),
            to_state: step.to.as_str(),
            reason: step.reason,
            client_id: step.client.to_string(),
            created_at: Time(step.created_at),
        }
    }
}

impl LimitsView {
    /// Builds the view of the limits, with the usage of the windows at this time.
    pub(crate) fn at(limits: &CardLimits, now: DateTime<Utc>) -> Self {
        let currency = limits.card.currency;
        let view = |limit: &SpendingLimit| LimitView::new(&limit.current(now), currency);
        Self { card_id: limits.card.id.to_string(), spending_limits: limits.limits.iter().map(view).collect() }
    }
}

impl LimitView {
    /// Builds the view of a limit with its usage.
    pub(crate) fn new(limit: &SpendingLimit, currency: Currency) -> Self {
        let left = limit.amount.minus(limit.spent).unwrap_or(Minor::ZERO).max(Minor::ZERO);
        Self {
            window: limit.window.as_str(),
            currency_code: currency.code(),
            amount: Amount(limit.amount.of(currency)),
            used: Amount(limit.spent.of(currency)),
            remaining: Amount(left.of(currency)),
            most_uses: limit.most_uses,
            uses: limit.uses,
            window_start: (limit.window != SpendingWindow::Lifetime).then(|| limit.window_start.to_string()),
        }
    }
}
