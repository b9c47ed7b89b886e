//! The summary: what is paid.

use super::address::AddressForm;
use super::shop::Form;
use chrono::{DateTime, Utc};
use florin_domain::money::{Minor, Money};

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

/// Items that a page only counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoreItems {
    /// How many items.
    pub items: usize,
    /// How many pieces.
    pub pieces: u64,
    /// The price of all.
    pub total: Money,
}

impl Order {
    /// What a page has room for, in bytes: with the rest of the largest page, less than 30,000.
    const ROOM: usize = 10_000;
    /// What a row needs besides its texts.
    const ROW: usize = 300;

    /// The items that a page shows, and those that it only counts: a page with all items of a large basket is too large for
    /// slow networks.
    pub(crate) fn shown(&self) -> (&[Item], Option<MoreItems>) {
        let needed = self.items.iter().scan(0, |room, item| {
            *room += Self::ROW + escaped(&item.name) + item.sku.as_deref().map_or(0, escaped);
            Some(*room)
        });
        let fitting = needed.take_while(|room| *room <= Self::ROOM).count().max(1);
        // A line that replaces a single row saves nothing.
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

/// The length of a text after escaping.
fn escaped(text: &str) -> usize {
    text.len() + 4 * text.bytes().filter(|byte| b"&<>\"'".contains(byte)).count()
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
