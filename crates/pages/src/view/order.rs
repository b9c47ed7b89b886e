//! The summary: what is paid.

use super::address::AddressForm;
use super::shop::Form;
use chrono::{DateTime, Utc};
use florin_domain::money::Money;

/// The first page: what is paid, and the step that comes next.
///
/// Actions: `continue`, `cancel`, and those of the [`Step`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// Where the forms are sent.
    pub form: Form,
    /// What is paid.
    pub order: Order,
    /// When the session ends, shown as the time limit.
    pub expires_at: DateTime<Utc>,
    /// What the payer must do next.
    pub step: Step,
    /// The path of this page with the form of the address, to correct it. `None`: the address can't be changed.
    pub change_address_path: Option<String>,
    /// The path of this page with the choice of rates, to choose another. `None`: the rate can't be changed.
    pub change_rate_path: Option<String>,
}

/// What the payer must do on the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Check what is shown, and continue to the banks (action `continue`).
    Confirm,
    /// Give the shipping address: the members of `shipping`, action `continue`; action `address` looks up the postcode.
    Address(Box<AddressForm>),
    /// Choose how it is shipped: field `rate`, action `rate`.
    Rates {
        /// The rates, at least one.
        rates: Vec<RateChoice>,
        /// The service code of the selected rate.
        selected: Option<String>,
        /// Whether the form was sent without a rate.
        is_missing: bool,
    },
    /// Load the rates again: they could not be loaded (action `rates`).
    RatesUnavailable,
}

/// A rate to choose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateChoice {
    /// The value of the field `rate`.
    pub service_code: String,
    /// Its name.
    pub description: String,
    /// What it costs.
    pub amount: Money,
}

/// What is paid.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Why it is paid.
    pub purpose: Purpose,
    /// The amount to pay, with the chosen rate.
    pub amount: Money,
    /// The merchant's description.
    pub description: Option<String>,
    /// The merchant's reference.
    pub reference: Option<String>,
    /// The basket; empty if there is none.
    pub items: Vec<Item>,
    /// The shipping data; `None` if there is none yet.
    pub shipping: Option<Shipping>,
}

/// The purpose of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Goods or services.
    Shopping,
    /// Money for an account of the payer with the merchant, or for a budget.
    TopUp,
}

/// A line of the basket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// Its name.
    pub name: String,
    /// The merchant's code for it.
    pub sku: Option<String>,
    /// How many.
    pub quantity: u32,
    /// The price of one.
    pub unit_price: Money,
    /// The price of all.
    pub line_total: Money,
}

/// Where and how it is shipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shipping {
    /// The recipient and the lines of the address, without empty lines and without the country.
    pub address: Vec<String>,
    /// The country of the address: ISO 3166 alpha-2.
    pub country_code: String,
    /// The rate; `None` if shipping costs nothing or the rate is not chosen yet.
    pub rate: Option<ShippingRate>,
}

/// The price of shipping.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShippingRate {
    /// Its name.
    pub description: String,
    /// What it costs.
    pub amount: Money,
}
