//! The data that only physical cards have (contract 5.6).

use crate::checkout::CountryCode;
use crate::ids::CardId;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The address to which a physical card is sent. `Debug` does not print it, because it is personal data.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct RecipientAddress {
    /// The name of the recipient.
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

/// The data that only physical cards have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhysicalCard {
    /// The virtual card for which it was ordered. The virtual card ends at the first use of the physical card.
    pub virtual_card: CardId,
    /// The address to which it is sent. `None` once the card has ended or has another owner.
    pub recipient: Option<RecipientAddress>,
}
