//! Controls of cards and budgets.

use florin_domain::card::{ControlledCountry, Controls, EntryMode, MccRange};
use florin_domain::text::Text;
use serde::Serialize;
use utoipa::ToSchema;

/// The controls of a card or a budget. Null: no rule. What is blocked is blocked even if it is allowed.
#[derive(Serialize, ToSchema)]
#[schema(as = CardControls)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ControlsView {
    /// The only merchant categories that are allowed, as codes or ranges.
    #[schema(required, nullable)]
    allowed_mccs: Option<Vec<String>>,
    /// Merchant categories that are blocked.
    #[schema(required, nullable)]
    blocked_mccs: Option<Vec<String>>,
    /// The only countries that are allowed.
    #[schema(required, nullable)]
    allowed_countries: Option<Vec<String>>,
    /// Countries that are blocked.
    #[schema(required, nullable)]
    blocked_countries: Option<Vec<String>>,
    /// The only merchants that are allowed, by `mid`.
    #[schema(required, nullable)]
    allowed_merchants: Option<Vec<String>>,
    /// Merchants that are blocked.
    #[schema(required, nullable)]
    blocked_merchants: Option<Vec<String>>,
    /// The only entry modes that are allowed.
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
