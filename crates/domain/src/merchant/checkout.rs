//! Checkouts: configured payment pages.

use super::WebUrl;
use crate::fault::Flaw;
use crate::ids::{AccountId, CheckoutId, SettlementAccountId};
use crate::money::Currency;
use chrono::{DateTime, Utc};

/// The purpose of a checkout; fixed at creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckoutType {
    /// Pays for a basket into the merchant's settlement account.
    Shopping,
    /// Pays into a payee that the merchant supplies.
    TopUp,
}

impl CheckoutType {
    /// Both types.
    pub const ALL: [Self; 2] = [Self::Shopping, Self::TopUp];

    /// The name callers use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Shopping => "SHOPPING",
            Self::TopUp => "TOP_UP",
        }
    }
}

/// Whether a checkout accepts new sessions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckoutStatus {
    /// Accepts new checkout sessions.
    Active,
    /// Accepts no new sessions; existing ones can still complete.
    Deactivated,
}

impl CheckoutStatus {
    /// Both states.
    pub const ALL: [Self; 2] = [Self::Active, Self::Deactivated];

    /// The name callers use.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Deactivated => "DEACTIVATED",
        }
    }
}

/// How a SHOPPING checkout collects shipping data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShippingOptions {
    /// Whether the payer must give a shipping address.
    pub collect_address: bool,
    /// The https address that returns shipping rates; `None` if rates are not dynamic.
    pub dynamic_rates_url: Option<String>,
}

impl ShippingOptions {
    /// Checks that rates are asked for only where there is an address to ship to.
    pub fn new(collect_address: bool, dynamic_rates_url: Option<WebUrl>) -> Result<Self, Flaw> {
        if dynamic_rates_url.is_some() && !collect_address {
            return Err(Flaw::value("must not be sent unless collectAddress is true"));
        }
        let dynamic_rates_url = dynamic_rates_url.map(|url| url.as_str().to_owned());
        Ok(Self { collect_address, dynamic_rates_url })
    }
}

/// The type of a checkout with the data of that type only: a `TOP_UP` can't have a settlement account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckoutKind {
    /// Pays into the merchant's settlement account.
    Shopping {
        /// The settlement account; `None` for the default one.
        settlement_account: Option<SettlementAccountId>,
        /// How shipping data is collected, if at all.
        shipping: Option<ShippingOptions>,
    },
    /// Pays into a payee.
    TopUp,
}

impl CheckoutKind {
    /// Its type.
    pub const fn checkout_type(&self) -> CheckoutType {
        match self {
            Self::Shopping { .. } => CheckoutType::Shopping,
            Self::TopUp => CheckoutType::TopUp,
        }
    }
}

/// A configured payment page, on which checkout sessions run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// Its id.
    pub id: CheckoutId,
    /// The merchant's account.
    pub account: AccountId,
    /// Its type, with the data of that type.
    pub kind: CheckoutKind,
    /// The merchant's name for it, never shown to payers.
    pub name: Option<String>,
    /// Whether it accepts new sessions.
    pub status: CheckoutStatus,
    /// GBP or EUR; fixed at creation.
    pub currency: Currency,
    /// The https address to which the payer is sent when a session ends.
    pub return_url: String,
    /// Default locale of the payer's screens; `None` lets the browser decide.
    pub locale: Option<String>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

/// A filter of checkouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckoutFilter {
    /// The type to match.
    pub checkout_type: Option<CheckoutType>,
    /// The state to match.
    pub status: Option<CheckoutStatus>,
}
