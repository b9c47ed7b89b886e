//! The currency of a message, and its conversion to the card's currency (contract 5.7).

use super::CardRefusal;
use crate::card::{Conversion, MerchantAmounts};
use crate::fault::Flaw;
use crate::ledger::AmountOutOfRange;
use crate::money::{Currency, DecimalAmount, Minor, Quotes, Rate};

/// The currency of a chain's messages, and its conversion into the card's currency.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConversionTerms {
    card: Currency,
    merchant: Option<(Currency, Rate)>,
}

impl ConversionTerms {
    /// The terms of a first message. If the merchant's currency is the card's, nothing is converted.
    pub(super) fn quoted(card: Currency, quotes: Option<&Quotes>) -> Result<Self, CardRefusal> {
        let Some(quotes) = quotes.filter(|quotes| quotes.from != card) else {
            return Ok(Self { card, merchant: None });
        };
        let none = || {
            CardRefusal::Currency(Flaw::value(format!("must have an exchange rate to {card} (got {})", quotes.from)))
        };
        Ok(Self { card, merchant: Some((quotes.from, quotes.rate_to(card).ok_or_else(none)?)) })
    }

    /// The terms of a follow-up, from the conversion of the chain's first message.
    pub(super) fn of(card: Currency, first: Option<Conversion>) -> Self {
        Self { card, merchant: first.map(|first| (first.currency, first.rate)) }
    }

    /// The currency of the messages.
    pub(super) fn currency(&self) -> Currency {
        self.merchant.map_or(self.card, |(currency, _)| currency)
    }

    /// Converts an amount as sent to minor units of the messages' currency.
    pub(super) fn minor(&self, amount: &DecimalAmount) -> Result<Minor, Flaw> {
        amount.to_minor(self.currency())
    }

    /// Converts an amount from the messages' currency to the card's.
    pub(super) fn to_card(self, amount: Minor) -> Result<Minor, AmountOutOfRange> {
        match self.merchant {
            None => Ok(amount),
            Some((currency, rate)) => rate.convert(amount, currency, self.card).ok_or(AmountOutOfRange::Overflow),
        }
    }

    /// The largest amount up to `max` that converts to no more than `available`.
    pub(super) fn within(&self, available: Minor, max: Minor) -> Result<Minor, AmountOutOfRange> {
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

    /// The smallest amount up to `max` that converts to at least `needed`. `needed` must be at most the conversion of
    /// `max`.
    pub(super) fn covering(&self, needed: Minor, max: Minor) -> Result<Minor, AmountOutOfRange> {
        if needed.is_zero() {
            return Ok(Minor::ZERO);
        }
        let below = self.within(needed, max)?;
        let covers = self.to_card(below)? >= needed;
        if covers { Ok(below) } else { below.plus(Minor(1)).ok_or(AmountOutOfRange::Overflow) }
    }

    /// The conversion for the record of a message.
    pub(super) fn shown(&self, amount: Minor) -> Option<Conversion> {
        self.merchant.map(|(currency, rate)| Conversion { currency, amount, rate })
    }

    /// The amounts of a chain in the merchant's currency, if it differs from the card's.
    pub(super) fn merchant_amounts(&self, held: Minor, cleared: Minor) -> Option<MerchantAmounts> {
        self.merchant.map(|_| MerchantAmounts { held, cleared })
    }
}
