//! Converts between minor units and the amounts in responses.

/// Returns the number of decimals of a currency of the demo data.
pub(crate) fn digits(currency: &str) -> usize {
    match currency {
        "GBP" | "EUR" => 2,
        "JPY" => 0,
        other => panic!("the tests do not know the currency {other}"),
    }
}

/// Returns an amount in minor units. Accepts only the format that the service must use.
pub(crate) fn parse_amount(text: &str, currency: &str) -> i64 {
    let value: i64 = text.replace('.', "").parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(format_amount(value, currency), text, "not the format of {currency}");
    value
}

/// Formats an amount in minor units.
pub(crate) fn format_amount(minor: i64, currency: &str) -> String {
    let digits = digits(currency);
    if digits == 0 {
        return minor.to_string();
    }
    let sign = if minor < 0 { "-" } else { "" };
    let magnitude = minor.unsigned_abs();
    let unit = 10_u64.pow(u32::try_from(digits).unwrap());
    format!("{sign}{}.{:0digits$}", magnitude / unit, magnitude % unit)
}

/// Returns the ISO 4217 number of a currency.
pub(crate) fn numeric(currency: &str) -> &'static str {
    match currency {
        "GBP" => "826",
        "EUR" => "978",
        "JPY" => "392",
        other => panic!("the tests do not know the currency {other}"),
    }
}
