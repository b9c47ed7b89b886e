//! Controls: where and how a card may be used (contract 5.6).
//!
//! Sources:
//! - Controls by merchant category, country and merchant, and their place before real-time decisions, follow Stripe
//!   Issuing.
//!   <https://docs.stripe.com/issuing/controls/spending-controls>

use super::{Acceptor, EntryMode, Response};
use crate::fault::Flaw;
use crate::text::Text;
use std::fmt;

/// A merchant category code of ISO 18245, or a range of codes such as `3000-3350`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MccRange {
    first: u16,
    last: u16,
}

impl MccRange {
    /// Reads four digits, or two codes with a hyphen between them.
    ///
    /// ```
    /// use florin_domain::card::MccRange;
    ///
    /// let airlines = MccRange::parse("3000-3350").unwrap();
    /// assert!(airlines.includes(3000) && airlines.includes(3350) && !airlines.includes(3351));
    /// assert!(MccRange::parse("3350-3000").is_err());
    /// ```
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let wrong = || Flaw::format("must be a merchant category code such as 5812, or a range such as 3000-3350");
        let code = |text: &str| {
            let is_code = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
            is_code.then(|| text.parse::<u16>().ok()).flatten().ok_or_else(wrong)
        };
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last) = (code(first)?, code(last)?);
        if first > last { Err(Flaw::range("must begin with the lower code")) } else { Ok(Self { first, last }) }
    }

    /// Whether a code is in the range.
    pub const fn includes(self, code: u16) -> bool {
        self.first <= code && code <= self.last
    }

    /// The last code minus the first: 0 for a single code.
    pub const fn breadth(self) -> u16 {
        self.last - self.first
    }
}

/// Prints a code such as `5812`, or a range such as `3000-3350`.
impl fmt::Display for MccRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { first, last } = self;
        if first == last { write!(f, "{first:04}") } else { write!(f, "{first:04}-{last:04}") }
    }
}

/// A country that a control names: an ISO 3166-1 alpha-3 code in capital letters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlledCountry(String);

impl ControlledCountry {
    /// The codes of all countries that exist now.
    pub const CODES: &'static [&'static str] = rust_iso3166::ALL_ALPHA3;

    /// Parses the code of a country that exists now.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        let country = Self::of_form(text)?;
        if rust_iso3166::from_alpha3(text).is_some() { Ok(country) } else { Err(Self::flaw()) }
    }

    /// Parses a stored code by its form only, because the code may have been withdrawn since it was stored.
    pub fn of_form(text: &str) -> Result<Self, Flaw> {
        let is_code = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase());
        if is_code { Ok(Self(text.to_owned())) } else { Err(Self::flaw()) }
    }

    fn flaw() -> Flaw {
        Flaw::value("must be an ISO 3166 country code of three capital letters, such as GBR")
    }

    /// The code.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The controls of a card or of a budget. `None` restricts nothing. An empty `allowed` list allows nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Controls {
    /// The only merchant categories that are allowed.
    pub allowed_mccs: Option<Vec<MccRange>>,
    /// Merchant categories that are blocked.
    pub blocked_mccs: Option<Vec<MccRange>>,
    /// The only countries that are allowed.
    pub allowed_countries: Option<Vec<ControlledCountry>>,
    /// Countries that are blocked.
    pub blocked_countries: Option<Vec<ControlledCountry>>,
    /// The only merchants that are allowed, by merchant id.
    pub allowed_merchants: Option<Vec<Text<1, 36>>>,
    /// Merchants that are blocked, by merchant id.
    pub blocked_merchants: Option<Vec<Text<1, 36>>>,
    /// The only entry modes that are allowed.
    pub allowed_entry_modes: Option<Vec<EntryMode>>,
}

impl Controls {
    /// Maximum number of entries of a list.
    pub const MAX_ENTRIES: usize = 250;

    /// Whether no control is set.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether a control allows this use. `None` if the control is not set.
    fn allows(&self, control: Control, used: &CardUse<'_>) -> Option<bool> {
        match control {
            Control::BlockedMccs => self.blocked_mccs.as_ref().map(|blocked| !used.is_in_category(blocked)),
            Control::AllowedMccs => self.allowed_mccs.as_ref().map(|allowed| used.is_in_category(allowed)),
            Control::BlockedMerchants => self.blocked_merchants.as_ref().map(|blocked| !used.is_at_merchant(blocked)),
            Control::AllowedMerchants => self.allowed_merchants.as_ref().map(|allowed| used.is_at_merchant(allowed)),
            Control::BlockedCountries => self.blocked_countries.as_ref().map(|blocked| !used.is_in_country(blocked)),
            Control::AllowedCountries => self.allowed_countries.as_ref().map(|allowed| used.is_in_country(allowed)),
            Control::AllowedEntryModes => self
                .allowed_entry_modes
                .as_ref()
                .map(|allowed| used.entry_mode.is_some_and(|used| allowed.contains(&used))),
        }
    }
}

