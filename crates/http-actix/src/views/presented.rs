//! What messages present beside their amount. Florin extensions.

use florin_domain::card::{EntryMode, PointOfSale, Verification, WalletToken};
use serde::Serialize;
use utoipa::ToSchema;

/// How a card was used, as the message says. Members that were not sent are absent.
#[derive(Serialize, ToSchema)]
#[schema(as = CardPos)]
#[serde(rename_all = "camelCase")]
pub(super) struct PosView {
    /// How the card's data was entered.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    entry_mode: Option<&'static str>,
    /// Whether the merchant began the payment without its customer.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    merchant_initiated: Option<bool>,
    /// Whether the payment is one of a series.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    recurring: Option<bool>,
}

/// The result of 3-D Secure.
#[derive(Serialize, ToSchema)]
#[schema(as = CardThreeDSecure)]
pub(super) struct ThreeDSecureView {
    #[schema(pattern = "^(AUTHENTICATED|ATTEMPTED|NOT_AUTHENTICATED|UNAVAILABLE|REJECTED)$")]
    pub(super) outcome: &'static str,
}

/// The token of a digital wallet.
#[derive(Serialize, ToSchema)]
#[schema(as = CardWalletToken)]
pub(super) struct WalletTokenView<'a> {
    token: &'a str,
    #[schema(pattern = "^(REQUESTED|ACTIVE|SUSPENDED|TERMINATED)$")]
    state: &'static str,
}

/// What was verified of the cardholder. `NOT_CHECKED`: the message has no value, or none is stored.
#[derive(Serialize, ToSchema)]
#[schema(as = CardVerification)]
#[serde(rename_all = "camelCase")]
pub(super) struct VerificationView {
    #[schema(pattern = "^(MATCH|NO_MATCH|NOT_CHECKED)$")]
    address_line1: &'static str,
    #[schema(pattern = "^(MATCH|NO_MATCH|NOT_CHECKED)$")]
    postal_code: &'static str,
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
