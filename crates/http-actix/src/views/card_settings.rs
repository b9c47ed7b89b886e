//! The card settings of an account in responses.

use florin_domain::card::{CardSettings, HoldLife, HoldLifeRule};
use florin_domain::world::format_duration;
use serde::Serialize;
use utoipa::ToSchema;

/// How long the holds of an account last.
#[derive(Serialize, ToSchema)]
#[schema(as = HoldLife)]
pub(crate) struct HoldLifeView {
    /// The life of holds to which no rule applies: an ISO 8601 duration.
    default: String,
    /// Rules for some holds. If several rules apply to a hold, the most specific one is used.
    #[schema(max_items = 100)]
    rules: Vec<HoldLifeRuleView>,
}

/// The life of some holds.
#[derive(Serialize, ToSchema)]
#[schema(as = HoldLifeRule)]
pub(crate) struct HoldLifeRuleView {
    /// The merchant category to which the rule applies, as a code or a range; null for all categories.
    #[schema(required, nullable)]
    mcc: Option<String>,
    /// The `type` of the first message to which the rule applies; null for all types.
    #[schema(required, nullable)]
    message: Option<&'static str>,
    /// The life of these holds: an ISO 8601 duration.
    life: String,
}

impl From<&HoldLife> for HoldLifeView {
    fn from(hold_life: &HoldLife) -> Self {
        let rule = |rule: &HoldLifeRule| HoldLifeRuleView {
            mcc: rule.mcc.map(|range| range.to_string()),
            message: rule.message.map(florin_domain::card::MessageKind::as_str),
            life: format_duration(rule.life),
        };
        Self { default: format_duration(hold_life.default), rules: hold_life.rules.iter().map(rule).collect() }
    }
}

/// Which clearings above their hold are refused on an account.
#[derive(Serialize, ToSchema)]
#[schema(as = OverClearing)]
#[serde(rename_all = "camelCase")]
pub(crate) struct OverClearingView {
    /// `ACCEPT` refuses none. `NETWORK` refuses clearings above the margin that card networks allow for the merchant's
    /// category.
    #[schema(pattern = "^(ACCEPT|NETWORK)$")]
    over_clearing: &'static str,
}

impl From<&CardSettings> for OverClearingView {
    fn from(settings: &CardSettings) -> Self {
        Self { over_clearing: settings.over_clearing.as_str() }
    }
}
