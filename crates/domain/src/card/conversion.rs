//! Merchants in another currency than the card's (contract 5.7).

use super::decide::CardRefusal;
use crate::fault::Flaw;
use crate::ledger::AmountOverflow;
use crate::money::{Currency, DecimalAmount, Minor, Quotes, Rate};

/// The amount of a message in the merchant's currency. The rate is that of the chain's first message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Conversion {
    /// The merchant's currency: never the card's.
    pub currency: Currency,
    /// The message's own amount in it.
    pub amount: Minor,
    /// The rate into the card's currency.
    pub rate: Rate,
}

/// The amounts of a chain in the merchant's currency.
///
/// The cleared amount on the card is always the conversion of the cleared amount here, and the sum of cleared and held is
/// the
/// conversion of this sum. So parts add up to the whole, and a hold of zero is zero in both currencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MerchantSide {
    /// The amount held.
    pub held: Minor,
    /// The amount cleared so far.
    pub cleared: Minor,
}

/// The currency of a chain's messages, and its conversion into the card's currency.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    card: Currency,
    merchant: Option<(Currency, Rate)>,
}

impl Terms {
    /// For a first message. A merchant's currency that is the card's own needs no conversion.
    pub(super) fn quoted(card: Currency, quotes: Option<&Quotes>) -> Result<Self, CardRefusal> {
        let Some(quotes) = quotes.filter(|quotes| quotes.from != card) else {
            return Ok(Self { card, merchant: None });
        };
        let none = || {
            CardRefusal::Currency(Flaw::value(format!("must have an exchange rate to {card} (got {})", quotes.from)))
        };
        Ok(Self { card, merchant: Some((quotes.from, quotes.rate_to(card).ok_or_else(none)?)) })
    }

    /// For a follow-up.
    pub(super) fn of(card: Currency, first: Option<Conversion>) -> Self {
        Self { card, merchant: first.map(|first| (first.currency, first.rate)) }
    }

    /// The currency of the messages.
    pub(super) fn currency(&self) -> Currency {
        self.merchant.map_or(self.card, |(currency, _)| currency)
    }

    /// An amount as sent, in minor units of the messages' currency.
    pub(super) fn minor(&self, amount: &DecimalAmount) -> Result<Minor, Flaw> {
        amount.to_minor(self.currency())
    }

    /// An amount of the messages' currency in the card's.
    pub(super) fn to_card(self, amount: Minor) -> Result<Minor, AmountOverflow> {
        match self.merchant {
            None => Ok(amount),
            Some((currency, rate)) => rate.convert(amount, currency, self.card).ok_or(AmountOverflow),
        }
    }

    /// The largest amount up to `max` that converts to no more than `available`.
    pub(super) fn within(&self, available: Minor, max: Minor) -> Result<Minor, AmountOverflow> {
        let (mut fits, mut too_much) = (0, max.0.saturating_add(1));
        while fits + 1 < too_much {
            let middle = fits + (too_much - fits) / 2;
            if self.to_card(Minor(middle))? <= available {
                fits = middle;
            } else {
                too_much = middle;
            }
        }
        Ok(Minor(fits))
    }

    /// The conversion for the record of a message.
    pub(super) fn shown(&self, amount: Minor) -> Option<Conversion> {
        self.merchant.map(|(currency, rate)| Conversion { currency, amount, rate })
    }

    /// The merchant's side of a chain.
    pub(super) fn side(&self, held: Minor, cleared: Minor) -> Option<MerchantSide> {
        self.merchant.map(|_| MerchantSide { held, cleared })
    }
}
