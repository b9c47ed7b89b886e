//! Shipping addresses and rates.

use crate::fault::Flaw;
use crate::money::Minor;
use crate::text::Text;
use serde::{Deserialize, Serialize};

/// The name of a recipient.
pub type RecipientName = Text<1, 140>;
/// A line of an address, a city or a region.
pub type AddressLine = Text<1, 100>;
/// A postcode in the format of any country.
pub type Postcode = Text<1, 16>;
/// The description of a shipping rate.
pub type RateDescription = Text<1, 140>;
/// The merchant's code of a shipping service.
pub type ServiceCode = Text<1, 64>;

/// The address and rate of the shipping of a purchase. The texts were checked when the request was parsed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Shipping {
    /// The name of the recipient.
    pub recipient_name: String,
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
    /// The shipping rate. `None`: it is not known yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<ShippingRate>,
}

/// A shipping service with its price.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ShippingRate {
    /// The description that the payer reads.
    pub description: String,
    /// The price in minor units of the session's currency, zero or more.
    pub amount: i64,
    /// The merchant's code of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service_code: Option<String>,
}

/// A country, as its ISO 3166 alpha-2 code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CountryCode(String);

impl CountryCode {
    /// The codes of all countries.
    pub const ALL: &'static [&'static str] = rust_iso3166::ALL_ALPHA2;

    /// Parses a code: two capital letters that ISO 3166 assigns to a country.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let is_code = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_uppercase());
        if is_code && rust_iso3166::from_alpha2(text).is_some() {
            Ok(Self(text.to_owned()))
        } else {
            Err(Flaw::value("must be an ISO 3166 country code of two capital letters, such as GB"))
        }
    }

    /// Returns the code.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Shipping {
    /// Returns the price of the shipping; zero while the rate is unknown.
    pub fn price(&self) -> Minor {
        self.rate.as_ref().map_or(Minor::ZERO, |rate| Minor(rate.amount))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_country_has_a_code() {
        assert!(CountryCode::ALL.iter().all(|code| CountryCode::parse(code).is_ok()));
        let letters = || 'A'..='Z';
        let all = letters().flat_map(|a| letters().map(move |b| String::from_iter([a, b])));
        assert_eq!(all.filter(|code| CountryCode::parse(code).is_ok()).count(), CountryCode::ALL.len());
    }
}
