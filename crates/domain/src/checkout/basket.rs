//! Baskets: the items that a payer buys.

use crate::fault::Flaw;
use crate::money::Minor;
use serde::{Deserialize, Serialize};

/// The items that a payer buys: 1 to 500.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Basket(Vec<BasketItem>);

/// An item of a basket. Its texts were checked when the request was parsed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct BasketItem {
    /// Its name.
    pub name: String,
    /// The number of pieces.
    pub quantity: Quantity,
    /// The price of one piece in minor units of the session's currency, zero or more.
    pub unit_price: i64,
    /// The merchant's stock-keeping unit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sku: Option<String>,
    /// The merchant's product id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product_id: Option<String>,
    /// The tax rate, in the merchant's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tax_rate: Option<String>,
    /// The URL of a picture, which the payment page never loads.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_url: Option<String>,
}

/// A number of pieces: 1 to 100,000.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Quantity(u32);

impl Quantity {
    /// Maximum number of pieces.
    pub const MAX: u32 = 100_000;

    /// Creates a quantity; `out_of_range` outside 1 to 100,000.
    pub fn new(number: i64) -> Result<Self, Flaw> {
        let number = u32::try_from(number).ok().filter(|number| (1..=Self::MAX).contains(number));
        number.map(Self).ok_or_else(|| Flaw::range(format!("must be from 1 to {}", Self::MAX)))
    }

    /// Returns the number.
    pub const fn get(self) -> u32 {
        self.0
    }
}

impl BasketItem {
    /// Returns the price of all pieces. `None`: it exceeds 64 bits.
    pub fn price(&self) -> Option<Minor> {
        self.unit_price.checked_mul(i64::from(self.quantity.get())).map(Minor)
    }
}

impl Basket {
    /// Maximum number of items.
    pub const MAX: usize = 500;

    /// Creates a basket; `out_of_range` unless it has 1 to 500 items.
    pub fn new(items: Vec<BasketItem>) -> Result<Self, Flaw> {
        if (1..=Self::MAX).contains(&items.len()) {
            Ok(Self(items))
        } else {
            Err(Flaw::range(format!("must have 1 to {} items (got {})", Self::MAX, items.len())))
        }
    }

    /// Returns the items.
    pub fn items(&self) -> &[BasketItem] {
        &self.0
    }

    /// Returns the price of all items. `None`: it exceeds 64 bits.
    pub fn price(&self) -> Option<Minor> {
        self.0.iter().try_fold(Minor::ZERO, |sum, item| sum.plus(item.price()?))
    }
}
