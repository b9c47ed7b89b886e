//! Conversion from the merchant's currency to the card's (contract 5.7).

use crate::money::{Currency, Minor, Rate};

/// The amount of a message in the merchant's currency, with the rate of the chain's first message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// The merchant's currency, which is never the card's.
    pub currency: Currency,
    /// The message's amount in that currency.
    pub amount: Minor,
    /// The exchange rate from the merchant's currency to the card's.
    pub rate: Rate,
}

/// The amounts of a chain in the merchant's currency.
///
/// In the card's currency, the cleared amount of the chain is the conversion of `cleared`. Its cleared and held amounts
/// together are the conversion of `cleared` plus `held`. Therefore partial amounts add up to the full amount, and a
/// hold of zero is zero in both currencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MerchantAmounts {
    /// The amount held.
    pub held: Minor,
    /// The amount cleared so far.
    pub cleared: Minor,
}
