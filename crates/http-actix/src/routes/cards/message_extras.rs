//! Optional members of messages: the point of sale, 3-D Secure, wallet tokens, data of the cardholder. Florin
//! extensions.

use crate::declare::body;
use florin_domain::card::{
    Cardholder, EntryMode, PointOfSale, SecurityCode, ThreeDSecure, WalletToken, WalletTokenState,
};
use florin_domain::text::Text;

body! {
    /// How a card is used at the point of sale.
    pub(crate) struct PosBody as "CardPosRequest" {
        /// How the card's data is entered.
        #[example("CHIP")]
        "entryMode" => entry_mode: Option<EntryMode>,
        /// Whether the merchant starts the payment without the customer.
        "merchantInitiated" => merchant_initiated: Option<bool>,
        /// Whether the payment belongs to a series of recurring payments.
        "recurring" => recurring: Option<bool>,
    }
}

body! {
    /// The result of 3-D Secure.
    pub(crate) struct ThreeDSecureBody as "CardThreeDSecureRequest" {
        /// The outcome. With `NOT_AUTHENTICATED` or `REJECTED`, the message is declined.
        #[example("AUTHENTICATED")]
        "outcome" => outcome: ThreeDSecure,
    }
}

body! {
    /// The token of a digital wallet.
    pub(crate) struct WalletTokenBody as "CardWalletTokenRequest" {
        /// The token.
        #[example("DNITHE413937")]
        "token" => token: Text<1, 64>,
        /// The state of the token. Default: `ACTIVE`. In every other state, the message is declined.
        #[example("ACTIVE")]
        "state" => state: Option<WalletTokenState>,
    }
}

body! {
    /// Data that the cardholder enters, which Florin compares with the stored data.
    pub(crate) struct CardholderBody as "CardholderRequest" {
        /// The first line of the billing address. It is compared with the `recipientAddress` of a physical card.
        #[example("1 High Street")]
        "addressLine1" => address_line1: Option<Text<1, 140>>,
        /// The postal code of the billing address. It is compared with the `recipientAddress` of a physical card.
        #[example("EC1A 1BB")]
        "postalCode" => postal_code: Option<Text<1, 16>>,
        /// The security code of the card. A wrong code is declined.
        #[example("123")]
        "securityCode" => security_code: Option<SecurityCode>,
    }
}

impl From<PosBody> for PointOfSale {
    fn from(body: PosBody) -> Self {
        let PosBody { entry_mode, merchant_initiated, recurring } = body;
        Self { entry_mode, merchant_initiated, recurring }
    }
}

impl From<WalletTokenBody> for WalletToken {
    fn from(body: WalletTokenBody) -> Self {
        Self { token: body.token.into_string(), state: body.state.unwrap_or(WalletTokenState::Active) }
    }
}

impl From<CardholderBody> for Cardholder {
    fn from(body: CardholderBody) -> Self {
        let CardholderBody { address_line1, postal_code, security_code } = body;
        Self { address_line1, postal_code, security_code }
    }
}
