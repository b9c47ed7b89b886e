//! The shipping rates that a merchant offers a payer.

use super::{CheckoutSession, ShippingRate, check_merchant_amount};
use crate::fault::Flaw;
use crate::money::Minor;
use std::collections::BTreeSet;

/// A shipping rate that a payer can choose. Its texts were checked when the merchant's response was parsed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedRate {
    /// The merchant's code of the service.
    pub service_code: String,
    /// The description that the payer reads.
    pub description: String,
    /// The price in minor units of the session's currency, zero or more.
    pub amount: Minor,
    /// Whether the page preselects the rate.
    pub is_preselected: bool,
}

/// The rates that a merchant offers for a session: 1 to 50, with different service codes. With each rate, the amount of
/// the session is one that merchants accept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedRates(Vec<OfferedRate>);

impl OfferedRates {
    /// Maximum number of rates.
    pub const MAX: usize = 50;

    /// Checks the number of rates, their service codes, and their prices against the session.
    pub fn new(rates: Vec<OfferedRate>, session: &CheckoutSession) -> Result<Self, Flaw> {
        if !(1..=Self::MAX).contains(&rates.len()) {
            return Err(Flaw::range(format!("must have 1 to {} rates (got {})", Self::MAX, rates.len())));
        }
        let codes: BTreeSet<_> = rates.iter().map(|rate| &rate.service_code).collect();
        if codes.len() < rates.len() {
            return Err(Flaw::value("must have different service codes"));
        }
        let without_shipping = session.amount_without_shipping().unwrap_or(Minor(i64::MAX));
        for rate in &rates {
            if rate.amount.is_negative() {
                return Err(Flaw::range("must have no negative amount"));
            }
            check_merchant_amount(without_shipping.plus(rate.amount).unwrap_or(Minor(i64::MAX)))?;
        }
        Ok(Self(rates))
    }

    /// Returns the rates in the merchant's order.
    pub fn all(&self) -> &[OfferedRate] {
        &self.0
    }

    /// Returns the rate with a service code. `None`: the merchant does not offer it.
    pub fn chosen(&self, service_code: &str) -> Option<ShippingRate> {
        let rate = self.0.iter().find(|rate| rate.service_code == service_code)?;
        Some(ShippingRate {
            description: rate.description.clone(),
            amount: rate.amount.0,
            service_code: Some(rate.service_code.clone()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::{a_session, a_shipping, a_shipping_rate, collecting_shipping};

    fn rate(code: &str, amount: i64) -> OfferedRate {
        let description = "Post".to_owned();
        OfferedRate { service_code: code.to_owned(), description, amount: Minor(amount), is_preselected: false }
    }

    #[test]
    fn rates_are_checked_together() {
        let mut session = collecting_shipping(a_session("999990.00 GBP"), true);
        let is_good =
            |rates: &[OfferedRate], session: &CheckoutSession| OfferedRates::new(rates.to_vec(), session).is_ok();
        assert!(is_good(&[rate("a", 0), rate("b", 1_000)], &session));
        assert!(!is_good(&[rate("a", 1_001)], &session), "the sum exceeds the maximum amount");
        assert!(!is_good(&[rate("a", -1)], &session));
        assert!(!is_good(&[rate("a", i64::MAX)], &session));
        assert!(!is_good(&[rate("a", 1), rate("a", 2)], &session));
        assert!(!is_good(&[], &session));
        let many: Vec<_> = (0..=OfferedRates::MAX).map(|number| rate(&number.to_string(), 1)).collect();
        assert!(is_good(&many[1..], &session) && !is_good(&many, &session));
        // The rate that was chosen before is not part of the amount.
        session.shipping = Some(crate::checkout::Shipping { rate: Some(a_shipping_rate("5.00 GBP")), ..a_shipping() });
        assert!(is_good(&[rate("a", 1_500)], &session));
    }

    #[test]
    fn a_rate_is_chosen_by_its_service_code() {
        let rates = OfferedRates::new(vec![rate("a", 1), rate("b", 2)], &a_session("1.00 GBP")).unwrap();
        assert_eq!(rates.chosen("b").map(|rate| (rate.amount, rate.service_code)), Some((2, Some("b".to_owned()))));
        assert_eq!(rates.chosen(""), None);
    }
}
