//! Cardholder data of a message, and its verification.
//!
//! Sources:
//! - Address verification compares the address and the postal code separately.
//!   <https://docs.galileo-ft.com/pro/reference/api-reference-avs-codes>
//! - EMV 3-D Secure defines the transaction statuses.
//!   <https://stripe.dev/stripe-android/3ds2sdk/com.stripe.android.stripe3ds2.transaction/-transaction-status/index.html>
//! - The token of a digital wallet is requested, activated, suspended and terminated separately from the card.
//!   <https://www.marqeta.com/docs/developer-guides/managing-the-digital-wallet-token-lifecycle>
//! - Each of several clearings of an authorization has a number from 1 to their total number.
//!   <https://developer.cybersource.com/docs/cybs/en-us/api-fields/reference/all/so/api-fields/airline-data-clearing-sequence.html>

use super::{Card, CardNumber, RecipientAddress};
use crate::fault::Flaw;
use crate::text::Text;
use std::fmt;

/// The outcome of 3-D Secure: the transaction status of EMV 3-D Secure (`EMVCo`), with its letter in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ThreeDSecure {
    /// The cardholder was authenticated (Y).
    Authenticated,
    /// Authentication was attempted; the issuer does not take part (A).
    Attempted,
    /// The cardholder was not authenticated (N).
    NotAuthenticated,
    /// Authentication was not possible, for technical reasons (U).
    Unavailable,
    /// The issuer rejected the authentication (R).
    Rejected,
}

impl ThreeDSecure {
    /// All outcomes.
    pub const ALL: [Self; 5] =
        [Self::Authenticated, Self::Attempted, Self::NotAuthenticated, Self::Unavailable, Self::Rejected];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Authenticated => "AUTHENTICATED",
            Self::Attempted => "ATTEMPTED",
            Self::NotAuthenticated => "NOT_AUTHENTICATED",
            Self::Unavailable => "UNAVAILABLE",
            Self::Rejected => "REJECTED",
        }
    }

    /// Whether the message passes. Issuers authorize payments that could not be authenticated for technical reasons.
    pub const fn passes(self) -> bool {
        !matches!(self, Self::NotAuthenticated | Self::Rejected)
    }
}

/// The state of the token of a digital wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WalletTokenState {
    /// The wallet has requested it, but may not use it yet.
    Requested,
    /// The wallet may use it.
    Active,
    /// It is paused.
    Suspended,
    /// It has ended permanently.
    Terminated,
}

impl WalletTokenState {
    /// All states.
    pub const ALL: [Self; 4] = [Self::Requested, Self::Active, Self::Suspended, Self::Terminated];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "REQUESTED",
            Self::Active => "ACTIVE",
            Self::Suspended => "SUSPENDED",
            Self::Terminated => "TERMINATED",
        }
    }
}

/// The token that a digital wallet uses in place of the card's number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WalletToken {
    /// The token as the caller sent it.
    pub token: String,
    /// Its state.
    pub state: WalletTokenState,
}

/// The security code of a card: three or four digits. Never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct SecurityCode(String);

impl SecurityCode {
    /// Reads three or four digits.
    pub fn parse(text: &str) -> Result<Self, Flaw> {
        if (3..=4).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit()) {
            Ok(Self(text.to_owned()))
        } else {
            Err(Flaw::format("must be three or four digits"))
        }
    }
}

impl fmt::Debug for SecurityCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecurityCode(…)")
    }
}

/// Cardholder data that a message contains. It is never printed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Cardholder {
    /// The first line of the billing address.
    pub address_line1: Option<Text<1, 140>>,
    /// The postal code of the billing address.
    pub postal_code: Option<Text<1, 16>>,
    /// The security code of the card.
    pub security_code: Option<SecurityCode>,
}

impl fmt::Debug for Cardholder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cardholder(…)")
    }
}

/// The result of comparing a value with the stored one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Match {
    /// The values are equal.
    Match,
    /// The values differ.
    NoMatch,
    /// The message does not contain the value, or none is stored for the card.
    NotChecked,
}

