//! Checkouts: configured payment pages.

use super::{Locale, WebUrl};
use crate::fault::Flaw;
use crate::ids::{AccountId, CheckoutId, SettlementAccountId};
use crate::money::Currency;
use chrono::{DateTime, Utc};

/// The type of a checkout. It never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckoutType {
    /// Payers pay for a purchase, into the merchant's settlement account.
    Shopping,
    /// Payers pay into a payee that the merchant names.
    TopUp,
}

impl CheckoutType {
    /// Both types.
    pub const ALL: [Self; 2] = [Self::Shopping, Self::TopUp];

    /// Returns the name in the API.
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
    /// It accepts new sessions.
    Active,
    /// It accepts no new sessions. Existing ones can still complete.
    Deactivated,
}

impl CheckoutStatus {
    /// Both statuses.
    pub const ALL: [Self; 2] = [Self::Active, Self::Deactivated];

    /// Returns the name in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "ACTIVE",
            Self::Deactivated => "DEACTIVATED",
        }
    }
}

/// The options with which a SHOPPING checkout collects shipping data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShippingOptions {
    /// Whether the payer must give a shipping address.
    pub collect_address: bool,
    /// The https URL that returns shipping rates. `None`: the merchant sets the rate of each session.
    pub dynamic_rates_url: Option<WebUrl>,
}

impl ShippingOptions {
    /// Creates options. Dynamic rates require that the address is collected.
    pub fn new(collect_address: bool, dynamic_rates_url: Option<WebUrl>) -> Result<Self, Flaw> {
        if dynamic_rates_url.is_some() && !collect_address {
            return Err(Flaw::value("must not be sent unless collectAddress is true"));
        }
        Ok(Self { collect_address, dynamic_rates_url })
    }
}

/// The type of a checkout, with the data that only this type has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CheckoutKind {
    /// Sessions pay into a settlement account of the merchant.
    Shopping {
        /// The settlement account. `None`: the default one of the currency.
        settlement_account: Option<SettlementAccountId>,
        /// The options for collecting shipping data. `None`: none is collected.
        shipping: Option<ShippingOptions>,
    },
    /// Sessions pay into payees.
    TopUp,
}

impl CheckoutKind {
    /// Returns the type.
    pub const fn checkout_type(&self) -> CheckoutType {
        match self {
            Self::Shopping { .. } => CheckoutType::Shopping,
            Self::TopUp => CheckoutType::TopUp,
        }
    }
}

/// A configured payment page, through which checkout sessions are paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkout {
    /// Its id.
    pub id: CheckoutId,
    /// The merchant's account.
    pub account: AccountId,
    /// Its type, with the data that only this type has.
    pub kind: CheckoutKind,
    /// The merchant's name for it. It is never shown to payers.
    pub name: Option<String>,
    /// Whether it accepts new sessions.
    pub status: CheckoutStatus,
    /// The currency, GBP or EUR. It never changes.
    pub currency: Currency,
    /// The https URL to which the payer is redirected when a session ends.
    pub return_url: WebUrl,
    /// The default locale of the payment pages. `None`: the browser decides.
    pub locale: Option<Locale>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When it was last changed.
    pub updated_at: DateTime<Utc>,
}

/// Selects checkouts. A `None` field selects everything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CheckoutFilter {
    /// The type to select.
    pub checkout_type: Option<CheckoutType>,
    /// The status to select.
    pub status: Option<CheckoutStatus>,
}
