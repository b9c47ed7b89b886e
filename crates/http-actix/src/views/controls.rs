//! Controls of cards and budgets in responses.

use florin_domain::card::{ControlledCountry, Controls, EntryMode, MccRange};
use florin_domain::text::Text;
use serde::Serialize;
use utoipa::ToSchema;

/// The controls of a card or budget. A member that is null sets no rule. Blocking takes precedence over allowing.
#[derive(Serialize, ToSchema)]
#[schema(as = CardControls)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ControlsView {
    /// The allowed merchant categories, as codes or ranges. All others are blocked.
    #[schema(required, nullable)]
    allowed_mccs: Option<Vec<String>>,
    /// The blocked merchant categories, as codes or ranges.
    #[schema(required, nullable)]
    blocked_mccs: Option<Vec<String>>,
    /// The allowed countries, as ISO 3166-1 alpha-3 codes. All others are blocked.
    #[schema(required, nullable)]
    allowed_countries: Option<Vec<String>>,
    /// The blocked countries.
    #[schema(required, nullable)]
    blocked_countries: Option<Vec<String>>,
    /// The allowed merchants, by `mid`. All others are blocked.
    #[schema(required, nullable)]
    allowed_merchants: Option<Vec<String>>,
    /// The blocked merchants, by `mid`.
    #[schema(required, nullable)]
    blocked_merchants: Option<Vec<String>>,
    /// The allowed entry modes. All others are blocked, and so are messages without an entry mode.
    #[schema(required, nullable)]
    allowed_entry_modes: Option<Vec<String>>,
}

impl From<&Controls> for ControlsView {
    fn from(controls: &Controls) -> Self {
        fn texts<T>(list: Option<&Vec<T>>, text: impl Fn(&T) -> String) -> Option<Vec<String>> {
            list.map(|list| list.iter().map(text).collect())
        }
        let country = |country: &ControlledCountry| country.as_str().to_owned();
        let merchant = |merchant: &Text<1, 36>| merchant.as_str().to_owned();
        let mode = |mode: &EntryMode| mode.as_str().to_owned();
        Self {
            allowed_mccs: texts(controls.allowed_mccs.as_ref(), MccRange::to_string),
            blocked_mccs: texts(controls.blocked_mccs.as_ref(), MccRange::to_string),
            allowed_countries: texts(controls.allowed_countries.as_ref(), country),
            blocked_countries: texts(controls.blocked_countries.as_ref(), country),
            allowed_merchants: texts(controls.allowed_merchants.as_ref(), merchant),
            blocked_merchants: texts(controls.blocked_merchants.as_ref(), merchant),
            allowed_entry_modes: texts(controls.allowed_entry_modes.as_ref(), mode),
        }
    }
}
