//! Tests of rates.

use super::*;
use bigdecimal::{BigDecimal, RoundingMode, ToPrimitive};
use proptest::prelude::*;
use std::str::FromStr;

fn currency(code: &str) -> Currency {
    Currency::parse(code).unwrap()
}

fn rate(text: &str) -> Rate {
    Rate::parse(text).unwrap()
}

fn converted(text: &str, amount: i64, from: &str, to: &str) -> i64 {
    rate(text).convert(Minor(amount), currency(from), currency(to)).unwrap().0
}

#[test]
fn rates_are_plain_decimals() {
    for (text, shown) in [("0.7874", "0.7874"), ("1", "1"), ("1.50", "1.5"), ("190.40", "190.4"), ("0.0025", "0.0025")]
    {
        assert_eq!(rate(text).to_string(), shown);
    }
    assert_eq!(rate("100").to_string(), "100");
    for wrong in ["", "0", "0.000", "-1", "+1", "1e1", ".5", "1.", "1,5", "1234567890123", "x"] {
        assert!(Rate::parse(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn conversion_rounds_half_even() {
    assert_eq!(converted("0.5", 1, "USD", "GBP"), 0);
    assert_eq!(converted("0.5", 3, "USD", "GBP"), 2);
    assert_eq!(converted("0.5", 5, "USD", "GBP"), 2);
    assert_eq!(converted("0.51", 1, "USD", "GBP"), 1);
}

#[test]
fn conversion_uses_the_exponent_of_each_currency() {
    assert_eq!(converted("0.0052", 1_000, "JPY", "GBP"), 520);
    assert_eq!(converted("190.4", 1_000, "GBP", "JPY"), 1_904);
    assert_eq!(converted("0.478", 1_000, "GBP", "BHD"), 4_780);
    assert_eq!(converted("2.0921", 1_000, "BHD", "GBP"), 209);
    assert_eq!(rate("12").convert(Minor(i64::MAX), currency("GBP"), currency("GBP")), None);
}

#[test]
fn cross_rates_are_rounded_to_ten_digits() {
    assert_eq!(Rate::cross(rate("3"), rate("1")).unwrap().to_string(), "0.3333333333");
    assert_eq!(Rate::cross(rate("3"), rate("2")).unwrap().to_string(), "0.6666666667");
    assert_eq!(Rate::cross(rate("1.08"), rate("0.85")).unwrap().to_string(), "0.787037037");
    assert_eq!(Rate::cross(rate("0.85"), rate("163.2")).unwrap().to_string(), "192");
    assert_eq!(Rate::cross(rate("27000"), rate("0.4071")).unwrap().to_string(), "0.00001507777778");
    assert_eq!(Rate::cross(rate("1.5"), rate("1.5")).unwrap(), Rate::ONE);
}

proptest! {
    /// Computes the same result with exact decimals, rounded half even.
    #[test]
    fn conversion_is_exact_decimals_rounded_half_even(
        amount in 0_i64..=100_000_000_000_000,
        digits in 1_u64..1_000_000_000_000,
        scale in 0_u32..12,
        from in prop_oneof![Just("GBP"), Just("JPY"), Just("BHD")],
        to in prop_oneof![Just("GBP"), Just("JPY"), Just("BHD")],
    ) {
        let Some(rate) = Rate::new(digits, scale) else { return Ok(()) };
        let (from, to) = (currency(from), currency(to));
        let decimal = BigDecimal::from_str(&rate.to_string()).unwrap();
        let major = BigDecimal::from(amount) / BigDecimal::from(10_i64.pow(from.exponent()));
        let minor =
            (major * decimal * BigDecimal::from(10_i64.pow(to.exponent()))).with_scale_round(0, RoundingMode::HalfEven);
        prop_assert_eq!(rate.convert(Minor(amount), from, to).map(|minor| minor.0), minor.to_i64());
    }

    /// Conversion is monotonic, so no partial amount is negative.
    #[test]
    fn conversion_is_monotonic(
        one in 0_i64..1_000_000,
        more in 0_i64..1_000_000,
        digits in 1_u64..1_000_000,
        scale in 0_u32..8,
    ) {
        let Some(rate) = Rate::new(digits, scale) else { return Ok(()) };
        let convert = |minor| rate.convert(Minor(minor), currency("USD"), currency("GBP")).unwrap();
        prop_assert!(convert(one) <= convert(one + more));
    }

    #[test]
    fn display_and_parse_round_trip(digits in 1_u64..1_000_000_000_000, scale in 0_u32..20) {
        let Some(rate) = Rate::new(digits, scale) else { return Ok(()) };
        prop_assert_eq!(Rate::parse(&rate.to_string()), Ok(rate));
    }
}
