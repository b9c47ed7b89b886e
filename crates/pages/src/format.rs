//! Formats amounts, times and initials for readers of a language.

use crate::texts::Texts;
use chrono::{DateTime, Datelike, Utc};
use florin_domain::money::Money;

/// Formats an amount: `£1,234.50`. A currency other than GBP and EUR is shown as a code before the amount: `JPY 1,234`.
/// The result is the same in English and Welsh.
pub(crate) fn money(amount: Money) -> String {
    let printed = amount.to_string();
    let (sign, printed) = printed.strip_prefix('-').map_or(("", printed.as_str()), |digits| ("\u{2212}", digits));
    let (whole, fraction) = printed.find('.').map_or((printed, ""), |point| printed.split_at(point));
    let mut grouped = String::with_capacity(printed.len() + 4);
    for (position, digit) in whole.chars().enumerate() {
        if position > 0 && (whole.len() - position).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    match amount.currency.code() {
        "GBP" => format!("{sign}£{grouped}{fraction}"),
        "EUR" => format!("{sign}€{grouped}{fraction}"),
        code => format!("{sign}{code}\u{a0}{grouped}{fraction}"),
    }
}

/// Formats a time to the minute: `23 November 2026 at 14:05 UTC`.
pub(crate) fn moment(texts: &Texts, time: DateTime<Utc>) -> String {
    let month = usize::try_from(time.month0()).ok().and_then(|month| texts.months.get(month)).copied();
    let day = format!("{}\u{a0}{} {}", time.day(), month.unwrap_or_default(), time.year());
    (texts.day_and_time)(&day, &time.format("%H:%M\u{a0}UTC").to_string())
}

/// Returns the first letter or digit of each of the first two words of a name, in capitals. If the name has neither
/// letters nor digits, returns its first character.
pub(crate) fn initials(name: &str) -> String {
    let letters = name.split_whitespace().filter_map(|word| word.chars().find(|letter| letter.is_alphanumeric()));
    let initials: String = letters.take(2).flat_map(char::to_uppercase).collect();
    if initials.is_empty() { name.trim().chars().take(1).collect() } else { initials }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::language::Language;
    use crate::texts::texts;
    use florin_domain::money::{Currency, Minor};

    #[test]
    fn amounts_have_groups_and_the_sign_of_their_currency() {
        for (minor, code, expected) in [
            (0, "GBP", "£0.00"),
            (123, "GBP", "£1.23"),
            (99_999, "GBP", "£999.99"),
            (100_000, "EUR", "€1,000.00"),
            (100_000_000, "GBP", "£1,000,000.00"),
            (-123_450, "GBP", "\u{2212}£1,234.50"),
            (1_234, "JPY", "JPY\u{a0}1,234"),
            (1_234_567, "BHD", "BHD\u{a0}1,234.567"),
        ] {
            assert_eq!(money(Minor(minor).of(Currency::parse(code).unwrap())), expected);
        }
    }

    #[test]
    fn a_moment_has_the_month_of_the_language() {
        let time = "2026-02-03T04:05:59Z".parse().unwrap();
        assert_eq!(moment(texts(Language::English), time), "3\u{a0}February 2026 at 04:05\u{a0}UTC");
        assert_eq!(moment(texts(Language::Welsh), time), "3\u{a0}Chwefror 2026 am 04:05\u{a0}UTC");
    }

    #[test]
    fn initials_are_letters_of_two_words() {
        for (name, expected) in [
            ("Ada’s Books", "AB"),
            ("florin", "F"),
            ("  the «very» old shop", "TV"),
            ("3 Sheep", "3S"),
            ("★", "★"),
            ("", ""),
        ] {
            assert_eq!(initials(name), expected, "{name}");
        }
    }
}
