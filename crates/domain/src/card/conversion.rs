//! Conversion from the merchant's currency to the card's (contract 5.7).

use crate::money::{Currency, Minor, Rate};

/// The amount of a message in the merchant's currency. The rate is that of the chain's first message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// The merchant's currency, which is never the card's.
    pub currency: Currency,
    /// The message's amount in that currency.
    pub amount: Minor,
    /// The rate into the card's currency.
    pub rate: Rate,
}

/// The amounts of a chain in the merchant's currency.
///
/// The cleared amount on the card is always the conversion of the cleared amount here. The sum of cleared and held on
/// the card is the conversion of the same sum here. So partial amounts add up to the whole, and a hold of zero is zero
/// in both currencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MerchantSide {
    /// The amount held.
    pub held: Minor,
    /// The amount cleared so far.
    pub cleared: Minor,
}
