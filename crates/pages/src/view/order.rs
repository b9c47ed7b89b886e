//! The summary: what is paid.

use super::address::AddressForm;
use super::shop::Form;
use crate::room::{escaped_length, fitting};
use chrono::{DateTime, Utc};
use florin_domain::money::{Minor, Money};

/// The first page: what is paid, and the next step.
///
/// The form sends the action `continue`, `cancel`, or an action of the [`Step`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    /// The path of the forms, and their token.
    pub form: Form,
    /// The order to pay.
    pub order: Order,
    /// When the session ends, shown as the time limit.
    pub expires_at: DateTime<Utc>,
    /// The next step of the payer.
    pub step: Step,
    /// The path of this page with the address form, for corrections. `None`: the address can't be changed.
    pub change_address_path: Option<String>,
    /// The path of this page with the choice of shipping rates. `None`: the rate can't be changed.
    pub change_rate_path: Option<String>,
}

/// The next step of the payer on the summary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// Check the summary, and continue to the banks (action `continue`).
    Confirm,
    /// Enter the shipping address. The fields are the members of `shipping`; the action `continue` sends them, and the
    /// action `address` looks up the postcode.
    Address(Box<AddressForm>),
    /// Choose a shipping rate (field `rate`, action `rate`).
    Rates {
        /// The rates, at least one. The page lists as many as fit, from the first on, and the selected one.
        rates: Vec<RateChoice>,
        /// The service code of the selected rate.
        selected: Option<String>,
        /// Whether the form was sent without a chosen rate.
        is_missing: bool,
    },
    /// Load the shipping rates again, because they could not be loaded (action `rates`).
    RatesUnavailable,
}

/// A shipping rate that can be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RateChoice {
    /// The value of the field `rate`.
    pub service_code: String,
    /// The name of the rate.
    pub description: String,
    /// The price of shipping at this rate.
    pub amount: Money,
}

/// The order that the payer pays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// The purpose of the payment.
    pub purpose: Purpose,
    /// The amount to pay, including the chosen shipping rate.
    pub amount: Money,
    /// The merchant's description.
    pub description: Option<String>,
    /// The merchant's reference.
    pub reference: Option<String>,
    /// The items of the basket; empty if there is no basket.
    pub items: Vec<Item>,
    /// The shipping address and rate. `None`: no address is known yet.
    pub shipping: Option<Shipping>,
}

/// The items that a page counts instead of listing them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoreItems {
    /// Number of items.
    pub items: usize,
    /// Number of pieces, the sum of the items' quantities.
    pub pieces: u64,
    /// The total price of the items.
    pub total: Money,
}

impl Order {
    /// Maximum size of the listed items, in bytes. A longer list would not help a payer, and would be slow to load.
    pub(crate) const ROOM: usize = 10_000;
    /// Size of a row without its texts, in bytes.
    pub(crate) const ROW: usize = 300;

    /// Returns the items that the page lists in this room, and the number and total of the other items. A page with all
    /// items of a large basket would be too large for slow networks.
    pub(crate) fn shown(&self, room: usize) -> (&[Item], Option<MoreItems>) {
        let size = |item: &Item| Self::ROW + escaped_length(&item.name) + item.sku.as_deref().map_or(0, escaped_length);
        let (fitting, _) = fitting(self.items.iter().map(size), room);
        // Replacing a single row with a line for the rest would save nothing.
        let shown = if fitting + 1 >= self.items.len() { self.items.len() } else { fitting };
        let (shown, rest) = self.items.split_at(shown);
        let minor = rest.iter().fold(0_i64, |sum, item| sum.saturating_add(item.line_total.minor.0));
        let more = MoreItems {
            items: rest.len(),
            pieces: rest.iter().map(|item| u64::from(item.quantity)).sum(),
            total: Money { minor: Minor(minor), ..self.amount },
        };
        (shown, (!rest.is_empty()).then_some(more))
    }
}

/// The purpose of a payment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Goods or services.
    Shopping,
    /// Money for the payer's account with the merchant, or for a budget.
    TopUp,
}

/// An item of the basket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The name of the item.
    pub name: String,
    /// The merchant's code for the item.
    pub sku: Option<String>,
    /// Number of pieces.
    pub quantity: u32,
    /// The price of one piece.
    pub unit_price: Money,
    /// The price of all pieces.
    pub line_total: Money,
}

/// The shipping address and rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shipping {
    /// The recipient and the lines of the address, without empty lines and the country.
    pub address: Vec<String>,
    /// The country of the address: ISO 3166 alpha-2.
    pub country_code: String,
    /// The shipping rate. `None`: shipping is free, or no rate is chosen yet.
    pub rate: Option<ShippingRate>,
}

/// A shipping rate and its price.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShippingRate {
    /// The name of the rate.
    pub description: String,
    /// The price of shipping.
    pub amount: Money,
}