impl Match {
    /// All results.
    pub const ALL: [Self; 3] = [Self::Match, Self::NoMatch, Self::NotChecked];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Match => "MATCH",
            Self::NoMatch => "NO_MATCH",
            Self::NotChecked => "NOT_CHECKED",
        }
    }

    /// Compares a line or a code of an address. Letter case, spaces and punctuation do not count.
    fn of_address<const MIN: usize, const MAX: usize>(sent: Option<&Text<MIN, MAX>>, stored: Option<&str>) -> Self {
        Self::of(sent.map(|text| plain(text.as_str())).as_deref(), stored.map(plain).as_deref())
    }

    /// Compares a sent value with the stored one.
    fn of(sent: Option<&str>, stored: Option<&str>) -> Self {
        match (sent, stored) {
            (Some(sent), Some(stored)) if sent == stored => Self::Match,
            (Some(_), Some(_)) => Self::NoMatch,
            _ => Self::NotChecked,
        }
    }
}

/// Returns the letters and digits of a text, in lower case.
fn plain(text: &str) -> String {
    text.chars().filter(|found| found.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The result of verifying a cardholder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verification {
    /// The first line of the address.
    pub address_line1: Match,
    /// The postal code.
    pub postal_code: Match,
    /// The security code.
    pub security_code: Match,
}

impl Verification {
    /// Compares the data of a message with the stored data of its card. `recipient` is the address to which a physical
    /// card was sent; without it, addresses are not checked.
    pub(super) fn of(card: &Card, recipient: Option<&RecipientAddress>, sent: &Cardholder) -> Self {
        let Cardholder { address_line1, postal_code, security_code } = sent;
        let number = CardNumber::of(card.id);
        let (line, postcode) =
            recipient.map(|stored| (stored.address_line1.as_str(), stored.postcode.as_str())).unzip();
        Self {
            address_line1: Match::of_address(address_line1.as_ref(), line),
            postal_code: Match::of_address(postal_code.as_ref(), postcode),
            security_code: Match::of(security_code.as_ref().map(|code| code.0.as_str()), Some(&number.security_code)),
        }
    }
}

/// The place of a clearing among several of one authorization.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MultiClearing {
    /// The number of this clearing, from 1.
    pub number: Option<u32>,
    /// Total number of clearings.
    pub count: Option<u32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_and_rejected_authentications_do_not_pass() {
        let passing: Vec<_> = ThreeDSecure::ALL.into_iter().filter(|outcome| outcome.passes()).collect();
        assert_eq!(passing, [ThreeDSecure::Authenticated, ThreeDSecure::Attempted, ThreeDSecure::Unavailable]);
    }

    #[test]
    fn a_security_code_has_three_or_four_digits() {
        assert!(["123", "0427"].iter().all(|right| SecurityCode::parse(right).is_ok()));
        for wrong in ["", "12", "12345", "12a", "٠٤٢", " 12"] {
            assert!(SecurityCode::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn addresses_are_compared_with_that_of_a_physical_card() {
        let recipient = crate::test_support::a_physical_card_request().recipient;
        let card = crate::test_support::a_card().build();
        let verify = |recipient: Option<&_>, line: &str, code: &str| {
            let address_line1 = Some(Text::parse(line).unwrap());
            let sent = Cardholder { address_line1, postal_code: Text::parse(code).ok(), security_code: None };
            let verified = Verification::of(&card, recipient, &sent);
            (verified.address_line1, verified.postal_code)
        };
        let (line, code) = (recipient.address_line1.clone(), recipient.postcode.clone());
        assert_eq!(verify(Some(&recipient), &line, &code), (Match::Match, Match::Match));
        let (in_capitals, without_spaces) =
            (format!(" {}. ", line.to_uppercase()), code.replace(' ', "").to_lowercase());
        assert_eq!(verify(Some(&recipient), &in_capitals, &without_spaces), (Match::Match, Match::Match));
        assert_eq!(verify(Some(&recipient), &line, "X1"), (Match::Match, Match::NoMatch));
        assert_eq!(verify(Some(&recipient), "another line", &code), (Match::NoMatch, Match::Match));
        assert_eq!(verify(None, &line, &code), (Match::NotChecked, Match::NotChecked));
        let nothing = Verification::of(&card, Some(&recipient), &Cardholder::default());
        assert_eq!((nothing.address_line1, nothing.postal_code), (Match::NotChecked, Match::NotChecked));
    }

    #[test]
    fn nothing_of_a_cardholder_is_printed() {
        let code = SecurityCode::parse("427").unwrap();
        assert_eq!(format!("{code:?}"), "SecurityCode(…)");
        let cardholder = Cardholder { postal_code: Text::parse("EC1A").ok(), ..Cardholder::default() };
        assert_eq!(format!("{cardholder:?}"), "Cardholder(…)");
    }
}