/// The kind of a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Control {
    /// Blocked merchant categories.
    BlockedMccs,
    /// Allowed merchant categories.
    AllowedMccs,
    /// Blocked merchants.
    BlockedMerchants,
    /// Allowed merchants.
    AllowedMerchants,
    /// Blocked countries.
    BlockedCountries,
    /// Allowed countries.
    AllowedCountries,
    /// Allowed entry modes.
    AllowedEntryModes,
}

impl Control {
    /// All controls, in the order in which they are checked.
    pub const ALL: [Self; 7] = [
        Self::BlockedMccs,
        Self::AllowedMccs,
        Self::BlockedMerchants,
        Self::AllowedMerchants,
        Self::BlockedCountries,
        Self::AllowedCountries,
        Self::AllowedEntryModes,
    ];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BlockedMccs => "blockedMccs",
            Self::AllowedMccs => "allowedMccs",
            Self::BlockedMerchants => "blockedMerchants",
            Self::AllowedMerchants => "allowedMerchants",
            Self::BlockedCountries => "blockedCountries",
            Self::AllowedCountries => "allowedCountries",
            Self::AllowedEntryModes => "allowedEntryModes",
        }
    }

    /// The response to a message that the control does not allow.
    pub const fn response(self) -> Response {
        match self {
            Self::BlockedMccs | Self::AllowedMccs | Self::BlockedMerchants | Self::AllowedMerchants => {
                Response::MerchantNotAllowed
            }
            Self::BlockedCountries | Self::AllowedCountries => Response::CountryNotAllowed,
            Self::AllowedEntryModes => Response::EntryModeNotAllowed,
        }
    }

    /// The value of a message that the control compares. `None` if the message does not contain it.
    fn value(self, used: &CardUse<'_>) -> Option<String> {
        let value = match self {
            Self::BlockedMccs | Self::AllowedMccs => &used.acceptor.mcc,
            Self::BlockedMerchants | Self::AllowedMerchants => &used.acceptor.mid,
            Self::BlockedCountries | Self::AllowedCountries => &used.acceptor.country_code,
            Self::AllowedEntryModes => return used.entry_mode.map(|mode| mode.as_str().to_owned()),
        };
        Some(value.clone())
    }
}

/// The owner of a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ControlOwner {
    /// The card.
    Card,
    /// The budget that pays.
    Budget,
}

impl ControlOwner {
    /// Both owners.
    pub const ALL: [Self; 2] = [Self::Card, Self::Budget];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Card => "card",
            Self::Budget => "budget",
        }
    }
}

/// The evaluation of one control for a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlCheck {
    /// The control.
    pub control: Control,
    /// The owner of the control.
    pub owner: ControlOwner,
    /// The compared value: a merchant category, merchant id, country or entry mode. `None` if the message does not
    /// contain it.
    pub value: Option<String>,
    /// Whether it allows the message.
    pub allows: bool,
}

impl ControlCheck {
    /// The controls of a card and of its budget that apply to a message, in the order in which they are checked.
    pub(super) fn all<'a>(
        card: &'a Controls,
        budget: &'a Controls,
        used: CardUse<'a>,
    ) -> impl Iterator<Item = Self> + 'a {
        let owners = [(ControlOwner::Card, card), (ControlOwner::Budget, budget)];
        Control::ALL.into_iter().flat_map(move |control| {
            owners.into_iter().filter_map(move |(owner, controls)| {
                let allows = controls.allows(control, &used)?;
                Some(Self { control, owner, value: control.value(&used), allows })
            })
        })
    }
}

/// The data of a message that the controls read.
#[derive(Clone, Copy, Debug)]
pub(super) struct CardUse<'a> {
    /// The merchant or machine.
    pub(super) acceptor: &'a Acceptor,
    /// The entry mode of the card's data, if the message has one.
    pub(super) entry_mode: Option<EntryMode>,
}

impl CardUse<'_> {
    fn is_in_category(&self, ranges: &[MccRange]) -> bool {
        let code = self.acceptor.mcc.parse::<u16>();
        code.is_ok_and(|code| ranges.iter().any(|range| range.includes(code)))
    }

    fn is_in_country(&self, countries: &[ControlledCountry]) -> bool {
        countries.iter().any(|country| country.as_str().eq_ignore_ascii_case(&self.acceptor.country_code))
    }

    fn is_at_merchant(&self, merchants: &[Text<1, 36>]) -> bool {
        merchants.iter().any(|merchant| Acceptor::padded_mid(merchant.as_str()) == self.acceptor.mid)
    }
}

#[cfg(test)]
#[path = "controls_tests.rs"]
mod tests;
