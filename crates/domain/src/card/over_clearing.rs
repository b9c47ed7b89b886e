//! Clearings above the authorised amount (contract 5.7).

use crate::money::{Currency, Minor};

/// Which clearings above their hold are refused.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum OverClearing {
    /// None. Issuers cannot refuse a clearing that a merchant presents.
    #[default]
    Accept,
    /// Clearings above the margin that the card networks allow the merchant's category without a new authorization.
    Network,
}

impl OverClearing {
    /// Both values.
    pub const ALL: [Self; 2] = [Self::Accept, Self::Network];

    /// The name callers see.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accept => "ACCEPT",
            Self::Network => "NETWORK",
        }
    }

    /// Returns the maximum that may be cleared of an authorised amount at a merchant of this category, in minor units
    /// of the merchant's currency. `None`: any amount.
    ///
    /// The public rules of Visa and Mastercard allow these margins without a new authorization:
    ///
    /// - 20 % for tips in restaurants, bars, fast food (MCC 5812 to 5814) and taxis (4121);
    /// - 15 % for lodging (7011, 3501 to 3999) and car rental (7512);
    /// - for fuel (5541, 5542), up to 100 major units, because a pump is authorized before the price is known.
    ///
    /// Other categories have no margin. Fractions of a minor unit are cut off.
    ///
    /// Sources: the rules of Visa, <https://usa.visa.com/content/dam/VCOM/download/about-visa/visa-rules-public.pdf>,
    /// and an issuer's table by category, <https://airwallex.com/docs/issuing__handle-overcaptures>.
    ///
    /// ```
    /// use florin_domain::card::OverClearing;
    /// use florin_domain::money::Minor;
    /// use florin_domain::test_support::currency;
    ///
    /// let max = |mcc| OverClearing::Network.max_cleared(Minor(50_00), mcc, currency("GBP"));
    /// assert_eq!([max("5812"), max("7011"), max("5542"), max("5411")],
    ///     [Some(Minor(60_00)), Some(Minor(57_50)), Some(Minor(100_00)), Some(Minor(50_00))]);
    /// assert_eq!(OverClearing::Accept.max_cleared(Minor(50_00), "5411", currency("GBP")), None);
    /// ```
    pub fn max_cleared(self, authorised: Minor, mcc: &str, currency: Currency) -> Option<Minor> {
        if self == Self::Accept {
            return None;
        }
        let with_percent = |percent: i128| {
            let max = i128::from(authorised.0) * (100 + percent) / 100;
            Minor(i64::try_from(max).unwrap_or(i64::MAX))
        };
        Some(match mcc.parse::<u16>().unwrap_or_default() {
            5812..=5814 | 4121 => with_percent(20),
            7011 | 7512 | 3501..=3999 => with_percent(15),
            5541 | 5542 => authorised.max(Minor(100 * 10_i64.pow(currency.exponent()))),
            _ => authorised,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_support::currency;
    use proptest::prelude::*;

    fn max(authorised: i64, mcc: &str, code: &str) -> i64 {
        OverClearing::Network.max_cleared(Minor(authorised), mcc, currency(code)).unwrap().0
    }

    #[test]
    fn the_margin_depends_on_the_category() {
        for mcc in ["5812", "5813", "5814", "4121"] {
            assert_eq!(max(1_000, mcc, "GBP"), 1_200, "{mcc}");
        }
        for mcc in ["7011", "7512", "3501", "3999"] {
            assert_eq!(max(1_000, mcc, "GBP"), 11_50, "{mcc}");
        }
        for mcc in
            ["5811", "5815", "4120", "4122", "7010", "7012", "7511", "7513", "3500", "4000", "5540", "5543", "", "x"]
        {
            assert_eq!(max(1_000, mcc, "GBP"), 1_000, "{mcc}");
        }
    }

    #[test]
    fn fuel_may_be_cleared_up_to_a_hundred_major_units() {
        for mcc in ["5541", "5542"] {
            assert_eq!(max(100, mcc, "GBP"), 10_000);
            assert_eq!(max(1, mcc, "JPY"), 100);
            assert_eq!(max(1_000, mcc, "KWD"), 100_000);
            assert_eq!(max(12_000, mcc, "GBP"), 12_000);
        }
    }

    proptest! {
        #[test]
        fn what_was_authorised_may_always_be_cleared(authorised in 0..=i64::MAX, code in 0_u16..10_000) {
            let max = max(authorised, &format!("{code:04}"), "GBP");
            prop_assert!(max >= authorised);
            let margin = i128::from(max) - i128::from(authorised);
            prop_assert!(margin * 100 <= i128::from(authorised) * 20 || max <= 10_000);
        }

        #[test]
        fn a_larger_hold_never_lowers_the_maximum(one in 0..=i64::MAX, other in 0..=i64::MAX, code in 0_u16..10_000) {
            let mcc = format!("{code:04}");
            prop_assert_eq!(one <= other || max(one, &mcc, "EUR") >= max(other, &mcc, "EUR"), true);
            prop_assert_eq!(other <= one || max(other, &mcc, "EUR") >= max(one, &mcc, "EUR"), true);
        }
    }
}
