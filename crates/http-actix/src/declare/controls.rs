//! Controls of cards and budgets.

use super::body;
use super::lists::Items;
use florin_domain::card::{ControlledCountry, Controls, EntryMode, MccRange};
use florin_domain::text::Text;

/// The entries of a control.
type Entries<T> = Items<T, 0, { Controls::MAX_ENTRIES }>;

body! {
    /// The controls of a card or budget. They replace all existing controls. A member that is null or missing sets no
    /// rule.
    pub(crate) struct ControlsBody as "CardControlsRequest" {
        /// The allowed merchant categories (ISO 18245), as codes or ranges. All others are blocked.
        #[example(["5812", "3000-3350"])]
        "allowedMccs" => allowed_mccs: Option<Entries<MccRange>>,
        /// Blocked merchant categories. They are blocked even if `allowedMccs` contains them.
        #[example(["7995"])]
        "blockedMccs" => blocked_mccs: Option<Entries<MccRange>>,
        /// The allowed countries, as ISO 3166-1 alpha-3 codes. All others are blocked.
        #[example(["GBR", "FRA"])]
        "allowedCountries" => allowed_countries: Option<Entries<ControlledCountry>>,
        /// Blocked countries. They are blocked even if `allowedCountries` contains them.
        "blockedCountries" => blocked_countries: Option<Entries<ControlledCountry>>,
        /// The allowed merchants, by their `mid`. All others are blocked.
        "allowedMerchants" => allowed_merchants: Option<Entries<Text<1, 36>>>,
        /// Blocked merchants. They are blocked even if `allowedMerchants` contains them.
        #[example(["11111"])]
        "blockedMerchants" => blocked_merchants: Option<Entries<Text<1, 36>>>,
        /// The allowed entry modes. All others are blocked, and so are messages without an entry mode.
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
