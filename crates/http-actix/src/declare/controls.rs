//! Controls of cards and budgets.

use super::body;
use super::lists::Items;
use florin_domain::card::{ControlledCountry, Controls, EntryMode, MccRange};
use florin_domain::text::Text;

/// The entries of a control.
type Entries<T> = Items<T, 0, { Controls::MAX_ENTRIES }>;

body! {
    /// Controls. They replace all earlier ones: a member that is null or missing is no rule.
    pub(crate) struct ControlsBody as "CardControlsRequest" {
        /// Merchant categories (ISO 18245) that are allowed, as codes or ranges. No others are.
        #[example(["5812", "3000-3350"])]
        "allowedMccs" => allowed_mccs: Option<Entries<MccRange>>,
        /// Merchant categories that are blocked, even if they are allowed.
        #[example(["7995"])]
        "blockedMccs" => blocked_mccs: Option<Entries<MccRange>>,
        /// Countries that are allowed, as ISO 3166-1 alpha-3 codes. No others are.
        #[example(["GBR", "FRA"])]
        "allowedCountries" => allowed_countries: Option<Entries<ControlledCountry>>,
        /// Countries that are blocked, even if they are allowed.
        "blockedCountries" => blocked_countries: Option<Entries<ControlledCountry>>,
        /// Merchants that are allowed, by their `mid`. No others are.
        "allowedMerchants" => allowed_merchants: Option<Entries<Text<1, 36>>>,
        /// Merchants that are blocked, even if they are allowed.
        #[example(["11111"])]
        "blockedMerchants" => blocked_merchants: Option<Entries<Text<1, 36>>>,
        /// Entry modes that are allowed. No others are, and no message without an entry mode.
        "allowedEntryModes" => allowed_entry_modes: Option<Entries<EntryMode>>,
    }
}

impl From<ControlsBody> for Controls {
    fn from(body: ControlsBody) -> Self {
        fn list<T>(entries: Option<Entries<T>>) -> Option<Vec<T>> {
            entries.map(|entries| entries.0)
        }
        Self {
            allowed_mccs: list(body.allowed_mccs),
            blocked_mccs: list(body.blocked_mccs),
            allowed_countries: list(body.allowed_countries),
            blocked_countries: list(body.blocked_countries),
            allowed_merchants: list(body.allowed_merchants),
            blocked_merchants: list(body.blocked_merchants),
            allowed_entry_modes: list(body.allowed_entry_modes),
        }
    }
}
