//! Limits of cards.

use super::scalars::Number;
use chrono::{DateTime, Utc};
use florin_domain::card::CardLimit;
use florin_domain::money::Currency;
use serde::Serialize;
use utoipa::ToSchema;

/// A limit of a card, with what is left of it in the current window.
#[derive(Serialize, ToSchema)]
#[schema(as = CardLimit)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LimitView {
    #[schema(format = Uuid)]
    id: String,
    /// Maximum amount per window.
    #[schema(value_type = f64)]
    amount: Number,
    currency_code: &'static str,
    /// Whether the limit is active.
    active: bool,
    /// Maximum number of uses per window. -1: unlimited.
    usage_limit: i64,
    /// Whether the user turned the limit off.
    limit_turned_off: bool,
    #[schema(pattern = "^(TRANSACTION|DAY|WEEK|MONTH|LIFETIME)$")]
    limit_window: &'static str,
    available: AvailableView,
}

/// What is left of a limit in the current window.
#[derive(Serialize, ToSchema)]
#[schema(as = CardLimitAvailable)]
#[serde(rename_all = "camelCase")]
struct AvailableView {
    /// Number of uses left. -1: unlimited.
    uses: i64,
    /// Amount left, never negative.
    #[schema(value_type = f64)]
    amount: Number,
    /// Number of days until the window ends, today included; null for TRANSACTION and LIFETIME.
    #[schema(required, nullable)]
    days_remaining: Option<i64>,
}

impl LimitView {
    /// Builds the view of a limit with its usage at this time.
    pub(crate) fn at(limit: &CardLimit, currency: Currency, now: DateTime<Utc>) -> Self {
        let current = limit.current(now);
        Self {
            id: limit.id.to_string(),
            amount: Number::from(limit.amount.of(currency)),
            currency_code: currency.code(),
            active: limit.active,
            usage_limit: limit.max_uses.map_or(-1, i64::from),
            limit_turned_off: limit.turned_off,
            limit_window: limit.window.as_str(),
            available: AvailableView {
                uses: current.uses_left().map_or(-1, i64::from),
                amount: Number::from(current.left().of(currency)),
                days_remaining: limit.window.days_remaining(now),
            },
        }
    }
}
