//! Limits of cards in responses.

use super::scalars::Number;
use chrono::{DateTime, Utc};
use florin_domain::card::CardLimit;
use florin_domain::money::Currency;
use serde::Serialize;
use utoipa::ToSchema;

/// A limit of a card, and what is left of it in the current window.
#[derive(Serialize, ToSchema)]
#[schema(as = CardLimit)]
#[serde(rename_all = "camelCase")]
pub(crate) struct LimitView {
    /// The id of the limit.
    #[schema(format = Uuid)]
    id: String,
    /// Maximum amount per window.
    #[schema(value_type = f64)]
    amount: Number,
    /// ISO 4217, alphabetic.
    currency_code: &'static str,
    /// Whether the limit is active.
    active: bool,
    /// Maximum number of uses per window. -1 means unlimited.
    usage_limit: i64,
    /// Whether the client turned the limit off, with the same effect as `active: false`.
    limit_turned_off: bool,
    /// The window of the limit.
    #[schema(pattern = "^(TRANSACTION|DAY|WEEK|MONTH|LIFETIME)$")]
    limit_window: &'static str,
    /// What is left of the limit in the current window.
    available: AvailableView,
}

/// What is left of a limit in the current window.
#[derive(Serialize, ToSchema)]
#[schema(as = CardLimitAvailable)]
#[serde(rename_all = "camelCase")]
struct AvailableView {
    /// Number of uses that are left. -1 means unlimited.
    uses: i64,
    /// The amount that is left, never negative.
    #[schema(value_type = f64)]
    amount: Number,
    /// Number of days until the window ends, including today; null for TRANSACTION and LIFETIME.
    #[schema(required, nullable)]
    days_remaining: Option<i64>,
}

impl LimitView {
    /// Builds the view of a limit with its usage at the given time.
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
