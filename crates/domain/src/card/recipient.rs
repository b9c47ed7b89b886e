//! What a physical card has that a virtual one has not (contract 5.6).

use crate::checkout::CountryCode;
use crate::ids::CardId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Where a physical card is sent. `Debug` prints nothing of it.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecipientAddress {
    /// Who receives it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recipient_name: Option<String>,
    /// The first line of the address.
    pub address_line1: String,
    /// The second line of the address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub address_line2: Option<String>,
    /// The city.
    pub city: String,
    /// The region or county.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The postcode.
    pub postcode: String,
    /// The country.
    pub country_code: CountryCode,
}

impl fmt::Debug for RecipientAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecipientAddress(…)")
    }
}

/// What a physical card has that a virtual one has not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhysicalCard {
    /// The virtual card that it was ordered for. It ends when the physical one is used first.
    pub virtual_card: CardId,
    /// Where it is sent. `None` once the card has ended or has another owner.
    pub recipient: Option<RecipientAddress>,
}
