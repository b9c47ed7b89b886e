//! Cards, their states and limits.

use super::{Amount, Time};
use chrono::{DateTime, Utc};
use florin_domain::card::{CardLimits, CardRecord, CardTransition, SpendingLimit, SpendingWindow};
use florin_domain::money::{Currency, Minor};
use serde::Serialize;
use utoipa::ToSchema;

/// A card. Its number is never shown: there is none.
#[derive(Serialize, ToSchema)]
#[schema(as = Card)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CardView {
    #[schema(format = Uuid)]
    id: String,
    /// The same as `id`; what card messages call it.
    #[schema(format = Uuid)]
    card_token: String,
    account_id: String,
    /// The budget that pays.
    #[schema(format = Uuid)]
    budget_id: String,
    currency_code: &'static str,
    /// Always `VIRTUAL`.
    #[serde(rename = "type")]
    card_type: &'static str,
    #[schema(pattern = "^(UNACTIVATED|ACTIVE|SUSPENDED|REPLACED|TERMINATED)$")]
    state: &'static str,
    /// Whose it is.
    #[schema(pattern = "^(BUDGET|PERSON)$")]
    owner_type: &'static str,
    /// Its holder; where it is the budget's, a token of nobody.
    #[schema(format = Uuid)]
    user_token: String,
    #[schema(required, nullable)]
    name: Option<String>,
    /// The last day on which it is valid (UTC).
    #[schema(format = Date)]
    expiry_date: String,
    /// They follow from the id.
    #[schema(pattern = "^[0-9]{4}$")]
    last_four: String,
    /// When it was made; null where it came with the account.
    #[schema(required, nullable, value_type = Option<String>, format = DateTime)]
    created_at: Option<Time>,
}

/// One step in the life of a card.
#[derive(Serialize, ToSchema)]
#[schema(as = CardTransition)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TransitionView {
    from_state: &'static str,
    to_state: &'static str,
    /// Why, in the words of the client that asked.
    reason: String,
    /// The API client that asked.
    #[schema(format = Uuid)]
    client_id: String,
    #[schema(value_type = String, format = DateTime)]
    created_at: Time,
}

/// The limits of a card.
#[derive(Serialize, ToSchema)]
#[schema(as = SpendingLimits)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LimitsView {
    #[schema(format = Uuid)]
    card_id: String,
    /// At most one for each window: day, week, month, lifetime.
    spending_limits: Vec<LimitView>,
}

/// A limit over a window, with what was used in the one that is on.
#[derive(Serialize, ToSchema)]
#[schema(as = SpendingLimit)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LimitView {
    #[schema(pattern = "^(DAY|WEEK|MONTH|LIFETIME)$")]
    window: &'static str,
    currency_code: &'static str,
    /// At most this in a window.
    #[schema(value_type = String)]
    amount: Amount,
    /// What was spent of it.
    #[schema(value_type = String)]
    used: Amount,
    /// What is left of it, never below zero.
    #[schema(value_type = String)]
    remaining: Amount,
    /// At most so many uses in a window; null: any number.
    #[schema(required, nullable)]
    most_uses: Option<u32>,
    /// How often the card was used.
    uses: u32,
    /// The first day of the window (UTC); null for a lifetime.
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
    /// What counts now.
    pub(crate) fn at(limits: &CardLimits, now: DateTime<Utc>) -> Self {
        let currency = limits.card.currency;
        let view = |limit: &SpendingLimit| LimitView::new(&limit.current(now), currency);
        Self { card_id: limits.card.id.to_string(), spending_limits: limits.limits.iter().map(view).collect() }
    }
}

impl LimitView {
    /// A limit as it counts now.
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
