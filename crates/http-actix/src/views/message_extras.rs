//! Optional data of card messages in responses: how the card was used, and what was verified. Florin extensions.

use florin_domain::card::{EntryMode, PointOfSale, Verification, WalletToken};
use serde::Serialize;
use utoipa::ToSchema;

/// How the card was used, according to the message. Members that were not sent are absent.
#[derive(Serialize, ToSchema)]
#[schema(as = CardPos)]
#[serde(rename_all = "camelCase")]
pub(super) struct PosView {
    /// How the card's data entered the terminal or the shop.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    entry_mode: Option<&'static str>,
    /// Whether the merchant started the payment in the cardholder's absence.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    merchant_initiated: Option<bool>,
    /// Whether the payment belongs to a series.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    recurring: Option<bool>,
}

/// The result of 3-D Secure.
#[derive(Serialize, ToSchema)]
#[schema(as = CardThreeDSecure)]
pub(super) struct ThreeDSecureView {
    /// The outcome of 3-D Secure.
    #[schema(pattern = "^(AUTHENTICATED|ATTEMPTED|NOT_AUTHENTICATED|UNAVAILABLE|REJECTED)$")]
    pub(super) outcome: &'static str,
}

/// The token of a digital wallet.
#[derive(Serialize, ToSchema)]
#[schema(as = CardWalletToken)]
pub(super) struct WalletTokenView<'a> {
    /// The token, as sent.
    token: &'a str,
    /// The state of the token.
    #[schema(pattern = "^(REQUESTED|ACTIVE|SUSPENDED|TERMINATED)$")]
    state: &'static str,
}

/// The comparison of the message's data about the cardholder with the stored data. `NOT_CHECKED`: the message contains
/// no value, or none is stored.
#[derive(Serialize, ToSchema)]
#[schema(as = CardVerification)]
#[serde(rename_all = "camelCase")]
pub(super) struct VerificationView {
    /// The result for the first line of the address.
    #[schema(pattern = "^(MATCH|NO_MATCH|NOT_CHECKED)$")]
    address_line1: &'static str,
    /// The result for the postcode.
    #[schema(pattern = "^(MATCH|NO_MATCH|NOT_CHECKED)$")]
    postal_code: &'static str,
    /// The result for the security code of the card.
    #[schema(pattern = "^(MATCH|NO_MATCH|NOT_CHECKED)$")]
    security_code: &'static str,
}

impl From<PointOfSale> for PosView {
    fn from(pos: PointOfSale) -> Self {
        let PointOfSale { entry_mode, merchant_initiated, recurring } = pos;
        Self { entry_mode: entry_mode.map(EntryMode::as_str), merchant_initiated, recurring }
    }
}

impl<'a> From<&'a WalletToken> for WalletTokenView<'a> {
    fn from(token: &'a WalletToken) -> Self {
        Self { token: &token.token, state: token.state.as_str() }
    }
}

impl From<Verification> for VerificationView {
    fn from(verification: Verification) -> Self {
        let Verification { address_line1, postal_code, security_code } = verification;
        Self {
            address_line1: address_line1.as_str(),
            postal_code: postal_code.as_str(),
            security_code: security_code.as_str(),
        }
    }
}
